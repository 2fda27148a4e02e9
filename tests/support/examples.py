"""Writing and reading examples as files, without the code under test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import tensorflow as tf


def to_example(row: Mapping[str, Any]) -> tf.train.Example:
    """Builds a tf.Example; None and NaN become a feature without a value, lists stay lists."""
    example = tf.train.Example()
    for name, value in row.items():
        feature = example.features.feature[name]
        values = value if isinstance(value, list) else [value]
        values = [v for v in values if v is not None and not (isinstance(v, float) and math.isnan(v))]
        if not values:
            continue
        if isinstance(values[0], str):
            feature.bytes_list.value.extend(v.encode() for v in values)
        elif isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif isinstance(values[0], float):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(int(v) for v in values)
    return example


def write_examples(folder: Path, rows: pd.DataFrame | Sequence[Mapping[str, Any]], shards: int = 1) -> None:
    """Writes rows as gzipped TFRecord files of tf.Examples."""
    if isinstance(rows, pd.DataFrame):
        rows = rows.astype(object).to_dict("records")
    write_records(folder, [to_example(row).SerializeToString() for row in rows], shards)


def write_splits(folder: Path, *, shards: int = 1, **splits: pd.DataFrame) -> Path:
    """Writes a folder of splits as an ExampleGen leaves it, and returns it."""
    for name, rows in splits.items():
        write_examples(folder / f"Split-{name}", rows, shards)
    return folder


def write_records(folder: Path, records: Sequence[bytes], shards: int = 1) -> None:
    """Writes serialized records as gzipped TFRecord files."""
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(shards):
        path = folder / f"data_tfrecord-{shard:05d}-of-{shards:05d}.gz"
        with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
            for record in records[shard::shards]:
                writer.write(record)


def read_records(folder: Path) -> list[bytes]:
    """Reads the serialized records of all files in a folder."""
    files = sorted(map(str, Path(folder).glob("*.gz")))
    return [record.numpy() for record in tf.data.TFRecordDataset(files, compression_type="GZIP")]


def read_examples(folder: Path) -> pd.DataFrame:
    """Reads tf.Examples into a table: one value as itself, none as None, several as a tuple."""
    rows = []
    for record in read_records(folder):
        row: dict[str, Any] = {}
        for name, feature in tf.train.Example.FromString(record).features.feature.items():
            kind = feature.WhichOneof("kind")
            values = list(getattr(feature, kind).value) if kind else []
            values = [v.decode() if isinstance(v, bytes) else v for v in values]
            row[name] = None if not values else values[0] if len(values) == 1 else tuple(values)
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)
