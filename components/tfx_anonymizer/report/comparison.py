"""The pages of a comparison: HTML for people, CSV for tables, JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfx_anonymizer.report.frame import framed
from tfx_anonymizer.report.plots import trade_off
from tfx_anonymizer.report.writing import render, write_aside

_METRICS = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "roc_auc": "ROC AUC", "r2": "R²"}


def write_comparison(
    folder: Path,
    tool: str,
    comparison: Mapping[str, Any],
    recommended: Mapping[str, Any] | None,
    *,
    at_most: float,
    method: Mapping[str, Any],
) -> None:
    """Writes `comparison.html`, `comparison.csv` and `comparison.json`.

    Args:
        folder: Where to; exists.
        tool: What made the comparison.
        comparison: As `comparison.Comparison.to_dict` gives it.
        recommended: The point to take, one of the comparison's, or None.
        at_most: The loss that was allowed, points.
        method: How it was made, by name.
    """
    body = {**comparison, "at_most": at_most, "recommended": recommended, "method": dict(method)}
    report = framed(tool, body)
    write_aside(folder / "comparison.json", json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    write_aside(folder / "comparison.csv", _table(comparison))
    metric = _METRICS[comparison["metric"]]
    page = {**report, "metric_name": metric, "model_name": comparison["model"].replace("_", " ")}
    k = None if recommended is None else recommended["k"]
    plot = trade_off(comparison["points"], metric, at_most, k)
    write_aside(
        folder / "comparison.html", render("comparison.html.j2", report=page, recommended=recommended, plot=plot)
    )


def _table(comparison: Mapping[str, Any]) -> str:
    text = io.StringIO()
    points = comparison["points"]
    writer = csv.DictWriter(text, fieldnames=list(points[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(points)
    return text.getvalue()
