"""What a release achieves, counted afresh: class sizes, k, l in three senses, t and re-identification risks.

This module shares no code with the grouping it checks beyond reading columns. Values are compared as they are; missing
is a value like any other, so rows without a value form classes of their own.

Worked example: five people in two classes, ages 30, 30 and 60, 60, 60; the first class has one diagnosis only.

    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": [30, 30, 60, 60, 60], "ill": ["flu", "flu", "flu", "cold", None]})
    >>> found = measure_privacy(release, ["age"], sensitive=["ill"])
    >>> found.k, found.distinct_l, found.prosecutor_risk, found.marketer_risk
    (2, 1, 0.5, 0.4)
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.core.columns import Table, kind_of, read_column
from tfx_anonymizer.errors import ColumnError, PolicyError

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class PrivacyMeasures:
    """Measured properties of a release. Sizes are rows, or distinct people if an `entity_id` was given.

    Attributes:
        k: Size of the smallest class; 0 for an empty table.
        rows: Number of rows.
        classes: Number of classes.
        largest_class: Size of the largest class.
        class_sizes: Number of classes by size: a histogram, `{size: classes}`.
        distinct_l: Least number of distinct values of a sensitive column in a class (Machanavajjhala et al. 2007,
            distinct l-diversity); None without sensitive columns.
        entropy_l: exp of the least entropy (nats) of a sensitive column in a class (same, entropy l-diversity).
        recursive_c: Greatest r1 / (r_l + r_(l+1) + …) of a sensitive column in a class, where r1, r2, … are its values'
            frequencies, greatest first (same, recursive (c, l)-diversity, which holds for every greater c); infinite
            where a class has fewer than l values. None unless `l` was given.
        t: Greatest distance of a class's distribution of a sensitive column from the table's (Li et al. 2007, section
            4): ordered for numbers and times, missing last; equal for the rest.
        prosecutor_risk: 1 / k: the highest chance to pick out a person known to be in the release.
        journalist_risk: 1 / size in the population of the smallest class; equals `prosecutor_risk` without one.
        marketer_risk: Expected share of people picked out: classes / size of all classes, or with a population
            the mean of 1 / its class's size there.
    """

    k: int
    rows: int
    classes: int
    largest_class: int
    class_sizes: Mapping[int, int]
    distinct_l: int | None
    entropy_l: float | None
    recursive_c: float | None
    t: float | None
    prosecutor_risk: float
    journalist_risk: float
    marketer_risk: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the measures as JSON-ready values; JSON has no infinity, so an infinite `recursive_c` is None."""
        fields = dataclasses.asdict(self)
        fields["recursive_c"] = None if self.recursive_c in (None, math.inf) else self.recursive_c
        fields["class_sizes"] = {str(size): count for size, count in sorted(self.class_sizes.items())}
        return fields


def measure_privacy(
    table: Table,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    entity_id: str | None = None,
    *,
    l: int | None = None,
    population: Table | None = None,
) -> PrivacyMeasures:
    """Counts the equivalence classes of a table and measures what they achieve.

    Args:
        table: A pandas DataFrame or Arrow Table of n rows.
        quasi_identifiers: The columns whose combination makes a class.
        sensitive: Columns to measure l and t of.
        entity_id: The column that says whose row it is; classes are then measured in distinct people.
        l: The l of recursive (c, l)-diversity, 2 or more, if that is to be measured.
        population: A table of everybody the release could be about, generalized alike; for the journalist's risk.

    Returns:
        The measures.

    Raises:
        ColumnError: If a column is absent, multi-valued or of mixed types, or an entity id is missing.
        PolicyError: If `quasi_identifiers` is empty or `l` is less than 2.
    """
    if not quasi_identifiers:
        raise PolicyError("quasi_identifiers is empty", allowed="one column name or more")
    if l is not None and l < 2:
        raise PolicyError("l is out of range", got=l, allowed="an integer of 2 or more")
    keys = [read_column(table, name, "quasi_identifiers") for name in quasi_identifiers]
    classes = _number_combinations([_number_values(key) for key in keys])
    people = None if entity_id is None else _people(table, entity_id)
    sizes = _class_sizes(classes, people)
    diversity = [_diversity(classes, read_column(table, name, "sensitive"), l) for name in sensitive]
    measured = bool(diversity) and len(classes) > 0
    smallest = int(sizes.min()) if len(sizes) else 0
    seen, count = np.unique(sizes, return_counts=True)
    journalist, marketer = _population_risks(table, quasi_identifiers, classes, sizes, population)
    return PrivacyMeasures(
        k=smallest,
        rows=len(classes),
        classes=len(sizes),
        largest_class=int(sizes.max()) if len(sizes) else 0,
        class_sizes=dict(zip(seen.tolist(), count.tolist(), strict=True)),
        distinct_l=min(int(d[0]) for d in diversity) if measured else None,
        entropy_l=min(float(d[1]) for d in diversity) if measured else None,
        recursive_c=max(float(d[2]) for d in diversity) if measured and l is not None else None,
        t=max(float(d[3]) for d in diversity) if measured else None,
        prosecutor_risk=1.0 / smallest if smallest else 0.0,
        journalist_risk=journalist,
        marketer_risk=marketer,
    )


