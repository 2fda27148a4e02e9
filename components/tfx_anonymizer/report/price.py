"""What privacy costs, and who pays: a retrained model compared with the one that learned from raw data, group by group.

The loss of a group is compared with that of everybody. A metric says how far it may be off by chance if TFMA gave an
interval (`compute_confidence_intervals`), or if it is an accuracy, which is a share of n examples: the error is then
that of a share, sqrt(p (1 - p) / n). The two models saw the same examples, but an evaluation does not say which of them
both got right, so their errors are added as if they had not; that is too wide rather than too narrow where they agree.
A group pays more, and is flagged, if its loss exceeds everybody's by more than chance explains at 5 %, shared among all
groups (Bonferroni). A group that is not flagged may pay more all the same: few examples show little.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Mapping
from typing import Any, TypeAlias

from tfx_anonymizer.report.folding import fold_groups

LEVEL = 0.05
_NINETY_FIVE = statistics.NormalDist().inv_cdf(0.975)
_COUNT = "example_count"
# In this order one is chosen to tell the price by.
_ACCURACIES = ("binary_accuracy", "accuracy", "sparse_categorical_accuracy", "categorical_accuracy")
_HIGHER = (*_ACCURACIES, "balanced_accuracy", "auc", "f1_score", "auc_precision_recall", "precision", "recall")
_LOWER = ("mean_absolute_error", "root_mean_squared_error", "mean_squared_error", "binary_crossentropy", "loss")


@dataclasses.dataclass(frozen=True)
class Figure:
    """A metric of a model on some examples.

    Attributes:
        value: Its value.
        margin: Half the width of its 95 % interval, where TFMA was asked for one.
    """

    value: float
    margin: float | None = None


# By group, told by columns and values, the figures by metric; () is everybody.
Groups: TypeAlias = Mapping[tuple[tuple[str, str], ...], Mapping[str, Figure]]


def price(retrained: Groups, raw: Groups | None, least: int, metric: str | None = None) -> dict[str, Any]:
    """Compares two models.

    Args:
        retrained: What was found of the model that learned from the release.
        raw: What was found of the one that learned from the raw data; None if it was not evaluated.
        least: Examples that a group must have to be named.
        metric: The metric to compare groups by; by default an accuracy if there is one.

    Returns:
        JSON-ready: `missing`, in words, if there is nothing to compare; else `metric`, `examples`, `overall` (every
        metric of both), `scale` (100 where changes are told in points), `change` of everybody, and `groups` with those
        of at least `least` examples, greatest loss first; `folded` is the number of the others. Changes are of the
        metric, positive where the retrained model is better.

    Example:
        >>> before = {(): {"accuracy": Figure(0.9), "example_count": Figure(1000.0)}}
        >>> after = {(): {"accuracy": Figure(0.88), "example_count": Figure(1000.0)}}
        >>> found = price(after, before, 10)
        >>> found["metric"], round(found["change"]["value"], 3), round(found["change"]["margin"], 3)
        ('accuracy', -0.02, 0.028)
    """
    if raw is None:
        return {"missing": "no model that learned from the raw data was evaluated, so there is nothing to compare with"}
    mine, theirs = retrained.get(()), raw.get(())
    if mine is None or theirs is None:
        return {"missing": "an evaluation says nothing of all examples together"}
    if mine.get(_COUNT) != theirs.get(_COUNT):
        return {"missing": "the two models were evaluated on different numbers of examples"}
    both = [name for name in theirs if name in mine and not name.endswith(_COUNT)]
    chosen = _choose(both, metric)
    if chosen is None:
        asked = "no metric whose direction is known" if metric is None else f"no metric {metric!r}"
        return {"missing": f"the evaluations have {asked} in common; they have: {', '.join(sorted(both)) or 'none'}"}
    everybody = _change(mine, theirs, chosen)
    shared = {key: _examples(retrained[key]) for key in raw if key and key in retrained and chosen in retrained[key]}
    named = [key for key in fold_groups(shared, least) if chosen in raw[key]]
    groups = [_group(key, retrained[key], raw[key], chosen, everybody, len(named)) for key in named]
    return {
        "missing": None,
        "metric": chosen,
        "higher_is_better": chosen not in _LOWER,
        # Points are hundredths; an error has a unit of its own.
        "scale": 1 if chosen in _LOWER else 100,
        "examples": _examples(mine),
        "overall": [_overall(name, mine, theirs) for name in sorted(both)],
        "change": everybody,
        "groups": sorted(groups, key=lambda group: (group["change"]["value"], group["name"])),
        "folded": len(shared) - len(named),
        "level": LEVEL,
    }


def _choose(names: list[str], wanted: str | None) -> str | None:
    if wanted is not None:
        return wanted if wanted in names else None
    return next((name for name in (*_HIGHER, *_LOWER) if name in names), None)


def _examples(figures: Mapping[str, Figure]) -> int | None:
    return int(figures[_COUNT].value) if _COUNT in figures else None


def _overall(name: str, mine: Mapping[str, Figure], theirs: Mapping[str, Figure]) -> dict[str, Any]:
    change = _change(mine, theirs, name)
    return {"metric": name, "raw": theirs[name].value, "retrained": mine[name].value, "change": change}


def _change(mine: Mapping[str, Figure], theirs: Mapping[str, Figure], name: str) -> dict[str, float | None]:
    sign = -1.0 if name in _LOWER else 1.0
    first, second = _error(mine, name), _error(theirs, name)
    unknown = first is None or second is None
    margin = None if unknown else _NINETY_FIVE * math.hypot(first or 0.0, second or 0.0)
    return {"value": sign * (mine[name].value - theirs[name].value), "margin": margin}


def _error(figures: Mapping[str, Figure], name: str) -> float | None:
    """Returns a figure's standard error, None where nothing tells."""
    figure, examples = figures[name], _examples(figures)
    if figure.margin is not None:
        return figure.margin / _NINETY_FIVE
    if name in _ACCURACIES and examples and 0.0 <= figure.value <= 1.0:
        # One right and one wrong answer more, so that a few right answers are no certainty (Agresti and Coull 1998).
        share = (figure.value * examples + 2) / (examples + 4)
        return math.sqrt(share * (1 - share) / (examples + 4))
    return None


def _group(
    key: tuple[tuple[str, str], ...],
    mine: Mapping[str, Figure],
    theirs: Mapping[str, Figure],
    name: str,
    everybody: Mapping[str, float | None],
    groups: int,
) -> dict[str, Any]:
    change = _change(mine, theirs, name)
    return {
        "name": ", ".join(f"{column} = {value}" for column, value in key),
        "examples": _examples(mine),
        "raw": theirs[name].value,
        "retrained": mine[name].value,
        "change": change,
        "pays_more": _pays_more(change, everybody, groups),
    }


def _pays_more(change: Mapping[str, float | None], everybody: Mapping[str, float | None], groups: int) -> bool | None:
    """Whether a group's loss exceeds everybody's beyond chance; None where nothing tells how far chance reaches."""
    if change["margin"] is None or everybody["margin"] is None:
        return None
    assert change["value"] is not None
    assert everybody["value"] is not None
    error = math.hypot(change["margin"], everybody["margin"]) / _NINETY_FIVE
    worse = everybody["value"] - change["value"]
    return bool(worse > statistics.NormalDist().inv_cdf(1 - LEVEL / max(groups, 1)) * error)
