"""Beam runners whose workers are processes of their own, started on this machine and ended again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.beam import RUNNER
from tests.support.flink_cluster import FlinkCluster, java
from tests.support.processes import children, end, fetched, free_port, spawn, wait_for_port

ROOT = Path(__file__).parents[2]
# What the workers' command lines hold, whoever starts them.
WORKER = "apache_beam.runners.worker.sdk_worker"
# TFX takes it as an answer to where its workers find TFX; nothing looks it up, for workers run in this environment.
INSTALLED = "--sdk_container_image=not-needed-on-this-machine"


@dataclass(frozen=True)
class Runner:
    """A runner that is up.

    Attributes:
        args: The Beam arguments that lead to it.
        workers_above: The process under which its Python workers run.
    """

    args: tuple[str, ...]
    workers_above: int

    def workers(self) -> list[int]:
        """The ids of the Python workers that run now."""
        return list(children(self.workers_above, WORKER))


@contextmanager
def worker_processes(home: Path) -> Iterator[Runner]:
    """Beam's direct runner with two worker processes."""
    args = (f"--runner={RUNNER}", "--direct_running_mode=multi_processing", "--direct_num_workers=2", INSTALLED)
    yield Runner(args, os.getpid())


@contextmanager
def job_server(home: Path) -> Iterator[Runner]:
    """Beam's own portable job server, and a pool of workers, each in a process of its own."""
    port = free_port()
    command = _python("apache_beam.runners.portability.local_job_service_main", f"--job_port={port}")
    with _submitted_to(home, command, port) as found:
        yield found


@contextmanager
def flink(home: Path) -> Iterator[Runner]:
    """A Flink cluster of a JobManager and two TaskManagers, Beam's job server for it, and a pool of workers."""
    jar = fetched(ROOT, "scripts/flink.sh", "job-server")
    cluster = FlinkCluster(home / "cluster", task_managers=2)
    port = free_port()
    where = (f"--flink-master={cluster.address}", f"--artifacts-dir={home / 'artifacts'}")
    ports = ("--job-host=127.0.0.1", f"--job-port={port}", "--artifact-port=0", "--expansion-port=0")
    try:
        cluster.start()
        with _submitted_to(home, [*java(home), "-jar", str(jar), *where, *ports], port) as found:
            yield Runner((*found.args, "--parallelism=2"), found.workers_above)
    finally:
        cluster.stop()


@contextmanager
def prism(home: Path) -> Iterator[Runner]:
    """Prism, Beam's portable runner in Go, and a pool of workers: no line of the runner is Python's."""
    port = free_port()
    command = [str(fetched(ROOT, "scripts/prism.sh")), f"--job_port={port}", "--serve_http=false"]
    with _submitted_to(home, command, port) as found:
        yield found


FLAVOURS: dict[str, Callable[[Path], object]] = {
    "direct": worker_processes,
    "portable": job_server,
    "prism": prism,
    "flink": flink,
}


@contextmanager
def _submitted_to(home: Path, command: Sequence[str], port: int) -> Iterator[Runner]:
    """Starts a job server and a worker pool; ends both."""
    pool_port = free_port()
    pool_command = _python("apache_beam.runners.worker.worker_pool_main", f"--service_port={pool_port}")
    started = [spawn(command, home / "job-server.log", _environment(), ROOT)]
    try:
        wait_for_port(started[0], port, 180, home / "job-server.log")
        started.append(spawn(pool_command, home / "worker-pool.log", _environment(), ROOT))
        wait_for_port(started[1], pool_port, 180, home / "worker-pool.log")
        yield Runner(
            (
                "--runner=PortableRunner",
                f"--job_endpoint=127.0.0.1:{port}",
                "--environment_type=EXTERNAL",
                f"--environment_config=127.0.0.1:{pool_port}",
                # By default the driver gives up a job after a minute; a busy machine needs longer.
                "--job_server_timeout=3600",
                INSTALLED,
            ),
            started[1].pid,
        )
    finally:
        end(*started)


def _python(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-W", "ignore", "-m", module, *arguments]


def _environment() -> dict[str, str]:
    """The pool starts whatever `python` is found first, so that must be this one; its workers unpickle test code."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    modules = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PATH": path, "PYTHONPATH": modules}