def _number_values(array: pa.Array) -> Ints:
    """Numbers the distinct values of a column from 0, missing one of them."""
    encoded = array.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices, dtype=np.int64)


def _number_combinations(columns: Sequence[Ints]) -> Ints:
    """Numbers the distinct rows of several columns from 0, without gaps."""
    numbered = columns[0]
    for column in columns[1:]:
        span = int(column.max(initial=0)) + 1
        # Renumbering at every step keeps the product below n * n, far from overflow.
        numbered = np.unique(numbered * span + column, return_inverse=True)[1].reshape(-1)
    return np.unique(numbered, return_inverse=True)[1].reshape(-1)


# Numbered here and not by `columns.people_of`: what counts a release shares nothing with what made it.
def _people(table: Table, name: str) -> Ints:
    array = read_column(table, name, "entity_id")
    if array.null_count:
        raise ColumnError(f"entity_id column {name!r} is missing in some rows", got=f"{array.null_count} rows")
    return _number_values(array)


def _class_sizes(classes: Ints, people: Ints | None) -> Ints:
    if people is None:
        return np.bincount(classes)
    pairs = np.unique(classes * (int(people.max(initial=0)) + 1) + people)
    return np.bincount(pairs // (int(people.max(initial=0)) + 1))


def _diversity(classes: Ints, array: pa.Array, l: int | None) -> tuple[int, float, float, float]:
    """Returns the least distinct l, the least entropy l, the greatest c and the greatest t of one sensitive column."""
    if not len(classes):
        return 0, 0.0, 0.0, 0.0
    values, ordered = _sensitive_values(array)
    span = int(values.max()) + 1
    pairs, count = np.unique(classes * span + values, return_counts=True)
    pair_class, pair_value = pairs // span, pairs % span
    rows = np.bincount(classes).astype(np.float64)
    share = count / rows[pair_class]
    entropy = np.bincount(pair_class, weights=-share * np.log(share))
    overall = np.bincount(values, minlength=span) / len(values)
    furthest = _furthest(pair_class, pair_value, share, overall, ordered=ordered)
    greatest_c = _greatest_c(pair_class, count, l) if l is not None else 0.0
    return int(np.bincount(pair_class).min()), math.exp(float(entropy.min())), greatest_c, furthest


def _greatest_c(pair_class: Ints, count: Ints, l: int) -> float:
    """Greatest share of the most frequent value of a class in the rows of its l-th most frequent and all rarer ones."""
    greatest = 0.0
    for frequencies in np.split(count, np.flatnonzero(np.diff(pair_class)) + 1):
        descending = np.sort(frequencies)[::-1]
        tail = int(descending[l - 1 :].sum())
        greatest = max(greatest, int(descending[0]) / tail if tail else math.inf)
    return greatest


def _furthest(
    pair_class: Ints,
    pair_value: Ints,
    share: npt.NDArray[np.float64],
    overall: npt.NDArray[np.float64],
    *,
    ordered: bool,
) -> float:
    """Greatest distance of a class's shares from the overall ones; classes are taken in blocks to bound memory."""
    span, classes = len(overall), int(pair_class.max()) + 1
    block = max(1, 4_000_000 // span)
    furthest = 0.0
    for start in range(0, classes, block):
        inside = (pair_class >= start) & (pair_class < start + block)
        difference = np.zeros((min(block, classes - start), span))
        difference[pair_class[inside] - start, pair_value[inside]] = share[inside]
        difference -= overall
        if ordered and span > 1:
            distances = np.abs(np.cumsum(difference, axis=1)).sum(axis=1) / (span - 1)
        else:
            distances = np.abs(difference).sum(axis=1) / 2
        furthest = max(furthest, float(distances.max()))
    return furthest


def _sensitive_values(array: pa.Array) -> tuple[Ints, bool]:
    """Numbers the values in their own order, missing last, and tells whether that order means anything."""
    encoded = array.dictionary_encode()
    rank = np.empty(len(encoded.dictionary) + 1, dtype=np.int64)
    rank[np.asarray(pc.sort_indices(encoded.dictionary))] = np.arange(len(encoded.dictionary))
    rank[-1] = len(encoded.dictionary)
    numbered = rank[np.asarray(encoded.indices.fill_null(len(encoded.dictionary)), dtype=np.int64)]
    return numbered, kind_of(array, codes=False) == "numeric"


def _population_risks(
    table: Table, quasi_identifiers: Sequence[str], classes: Ints, sizes: Ints, population: Table | None
) -> tuple[float, float]:
    if not len(sizes):
        return 0.0, 0.0
    if population is None:
        return 1.0 / float(sizes.min()), len(sizes) / float(sizes.sum())
    numbered = []
    for name in quasi_identifiers:
        mine, theirs = (read_column(t, name, "quasi_identifiers") for t in (table, population))
        numbered.append(_number_values(pa.concat_arrays([mine, theirs.cast(mine.type)])))
    together = _number_combinations(numbered)
    everybody = np.bincount(together[len(classes) :], minlength=int(together.max()) + 1)
    # A member of the release belongs to the population even where the population table lacks them.
    of_row = np.maximum(everybody[together[: len(classes)]], 1)
    return 1.0 / float(of_row.min()), float(np.mean(1.0 / of_row))
