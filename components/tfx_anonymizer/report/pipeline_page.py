"""The page of the report of a pipeline."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.report.pictures import class_sizes, distribution, edge_text, groups_pay
from tfx_anonymizer.report.pipeline import change_text
from tfx_anonymizer.report.writing import histogram, render

# What a promise is called, and which way its bound goes.
_PROMISES = {
    "k": ("k, the size of the smallest class", "≥"),
    "l": ("l, distinct values in every class", "≥"),
    "entropy_l": ("entropy l-diversity", "≥"),
    "recursive_c": ("c of recursive (c, l)-diversity", "<"),
    "t": ("t, distance from the whole", "≤"),
    "no_direct_identifiers": ("no direct identifier left in", "≤"),
    "max_suppressed": ("share of rows left out", "≤"),
}
_BARS = 20


def render_pipeline_html(report: Mapping[str, Any]) -> str:
    """Renders a report of a pipeline as one page that needs nothing from elsewhere.

    Args:
        report: As `pipeline.put_together` gives it, framed; see `schemas/privacy_report.schema.json`.
    """
    policy = report["policy"]
    unit = "people" if policy.get("entity_id") else "rows"
    drawn = {
        name: _draw(split, policy["k"], unit, f"s{number}")
        for number, (name, split) in enumerate(report["splits"].items())
    }
    price = report["price"]
    made = [
        (f"{key}, {name}", value) for name, split in report["splits"].items() for key, value in split["made"].items()
    ]
    return render(
        "pipeline.html.j2",
        report=report,
        headline=_headline(report),
        unit=unit,
        independent=all(split["counted_independently"] for split in report["splits"].values()),
        promises=_PROMISES,
        drawn=drawn,
        pay=groups_pay(price, "pay") if price.get("groups") else "",
        change_text=change_text,
        metric_name=metric_name,
        policy_rows=_known(policy.items()),
        setting_rows=_known([*report["settings"].items(), *made]),
    )


def bin_rows(found: Mapping[str, Any]) -> list[tuple[str, float, float]]:
    """Returns what a picture of a column shows, as lines of a table: what, share before, share after.

    Args:
        found: As `folding` gives it.

    Example:
        >>> bin_rows({"kind": "numbers", "edges": [20], "before": [0.4, 0.6], "after": [0.5, 0.5], "missing": None})
        [('below 20', 0.4, 0.5), ('20 or more', 0.6, 0.5)]
    """
    if found["kind"] == "numbers":
        ends = [edge_text(edge) for edge in found["edges"]]
        middle = [f"{low} to below {high}" for low, high in itertools.pairwise(ends)]
        names = [f"below {ends[0]}", *middle, f"{ends[-1]} or more"] if ends else []
    else:
        names = [value or "(empty)" for value in found["values"]]
    rows = list(zip(names, found["before"], found["after"], strict=False))
    return rows + [(f"({name})", *found[name]) for name in ("other", "missing") if found.get(name)]


def metric_name(name: str) -> str:
    """Returns a metric's name as people write it.

    Example:
        >>> metric_name("auc"), metric_name("binary_accuracy")
        ('AUC', 'binary accuracy')
    """
    return name.replace("_", " ").replace("auc", "AUC")


def _draw(split: Mapping[str, Any], k: int, unit: str, prefix: str) -> dict[str, Any]:
    bars = histogram({int(size): count for size, count in split["counted"]["class_sizes"].items()}, _BARS)
    columns = {}
    for number, (name, facts) in enumerate(split["attributes"].items()):
        found = facts["distribution"]
        if found is not None:
            columns[name] = {"picture": distribution(found, f"{prefix}c{number}"), "rows": bin_rows(found)}
    return {"bars": bars, "sizes": class_sizes(bars, k, prefix, unit), "columns": columns}


def _headline(report: Mapping[str, Any]) -> str:
    if report["success"]:
        reached = min(split["counted"]["k"] for split in report["splits"].values())
        return f"Every promise holds: k = {reached:,} reached, {report['policy']['k']:,} asked."
    broken = [one["about"].lower() for one in report["statements"] if one["state"] == "bad"]
    return f"Not to be released: see {', '.join(dict.fromkeys(broken))}."


def _known(facts: Any) -> list[tuple[str, Any]]:
    """Leaves out what was not said; nought was."""
    return [
        (name, value) for name, value in facts if value is not None and value is not False and value not in ([], "")
    ]
