"""Examples as Arrow batches: single-valued views of their columns, and batches brought to one schema.

TFX hands out examples as RecordBatches whose columns are lists (a feature may have several values), and decides the
type of a column batch by batch: a feature that is missing in a whole batch has the null type there, or no column at
all. Parquet examples have plain columns. Everything here takes either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.errors import ColumnError, unknown_column

# Columns that travel with a batch between our own stages and are never written.
GUIDE_COLUMN = "##tfx_anonymizer.guide##"
RECORD_COLUMN = "##tfx_anonymizer.record##"
INTERNAL_COLUMNS = frozenset({GUIDE_COLUMN, RECORD_COLUMN})


def is_list(wanted: pa.DataType) -> bool:
    """Tells whether a column holds lists of values."""
    types = pa.types
    return bool(types.is_list(wanted) or types.is_large_list(wanted) or types.is_fixed_size_list(wanted))


def single_values(column: pa.Array | pa.ChunkedArray, name: str) -> pa.Array:
    """Returns a column of at most one value a row as a plain array, missing as null.

    Args:
        column: Lists of none or one value, or plain values; shape (n,).
        name: The column's name, for the error.

    Raises:
        ColumnError: If a row has several values.
    """
    array = one_chunk(column)
    if not is_list(array.type):
        return array
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    longest = pc.max(lengths).as_py() or 0
    if longest > 1:
        raise ColumnError(
            f"column {name!r} is multi-valued",
            got=f"up to {longest} values a row",
            allowed="one value a row, or none",
            hint="aggregate it into a single value first, or leave it out of the roles that need one",
        )
    has_value = np.asarray(lengths, dtype=np.int64) > 0
    index = np.cumsum(has_value) - 1
    flat = array.flatten()
    if not len(flat):
        return pa.nulls(len(array), flat.type)
    return flat.take(pa.array(index, mask=~has_value))


def one_chunk(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Returns a chunked column as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)


def project(batch: pa.RecordBatch | pa.Table, names: Iterable[str]) -> pa.Table:
    """Returns some columns of a batch as plain single-valued ones; those the batch does not have are left out.

    Raises:
        ColumnError: If one of them is multi-valued.
    """
    present = [name for name in names if name in batch.schema.names]
    return pa.table({name: single_values(column_of(batch, name), name) for name in present})


def single_valued_columns(batch: pa.RecordBatch | pa.Table) -> pa.Table:
    """Returns every column that is single-valued in all rows, as plain ones; the others are left out."""
    columns = {}
    for name in batch.schema.names:
        array = column_of(batch, name)
        if is_list(array.type) and (pc.max(pc.list_value_length(array)).as_py() or 0) > 1:
            continue
        plain = single_values(array, name)
        if name not in INTERNAL_COLUMNS and not pa.types.is_nested(plain.type):
            columns[name] = plain
    return pa.table(columns)


def column_of(batch: pa.RecordBatch | pa.Table, name: str) -> pa.Array:
    """Returns a column by name as one array."""
    return one_chunk(batch.column(batch.schema.get_field_index(name)))


def unify(batches: Sequence[pa.RecordBatch | pa.Table]) -> pa.Table:
    """Puts batches below each other; a column absent from some, or of null type there, is missing in those rows.

    Args:
        batches: Rows with columns of compatible types; not empty.

    Returns:
        One table with every column that some batch has, sorted by name.

    Raises:
        ColumnError: If a column is of two types.
    """
    types: dict[str, pa.DataType] = {}
    for batch in batches:
        for field in batch.schema:
            types[field.name] = wider(types.get(field.name), field.type, field.name)
    columns = {}
    for name in sorted(types):
        parts = []
        for batch in batches:
            if name in batch.schema.names:
                part = column_of(batch, name)
                parts.append(part if part.type == types[name] else _retype(part, types[name]))
            else:
                parts.append(pa.nulls(batch.num_rows, types[name]))
        columns[name] = pa.concat_arrays(parts)
    return pa.table(columns)


def empty_lists(table: pa.RecordBatch | pa.Table, names: Iterable[str]) -> frozenset[str]:
    """Returns the columns that say missing by an empty list in some row, as CsvExampleGen's do, and not by null."""
    found = set()
    for name in set(names) & set(table.schema.names):
        array = column_of(table, name)
        if is_list(array.type) and pc.min(pc.list_value_length(array)).as_py() == 0:
            found.add(name)
    return frozenset(found)


def replace(batch: pa.Table, values: Mapping[str, pa.Array], empty: Collection[str] = ()) -> pa.Table:
    """Returns a table in which some columns have new values, in the old columns' list or plain type.

    Args:
        batch: n rows.
        values: New single values by column name, missing as null, each of shape (n,). A column that the table lacks,
            or that had no values and so no type, becomes a column of lists.
        empty: Columns in which missing is an empty list instead of null. A column has one form of missing, so that
            the form tells nothing of a row.
    """
    for name, array in values.items():
        position = batch.schema.get_field_index(name)
        old = batch.schema.field(position).type if position >= 0 else pa.null()
        column = to_lists(array, pa.large_list(array.type) if is_empty(old) else old, empty=name in empty)
        batch = batch.set_column(position, name, column) if position >= 0 else batch.append_column(name, column)
    return batch


def to_lists(array: pa.Array, wanted: pa.DataType, *, empty: bool = False) -> pa.Array:
    """Turns single values into lists of one value, if `wanted` is a list type; else casts them.

    Args:
        array: Single values, shape (n,).
        wanted: The type to give back.
        empty: Whether missing becomes an empty list instead of a null one.
    """
    if not is_list(wanted):
        return array.cast(wanted)
    large = not pa.types.is_list(wanted)
    present = np.asarray(array.is_valid())
    offsets = np.concatenate([[0], np.cumsum(present)])
    values = array.drop_null().cast(wanted.value_type)
    # A null offset marks its row as a null list.
    mask = None if empty else np.append(~present, False)
    marked = pa.array(offsets, type=pa.int64() if large else pa.int32(), mask=mask)
    return (pa.LargeListArray if large else pa.ListArray).from_arrays(marked, values)


def drop_columns(batch: pa.RecordBatch | pa.Table, names: Iterable[str]) -> Any:
    """Returns a batch or table without some columns; those it does not have are passed over."""
    unwanted = set(names)
    kept = [name for name in batch.schema.names if name not in unwanted]
    if len(kept) == len(batch.schema.names):
        return batch
    return type(batch).from_arrays([column_of(batch, name) for name in kept], names=kept)


def require_columns(names: Iterable[str], present: Collection[str], role: str) -> None:
    """Checks that columns were met.

    Raises:
        ColumnError: If one was not; the message suggests the closest names.
    """
    for name in names:
        if name not in present:
            raise unknown_column(name, role, [other for other in present if other not in INTERNAL_COLUMNS])


def wider(first: pa.DataType | None, second: pa.DataType, name: str) -> pa.DataType:
    """Returns the type of a column of which two parts have these types.

    Raises:
        ColumnError: If they are two different types, both with values.
    """
    if first is None or first == second or is_empty(first):
        return second
    if is_empty(second):
        return first
    raise ColumnError(
        f"column {name!r} holds values of two types",
        got=f"{first} and {second}",
        allowed="one type in all examples",
    )


def is_empty(wanted: pa.DataType) -> bool:
    """Tells whether a column of this type cannot hold a value: it was missing in every row of a batch."""
    return bool(pa.types.is_null(wanted) or (is_list(wanted) and pa.types.is_null(wanted.value_type)))


def _retype(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Gives an array without values another type; rows that are empty lists become missing ones."""
    return pa.nulls(len(array), wanted)
