"""Cutting a split into shards: a top tree grown on a sample, then made safe by exact counts.

`FitTopPartition` grows the tree, `CountLeaves` counts each of its leaves exactly, `PlanShards` joins leaves that could
not be released, and `RouteRows` sends every row to its shard. That rows are read twice costs less than to keep them
twice.

Example:
    >>> import operator
    >>> from tfx_anonymizer.transforms.packing import PackRows
    >>> from tfx_anonymizer.transforms.refine import RefineShards
    >>> from tfx_anonymizer.transforms.survey import SurveyRows
    >>> ages = [[20 + i] for i in range(40)]
    >>> people = pa.RecordBatch.from_pydict({"age": ages, "ill": [[i // 20] for i in range(40)]})
    >>> policy, method = AnonymizationPolicy(("age",), 2, label="ill"), Method("guided_tree", max_rows_per_shard=20)
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     batches = p | beam.Create([people])
    ...     grown = batches | SurveyRows(policy) | FitTopPartition(policy, method)
    ...     rows = batches | PackRows()
    ...     top = grown | PlanShards(policy, rows | CountLeaves(policy, grown))
    ...     _ = top | beam.Map(operator.attrgetter("router.leaves", "router.shards")) | beam.Map(print)
    ...     found = rows | RouteRows(top) | RefineShards(policy, method, top)
    ...     counted = found["summaries"] | beam.Map(operator.attrgetter("classes")) | beam.CombineGlobally(sum)
    ...     _ = counted | "Classes" >> beam.Map(print)
    (4, 4)
    16
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from apache_beam.transforms.window import GlobalWindows
from apache_beam.utils.windowed_value import WindowedValue

from tfx_anonymizer.core.guarantees import is_ordered
from tfx_anonymizer.core.shards.facts import ShardFacts, count_facts, keeps, merge_facts, protected
from tfx_anonymizer.core.shards.joining import join_leaves
from tfx_anonymizer.core.shards.router import Router
from tfx_anonymizer.core.shards.top_tree import grow_router
from tfx_anonymizer.core.whole import ValueCounts, Whole
from tfx_anonymizer.errors import ColumnError, GuaranteeError
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.columns import GUIDE_COLUMN, column_of, is_list, project, unify
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.packing import Packed, packed, unpack
from tfx_anonymizer.transforms.predict import guide_matrix
from tfx_anonymizer.transforms.survey import Sample, Survey

# So many rows are held back, so that what goes to one shard goes in few pieces.
_HELD_ROWS = 1 << 18


@dataclasses.dataclass(frozen=True)
class TopPartition:
    """How a split is cut into shards; small, whatever the split's size.

    Attributes:
        router: Which shard a row belongs to.
        whole: What a shard must know of the split.
        types: The type of each column that some row has.
        empty: Quasi-identifiers in which missing is an empty list.
    """

    router: Router
    whole: Whole
    types: Mapping[str, pa.DataType]
    empty: frozenset[str]

    @property
    def is_cut(self) -> bool:
        """Whether the split is cut at all."""
        return self.router.leaves > 1


class FitTopPartition(beam.PTransform):  # type: ignore[misc]
    """Grows the top tree: a PCollection of one `Survey` becomes one of one `TopPartition`, a shard for each leaf.

    Args:
        policy: Roles and guarantee.
        method: How large shards may be.
        split: The split's name, for errors.
    """

    def __init__(self, policy: AnonymizationPolicy, method: Method, split: str = "") -> None:
        super().__init__()
        self._arguments = policy, method, split

    def expand(self, survey: beam.PCollection[Survey]) -> beam.PCollection[TopPartition]:
        """Applies the transform."""
        return survey | "Grow" >> beam.Map(_fit, *self._arguments)


class CountLeaves(beam.PTransform):  # type: ignore[misc]
    """Counts the leaves of a top partition exactly.

    Args:
        policy: Says what is counted of each leaf.
        top: A PCollection of one `TopPartition`.

    A PCollection of (rows, bytes) becomes one of one element, the `ShardFacts` of each leaf by number; empty if the
    split is not cut. Counts are put together batch by batch before anything is shuffled.
    """

    def __init__(self, policy: AnonymizationPolicy, top: beam.PCollection[TopPartition]) -> None:
        super().__init__()
        self._policy = policy
        self._top = top

    def expand(self, rows: beam.PCollection[Packed]) -> beam.PCollection[dict[int, ShardFacts]]:
        """Applies the transform."""
        counted = rows | "Count" >> beam.FlatMap(_count, self._policy, beam.pvalue.AsSingleton(self._top))
        return counted | "AddUp" >> beam.CombineGlobally(_AddFacts(self._policy.k))


class RouteRows(beam.PTransform):  # type: ignore[misc]
    """Sends packed rows to their shards: a PCollection of (rows, bytes) becomes one of (shard, (rows, bytes)).

    Args:
        top: A PCollection of one `TopPartition`.
    """

    def __init__(self, top: beam.PCollection[TopPartition]) -> None:
        super().__init__()
        self._top = top

    def expand(self, rows: beam.PCollection[Packed]) -> beam.PCollection[tuple[int, Packed]]:
        """Applies the transform."""
        return rows | "Route" >> beam.ParDo(_Route(), beam.pvalue.AsSingleton(self._top))


class PlanShards(beam.PTransform):  # type: ignore[misc]
    """Joins leaves that could not be released: a PCollection of one `TopPartition` becomes one of one that is safe.

    Args:
        policy: What is promised.
        facts: A PCollection of one element, the exact counts of the leaves.
    """

    def __init__(self, policy: AnonymizationPolicy, facts: beam.PCollection[dict[int, ShardFacts]]) -> None:
        super().__init__()
        self._policy = policy
        self._facts = facts

    def expand(self, top: beam.PCollection[TopPartition]) -> beam.PCollection[TopPartition]:
        """Applies the transform."""
        return top | "JoinLeaves" >> beam.Map(_plan, self._policy, beam.pvalue.AsSingleton(self._facts))


def grow(
    sample: Sample, policy: AnonymizationPolicy, types: Mapping[str, pa.DataType], rows: int, shard_rows: int
) -> Router:
    """Grows a router on a sample; see `core.shards.top_tree.grow_router`.

    Args:
        sample: Some of the rows.
        policy: Roles and guarantee.
        types: The types of the split's columns.
        rows: How many rows there are.
        shard_rows: The most rows of a shard.
    """
    guide = guide_matrix(sample.table) if GUIDE_COLUMN in sample.table.column_names else None
    table = typed(sample.table, policy.columns, types)
    return grow_router(table, sample.counts, guide, policy, rows=rows, shard_rows=shard_rows)


def routing_columns(table: pa.Table, router: Router) -> pa.Table:
    """Returns the quasi-identifiers as a router wants them; what a batch lacks is missing in its rows."""
    return typed(table, dict(router.types()), dict(router.types()))


def typed(table: pa.Table, names: Iterable[str], types: Mapping[str, pa.DataType]) -> pa.Table:
    """Returns columns as single-valued ones of the split's types; what a batch lacks is missing in its rows.

    Args:
        table: n rows of some batches of the split.
        names: The columns wanted; one that the whole split lacks is left out.
        types: The types of the split's columns, lists or plain.
    """
    known = [name for name in names if name in types]
    found = project(table, known)
    columns = {}
    for name in known:
        wanted = _value_type(types[name])
        has_values = name in found.column_names and not pa.types.is_null(found.schema.field(name).type)
        columns[name] = column_of(found, name) if has_values else pa.nulls(table.num_rows, wanted)
    # A table without columns would forget its rows.
    return pa.table(columns) if columns else pa.table({"": pa.nulls(table.num_rows)})


def facts_columns(table: pa.Table, policy: AnonymizationPolicy, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Returns the columns that a shard's facts are counted of, single-valued and of the split's types."""
    names = [*protected(policy), *([policy.entity_id] if policy.entity_id else [])]
    columns = typed(table, names, types)
    if policy.entity_id and columns.column(policy.entity_id).null_count:
        raise ColumnError(
            f"entity_id column {policy.entity_id!r} is missing in some rows, so it cannot be said whose they are",
            hint="drop those rows or give each an id of its own",
        )
    return columns


