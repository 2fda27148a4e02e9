"""Holds a finished release against its own report, by other code than made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.differential_privacy.spending import Spending, composed_epsilon

# Weights are 32-bit floats.
_CLOSE = 1e-4


def broken_promises(report: Mapping[str, Any], weight_key: str | None) -> list[str]:
    """Returns what does not hold, in words; nothing if all does.

    Args:
        report: The report's facts, as they are written.
        weight_key: The column of weights.
    """
    found = []
    asked = report["budget"]
    spent = Spending.from_dict(report["spent"])
    # Read back and added up again: what is written must itself keep the budget.
    if spent.delta > asked["delta"] or composed_epsilon([spent], delta=spent.delta) > spent.epsilon * (1 + 1e-9):
        found.append(f"epsilon is above the reported {spent.epsilon:g}")
    for name, split in report["splits"].items():
        looked = split["looked_over"]
        for column, count in looked["outside"].items():
            found.append(f"{count} values of {column!r} in split {name!r} are outside the schema's domain")
        if looked["rows"] != split["rows"]:
            found.append(f"split {name!r} has {looked['rows']} rows instead of {split['rows']}")
        expected = split["rows"] * split["weight"] if weight_key else split["rows"]
        if abs(looked["weight"] - expected) > _CLOSE * expected:
            found.append(f"weights of split {name!r} add up to {looked['weight']:g} instead of {expected:g}")
    return found
