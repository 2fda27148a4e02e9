"""Counting the equivalence classes of a release in Beam, knowing nothing of how they were made.

Many batches are tallied together first, so that few elements a class are shuffled.

Example:
    >>> import operator, apache_beam as beam, pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"age": [[30], [30], None], "city": [[b"Ulm"], [b"Ulm"], [b"Ulm"]]})
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     counted = p | beam.Create([batch]) | CountClasses(("age", "city"))
    ...     _ = counted | beam.Map(operator.attrgetter("k", "rows")) | beam.Map(print)
    (1, 3)
"""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
from apache_beam.transforms.window import GlobalWindows
from apache_beam.utils.windowed_value import WindowedValue

from tfx_anonymizer.errors import ColumnError
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.class_tally import (
    Extremes,
    Key,
    Tally,
    extremes_of,
    merge,
    merge_extremes,
    tally_batch,
)
from tfx_anonymizer.transforms.columns import column_of, single_values

# So many rows are held back, that a class is one element for all of its rows among them.
_HELD_ROWS = 200_000


@dataclasses.dataclass(frozen=True)
class ClassCounts:
    """What was counted of a release; sizes are rows, or distinct people if an `entity_id` was given.

    Attributes:
        rows: Number of rows.
        class_sizes: Number of classes by size.
        columns: Names of every column that occurred.
        distinct_l: Least number of distinct values in a class, by sensitive column.
        entropy_l: exp of the least entropy in a class, by sensitive column.
        recursive_c: Greatest r1 / (r_l + r_(l+1) + …) of a class, by sensitive column, for the l that was asked for
            (r1, r2, … being its values' frequencies, greatest first). Infinite where a class has fewer than l values.
        t: Greatest distance of a class from the whole, by sensitive column.
    """

    rows: int
    class_sizes: Mapping[int, int]
    columns: tuple[str, ...]
    distinct_l: Mapping[str, int]
    entropy_l: Mapping[str, float]
    recursive_c: Mapping[str, float]
    t: Mapping[str, float]

    @property
    def k(self) -> int:
        """Size of the smallest class; 0 without rows."""
        return min(self.class_sizes, default=0)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return sum(self.class_sizes.values())

    def to_dict(self) -> dict[str, Any]:
        """Returns the counts as JSON-ready values; JSON has no infinity, so an infinite `recursive_c` is None."""
        fields = dataclasses.asdict(self)
        fields["recursive_c"] = {name: c if math.isfinite(c) else None for name, c in self.recursive_c.items()}
        fields["class_sizes"] = {str(size): self.class_sizes[size] for size in sorted(self.class_sizes)}
        return {"k": self.k, "classes": self.classes, **fields}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "ClassCounts":
        """Reads what `to_dict` returned."""
        names = {field.name for field in dataclasses.fields(cls)}
        values = {name: value for name, value in fields.items() if name in names}
        values["class_sizes"] = {int(size): count for size, count in fields["class_sizes"].items()}
        values["columns"] = tuple(fields["columns"])
        values["recursive_c"] = {name: math.inf if c is None else c for name, c in fields["recursive_c"].items()}
        return cls(**values)


class CountClasses(beam.PTransform):  # type: ignore[misc]
    """Counts classes: a PCollection of `pa.RecordBatch` becomes one `ClassCounts`.

    Args:
        quasi_identifiers: Columns whose combination makes a class; one that a batch lacks is missing in its rows.
        sensitive: Columns to measure l and t of.
        entity_id: Column that says whose row it is; classes are then measured in distinct people.
        l: The l of recursive (c, l)-diversity, if that is to be measured.
    """

    def __init__(
        self,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        entity_id: str | None = None,
        l: int | None = None,
    ) -> None:
        super().__init__()
        self._quasi_identifiers = tuple(quasi_identifiers)
        self._sensitive = tuple(sensitive)
        self._entity_id = entity_id
        self._l = l

    @classmethod
    def of_policy(cls, policy: AnonymizationPolicy) -> "CountClasses":
        """Counts all that a policy promises something of."""
        return cls(policy.quasi_identifiers, policy.sensitive, policy.entity_id, policy.recursive_l)

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[ClassCounts]:
        """Applies the transform."""
        tally = _Tally(self._quasi_identifiers, self._sensitive, self._entity_id)
        classes = (
            batches
            | "Tally" >> beam.ParDo(tally)
            | "PerClass" >> beam.CombinePerKey(merge)
            | "Tallies" >> beam.Values()
            | "People" >> beam.Map(Tally.counted)
        )
        overall = classes | "Overall" >> beam.CombineGlobally(merge)
        extremes = (
            classes
            | "Measure" >> beam.Map(_measure, beam.pvalue.AsSingleton(overall), self._entity_id is not None, self._l)
            | "Extremes" >> beam.CombineGlobally(merge_extremes)
        )
        columns = (
            batches
            | "Names" >> beam.FlatMap(lambda batch: batch.schema.names)
            | "DistinctNames" >> beam.Distinct()
            | "AllNames" >> beam.combiners.ToList()
        )
        return extremes | "Counts" >> beam.Map(
            _to_counts, self._sensitive, self._l is not None, beam.pvalue.AsSingleton(columns)
        )


