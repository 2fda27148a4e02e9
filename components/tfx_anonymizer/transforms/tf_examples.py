"""Encoding Arrow rows as serialized tf.Examples."""

from __future__ import annotations

import pyarrow as pa

from tfx_anonymizer.transforms.columns import INTERNAL_COLUMNS, column_of, is_list, to_lists


def encode_examples(batch: pa.RecordBatch | pa.Table) -> list[bytes]:
    """Encodes rows as serialized tf.Examples, leaving out internal columns.

    Args:
        batch: n rows; list or plain columns.

    Returns:
        n serialized tf.Examples. A missing value is a feature without a value.
    """
    from tfx_bsl.public.tfxio import RecordBatchToExamplesEncoder

    names = [name for name in batch.schema.names if name not in INTERNAL_COLUMNS]
    columns = [_encodable(column_of(batch, name)) for name in names]
    encoded: list[bytes] = RecordBatchToExamplesEncoder().encode(pa.RecordBatch.from_arrays(columns, names=names))
    return encoded


def _encodable(array: pa.Array) -> pa.Array:
    """Brings a column into a form that tf.Examples have: lists of integers, 32-bit floats or bytes."""
    types = pa.types
    if types.is_null(array.type) or (is_list(array.type) and types.is_null(array.type.value_type)):
        return pa.nulls(len(array), pa.large_list(pa.large_binary()))
    if is_list(array.type):
        return array
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if types.is_boolean(array.type) or types.is_integer(array.type):
        return to_lists(array.cast(pa.int64()), pa.large_list(pa.int64()))
    if types.is_floating(array.type) or types.is_decimal(array.type):
        return to_lists(array.cast(pa.float32(), safe=False), pa.large_list(pa.float32()))
    if types.is_temporal(array.type):
        array = array.cast(pa.string())
    return to_lists(array.cast(pa.large_binary()), pa.large_list(pa.large_binary()))
