"""Tallies of one equivalence class, mergeable in any order, and what a release's classes add up to.

This knows nothing of how classes were made. A class is a combination of exact values; missing is a value.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

# What has an order of its own: numbers, dates and times.
_ORDERED = (int, float, decimal.Decimal, datetime.date, datetime.time)

Key = tuple[Any, ...]
Values = Mapping[Any, int]


@dataclasses.dataclass(frozen=True)
class Tally:
    """What was counted of one class so far.

    Attributes:
        rows: Number of rows.
        people: Number of distinct people; 0 where rows are counted, or people are not counted yet.
        values: For each sensitive column the rows by value.
        who: The people met so far; empty where rows are counted, and once they were counted.
    """

    rows: int = 0
    people: int = 0
    values: tuple[Values, ...] = ()
    who: frozenset[Any] = frozenset()

    def counted(self) -> Tally:
        """Returns the tally with its people counted, who they are forgotten."""
        return dataclasses.replace(self, people=self.people + len(self.who), who=frozenset())


def merge(tallies: Iterable[Tally]) -> Tally:
    """Adds tallies of disjoint rows (and, where they were counted already, disjoint people) of one class."""
    rows = people = 0
    values: list[Counter[Any]] = []
    who: set[Any] = set()
    for tally in tallies:
        rows += tally.rows
        people += tally.people
        who |= tally.who
        while len(values) < len(tally.values):
            values.append(Counter())
        for total, counted in zip(values, tally.values, strict=False):
            total.update(counted)
    return Tally(rows, people, tuple(values), frozenset(who))


def tally_batch(
    keys: pa.Table, sensitive: Sequence[pa.Array], people: pa.Array | None = None
) -> list[tuple[Key, Tally]]:
    """Tallies the classes that occur in one batch.

    Args:
        keys: Plain columns, n rows, that together tell the classes apart.
        sensitive: The sensitive columns as plain arrays, shape (n,) each.
        people: Whose row it is, shape (n,); None if rows are counted.

    Returns:
        A key and a tally for each distinct combination.
    """
    if not keys.num_rows:
        return []
    numbered = _number(keys)
    found, first, rows = np.unique(numbered, return_index=True, return_counts=True)
    distinct = keys.take(pa.array(first))
    combinations = list(zip(*(_exact(column) for column in distinct.columns), strict=True))
    values = [_count_values(numbered, found, array) for array in sensitive]
    nobody: list[frozenset[Any]] = [frozenset()] * len(found)
    who = nobody if people is None else [frozenset(one) for one in _count_values(numbered, found, people)]
    return [
        (key, Tally(int(count), 0, tuple(column[i] for column in values), who[i]))
        for i, (key, count) in enumerate(zip(combinations, rows, strict=True))
    ]


@dataclasses.dataclass(frozen=True)
class Extremes:
    """What the classes seen so far add up to; mergeable.

    Attributes:
        sizes: Number of classes by size.
        rows: Number of rows.
        distinct_l: Least distinct l of each sensitive column.
        entropy: Least entropy of each sensitive column, nats.
        recursive_c: Greatest r1 / (r_l + r_(l+1) + …) of each sensitive column, r1, r2, … being the frequencies of its
            values, greatest first.
        t: Greatest distance of each sensitive column.
    """

    sizes: Mapping[int, int] = dataclasses.field(default_factory=dict)
    rows: int = 0
    distinct_l: tuple[int, ...] = ()
    entropy: tuple[float, ...] = ()
    recursive_c: tuple[float, ...] = ()
    t: tuple[float, ...] = ()


def extremes_of(tally: Tally, overall: Tally, *, count_people: bool, l: int = 2) -> Extremes:
    """Measures one class against the whole release.

    Args:
        tally: The class.
        overall: The whole release.
        count_people: Whether its size is in people.
        l: The l of recursive (c, l)-diversity.
    """
    size = tally.people if count_people else tally.rows
    return Extremes(
        sizes={size: 1},
        rows=tally.rows,
        distinct_l=tuple(len(values) for values in tally.values),
        entropy=tuple(_entropy(values) for values in tally.values),
        recursive_c=tuple(_recursive_c(values, l) for values in tally.values),
        t=tuple(_distance(values, whole) for values, whole in zip(tally.values, overall.values, strict=True)),
    )


def merge_extremes(parts: Iterable[Extremes]) -> Extremes:
    """Adds the measures of disjoint classes."""
    sizes: Counter[int] = Counter()
    rows = 0
    distinct_l: list[tuple[int, ...]] = []
    entropy: list[tuple[float, ...]] = []
    ratios: list[tuple[float, ...]] = []
    distances: list[tuple[float, ...]] = []
    for part in parts:
        sizes.update(part.sizes)
        rows += part.rows
        if part.distinct_l:
            distinct_l.append(part.distinct_l)
            entropy.append(part.entropy)
            ratios.append(part.recursive_c)
            distances.append(part.t)
    return Extremes(
        sizes=dict(sizes),
        rows=rows,
        distinct_l=tuple(map(min, zip(*distinct_l, strict=True))),
        entropy=tuple(map(min, zip(*entropy, strict=True))),
        recursive_c=tuple(map(max, zip(*ratios, strict=True))),
        t=tuple(map(max, zip(*distances, strict=True))),
    )


def _number(table: pa.Table) -> Any:
    """Numbers the distinct rows of a batch, exact values compared, missing one of them."""
    numbered, numbers = np.zeros(table.num_rows, dtype=np.int64), 1
    for column in table.columns:
        chunk = column.combine_chunks()
        array = chunk.chunk(0) if isinstance(chunk, pa.ChunkedArray) else chunk
        if pa.types.is_null(array.type):
            continue
        codes = np.asarray(_encodable(array).dictionary_encode(null_encoding="encode").indices, dtype=np.int64)
        span = int(codes.max(initial=0)) + 1
        if numbers * span >= 2**62:
            # Only where numbers would run over are they made dense again, for that takes a sort.
            numbered = np.unique(numbered, return_inverse=True)[1].reshape(-1)
            numbers = int(numbered.max(initial=0)) + 1
        numbered, numbers = numbered * span + codes, numbers * span
    return np.unique(numbered, return_inverse=True)[1].reshape(-1)


def _encodable(array: pa.Array) -> pa.Array:
    """Turns what Arrow cannot tell apart by itself, durations and half-precision numbers, into numbers as exact."""
    if pa.types.is_duration(array.type):
        return array.cast(pa.int64())
    if pa.types.is_float16(array.type):
        values = array.to_numpy(zero_copy_only=False).astype(np.float32)
        return pa.array(values, mask=np.asarray(array.is_null()))
    return array


def _exact(column: pa.ChunkedArray) -> list[Any]:
    """Values that compare as they are; NaN, which equals nothing, becomes a value that equals itself."""
    return [("NaN",) if isinstance(v, float) and math.isnan(v) else v for v in column.to_pylist()]


def _count_values(numbered: Any, found: Any, array: pa.Array) -> list[Counter[Any]]:
    encoded = _encodable(array).dictionary_encode(null_encoding="encode")
    # Two forms of missing are not two values that could hide one another: a NaN counts as a null here.
    names = [None if isinstance(v, float) and math.isnan(v) else v for v in encoded.dictionary.to_pylist()]
    codes = np.asarray(encoded.indices, dtype=np.int64)
    span = max(len(names), 1)
    pairs, counts = np.unique(np.searchsorted(found, numbered) * span + codes, return_counts=True)
    tallies: list[Counter[Any]] = [Counter() for _ in found]
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        tallies[pair // span][names[pair % span]] += count
    return tallies


def _entropy(values: Values) -> float:
    total = sum(values.values())
    return -sum(n / total * math.log(n / total) for n in values.values())


def _recursive_c(values: Values, l: int) -> float:
    descending = sorted(values.values(), reverse=True)
    tail = sum(descending[l - 1 :])
    return descending[0] / tail if tail else math.inf


def _distance(values: Values, overall: Values) -> float:
    """Earth mover's distance between a class's values and the whole release's (Li et al. 2007, section 4)."""
    mine, whole = sum(values.values()), sum(overall.values())
    present = [v for v in overall if v is not None]
    ordered = all(isinstance(v, _ORDERED) and not isinstance(v, bool) for v in present)
    if not ordered:
        return math.fsum(abs(values.get(v, 0) / mine - n / whole) for v, n in overall.items()) / 2
    # Missing comes last, as everywhere in this project.
    in_order = sorted(present) + ([None] if None in overall else [])
    carried, moved = 0.0, 0.0
    for v in in_order:
        carried += values.get(v, 0) / mine - overall[v] / whole
        moved += abs(carried)
    return moved / (len(in_order) - 1) if len(in_order) > 1 else 0.0
