"""A task's process ends with the worker that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHILD = """
import sys, time
from tfx_anonymizer.airflow.process import end_with_parent
if sys.argv[1] == "yes": end_with_parent()
print("ready", flush=True)
time.sleep(60)
"""
PARENT = """
import os, signal, subprocess, sys
command = [sys.executable, "-c", sys.argv[1], sys.argv[2]]
child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
child.stdout.readline()
print(child.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def outlives(asked: str) -> bool:
    parent = [sys.executable, "-c", PARENT, CHILD, asked]
    pid = int(subprocess.run(parent, capture_output=True, text=True, check=False).stdout)
    state = Path(f"/proc/{pid}/stat")
    for _ in range(50):
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return False
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    return True


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a process that its parent ended")
def test_it_ends_with_its_parent():
    assert not outlives("yes")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has /proc")
def test_the_check_can_fail():
    assert outlives("no")
