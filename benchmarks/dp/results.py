"""One row a measurement, appended to a CSV file as it is made, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd

from benchmarks import csv_rows


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What a model trained by a method is worth.

    Attributes:
        method: Its name.
        strength: epsilon or k; 0 where there is neither.
        seed: Of cut, method and training.
        model: Which was trained.
        accuracy: On real test rows, 0 to 1.
        auc: Likewise.
    """

    method: str
    strength: float
    seed: int
    model: str
    accuracy: float
    auc: float


FIELDS = [field.name for field in dataclasses.fields(Measurement)]


def read(path: Path) -> pd.DataFrame:
    """Reads what was measured so far; an empty table if nothing was."""
    return pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=FIELDS)


def done(path: Path) -> set[tuple[str, float, int]]:
    """Returns the methods, strengths and seeds that were measured so far."""
    return {tuple(row) for row in read(path)[FIELDS[:3]].itertuples(index=False)}


def append(path: Path, measurements: list[Measurement]) -> None:
    """Adds rows, all at once, so that a run that is killed leaves whole measurements."""
    csv_rows.append(path, measurements)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds, in percent: a row a method, strength and model, with the standard error of the mean."""
    groups = table.groupby(["method", "strength", "model"], sort=False)
    found = groups.agg(
        seeds=("seed", "nunique"), accuracy=("accuracy", "mean"), sem=("accuracy", "sem"), auc=("auc", "mean")
    )
    return found.assign(accuracy=100 * found["accuracy"], sem=100 * found["sem"]).reset_index()
