"""How the columns of a split are distributed before and after, folded so that a report may tell it.

Edges come of a bounded sample of the raw rows; what is counted between them is exact, and what may be told of it is the
rule of `report.folding`, applied here, in the workers: nothing that may not be told leaves the pipeline.

Example:
    >>> import operator
    >>> raw = pa.RecordBatch.from_pydict({"city": [[b"Ulm"]] * 6 + [[b"Bonn"]] * 3 + [[b"Kiel"]]})
    >>> released = pa.RecordBatch.from_pydict({"city": [[b"Ulm"]] * 7 + [[b"Bonn"]] * 3})
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     least = p | "Least" >> beam.Create([3])
    ...     sides = {"before": p | "Raw" >> beam.Create([raw]), "after": p | "Released" >> beam.Create([released])}
    ...     found = sides | CompareDistributions(["city"], least)
    ...     city = found | "City" >> beam.Map(operator.itemgetter("city"))
    ...     _ = city | "Told" >> beam.Map(operator.itemgetter("values", "before", "other")) | beam.Map(print)
    (['Ulm'], [0.6], [0.4, 0.3])
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.core.columns import kind_of
from tfx_anonymizer.report.folding import MOST_CATEGORIES, Binned, fold_categories, fold_numbers, round_edges
from tfx_anonymizer.transforms.columns import column_of, single_values
from tfx_anonymizer.transforms.sample import SampleRows

BEFORE, AFTER = "before", "after"
_SAMPLE_ROWS = 20_000
_NUMBERS, _CATEGORIES = "numbers", "categories"
# Seconds of a mean Gregorian year: dates are drawn in years.
_YEAR = 31_556_952.0

Edges: TypeAlias = dict[str, tuple[float, ...]]
Values: TypeAlias = npt.NDArray[np.floating[Any]]
# Raw rows, released rows, whether missing, and the value's text.
Category: TypeAlias = tuple[int, int, bool, str]


class CompareDistributions(beam.PTransform):  # type: ignore[misc]
    """Compares columns: PCollections `before` and `after` of `pa.RecordBatch` become one mapping.

    Args:
        names: The columns; one that a batch lacks is missing in its rows.
        least: A PCollection of one integer: the raw rows that share whatever is told.
        categorical: Columns whose numbers are only codes.

    The mapping has what `fold_numbers` or `fold_categories` says of each column that has a value in some row.
    """

    def __init__(self, names: Sequence[str], least: beam.PCollection[int], categorical: Sequence[str] = ()) -> None:
        super().__init__()
        self._names = tuple(names)
        self._least = least
        self._categorical = frozenset(categorical)

    # Beam has no type hint for several named inputs, and would warn of this one.
    @beam.typehints.no_annotations  # type: ignore[misc,untyped-decorator]
    def expand(self, sides: Mapping[str, beam.PCollection[pa.RecordBatch]]) -> beam.PCollection[dict[str, Any]]:
        """Applies the transform."""
        sample = sides[BEFORE] | "Columns" >> beam.Map(_columns, self._names) | "Sample" >> SampleRows(_SAMPLE_ROWS)
        edges = beam.pvalue.AsSingleton(sample | "Edges" >> beam.Map(edges_of, self._names, self._categorical))
        least = beam.pvalue.AsSingleton(self._least)
        counted = [
            sides[name] | f"Count[{name}]" >> beam.ParDo(_Count(self._names, side), edges).with_outputs()
            for side, name in enumerate((BEFORE, AFTER))
        ]
        numbers = (
            [one[_NUMBERS] for one in counted]
            | "AllNumbers" >> beam.Flatten()
            | "PerColumn" >> beam.CombinePerKey(_add_up)
            | "FoldNumbers" >> beam.Map(_fold_numbers, edges, least)
        )
        categories = (
            [one[_CATEGORIES] for one in counted]
            | "AllCategories" >> beam.Flatten()
            | "PerValue" >> beam.CombinePerKey(_add_pairs)
            | "ByColumn" >> beam.Map(_by_column)
            | "Frequent" >> beam.CombinePerKey(_MostFrequent())
            | "FoldCategories" >> beam.Map(_fold_categories, least)
        )
        return [numbers, categories] | "Both" >> beam.Flatten() | "Together" >> beam.combiners.ToDict()


class MostRowsOfOne(beam.PTransform):  # type: ignore[misc]
    """Finds how many rows the person with most rows has: `pa.RecordBatch`es become one integer, 1 or more.

    Args:
        entity_id: The column that says whose row it is.
    """

    def __init__(self, entity_id: str) -> None:
        super().__init__()
        self._entity_id = entity_id

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[int]:
        """Applies the transform."""
        return (
            batches
            | "Rows" >> beam.FlatMap(_rows_by_person, self._entity_id)
            | "PerPerson" >> beam.CombinePerKey(sum)
            | "RowsAlone" >> beam.Values()
            | "Most" >> beam.CombineGlobally(_greatest)
        )


def edges_of(
    sample: pa.RecordBatch | pa.Table, names: Iterable[str], categorical: frozenset[str]
) -> dict[str, tuple[float, ...]]:
    """Chooses edges for the columns that hold numbers, dates or times; the others are not in the result.

    Args:
        sample: Some raw rows, plain columns.
        names: The columns.
        categorical: Those whose numbers are only codes.
    """
    found = {}
    for name in names:
        if name not in sample.schema.names:
            continue
        array = column_of(sample, name)
        if kind_of(array, codes=name in categorical) == "numeric":
            values = as_numbers(array).astype(np.float64)
            whole = bool(pa.types.is_integer(array.type))
            found[name] = tuple(round_edges(values[np.isfinite(values)], whole=whole))
    return found


def as_numbers(array: pa.Array) -> Values:
    """Returns a column's values as floats, missing as NaN: dates in years, times of the day in hours.

    Args:
        array: Numbers, dates or times, shape (n,).

    Returns:
        float32 where the column is, else float64; shape (n,).
    """
    types = pa.types
    if types.is_date(array.type) or types.is_timestamp(array.type):
        zone = array.type.tz if types.is_timestamp(array.type) else None
        seconds = pc.cast(pc.cast(array, pa.timestamp("s", zone), safe=False), pa.int64())
        return 1970.0 + _floats(seconds) / _YEAR
    if types.is_time(array.type):
        return _floats(pc.cast(pc.cast(array, pa.time64("us")), pa.int64())) / 3.6e9
    if types.is_float32(array.type):
        return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.float32)
    return _floats(array)


def _floats(array: pa.Array) -> Values:
    return np.asarray(pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def _columns(batch: pa.RecordBatch, names: tuple[str, ...]) -> pa.RecordBatch:
    # Batches stay batches: TFDV, where it is imported, has Beam encode them by a coder that takes nothing else.
    present = [name for name in names if name in batch.schema.names]
    return pa.RecordBatch.from_arrays([single_values(column_of(batch, name), name) for name in present], names=present)


class _Count(beam.DoFn):  # type: ignore[misc]
    """Counts a batch: numbers between edges, categories by value."""

    def __init__(self, names: tuple[str, ...], side: int) -> None:
        self._names = names
        self._side = side

    def process(self, batch: pa.RecordBatch, edges: Edges) -> Iterator[beam.pvalue.TaggedOutput]:
        for name in self._names:
            known = name in batch.schema.names
            array = single_values(column_of(batch, name), name) if known else pa.nulls(batch.num_rows)
            if name in edges:
                yield beam.pvalue.TaggedOutput(_NUMBERS, (name, _count_numbers(array, edges[name], self._side)))
            else:
                for value, rows in _count_values(array).items():
                    pair = (rows, 0) if self._side == 0 else (0, rows)
                    yield beam.pvalue.TaggedOutput(_CATEGORIES, ((name, value is None, value or ""), pair))


def _count_numbers(array: pa.Array, edges: Sequence[float], side: int) -> npt.NDArray[np.int64]:
    """Returns shape (2, 2 * edges + 2): by side the bins, the rows at each edge and the missing ones."""
    counts = np.zeros((2, 2 * len(edges) + 2), dtype=np.int64)
    if pa.types.is_null(array.type):
        counts[side, -1] = len(array)
        return counts
    values = as_numbers(array)
    present = values[~np.isnan(values)]
    # In the values' own precision: what reads as the edge must count as the edge.
    ends = np.asarray(edges, dtype=present.dtype)
    bins = np.searchsorted(ends, present, side="right")
    counts[side, : len(edges) + 1] = np.bincount(bins, minlength=len(edges) + 1)
    if len(edges):
        equal = (bins > 0) & (present == ends[np.maximum(bins - 1, 0)])
        counts[side, len(edges) + 1 : -1] = np.bincount(bins[equal] - 1, minlength=len(edges))
    counts[side, -1] = len(values) - len(present)
    return counts


def _count_values(array: pa.Array) -> dict[str | None, int]:
    found: dict[str | None, int] = {}
    for one in pc.value_counts(array).to_pylist():
        text = None if one["values"] is None else _text(one["values"])
        found[text] = found.get(text, 0) + one["counts"]
    return found


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _rows_by_person(batch: pa.RecordBatch, entity_id: str) -> list[tuple[Any, int]]:
    if entity_id not in batch.schema.names:
        return []
    counted = pc.value_counts(single_values(column_of(batch, entity_id), entity_id)).to_pylist()
    return [(_text(one["values"]), one["counts"]) for one in counted]


def _add_up(counts: Iterable[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64] | int:
    return sum(counts)


def _add_pairs(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    before = after = 0
    for pair in pairs:
        before, after = before + pair[0], after + pair[1]
    return before, after


def _greatest(numbers: Iterable[int]) -> int:
    return max(numbers, default=1)


def _by_column(element: tuple[tuple[str, bool, str], tuple[int, int]]) -> tuple[str, Category]:
    (name, missing, text), (before, after) = element
    return name, (before, after, missing, text)


class _MostFrequent(beam.CombineFn):  # type: ignore[misc]
    """Keeps a column's most frequent raw values, and counts the rows of all."""

    def create_accumulator(self) -> tuple[list[tuple[str, int, int]], list[int]]:
        return [], [0, 0, 0, 0]

    def add_input(self, accumulator: Any, category: Category) -> Any:
        values, rows = accumulator
        before, after, missing, text = category
        place = 2 if missing else 0
        rows = [*rows]
        rows[place] += before
        rows[place + 1] += after
        if missing:
            return values, rows
        return self._smaller([*values, (text, before, after)]), rows

    def merge_accumulators(self, accumulators: Iterable[Any]) -> Any:
        values: list[tuple[str, int, int]] = []
        rows = [0, 0, 0, 0]
        for some, counted in accumulators:
            values = self._smaller([*values, *some])
            rows = [mine + theirs for mine, theirs in zip(rows, counted, strict=True)]
        return values, rows

    def extract_output(self, accumulator: Any) -> Any:
        return accumulator

    def _smaller(self, values: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
        if len(values) <= MOST_CATEGORIES:
            return values
        return sorted(values, key=lambda one: (-one[1], one[0]))[:MOST_CATEGORIES]


def _fold_numbers(element: tuple[str, Any], edges: Edges, least: int) -> tuple[str, dict[str, Any]]:
    name, counts = element
    bins = len(edges[name]) + 1
    before, after = (tuple(int(n) for n in counts[side, :bins]) for side in (0, 1))
    at_edge = tuple(int(n) for n in counts[0, bins:-1])
    binned = Binned(before, after, at_edge, int(counts[0, -1]), int(counts[1, -1]))
    return name, fold_numbers(edges[name], binned, least)


def _fold_categories(element: tuple[str, Any], least: int) -> tuple[str, dict[str, Any]]:
    name, (values, rows) = element
    return name, fold_categories(values, (rows[0], rows[1]), (rows[2], rows[3]), least)
