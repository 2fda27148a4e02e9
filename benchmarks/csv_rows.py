"""Measurements as rows of a CSV file, added as they are made, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd


def append(path: Path, rows: Sequence[Any]) -> None:
    """Adds rows, all at once, so that a run that is killed leaves whole measurements.

    Args:
        path: The file; made if absent, its first line the names of the fields.
        rows: Instances of one dataclass; at least one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.is_file()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(rows[0])])
        if new:
            writer.writeheader()
        writer.writerows(map(dataclasses.asdict, rows))


def done(path: Path, keys: Sequence[str]) -> set[tuple[Any, ...]]:
    """Returns what was measured so far by the fields that say what was; nothing if there is no file."""
    return set(pd.read_csv(path)[list(keys)].itertuples(index=False, name=None)) if path.is_file() else set()