def joined(
    router: Router, facts: Mapping[int, ShardFacts], policy: AnonymizationPolicy, wholes: Mapping[str, ValueCounts]
) -> Router:
    """Returns a router every shard of which keeps what is promised, or one of a single shard."""
    of_leaves = [facts.get(leaf, ShardFacts()) for leaf in range(router.leaves)]
    groups = join_leaves(router.tree, of_leaves, policy, [wholes[name] for name in protected(policy)])
    return dataclasses.replace(router, shard_of_leaf=groups)


def _fit(survey: Survey, policy: AnonymizationPolicy, method: Method, split: str) -> TopPartition:
    survey.check(policy, split)
    router = Router.trivial()
    if survey.rows > method.max_rows_per_shard and survey.sample is not None:
        router = grow(survey.sample, policy, survey.types, survey.rows, method.max_rows_per_shard)
    return TopPartition(router, Whole(survey.rows), survey.types, survey.empty)


def _plan(top: TopPartition, policy: AnonymizationPolicy, facts: dict[int, ShardFacts]) -> TopPartition:
    if not top.is_cut:
        return top
    whole = checked_whole(facts.values(), policy, top.types)
    return dataclasses.replace(top, router=joined(top.router, facts, policy, whole.sensitive), whole=whole)


def checked_whole(facts: Iterable[ShardFacts], policy: AnonymizationPolicy, types: Mapping[str, pa.DataType]) -> Whole:
    """Adds up what was counted of a split, and refuses one that breaks the guarantee even as a single class.

    Args:
        facts: The exact counts of its leaves.
        policy: What is promised.
        types: The types of its columns.

    Raises:
        GuaranteeError: If the whole split breaks it.
    """
    total = merge_facts(facts, policy.k)
    if policy.entity_id is not None and len(total.people) < policy.k:
        raise GuaranteeError(
            f"the table holds rows of fewer than k distinct {policy.entity_id!r}",
            got=f"{len(total.people)} in {total.rows} rows, k={policy.k}",
            hint="use a smaller k or more data",
        )
    wholes = {}
    for name, values in zip(protected(policy), total.values, strict=True):
        wholes[name] = ValueCounts.of(values, ordered=is_ordered(pa.nulls(0, _value_type(types[name]))))
        alone = dataclasses.replace(total, values=(values,))
        # From itself the whole is at no distance, so t is not asked of it.
        if not keeps(alone, policy, ()):
            raise GuaranteeError(
                f"sensitive column {name!r} is not diverse enough in the whole table",
                got=f"{len(values)} distinct values, diversity={policy.diversity!r}, l={policy.l}",
                hint="use a smaller l, or a greater c",
            )
    return Whole(total.rows, wholes)


