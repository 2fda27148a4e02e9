"""Placing rows of another split by the generalization that one split was fitted with."""

from collections.abc import Iterator

import apache_beam as beam
import pyarrow as pa

from tfx_anonymizer.core import Generalization
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.columns import column_of, drop_columns, project, replace, unify
from tfx_anonymizer.transforms.files import Files, from_files
from tfx_anonymizer.transforms.release_order import ShuffleRows


class ApplyGeneralization(beam.PTransform):  # type: ignore[misc]
    """Gives rows of another split the quasi-identifiers of the classes they fall into.

    Args:
        policy: Roles.
        files: A PCollection of one element, the generalization as `Anonymize` gives it.

    How many rows of *this* split share a combination is not controlled.
    """

    def __init__(self, policy: AnonymizationPolicy, files: beam.PCollection[Files]) -> None:
        super().__init__()
        self._policy = policy
        self._files = files

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[pa.RecordBatch]:
        """Applies the transform."""
        applied = batches | "Apply" >> beam.ParDo(_Apply(self._policy), beam.pvalue.AsSingleton(self._files))
        return applied | "Shuffle" >> ShuffleRows()


class _Apply(beam.DoFn):  # type: ignore[misc]
    def __init__(self, policy: AnonymizationPolicy) -> None:
        self._policy = policy
        self._fitted: tuple[Generalization, frozenset[str]] | None = None

    def process(self, batch: pa.RecordBatch, files: Files) -> Iterator[pa.RecordBatch]:
        if self._fitted is None:
            self._fitted = from_files(files)
        generalization, empty = self._fitted
        found = project(batch, generalization.quasi_identifiers)
        plain = {a.name: _present(found, a.name, a.domain.type) for a in generalization.attributes}
        rewritten = generalization.apply(pa.table(plain))
        values = {name: column_of(rewritten, name) for name in rewritten.column_names}
        released = replace(unify([batch]), values, empty)
        yield from drop_columns(released, self._policy.direct_identifiers).combine_chunks().to_batches()


def _present(table: pa.Table, name: str, wanted: pa.DataType) -> pa.Array:
    """Returns a column, or nulls of the wanted type where the batch lacks it or it has no values."""
    if name not in table.column_names or pa.types.is_null(table.schema.field(name).type):
        return pa.nulls(table.num_rows, wanted)
    return column_of(table, name)
