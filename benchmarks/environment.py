"""Environments of their own for what this package's cannot hold, made once, under `runs/`."""

from __future__ import annotations

import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path

RUNS = Path(__file__).parents[1] / "runs"


def make(name: str, *installations: Sequence[str]) -> Path:
    """Makes an environment if it is not there.

    Args:
        name: Of its folder.
        *installations: What pip is asked for, one call after the other.

    Returns:
        Its interpreter.
    """
    folder = RUNS / name
    interpreter = folder / "bin" / "python"
    done = folder / "ready"
    if not done.exists():
        venv.create(folder, with_pip=True, clear=True)
        for arguments in installations:
            subprocess.run([interpreter, "-m", "pip", "install", "--quiet", *arguments], check=True)  # noqa: S603
        done.touch()
    return interpreter