def _column(batch: pa.RecordBatch | pa.Table, name: str) -> pa.Array:
    return column_of(batch, name) if name in batch.schema.names else pa.nulls(batch.num_rows)


def _keys(batch: pa.RecordBatch | pa.Table, names: Iterable[str]) -> pa.Table:
    """Two columns an attribute: its value, and whether it is null; an empty list is missing in another way."""
    columns = []
    for name in names:
        array = _column(batch, name)
        columns += [single_values(array, name), array.is_null()]
    return pa.Table.from_arrays(columns, names=[str(i) for i in range(len(columns))])


class _Tally(beam.DoFn):  # type: ignore[misc]
    """Tallies many batches of a bundle at a time, for a class has rows in most of them."""

    def __init__(self, names: tuple[str, ...], sensitive: tuple[str, ...], entity_id: str | None) -> None:
        self._names = names
        self._sensitive = sensitive
        self._entity_id = entity_id
        self._wanted = tuple(dict.fromkeys([*names, *sensitive, *([entity_id] if entity_id else [])]))
        self._held: dict[pa.Schema, list[pa.RecordBatch]] = {}
        self._rows = 0

    def start_bundle(self) -> None:
        self._held, self._rows = {}, 0

    def process(self, batch: pa.RecordBatch) -> Iterator[tuple[Key, Tally]]:
        columns = [_column(batch, name) for name in self._wanted]
        # What is a list in one batch and null in another is counted apart: the two forms of missing are two values.
        needed = pa.RecordBatch.from_arrays(columns, names=list(self._wanted))
        self._held.setdefault(needed.schema, []).append(needed)
        self._rows += batch.num_rows
        if self._rows >= _HELD_ROWS:
            yield from self._release()

    def finish_bundle(self) -> Iterator[WindowedValue]:
        for element in self._release():
            yield GlobalWindows.windowed_value(element)

    def _release(self) -> Iterator[tuple[Key, Tally]]:
        held, self._held, self._rows = self._held, {}, 0
        for batches in held.values():
            table = pa.Table.from_batches(batches)
            people = None
            if self._entity_id is not None:
                people = single_values(_column(table, self._entity_id), self._entity_id)
                if people.null_count:
                    raise ColumnError(f"entity_id column {self._entity_id!r} is missing in some rows")
            sensitive = [single_values(_column(table, name), name) for name in self._sensitive]
            yield from tally_batch(_keys(table, self._names), sensitive, people)


def _measure(tally: Tally, overall: Tally, count_people: bool, l: int | None) -> Extremes:
    return extremes_of(tally, overall, count_people=count_people, l=l or 2)


def _to_counts(extremes: Extremes, sensitive: tuple[str, ...], recursive: bool, columns: list[str]) -> "ClassCounts":
    return ClassCounts(
        rows=extremes.rows,
        class_sizes=extremes.sizes,
        columns=tuple(sorted(columns)),
        distinct_l=dict(zip(sensitive, extremes.distinct_l, strict=False)),
        entropy_l={name: math.exp(h) for name, h in zip(sensitive, extremes.entropy, strict=False)},
        recursive_c=dict(zip(sensitive, extremes.recursive_c, strict=False)) if recursive else {},
        t=dict(zip(sensitive, extremes.t, strict=False)),
    )