def _value_type(wanted: pa.DataType) -> pa.DataType:
    return wanted.value_type if is_list(wanted) else wanted


def _count(element: Packed, policy: AnonymizationPolicy, top: TopPartition) -> Iterator[dict[int, ShardFacts]]:
    if top.is_cut:
        table = unpack(element[1])
        leaves = top.router.leaf_of(routing_columns(table, top.router))
        yield count_facts(leaves, facts_columns(table, policy, top.types), policy)


class _Route(beam.DoFn):  # type: ignore[misc]
    def __init__(self) -> None:
        self._held: list[tuple[pa.Table, npt.NDArray[np.int32]]] = []
        self._rows = 0

    def start_bundle(self) -> None:
        self._held, self._rows = [], 0

    def process(self, element: Packed, top: TopPartition) -> Iterator[tuple[int, Packed]]:
        if top.router.shards == 1:
            yield 0, element
            return
        table = unpack(element[1])
        self._held.append((table, top.router.assign(routing_columns(table, top.router))))
        self._rows += table.num_rows
        if self._rows >= _HELD_ROWS:
            yield from self._release()

    def finish_bundle(self) -> Iterator[WindowedValue]:
        for element in self._release():
            yield GlobalWindows.windowed_value(element)

    def _release(self) -> Iterator[tuple[int, Packed]]:
        if not self._held:
            return
        table = unify([part for part, _ in self._held])
        shards = np.concatenate([found for _, found in self._held])
        self._held, self._rows = [], 0
        table = table.take(pa.array(np.argsort(shards, kind="stable")))
        found, counts = np.unique(shards, return_counts=True)
        for shard, rows, stop in zip(found, counts, np.cumsum(counts), strict=True):
            yield int(shard), packed(table.slice(stop - rows, rows))


class _AddFacts(beam.CombineFn):  # type: ignore[misc]
    def __init__(self, k: int) -> None:
        self._k = k

    def create_accumulator(self) -> dict[int, ShardFacts]:
        return {}

    def add_input(self, total: dict[int, ShardFacts], facts: dict[int, ShardFacts]) -> dict[int, ShardFacts]:
        for leaf, counted in facts.items():
            total[leaf] = merge_facts([total[leaf], counted], self._k) if leaf in total else counted
        return total

    def merge_accumulators(self, accumulators: Iterable[dict[int, ShardFacts]]) -> dict[int, ShardFacts]:
        total: dict[int, ShardFacts] = {}
        for facts in accumulators:
            total = self.add_input(total, facts)
        return total

    def extract_output(self, total: dict[int, ShardFacts]) -> dict[int, ShardFacts]:
        return total
