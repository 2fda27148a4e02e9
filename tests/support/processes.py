"""Processes that a test starts, finds and ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path


def wait(
    done: Callable[[], bool], seconds: float, what: str, tell: Callable[[], str] = str, *, pause: float = 2
) -> None:
    """Waits until something is so; looks once every `pause` seconds."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {what} in vain; {tell()}"
        time.sleep(pause)


def processes(*words: str) -> Iterator[int]:
    """The ids of the processes whose command line holds all of the words."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if all(word in line for word in words):
            yield int(path.parent.name)


def children(parent: int, *words: str) -> Iterator[int]:
    """The ids of the processes below one, however far, whose command line holds all of the words."""
    above = {int(path.parent.name): _parent(path) for path in Path("/proc").glob("[0-9]*/stat")}
    for found in processes(*words):
        process = above.get(found, 0)
        while process not in (0, parent):
            process = above.get(process, 0)
        if process == parent:
            yield found


def spawn(command: Sequence[str], log: Path, env: Mapping[str, str], cwd: Path) -> subprocess.Popen[bytes]:
    """Starts a process in a group of its own; what it prints goes into a file."""
    with log.open("wb") as file:
        return subprocess.Popen(
            list(command), env=dict(env), cwd=cwd, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )


def fetched(root: Path, script: str, *arguments: str) -> Path:
    """Runs one of the scripts that fetch or build a server; returns the path that it prints."""
    env = {**os.environ, "PYTHON": sys.executable}
    command = ["sh", script, *arguments]
    result = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return Path(result.stdout.strip())


def end(*started: subprocess.Popen[bytes]) -> None:
    """Ends processes that were started in groups of their own, the last one first, and all of their groups."""
    for process in reversed(started):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
    for process in started:
        _wait_or_kill(process)


def free_port() -> int:
    """A port of the loopback interface that nothing listens on."""
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for_port(process: subprocess.Popen[bytes], port: int, seconds: float, log: Path) -> None:
    """Waits until a server that was started listens."""

    def listens() -> bool:
        assert process.poll() is None, log.read_text(errors="replace")[-4000:]
        with closing(socket.socket()) as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    wait(listens, seconds, f"port {port}", lambda: log.read_text(errors="replace")[-4000:])


def _wait_or_kill(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _parent(stat: Path) -> int:
    try:
        # The name in brackets may hold anything; the parent is the second field behind it.
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return 0
