"""Content hash of rows: the same 64 bits for the same values, wherever and in whatever order rows are met.

Used where a choice must not depend on the order in which data arrives: which rows are sampled, which fold a row belongs
to, in which order a release is written. It is no cryptographic hash and hides nothing.

Example:
    >>> import pyarrow as pa
    >>> first, second, third = row_hashes(pa.table({"a": [1, 2, 1], "b": [["x"], ["y", "z"], ["x"]]}))
    >>> bool(first == third), bool(first == second)
    (True, False)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

Hashes = npt.NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MISSING = np.uint64(0xD6E8FEB86659FD93)
_NOTHING = np.uint64(0)


def row_hashes(table: pa.Table | pa.RecordBatch, seed: int = 0) -> Hashes:
    """Hashes every row over all columns.

    Args:
        table: n rows of any Arrow types, lists and structs included. The order of columns does not matter.
        seed: Gives another hash of the same rows; 0 to 2**64 - 1.

    Returns:
        uint64, shape (n,).
    """
    hashes = np.full(table.num_rows, np.uint64(seed), dtype=np.uint64)
    for name in sorted(table.schema.names):
        column = table.column(table.schema.get_field_index(name))
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        parts = [_where_null(chunk, _mix(_hash_array(chunk) ^ _hash_text(name)), _NOTHING) for chunk in chunks]
        # A sum, so that a column's place in the table does not count; and missing adds nothing, so that a column that
        # is missing in all rows counts as much as one that is not there.
        hashes += np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)
    return _mix(hashes)


def in_content_order(table: pa.Table) -> pa.Table:
    """Brings rows into an order that their content alone determines; equal rows stay as they came."""
    return table.take(pa.array(np.argsort(row_hashes(table), kind="stable")))


def _hash_array(array: pa.Array) -> Hashes:
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_null(array.type):
        return np.full(len(array), _MISSING, dtype=np.uint64)
    if pa.types.is_struct(array.type):
        hashes = np.zeros(len(array), dtype=np.uint64)
        for i, field in enumerate(array.type):
            hashes += _mix(_hash_array(array.field(i)) ^ _hash_text(field.name))
        return _where_null(array, hashes)
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        return _where_null(array, _hash_lists(array))
    if pa.types.is_fixed_size_list(array.type):
        # Rare, and the oldest Arrow supported cannot cast it.
        return _hash_array(pa.array(array.to_pylist(), pa.list_(array.type.value_type)))
    return _hash_values(array)


def _hash_lists(array: pa.ListArray) -> Hashes:
    offsets = np.asarray(array.offsets, dtype=np.int64)
    children = _hash_array(array.values)
    within = np.arange(len(children), dtype=np.uint64)
    starts, stops = offsets[:-1], offsets[1:]
    # A row's hash is the wrapping sum of its children's, each mixed with its place in the row.
    place = np.zeros(len(children), dtype=np.uint64)
    lengths = stops - starts
    used = np.repeat(starts, lengths).astype(np.uint64)
    covered = slice(int(offsets[0]), int(offsets[-1])) if len(offsets) else slice(0, 0)
    place[covered] = within[covered] - used
    running = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(_mix(children + place * _ODD))])
    return _mix(running[stops] - running[starts] + lengths.astype(np.uint64))


def _hash_values(array: pa.Array) -> Hashes:
    """Hashes each distinct value once."""
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    values = encoded.dictionary
    if pa.types.is_integer(values.type):
        # Integers and floats of one value hash alike only if the column's type stays; it does within a data set.
        hashed = pd.util.hash_array(np.asarray(values).astype(np.int64, copy=False).view(np.uint64))
    elif pa.types.is_floating(values.type):
        hashed = pd.util.hash_array(np.asarray(values, dtype=np.float64))
    else:
        hashed = pd.util.hash_array(np.array(values.to_pylist(), dtype=object), categorize=False)
    lookup = np.append(hashed.astype(np.uint64), _MISSING)
    return lookup[np.asarray(encoded.indices.fill_null(len(hashed)), dtype=np.int64)]


def _where_null(array: pa.Array, hashes: Hashes, missing: np.uint64 = _MISSING) -> Hashes:
    return np.where(np.asarray(array.is_null()), missing, hashes)


def _hash_text(text: str) -> np.uint64:
    return np.uint64(pd.util.hash_array(np.array([text], dtype=object), categorize=False)[0])


def _mix(values: Hashes) -> Hashes:
    """Scatters bits (the finalizer of SplitMix64; Steele, Lea and Flood 2014, figure 16)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
