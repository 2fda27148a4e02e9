"""The order of a release: a function of what is released, so it says nothing of the order the rows came in."""

from collections.abc import Iterable, Iterator

import apache_beam as beam
import numpy as np
import pyarrow as pa

from tfx_anonymizer.hashing import Hashes, row_hashes
from tfx_anonymizer.transforms.columns import RECORD_COLUMN, column_of, drop_columns, unify

_BATCH_ROWS = 1000
_PARTS = 16


class ShuffleRows(beam.PTransform):  # type: ignore[misc]
    """Deals the rows of all batches into new ones, by a hash of their content."""

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[pa.RecordBatch]:
        """Applies the transform."""
        return (
            batches
            | "Scatter" >> beam.FlatMap(_scatter)
            | "Gather" >> beam.GroupByKey()
            | "Order" >> beam.FlatMap(_order)
        )


def shuffled_batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """Cuts a table into batches, its rows in an order that only their own released content determines."""
    order = np.argsort(visible_hashes(table), kind="stable")
    for start in range(0, len(order), _BATCH_ROWS):
        # `take` copies; a slice would travel with the whole table's buffers.
        part = table.take(pa.array(order[start : start + _BATCH_ROWS]))
        yield pa.RecordBatch.from_arrays([column_of(part, n) for n in part.column_names], names=part.column_names)


def _scatter(batch: pa.RecordBatch) -> Iterator[tuple[int, pa.Table]]:
    table = unify([batch])
    part_of = visible_hashes(table) % np.uint64(_PARTS)
    for part in np.unique(part_of):
        yield int(part), table.take(pa.array(np.flatnonzero(part_of == part)))


def _order(group: tuple[int, Iterable[pa.Table]]) -> Iterator[pa.RecordBatch]:
    yield from shuffled_batches(unify(list(group[1])))


def visible_hashes(table: pa.Table) -> Hashes:
    """Returns a hash of what is released of each row, uint64, shape (n,)."""
    # The original record beside a SequenceExample's columns is not released as it is.
    return row_hashes(drop_columns(table, (RECORD_COLUMN,)))
