"""Summaries as Markdown, for documents."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd

from benchmarks.dp.methods import EPSILON, METHODS, K
from benchmarks.dp.results import in_order

SIGNS = {EPSILON: "ε", K: "*k*"}


def accuracy_table(summary: pd.DataFrame) -> str:
    """Returns accuracies: a row a method and strength, a column a model.

    Args:
        summary: What `results.summary` gives.
    """
    models = list(dict.fromkeys(name for method in METHODS.values() for name in method.models))
    ordered = in_order(summary, list(METHODS))
    rows = []
    for (method, strength), found in ordered.groupby(["method", "strength"], sort=False):
        cells = {row.model: _with_error(row.accuracy, row.sem, 2) for row in found.itertuples()}
        rows.append([called(method, strength), str(found["seeds"].max()), *(cells.get(name, "") for name in models)])
    return markdown(["", "seeds", *models], rows)


def attack_table(summary: pd.DataFrame) -> str:
    """Returns what the strongest attack reached: a row a method and strength.

    Args:
        summary: What `results.attack_summary` gives.
    """
    heads = ["", "attacked", "accuracy, %", "AUC, RMIA", "caught at 1 % by RMIA, %", "interval holds 0.5"]
    rows = [
        [
            called(row.method, row.strength),
            row.model,
            _with_error(row.accuracy, row.accuracy_sem, 1),
            _with_error(row.auc, row.auc_sem, 3),
            _with_error(row.tpr, row.tpr_sem, 2),
            f"{row.holds} of {row.seeds}",
        ]
        for row in in_order(summary, list(METHODS)).itertuples()
    ]
    return markdown(heads, rows)


def called(method: str, strength: float) -> str:
    """Names a row, such as `ClustMix, ε = 2`."""
    sign = SIGNS.get(METHODS[method].strength) if method in METHODS else None
    name = method.replace("k-anonymous", "*k*-anonymous")
    return f"{name}, {sign} = {strength:g}" if sign else name


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _with_error(value: float, error: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isnan(error) else f"{value:.{digits}f} ± {error:.{digits}f}"
