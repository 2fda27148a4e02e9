"""A bounded sample of examples that does not depend on the order they are met in: the rows of least hash."""

from collections.abc import Iterable
from typing import TypeAlias

import apache_beam as beam
import numpy as np
import pyarrow as pa

from tfx_anonymizer.hashing import row_hashes
from tfx_anonymizer.transforms.columns import unify
from tfx_anonymizer.transforms.examples_io import DropColumns

Rows: TypeAlias = pa.RecordBatch | pa.Table


class SampleRows(beam.PTransform):  # type: ignore[misc]
    """Samples rows: a PCollection of `pa.RecordBatch` becomes one `pa.Table` of the same columns.

    Args:
        size: Most rows to keep; all of them if there are fewer. Rows alike in every column are kept or left together
            as far as `size` allows.
        seed: Gives another sample.
        leave_out: Columns to leave out.
    """

    def __init__(self, size: int, seed: int = 0, leave_out: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._size = size
        self._seed = seed
        self._leave_out = leave_out

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[Rows]:
        """Applies the transform."""
        return (
            batches
            | "Drop" >> DropColumns(self._leave_out)
            | "Sample" >> beam.CombineGlobally(_LeastHashes(self._size, self._seed))
        )


class _LeastHashes(beam.CombineFn):  # type: ignore[misc]
    """Keeps tables until they hold twice the rows wanted, then only the rows of least hash."""

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._seed = seed

    def create_accumulator(self) -> list[Rows]:
        return []

    def add_input(self, accumulator: list[Rows], table: Rows) -> list[Rows]:
        accumulator.append(table)
        if sum(part.num_rows for part in accumulator) > 2 * self._size:
            return [self._smaller(accumulator)]
        return accumulator

    def merge_accumulators(self, accumulators: Iterable[list[Rows]]) -> list[Rows]:
        merged = [part for accumulator in accumulators for part in accumulator]
        return [self._smaller(merged)] if merged else []

    def extract_output(self, accumulator: list[Rows]) -> pa.Table:
        return self._smaller(accumulator) if accumulator else pa.table({})

    def _smaller(self, parts: list[Rows]) -> pa.Table:
        table = unify([part for part in parts if part.num_rows] or parts[:1])
        order = np.argsort(row_hashes(table, self._seed), kind="stable")
        return table.take(pa.array(order[: self._size]))
