"""One row a measurement, appended to a CSV file as it is made, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd

from benchmarks import csv_rows

KEYS = ["method", "strength", "seed"]
STRONGEST = "rmia"


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


def read(path: Path) -> pd.DataFrame:
    """Reads what was measured so far; an empty table if nothing was."""
    return pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=KEYS)


def done(path: Path) -> set[tuple[str, float, int]]:
    """Returns the methods, strengths and seeds that were measured so far."""
    return csv_rows.done(path, KEYS)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds, in percent: a row a method, strength and model, with the standard error of the mean.

    Args:
        table: Of `Measurement`.
    """
    groups = table.groupby(["method", "strength", "model"], sort=False)
    found = groups.agg(
        seeds=("seed", "nunique"), accuracy=("accuracy", "mean"), sem=("accuracy", "sem"), auc=("auc", "mean")
    )
    return found.assign(accuracy=100 * found["accuracy"], sem=100 * found["sem"]).reset_index()


def attack_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of the strongest attack, shares in percent, with standard errors of the mean.

    Args:
        table: Of `Attack`.

    Returns:
        A row a method, strength and model; `holds` says in how many seeds the interval of the AUC holds 0.5, and
        `epsilon` is the greatest lower bound of any attack.
    """
    names = ["method", "strength", "model"]
    holds = table.assign(holds=(table["low"] <= 0.5) & (table["high"] >= 0.5))
    groups = holds[table["attack"] == STRONGEST].groupby(names, sort=False)
    found = groups.agg(
        seeds=("seed", "nunique"),
        accuracy=("accuracy", "mean"),
        accuracy_sem=("accuracy", "sem"),
        auc=("auc", "mean"),
        auc_sem=("auc", "sem"),
        tpr=("tpr", "mean"),
        tpr_sem=("tpr", "sem"),
        holds=("holds", "sum"),
    )
    shares = ["accuracy", "accuracy_sem", "tpr", "tpr_sem"]
    found = found.assign(**{name: 100 * found[name] for name in shares})
    return found.join(table.groupby(names)["epsilon"].max()).reset_index()


def in_order(table: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Sorts a summary by method, as they are listed, and strength."""
    place = table["method"].map({name: number for number, name in enumerate(methods)})
    return table.assign(place=place).sort_values(["place", "strength"], kind="stable").drop(columns="place")
