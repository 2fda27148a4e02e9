"""One row a measurement, appended to a CSV file as it is made, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd

from benchmarks import csv_rows


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What a model lost when it was retrained on an anonymized release.

    Attributes:
        case: Data set and number of quasi-identifiers, such as `adult-12`.
        model: Which kind of model.
        k: The guarantee asked for.
        method: How it was reached.
        seed: Of split, training and method.
        raw: Accuracy on held-out rows of the model trained on raw rows, 0 to 1.
        accuracy: The same of the model trained on the release.
        classes: Distinct released combinations.
        smallest: Rows that share the rarest of them.
        seconds: What anonymizing took, as the clock ran; no figure to compare machines by.
    """

    case: str
    model: str
    k: int
    method: str
    seed: int
    raw: float
    accuracy: float
    classes: int
    smallest: int
    seconds: float

    @property
    def key(self) -> tuple[str, str, int, str, int]:
        """What was measured."""
        return (self.case, self.model, self.k, self.method, self.seed)


FIELDS = [field.name for field in dataclasses.fields(Measurement)]


def read(path: Path) -> pd.DataFrame:
    """Reads what was measured so far; an empty table if nothing was."""
    return pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=FIELDS)


def done(path: Path) -> set[tuple[str, str, int, str, int]]:
    """Returns the keys of what was measured so far."""
    return csv_rows.done(path, FIELDS[:5])


def append(path: Path, measurement: Measurement) -> None:
    """Adds one row; the whole line at once, so that a run that is killed leaves whole lines."""
    csv_rows.append(path, [measurement])


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds.

    Args:
        table: What `read` gives.

    Returns:
        A row a case, model, k and method: `seeds`, `accuracy` and `change` in percent and points, and `std` of the
        change, the sample standard deviation over seeds.
    """
    table = table.assign(change=100 * (table["accuracy"] - table["raw"]), accuracy=100 * table["accuracy"])
    groups = table.groupby(["case", "model", "k", "method"], sort=False)
    return groups.agg(
        seeds=("seed", "nunique"), accuracy=("accuracy", "mean"), change=("change", "mean"), std=("change", "std")
    ).reset_index()
