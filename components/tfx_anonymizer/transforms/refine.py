"""From shards to their release: each is grouped by the exact core, by whichever worker it came to.

A shard that is too large to be held is cut again where it is: its rows are read from the shuffle as often as it has
parts, one part at a time. What no cut divides, because all of it is alike or because either side would break the
guarantee, becomes one class, as it would in a tree that sees all rows; that needs no more than to read it.
"""

import dataclasses
import functools
import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import apache_beam as beam
import numpy as np
import pyarrow as pa

from tfx_anonymizer.core import Generalization
from tfx_anonymizer.core.partition.guided_tree import GuidedTree
from tfx_anonymizer.core.shards.one_class import one_class
from tfx_anonymizer.core.shards.release import AnyGeneralization, ShardedGeneralization, shard_file, to_zip
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.columns import column_of, unify
from tfx_anonymizer.transforms.files import to_files
from tfx_anonymizer.transforms.group_table import anonymize_table, changes, guide_name, rewrite
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.packing import Packed
from tfx_anonymizer.transforms.release_order import shuffled_batches, visible_hashes
from tfx_anonymizer.transforms.shard_rows import ShardRows, with_columns
from tfx_anonymizer.transforms.summary import Summary
from tfx_anonymizer.transforms.survey import Sample
from tfx_anonymizer.transforms.top_partition import TopPartition, checked_whole, grow, joined, typed

RELEASED, FILES, SUMMARIES = "released", "files", "summaries"


class RefineShards(beam.PTransform):  # type: ignore[misc]
    """Makes each shard k-anonymous.

    Args:
        policy: Roles and guarantee.
        method: How rows are grouped.
        top: A PCollection of one `TopPartition`, that the shards are of.

    Takes a PCollection of (shard, (rows, bytes)) and gives a mapping of PCollections:
        `released`: `pa.RecordBatch`es of a thousand rows or so;
        `files`: (name, content), the generalization: of a split that was not cut all its files, else one a shard;
        `summaries`: a `Summary` a shard.
    """

    def __init__(self, policy: AnonymizationPolicy, method: Method, top: beam.PCollection[TopPartition]) -> None:
        super().__init__()
        self._policy = policy
        self._method = method
        self._top = top

    # Beam has no type hint for several named outputs, and would warn of this one.
    @beam.typehints.no_annotations  # type: ignore[misc,untyped-decorator]
    def expand(self, rows: beam.PCollection[tuple[int, Packed]]) -> Mapping[str, beam.PCollection[Any]]:
        """Applies the transform."""
        outputs = (
            rows
            | "BringTogether" >> beam.GroupByKey()
            | "Refine"
            >> beam.ParDo(_Refine(self._policy, self._method), beam.pvalue.AsSingleton(self._top)).with_outputs()
        )
        return {name: outputs[name] for name in (RELEASED, FILES, SUMMARIES)}


class _Refine(beam.DoFn):  # type: ignore[misc]
    def __init__(self, policy: AnonymizationPolicy, method: Method) -> None:
        self._policy = policy
        self._method = method

    def process(self, element: tuple[int, Iterable[Packed]], top: TopPartition) -> Iterator[beam.pvalue.TaggedOutput]:
        shard, parts = element
        rows = ShardRows(parts, sum(number for number, _ in parts))
        shard_release = _Release(self._policy, self._method, top)
        for batch in shard_release.run(rows):
            yield beam.pvalue.TaggedOutput(RELEASED, batch)
        generalization = shard_release.generalization
        if top.is_cut:
            yield beam.pvalue.TaggedOutput(FILES, (shard_file(shard), to_zip(generalization)))
        else:
            for file in to_files(generalization, top.empty).items():
                yield beam.pvalue.TaggedOutput(FILES, file)
        yield beam.pvalue.TaggedOutput(SUMMARIES, shard_release.summary)


