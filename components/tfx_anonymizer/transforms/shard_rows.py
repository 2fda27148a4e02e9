"""A shard's rows as they were shuffled: read as often as need be, never held all at once unless that is asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from tfx_anonymizer.core.shards.facts import ShardFacts, count_facts, merge_facts
from tfx_anonymizer.core.shards.router import Router
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.columns import unify
from tfx_anonymizer.transforms.packing import Packed, unpack
from tfx_anonymizer.transforms.survey import SAMPLE_ROWS, Sample, least_of, sample_of
from tfx_anonymizer.transforms.top_partition import TopPartition, facts_columns, routing_columns


@dataclasses.dataclass(frozen=True)
class ShardRows:
    """Some rows of a split.

    Attributes:
        parts: Packed rows; can be iterated over more than once.
        rows: How many of them belong here.
        within: Routers and shards that a row must be of, where these are not all the parts' rows.
    """

    parts: Iterable[Packed]
    rows: int
    within: tuple[tuple[Router, int], ...] = ()

    def tables(self) -> Iterator[pa.Table]:
        """Reads the rows part by part."""
        for _, data in self.parts:
            table = unpack(data)
            for router, shard in self.within:
                inside = router.assign(routing_columns(table, router)) == shard
                table = table.filter(pa.array(inside))
            if table.num_rows:
                yield table

    def load(self, types: Mapping[str, pa.DataType]) -> pa.Table:
        """Reads all rows into one table that has every column of the split.

        Args:
            types: The types of the split's columns.
        """
        return with_columns(unify(list(self.tables())), types)

    def sample(self, policy: AnonymizationPolicy, seed: int, size: int = SAMPLE_ROWS) -> Sample:
        """Samples the rows, by hash like `SurveyRows`."""
        held: list[Sample] = []
        for table in self.tables():
            bound = held[0].hashes[-1] if held and len(held[0].hashes) == size else None
            held.append(sample_of(table, policy, seed, bound))
            if sum(len(sample.hashes) for sample in held) > 2 * size:
                held = [least_of(held, size)]
        return least_of(held, size)

    def count(self, router: Router, policy: AnonymizationPolicy, top: TopPartition) -> dict[int, ShardFacts]:
        """Counts the leaves of a router exactly."""
        total: dict[int, ShardFacts] = {}
        for table in self.tables():
            leaves = router.leaf_of(routing_columns(table, router))
            for leaf, facts in count_facts(leaves, facts_columns(table, policy, top.types), policy).items():
                total[leaf] = merge_facts([total[leaf], facts], policy.k) if leaf in total else facts
        return total

    def cut(self, router: Router, facts: Mapping[int, ShardFacts]) -> list[ShardRows]:
        """Returns the rows of each shard of a router."""
        rows = np.zeros(router.shards, dtype=np.int64)
        for leaf, counted in facts.items():
            rows[router.shard_of_leaf[leaf]] += counted.rows
        return [ShardRows(self.parts, int(n), (*self.within, (router, i))) for i, n in enumerate(rows)]


def with_columns(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Returns a table that has every column of the split, in the split's types, sorted by name."""
    # The columns' order is that of `unify`, so a shard looks like the split as one table would.
    nothing = pa.table({name: pa.nulls(0, wanted) for name, wanted in types.items()})
    return unify([table, nothing])
