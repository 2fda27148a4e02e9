"""What of a column's values may stand in a report: the one rule, for numbers, for categories and for groups.

1. A category is named if at least `least` raw rows have it. All others are `other`, and `other` too stands for at least
   `least` rows or for none: if need be, the rarest named category joins it.
2. Numbers are counted between edges on a round grid of the decimal system, and half a unit below each. An edge that is
   itself a value of fewer than `least` raw rows is left out, and so is one that is the column's least or greatest
   value; the one half a unit below, which is nobody's value, then does as well. Bins are joined until each holds at
   least `least` raw rows; the first and the last are open, so neither extreme is told.
3. Missing is named if at least `least` raw rows are missing, and otherwise not counted at all.
4. What is told is the share of each bin, rounded, and not its rows, so that nothing can be told by subtraction.
5. A group of an evaluation is named if at least `least` examples are in it.

`least` is k, in rows. Where people are counted it is k times the most rows that one person has: so many rows are k
people's at least.
"""

from __future__ import annotations

import dataclasses
import decimal
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MOST_CATEGORIES = 10
_BINS = 10
_DIGITS = 4
_MOST_DECIMALS = 4


@dataclasses.dataclass(frozen=True)
class Binned:
    """Rows of a column of numbers, counted between edges.

    Attributes:
        before: Raw rows by bin: below the first edge, from each edge to below the next, from the last on.
        after: Released rows, likewise.
        at_edge: Raw rows whose value is the edge itself, by edge.
        missing_before: Raw rows without a value.
        missing_after: Released rows without a value.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    at_edge: tuple[int, ...]
    missing_before: int = 0
    missing_after: int = 0


def fold_numbers(edges: Sequence[float], binned: Binned, least: int) -> dict[str, Any]:
    """Folds a column of numbers by the rule above.

    Args:
        edges: Round numbers, ascending, as `round_edges` gives them.
        binned: What was counted; one bin more than there are edges.
        least: Raw rows that a bin must hold.

    Returns:
        `edges`, and the shares `before` and `after` of one bin more; `missing`, a pair of such shares or None. Without
        edges there is nothing that may be told.

    Example:
        >>> fold_numbers([20, 30, 40], Binned((3, 40, 50, 7), (0, 50, 50, 0), (5, 0, 2)), 5)["edges"]
        [30]
    """
    kept = _rounder([i for i in range(len(edges)) if _may_stand(i, binned, least)], edges, binned)
    before, after = _between(binned.before, kept), _between(binned.after, kept)
    joined_before: list[int] = []
    joined_after: list[int] = []
    ends: list[float] = []
    for i in range(len(before)):
        if not joined_before or joined_before[-1] >= least:
            if joined_before:
                ends.append(edges[kept[i - 1]])
            joined_before.append(0)
            joined_after.append(0)
        joined_before[-1] += before[i]
        joined_after[-1] += after[i]
    if len(joined_before) > 1 and joined_before[-1] < least:
        for counts in (joined_before, joined_after):
            last = counts.pop()
            counts[-1] += last
        ends.pop()
    missing = None
    if binned.missing_before >= least:
        joined_before.append(binned.missing_before)
        joined_after.append(binned.missing_after)
    shares = _shares(joined_before), _shares(joined_after)
    if binned.missing_before >= least:
        missing = [shares[0].pop(), shares[1].pop()]
    return {"kind": "numbers", "edges": ends, "before": shares[0], "after": shares[1], "missing": missing}


def fold_categories(
    counted: Sequence[tuple[str, int, int]], rows: tuple[int, int], missing: tuple[int, int], least: int
) -> dict[str, Any]:
    """Folds a column of categories by the rule above.

    Args:
        counted: Values with their raw and released rows; at least the `MOST_CATEGORIES` that most raw rows have.
        rows: Raw and released rows in all, those without a value left out.
        missing: Raw and released rows without a value.
        least: Raw rows that a category must have.

    Returns:
        `values`, and the shares `before` and `after` of each; `other` and `missing`, pairs of such shares or None.

    Example:
        >>> fold_categories([("Ulm", 60, 70), ("Bonn", 30, 30), ("Kiel", 3, 0)], (100, 100), (0, 0), 5)["values"]
        ['Ulm', 'Bonn']
    """
    shown = sorted(counted, key=lambda one: (-one[1], one[0]))[:MOST_CATEGORIES]
    shown = [one for one in shown if one[1] >= least]
    other = [rows[0] - sum(before for _, before, _ in shown), rows[1] - sum(after for _, _, after in shown)]
    while shown and 0 < other[0] < least:
        _, before, after = shown.pop()
        other = [other[0] + before, other[1] + after]
    told = other[0] >= max(least, 1)
    columns = [[before for _, before, _ in shown], [after for _, _, after in shown]]
    for side, counts in enumerate(columns):
        counts.extend([other[side]] if told else [])
        counts.extend([missing[side]] if missing[0] >= least else [])
    shares = [_shares(counts) for counts in columns]
    absent = [side.pop() for side in shares] if missing[0] >= least else None
    rest = [side.pop() for side in shares] if told else None
    return {
        "kind": "categories",
        "values": [one[0] for one in shown],
        "before": shares[0],
        "after": shares[1],
        "other": rest,
        "missing": absent,
    }


def fold_groups(groups: Mapping[Any, float | None], least: int) -> list[Any]:
    """Returns the groups that may be named.

    Args:
        groups: Examples by group; None where they were not counted.
        least: Examples that a group must have.
    """
    return [name for name, examples in groups.items() if examples is not None and examples >= least]


def round_edges(sample: Floats, *, whole: bool) -> list[float]:
    """Returns edges on a round grid between which a column of numbers can be counted.

    Args:
        sample: Some of its values, finite, shape (n,).
        whole: Whether they are whole numbers.

    Returns:
        Ascending: a dozen or so multiples of 1, 2 or 5 times a power of ten, and half a unit below each, where the unit
        is 1 for whole numbers and else the last decimal, if there are few.

    Example:
        >>> round_edges(np.arange(17.0, 91.0), whole=True)[:6]
        [19.5, 20.0, 29.5, 30.0, 39.5, 40.0]
        >>> round_edges(np.array([0.0, 1.0, 1.0]), whole=True)
        [0.5, 1.0]
    """
    if not len(sample):
        return []
    low, high = (float(value) for value in np.quantile(sample, [0.02, 0.98], method="inverted_cdf"))
    if low == high:
        low, high = float(sample.min()), float(sample.max())
    span = high - low
    if not span or not math.isfinite(span):
        return []
    step = _round_step(span / _BINS)
    if whole:
        step = max(step, decimal.Decimal(1))
    first = int(decimal.Decimal(low) // step)
    last = int(decimal.Decimal(high) // step)
    edges = {float(step * i) for i in range(first, last + 1)}
    unit = 1.0 if whole else _unit(sample)
    if unit is not None:
        edges |= {round(edge - unit / 2, _MOST_DECIMALS + 2) for edge in edges}
    return sorted(edge for edge in edges if low < edge <= high)


def _unit(sample: Floats) -> float | None:
    """Returns the last decimal that any of the values has; None if they have many."""
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = sample * 10.0**decimals
        # As near as a float of 32 bits can be to a decimal number.
        if np.allclose(scaled, np.round(scaled), rtol=1e-6, atol=1e-6):
            return 10.0**-decimals
    return None


def _round_step(width: float) -> decimal.Decimal:
    """Returns the least of 1, 2 or 5 times a power of ten that is not less."""
    power = math.floor(math.log10(width))
    for factor in (1, 2, 5, 10):
        step = decimal.Decimal(factor).scaleb(power)
        if step >= decimal.Decimal(width):
            return step
    return decimal.Decimal(1).scaleb(power + 1)


def _may_stand(i: int, binned: Binned, least: int) -> bool:
    at_edge = binned.at_edge[i]
    if not at_edge:
        # Nobody's value, so it is no extreme either.
        return True
    greatest = sum(binned.before[i + 1 :]) == at_edge
    lowest = sum(binned.before[: i + 1]) == 0
    return at_edge >= least and not greatest and not lowest


def _rounder(kept: Sequence[int], edges: Sequence[float], binned: Binned) -> list[int]:
    """Of edges that no raw row lies between, keeps the one that is written shortest."""
    chosen: list[int] = []
    for i in kept:
        if chosen and not sum(binned.before[chosen[-1] + 1 : i + 1]):
            if len(f"{edges[i]:.10g}") <= len(f"{edges[chosen[-1]]:.10g}"):
                chosen[-1] = i
        else:
            chosen.append(i)
    return chosen


def _between(counts: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Adds up the bins between the edges that are kept."""
    ends = [0, *(i + 1 for i in kept), len(counts)]
    return [int(sum(counts[start:stop])) for start, stop in itertools.pairwise(ends)]


def _shares(counts: Sequence[int]) -> list[float]:
    total = max(sum(counts), 1)
    return [round(count / total, _DIGITS) for count in counts]
