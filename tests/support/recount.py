"""Counting a release by the definitions alone: lists, dictionaries and fractions, and nothing of the package."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Row = Mapping[str, Any]


def rows_of(table: Any) -> list[dict[str, Any]]:
    """A pandas table as a list of rows; every form of missing is None."""
    return [{name: None if v is None or v != v else v for name, v in row.items()} for row in table.to_dict("records")]


def breaches(
    rows: Sequence[Row],
    quasi_identifiers: Sequence[str],
    k: int,
    *,
    entity_id: str | None = None,
    sensitive: Sequence[str] = (),
    l: float | None = None,
    diversity: str = "distinct",
    c: float | None = None,
    t: float | None = None,
) -> list[str]:
    """Names every promise that some class breaks; see `AnonymizationPolicy` for what each parameter promises."""
    classes: dict[tuple, list[Row]] = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in quasi_identifiers)].append(row)
    found = []
    for members in classes.values():
        size = len(members) if entity_id is None else len({row[entity_id] for row in members})
        if size < k:
            found.append("k")
        for name in sensitive:
            count = Counter(row[name] for row in members)
            if l is not None and not is_diverse(count, l, diversity, c):
                found.append(f"{diversity} l of {name}")
            if t is not None and distance(count, Counter(row[name] for row in rows)) > t + 1e-9:
                found.append(f"t of {name}")
    return found


def is_diverse(count: Counter, l: float, diversity: str, c: float | None) -> bool:
    """Machanavajjhala et al. 2007, definitions of section 4."""
    frequencies = sorted(count.values(), reverse=True)
    if diversity == "distinct":
        return len(frequencies) >= l
    if diversity == "entropy":
        shares = [n / sum(frequencies) for n in frequencies]
        return -math.fsum(p * math.log2(p) for p in shares) >= math.log2(l) - 1e-9
    # As a decimal: 1.1 is meant, and not the binary number nearest to it.
    return frequencies[0] < Fraction(str(c)) * sum(frequencies[int(l) - 1 :])


def distance(mine: Counter, whole: Counter) -> float:
    """Earth mover's distance of Li et al. 2007, section 4: ordered for numbers, equal for text; missing comes last."""
    rows, all_rows = sum(mine.values()), sum(whole.values())
    difference = {v: Fraction(mine[v], rows) - Fraction(whole[v], all_rows) for v in whole}
    if any(isinstance(v, str) for v in whole):
        return float(sum(map(abs, difference.values())) / 2)
    in_order = sorted(v for v in whole if v is not None) + [None] * (None in whole)
    carried, moved = Fraction(0), Fraction(0)
    for v in in_order:
        carried += difference[v]
        moved += abs(carried)
    return float(moved / max(len(in_order) - 1, 1))
