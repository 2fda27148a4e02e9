"""What must be known of a split before it can be cut: its size, its columns, and a bounded sample of its rows.

The sample holds the distinct rows of least hash, each with the number of rows that are just like it. A row's hash
depends on its content alone, and a row that is among the least of all is among the least of any part it is met in; so
the sample does not depend on how rows were dealt to batches, bundles and workers, and the numbers are exact.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.errors import ColumnError, InputDataError
from tfx_anonymizer.hashing import Hashes, row_hashes
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.columns import (
    GUIDE_COLUMN,
    RECORD_COLUMN,
    drop_columns,
    empty_lists,
    is_empty,
    project,
    require_columns,
    unify,
    wider,
)
from tfx_anonymizer.transforms.packing import Rows

SAMPLE_ROWS = 1 << 16
_MOST_PARTS = 64


@dataclasses.dataclass(frozen=True)
class Sample:
    """Distinct rows of a table, chosen by hash.

    Attributes:
        table: m rows of the columns that grouping looks at, single-valued, and `GUIDE_COLUMN` if a model guides.
        hashes: Of each whole row, ascending, uint64, shape (m,).
        counts: How many rows are like each, int64, shape (m,).
    """

    table: pa.Table
    hashes: Hashes
    counts: npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Survey:
    """What is known of a split.

    Attributes:
        rows: Its rows.
        types: The type of each column that some batch has.
        present: Columns that have a value in some row.
        empty: Quasi-identifiers that say missing by an empty list in some row.
        sample: Some of its rows; None if there are none.
    """

    rows: int = 0
    types: Mapping[str, pa.DataType] = dataclasses.field(default_factory=dict)
    present: frozenset[str] = frozenset()
    empty: frozenset[str] = frozenset()
    sample: Sample | None = None

    def check(self, policy: AnonymizationPolicy, split: str) -> None:
        """Checks that there is something to group.

        Raises:
            InputDataError: If the split holds no examples.
            ColumnError: If a column that the policy names is absent, or a quasi-identifier is missing in every row.
        """
        if not self.rows:
            raise InputDataError(f"split {split!r} holds no examples")
        for role, names in (
            ("quasi_identifiers", policy.quasi_identifiers),
            ("sensitive", policy.sensitive),
            ("label", (policy.label,) if policy.label else ()),
            ("entity_id", (policy.entity_id,) if policy.entity_id else ()),
        ):
            require_columns(names, tuple(self.types), role)
        for name in policy.quasi_identifiers:
            if name not in self.present:
                raise ColumnError(
                    f"column {name!r} is missing in every row, so it can neither identify nor be generalized",
                    hint="take it out of the quasi-identifiers, or list it as a direct identifier to drop it",
                )


class SurveyRows(beam.PTransform):  # type: ignore[misc]
    """Surveys a split: a PCollection of `pa.RecordBatch` becomes one `Survey`.

    Args:
        policy: Says which columns grouping looks at.
        seed: Gives another sample.
        sample_rows: Most distinct rows to sample.

    Example:
        >>> import operator
        >>> batch = pa.RecordBatch.from_pydict({"age": [[30], [31], None], "ill": [[1], [0], [0]]})
        >>> policy = AnonymizationPolicy(("age",), 2, label="ill")
        >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
        ...     survey = p | beam.Create([batch, batch]) | SurveyRows(policy)
        ...     _ = survey | beam.Map(operator.attrgetter("rows", "sample.counts")) | beam.Map(print)
        (6, array([2, 2, 2]))
    """

    def __init__(self, policy: AnonymizationPolicy, seed: int = 0, sample_rows: int = SAMPLE_ROWS) -> None:
        super().__init__()
        self._survey = _Combine(policy, seed, sample_rows)

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[Survey]:
        """Applies the transform."""
        return batches | "Survey" >> beam.CombineGlobally(self._survey)


def sample_of(table: Rows, policy: AnonymizationPolicy, seed: int, bound: np.uint64 | None = None) -> Sample:
    """Returns the distinct rows of a table as a sample; only those of a hash up to `bound`, if that is given."""
    hashes = row_hashes(drop_columns(table, (GUIDE_COLUMN, RECORD_COLUMN)), seed)
    grouped = project(table, policy.columns)
    if GUIDE_COLUMN in table.schema.names:
        grouped = grouped.append_column(GUIDE_COLUMN, table.column(table.schema.get_field_index(GUIDE_COLUMN)))
    if bound is not None:
        low = np.flatnonzero(hashes <= bound)
        hashes, grouped = hashes[low], grouped.take(pa.array(low))
    found, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    return Sample(grouped.take(pa.array(first)), found, counts.astype(np.int64))


def least_of(samples: Sequence[Sample], size: int) -> Sample:
    """Puts samples of disjoint rows together, keeping the distinct rows of least hash."""
    hashes = np.concatenate([sample.hashes for sample in samples])
    counts = np.concatenate([sample.counts for sample in samples])
    found, first, place = np.unique(hashes, return_index=True, return_inverse=True)
    total = np.zeros(len(found), dtype=np.int64)
    np.add.at(total, place.reshape(-1), counts)
    table = unify([sample.table for sample in samples])
    return Sample(table.take(pa.array(first[:size])), found[:size], total[:size])


class _Combine(beam.CombineFn):  # type: ignore[misc]
    """Keeps samples until they hold twice the rows wanted, then only the rows of least hash."""

    def __init__(self, policy: AnonymizationPolicy, seed: int, size: int) -> None:
        self._policy = policy
        self._seed = seed
        self._size = size

    def create_accumulator(self) -> list[Survey]:
        return []

    def add_input(self, surveys: list[Survey], batch: Rows) -> list[Survey]:
        if not batch.num_rows:
            return [*surveys, Survey(types=_types(batch))]
        # What is beyond the least hashes of some of the rows is beyond those of all.
        full = surveys[0].sample if surveys else None
        bound = full.hashes[-1] if full is not None and len(full.hashes) == self._size else None
        return self._shorten([*surveys, self._survey(batch, bound)])

    def merge_accumulators(self, accumulators: Iterable[list[Survey]]) -> list[Survey]:
        merged: list[Survey] = []
        for surveys in accumulators:
            merged = self._shorten([*merged, *surveys])
        return merged

    def compact(self, surveys: list[Survey]) -> list[Survey]:
        return [self._merge(surveys)] if surveys else []

    def extract_output(self, surveys: list[Survey]) -> Survey:
        return self._merge(surveys) if surveys else Survey()

    def _survey(self, batch: Rows, bound: np.uint64 | None) -> Survey:
        present = frozenset(
            name for name in self._policy.quasi_identifiers if name in batch.schema.names and _has_value(batch, name)
        )
        sample = sample_of(batch, self._policy, self._seed, bound)
        empty = empty_lists(batch, self._policy.quasi_identifiers)
        return Survey(batch.num_rows, _types(batch), present, empty, sample)

    def _shorten(self, surveys: list[Survey]) -> list[Survey]:
        held = sum(len(survey.sample.hashes) for survey in surveys if survey.sample is not None)
        # Many surveys of few sampled rows each cost as much to carry as their columns' names and types.
        return [self._merge(surveys)] if held > 2 * self._size or len(surveys) > _MOST_PARTS else surveys

    def _merge(self, surveys: Sequence[Survey]) -> Survey:
        types: dict[str, pa.DataType] = {}
        for survey in surveys:
            for name, found in survey.types.items():
                types[name] = wider(types.get(name), found, name)
        samples = [survey.sample for survey in surveys if survey.sample is not None]
        return Survey(
            sum(survey.rows for survey in surveys),
            types,
            frozenset().union(*(survey.present for survey in surveys)),
            frozenset().union(*(survey.empty for survey in surveys)),
            least_of(samples, self._size) if samples else None,
        )


def _types(batch: Rows) -> dict[str, pa.DataType]:
    return {field.name: field.type for field in batch.schema}


def _has_value(batch: Rows, name: str) -> bool:
    index = batch.schema.get_field_index(name)
    if is_empty(batch.schema.field(index).type):
        return False
    values = project(batch, [name]).column(name)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), None, values)
    return bool(values.null_count < len(values))
