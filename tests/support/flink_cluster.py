"""A Flink cluster on the loopback interface: a JobManager and TaskManagers, each a Java process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from pathlib import Path

from tests.support.processes import end, fetched, free_port, spawn, wait

ROOT = Path(__file__).parents[2]
_FLINK = "org.apache.flink.runtime"
_JOB_MANAGER = f"{_FLINK}.entrypoint.StandaloneSessionClusterEntrypoint"
_TASK_MANAGER = f"{_FLINK}.taskexecutor.TaskManagerRunner"
# Flink reaches into these packages, which Java 17 closes.
_OPENED = (
    "lang",
    "net",
    "io",
    "nio",
    "text",
    "time",
    "util",
    "util.concurrent",
    "util.concurrent.atomic",
    "lang.reflect",
)


def java(home: Path, *options: str) -> list[str]:
    """The beginning of a Java command line: a small heap, temporary files below a folder."""
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    opened = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED]
    return ["java", "-Xmx512m", f"-Djava.io.tmpdir={temporary}", *opened, *options]


class FlinkCluster:
    """One cluster.

    Args:
        home: A folder for its configuration, logs and temporary files.
        task_managers: How many TaskManagers; each has one slot.
    """

    def __init__(self, home: Path, task_managers: int) -> None:
        self._home = home
        self._task_managers = task_managers
        self._jars = fetched(ROOT, "scripts/flink.sh", "cluster")
        self._port = free_port()
        self._started: list[subprocess.Popen[bytes]] = []
        self.address = f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Starts all processes and waits until every TaskManager has offered its slot."""
        self._home.mkdir(parents=True)
        settings = {**_SETTINGS, "jobmanager.rpc.port": free_port(), "rest.port": self._port}
        settings["parallelism.default"] = self._task_managers
        (self._home / "config.yaml").write_text("".join(f"{name}: {value}\n" for name, value in settings.items()))
        self._spawn("job-manager", _JOB_MANAGER)
        for number in range(self._task_managers):
            self._spawn(f"task-manager-{number}", _TASK_MANAGER)
        wait(lambda: self.overview().get("slots-available") == self._task_managers, 120, "the slots", self._logs)

    def stop(self) -> None:
        """Ends what it started."""
        end(*self._started)

    def overview(self) -> dict[str, int | str]:
        """What the JobManager says of the cluster; nothing as long as it does not answer."""
        try:
            with urllib.request.urlopen(f"http://{self.address}/overview", timeout=10) as answer:
                found: dict[str, int | str] = json.loads(answer.read())
        except OSError:
            return {}
        return found

    def _spawn(self, name: str, main: str) -> None:
        command = [*java(self._home, "-cp", f"{self._jars}/*"), main, "--configDir", str(self._home)]
        self._started.append(spawn(command, self._home / f"{name}.log", os.environ, self._home))

    def _logs(self) -> str:
        return "\n".join(path.read_text(errors="replace")[-2000:] for path in sorted(self._home.glob("*.log")))


_SETTINGS: dict[str, str | int] = {
    **dict.fromkeys(
        ["jobmanager.rpc.address", "jobmanager.bind-host", "rest.address", "rest.bind-address"], "127.0.0.1"
    ),
    **dict.fromkeys(["taskmanager.host", "taskmanager.bind-host"], "127.0.0.1"),
    "taskmanager.numberOfTaskSlots": 1,
    # Started without Flink's shell script, which would work these out.
    "jobmanager.memory.process.size": "700m",
    "taskmanager.cpu.cores": 1,
    "taskmanager.memory.task.heap.size": "256m",
    "taskmanager.memory.task.off-heap.size": "0m",
    "taskmanager.memory.managed.size": "128m",
    "taskmanager.memory.network.min": "64m",
    "taskmanager.memory.network.max": "64m",
    "taskmanager.memory.framework.heap.size": "128m",
    "taskmanager.memory.framework.off-heap.size": "64m",
    "taskmanager.memory.jvm-metaspace.size": "192m",
    "taskmanager.memory.jvm-overhead.min": "64m",
    "taskmanager.memory.jvm-overhead.max": "64m",
}
