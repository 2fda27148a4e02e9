"""Rows on their way between workers: as few bytes as they can be, whatever the batches they came in.

TFX's batches hold lists, with eight bytes of offsets a cell, and every text as often as it occurs. Packed, columns of
one value a row are plain, texts are numbered, and all of it is compressed: some twenty bytes a row where the batch had
three hundred, at a hundredth of the cost of decoding an example. Unpacking gives back the batch as it was.

Example:
    >>> import apache_beam as beam, pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"age": [[30], None], "tags": [[b"a", b"b"], []]})
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     packed = p | beam.Create([batch, batch]) | PackRows()
    ...     _ = packed | beam.Values() | beam.Map(unpack) | beam.Map(pa.Table.to_pydict) | beam.Map(print)
    {'age': [[30], None, [30], None], 'tags': [[b'a', b'b'], [], [b'a', b'b'], []]}
"""

from collections.abc import Iterator
from typing import TypeAlias

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.transforms.window import GlobalWindows
from apache_beam.utils.windowed_value import WindowedValue

from tfx_anonymizer.transforms.columns import column_of, is_list, to_lists, unify

# The number of rows, and the rows.
Packed: TypeAlias = tuple[int, bytes]
Rows: TypeAlias = pa.RecordBatch | pa.Table

BATCH_ROWS = 10_000
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd")
_LISTS, _MISSING, _NUMBERED = b"lists", b"missing", b"numbered"


class LargerBatches(beam.PTransform):  # type: ignore[misc]
    """Puts batches together until they have some ten thousand rows: what is done a batch then costs little a row.

    No batch is held back beyond its bundle.
    """

    def __init__(self, rows: int = BATCH_ROWS) -> None:
        super().__init__()
        self._rows = rows

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[pa.RecordBatch]:
        """Applies the transform."""
        return batches | "Join" >> beam.ParDo(_Join(self._rows))


class PackRows(beam.PTransform):  # type: ignore[misc]
    """Packs batches: a PCollection of `pa.RecordBatch` becomes one of (rows, bytes).

    Args:
        rows: Batches are put together until they have so many rows.
    """

    def __init__(self, rows: int = BATCH_ROWS) -> None:
        super().__init__()
        self._rows = rows

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[Packed]:
        """Applies the transform."""
        return batches | "Join" >> beam.ParDo(_Join(self._rows)) | "Pack" >> beam.Map(packed)


def packed(table: Rows) -> Packed:
    """Returns a batch as an element to shuffle."""
    return table.num_rows, pack(table)


def pack(batch: Rows) -> bytes:
    """Returns a batch as bytes."""
    arrays, fields = [], []
    for field in batch.schema:
        array = column_of(batch, field.name)
        facts: dict[bytes, bytes] = {}
        if is_list(array.type) and not pa.types.is_fixed_size_list(array.type):
            array, facts = _without_lists(array)
        if _is_text(array.type):
            array, facts = array.dictionary_encode(), {**facts, _NUMBERED: b""}
        arrays.append(array)
        fields.append(pa.field(field.name, array.type, metadata=facts or None))
    sink = pa.BufferOutputStream()
    whole = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
    with pa.ipc.new_stream(sink, whole.schema, options=_OPTIONS) as writer:
        writer.write_batch(whole)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def unpack(data: bytes) -> pa.Table:
    """Returns the batch that `pack` was given."""
    table = pa.ipc.open_stream(data).read_all()
    columns = {}
    for field in table.schema:
        array = column_of(table, field.name)
        facts = field.metadata or {}
        if _NUMBERED in facts:
            array = array.dictionary_decode()
        if _LISTS in facts:
            wanted = (pa.large_list if facts[_LISTS] == b"large" else pa.list_)(array.type)
            array = to_lists(array, wanted, empty=facts[_MISSING] == b"empty")
        columns[field.name] = array
    return pa.table(columns)


def _without_lists(array: pa.Array) -> tuple[pa.Array, dict[bytes, bytes]]:
    """Returns lists of at most one value as plain values, where there is one form of missing to come back to."""
    lengths = pc.list_value_length(array)
    flat = array.flatten()
    bounds = pc.min_max(lengths).as_py()
    most, least = bounds["max"] or 0, bounds["min"]
    nested = pa.types.is_null(flat.type) or pa.types.is_nested(flat.type)
    if nested or most > 1 or flat.null_count or (array.null_count and least == 0):
        return array, {}
    kind = b"large" if pa.types.is_large_list(array.type) else b"small"
    missing = b"empty" if least == 0 else b"null"
    if len(flat) < len(array):
        present = np.asarray(pc.fill_null(lengths, 0)) > 0
        index = pa.array(np.cumsum(present) - 1, mask=~present)
        flat = flat.take(index) if len(flat) else pa.nulls(len(array), flat.type)
    return flat, {_LISTS: kind, _MISSING: missing}


def _is_text(wanted: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_large_binary(wanted)
        or types.is_binary(wanted)
        or types.is_string(wanted)
        or types.is_large_string(wanted)
    )


class _Join(beam.DoFn):  # type: ignore[misc]
    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._waiting: list[pa.RecordBatch] = []

    def start_bundle(self) -> None:
        self._waiting = []

    def process(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        self._waiting.append(batch)
        if sum(part.num_rows for part in self._waiting) >= self._rows:
            yield self._take()

    def finish_bundle(self) -> Iterator[WindowedValue]:
        if self._waiting:
            yield GlobalWindows.windowed_value(self._take())

    def _take(self) -> pa.RecordBatch:
        waiting, self._waiting = self._waiting, []
        table = unify(waiting)
        names = table.column_names
        return pa.RecordBatch.from_arrays([column_of(table, name) for name in names], names=names)
