"""Exact counts of a shard: all that says whether it could be released as one class. Mergeable in any order.

Example:
    >>> import pyarrow as pa
    >>> table = pa.table({"person": [1, 1, 2], "ill": ["flu", None, "flu"]})
    >>> policy = AnonymizationPolicy(("age",), 2, entity_id="person", sensitive=("ill",), l=2)
    >>> counted = count_facts(np.array([0, 0, 7]), table, policy)
    >>> {shard: (facts.rows, len(facts.people)) for shard, facts in counted.items()}
    {0: (2, 1), 7: (1, 1)}
    >>> keeps(merge_facts(counted.values()), policy, ())
    True
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.bounds import DIVERSITIES
from tfx_anonymizer.core.columns import read_column
from tfx_anonymizer.core.guarantees import SLACK
from tfx_anonymizer.core.whole import ValueCounts
from tfx_anonymizer.hashing import Hashes, row_hashes
from tfx_anonymizer.policy import AnonymizationPolicy

_NOBODY: Hashes = np.zeros(0, dtype=np.uint64)


@dataclasses.dataclass(frozen=True)
class ShardFacts:
    """What was counted of one shard.

    Attributes:
        rows: Its rows.
        people: Hashes of distinct people, ascending, the k least of them: enough to say whether there are k. Two
            people of one hash count as one, which errs on the safe side.
        values: By sensitive column, in the policy's order, the rows by value; empty if neither l nor t is promised.
    """

    rows: int = 0
    people: Hashes = dataclasses.field(default_factory=lambda: _NOBODY)
    values: tuple[Mapping[Any, int], ...] = ()


def protected(policy: AnonymizationPolicy) -> tuple[str, ...]:
    """Returns the sensitive columns of which something is promised."""
    return policy.sensitive if policy.l is not None or policy.t is not None else ()


def count_facts(
    shards: npt.NDArray[np.integer[Any]], table: pa.Table, policy: AnonymizationPolicy
) -> dict[int, ShardFacts]:
    """Counts the shards that occur in a batch.

    Args:
        shards: The shard of each row, shape (n,).
        table: n rows with the policy's entity and sensitive columns, single-valued.
        policy: What is promised.
    """
    found, place, rows = np.unique(shards, return_inverse=True, return_counts=True)
    people = _people(place, len(found), table, policy)
    values = [_values(place, len(found), read_column(table, name, "sensitive")) for name in protected(policy)]
    return {
        int(shard): ShardFacts(int(rows[i]), people[i], tuple(column[i] for column in values))
        for i, shard in enumerate(found)
    }


def merge_facts(parts: Iterable[ShardFacts], k: int | None = None) -> ShardFacts:
    """Adds the counts of disjoint rows.

    Args:
        parts: The counts.
        k: How many people are enough to know of; all of the parts' if None.
    """
    rows, people = 0, [_NOBODY]
    values: list[Counter[Any]] = []
    for part in parts:
        rows += part.rows
        people.append(part.people)
        while len(values) < len(part.values):
            values.append(Counter())
        for total, counted in zip(values, part.values, strict=False):
            total.update(counted)
    return ShardFacts(rows, np.unique(np.concatenate(people))[:k], tuple(values))


def keeps(facts: ShardFacts, policy: AnonymizationPolicy, wholes: Sequence[ValueCounts]) -> bool:
    """Tells whether a shard, as one class, keeps everything promised.

    Args:
        facts: The shard's counts.
        policy: What is promised.
        wholes: Each protected column's values in the whole table; asked for with t only.
    """
    if (facts.rows if policy.entity_id is None else len(facts.people)) < policy.k:
        return False
    return all(_is_diverse(values, policy) for values in facts.values) and all(
        _is_close(values, whole, policy) for values, whole in zip(facts.values, wholes, strict=False)
    )


def _people(place: Any, shards: int, table: pa.Table, policy: AnonymizationPolicy) -> list[Hashes]:
    if policy.entity_id is None:
        return [_NOBODY] * shards
    column = read_column(table, policy.entity_id, "entity_id")
    hashes = row_hashes(pa.table({policy.entity_id: column}))
    order = np.lexsort((hashes, place))
    bounds = np.searchsorted(place[order], np.arange(shards + 1))
    # The least come first, so equal ones stand together.
    return [np.unique(hashes[order[a:b]])[: policy.k] for a, b in itertools.pairwise(bounds)]


def _values(place: Any, shards: int, array: pa.Array) -> list[Counter[Any]]:
    encoded = array.dictionary_encode()
    names = [*encoded.dictionary.to_pylist(), None]
    codes = np.asarray(encoded.indices.fill_null(len(names) - 1), dtype=np.int64)
    pairs, counts = np.unique(place * len(names) + codes, return_counts=True)
    counted: list[Counter[Any]] = [Counter() for _ in range(shards)]
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        counted[pair // len(names)][names[pair % len(names)]] += count
    return counted


def _is_diverse(values: Mapping[Any, int], policy: AnonymizationPolicy) -> bool:
    from tfx_anonymizer.core.partition.guarantee_kernels import is_diverse

    if policy.l is None:
        return True
    if len(values) < policy.l:
        return False
    if policy.diversity == "distinct":
        return True
    rows = np.array(sorted(values.values()), dtype=np.int64)
    kind = DIVERSITIES.index(policy.diversity)
    return bool(is_diverse(rows, int(rows.sum()), kind, float(policy.l), float(policy.c or np.inf)))


def _is_close(values: Mapping[Any, int], whole: ValueCounts, policy: AnonymizationPolicy) -> bool:
    from tfx_anonymizer.core.partition.guarantee_kernels import distance

    if policy.t is None:
        return True
    count = np.array([values.get(value, 0) for value in (*whole.values, None)], dtype=np.int64)[: len(whole.rows)]
    return bool(distance(count, int(count.sum()), whole.shares, whole.ordered) <= policy.t - SLACK)
