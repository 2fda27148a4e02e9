"""Writing SequenceExamples whose context was rewritten.

Arrow has no encoder for them, so each record is parsed, its context features are replaced by the batch's columns, and
it is written again. Sequence features stay as they are, save those that are to be dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pyarrow as pa

from tfx_anonymizer.transforms.columns import INTERNAL_COLUMNS, RECORD_COLUMN, column_of

# TFXIO puts the sequence features into one column of this name.
SEQUENCE_COLUMN = "##SEQUENCE##"


def encode_sequence_examples(batch: pa.RecordBatch | pa.Table, drop: Collection[str] = ()) -> Iterator[bytes]:
    """Encodes rows as serialized SequenceExamples.

    Args:
        batch: n rows; context features as list columns, the original records in `RECORD_COLUMN`.
        drop: Sequence features that are left out.

    Yields:
        One record a row: the original's sequence features, and the batch's context features and no others.
    """
    import tensorflow as tf

    names = [name for name in batch.schema.names if name not in INTERNAL_COLUMNS]
    context = {name: column_of(batch, name).to_pylist() for name in names}
    for i, record in enumerate(column_of(batch, RECORD_COLUMN).to_pylist()):
        example = tf.train.SequenceExample.FromString(record[0] if isinstance(record, list) else record)
        example.context.Clear()
        for name in names:
            _set(example.context.feature[name], context[name][i])
        for name in drop:
            example.feature_lists.feature_list.pop(name, None)
        yield example.SerializeToString(deterministic=True)


def without_sequences(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Drops the column of sequences; the record beside it still has them."""
    names = [name for name in batch.schema.names if name != SEQUENCE_COLUMN]
    return pa.RecordBatch.from_arrays([column_of(batch, name) for name in names], names=names)


def _set(feature: Any, values: list[Any] | None) -> None:
    if not values:
        return
    if isinstance(values[0], int):
        feature.int64_list.value.extend(values)
    elif isinstance(values[0], float):
        feature.float_list.value.extend(values)
    else:
        feature.bytes_list.value.extend(v if isinstance(v, bytes) else str(v).encode() for v in values)