class _Release:
    """Releases a shard's rows batch by batch; `generalization` and `summary` are there when the last was taken."""

    generalization: AnyGeneralization
    summary: Summary

    def __init__(self, policy: AnonymizationPolicy, method: Method, top: TopPartition) -> None:
        self._policy = policy
        self._method = method
        self._top = top
        self._part_of = top.whole if top.is_cut else None

    def run(self, rows: ShardRows) -> Iterator[pa.RecordBatch]:
        if rows.rows <= self._method.max_rows_per_shard:
            yield from self._group(rows)
            return
        sample = rows.sample(self._policy, self._method.seed)
        router = grow(sample, self._policy, self._top.types, rows.rows, self._method.max_rows_per_shard)
        facts = rows.count(router, self._policy, self._top)
        if self._part_of is None:
            # The top tree found no cut in the whole split.
            self._part_of = checked_whole(facts.values(), self._policy, self._top.types)
        router = joined(router, facts, self._policy, self._part_of.sensitive)
        if router.shards == 1:
            yield from self._release_as_one(rows, sample)
            return
        found: list[tuple[AnyGeneralization, Summary]] = []
        for part in rows.cut(router, facts):
            yield from self.run(part)
            found.append((self.generalization, self.summary))
        self.generalization = ShardedGeneralization(router, tuple(one for one, _ in found))
        self.summary = functools.reduce(operator.add, (summary for _, summary in found))

    def _group(self, rows: ShardRows) -> Iterator[pa.RecordBatch]:
        table = rows.load(self._top.types)
        released, anonymizer, self.summary = anonymize_table(
            table, self._policy, self._method, part_of=self._part_of, empty=self._top.empty
        )
        del table
        self.generalization = anonymizer.generalization_
        yield from shuffled_batches(released)

    def _release_as_one(self, rows: ShardRows, sample: Sample) -> Iterator[pa.RecordBatch]:
        of_split = typed(sample.table, self._policy.quasi_identifiers, self._top.types)
        generalization = one_class(of_split, sample.counts, self._policy)
        self.generalization = generalization
        summaries: list[Summary] = []
        passes = -(-rows.rows // self._method.max_rows_per_shard)
        for number in range(passes):
            # One range of hashes at a time, so that the order is that of the content, as everywhere.
            held: list[pa.Table] = []
            for table in rows.tables():
                whole = with_columns(table, self._top.types)
                released, summary = self._rewritten(whole, generalization)
                if number == 0:
                    summaries.append(summary)
                place = visible_hashes(released) // np.uint64(2**64 // passes + 1)
                held.append(released.filter(pa.array(place == number)))
                if sum(part.num_rows for part in held) > self._method.max_rows_per_shard:
                    # So many rows of one range are alike in all that is released.
                    yield from shuffled_batches(unify(held))
                    held = []
            if held:
                yield from shuffled_batches(unify(held))
        total = functools.reduce(operator.add, summaries)
        self.summary = dataclasses.replace(
            total,
            attributes={name: change.as_one_class() for name, change in total.attributes.items()},
            classes=1,
            largest=rows.rows,
            smallest=rows.rows,
            partitioners=Counter([GuidedTree.name]),
            representatives=Counter(["median"]),
            undivided=1,
        )

    def _rewritten(self, table: pa.Table, generalization: Generalization) -> tuple[pa.Table, Summary]:
        before = typed(table, self._policy.quasi_identifiers, self._top.types)
        after = generalization.apply(before, np.zeros(before.num_rows, dtype=np.int32))
        summary = Summary(
            rows=table.num_rows,
            suppressed=0,
            classes=1,
            largest=0,
            smallest=0,
            guide=guide_name(table, self._policy),
            partitioners=Counter(),
            representatives=Counter(),
            attributes=changes(before, after, self._policy),
        )
        values = {name: column_of(after, name) for name in self._policy.quasi_identifiers}
        return rewrite(table, values, self._policy, self._top.empty), summary
