"""Census-like examples of any number on disk: skewed, with a high-cardinality attribute and missing values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from benchmarks.census_like import QUASI_IDENTIFIERS as CENSUS
from benchmarks.census_like import make_census

QUASI_IDENTIFIERS = (*CENSUS, "zip")
LABEL = "income"
_MISSING = {"occupation": 0.06, "workclass": 0.06, "native_country": 0.02, "capital_gain": 0.01}
_CHUNK = 250_000
_BATCH = 5_000


def write_census(folder: Path, rows: int, seed: int = 0) -> None:
    """Writes gzipped tf.Examples of seventeen features as one split, in files of a quarter of a million.

    Args:
        folder: The split's folder; made if it does not exist.
        rows: The number of examples.
        seed: Seed of everything drawn.
    """
    import tensorflow as tf
    from tfx_bsl.public.tfxio import RecordBatchToExamplesEncoder

    folder.mkdir(parents=True, exist_ok=True)
    encoder = RecordBatchToExamplesEncoder()
    files = -(-rows // _CHUNK)
    for file in range(files):
        first, stop = rows * file // files, rows * (file + 1) // files
        batches = pa.Table.from_pandas(_people(first, stop - first, seed + file), preserve_index=False)
        lists = pa.table({name: _lists(column.combine_chunks()) for name, column in _columns(batches)})
        path = folder / f"data_tfrecord-{file:05d}-of-{files:05d}.gz"
        with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
            for batch in lists.to_batches(_BATCH):
                for record in encoder.encode(batch):
                    writer.write(record)


def _people(first: int, rows: int, seed: int) -> pd.DataFrame:
    people, guide = make_census(rows, seed)
    rng = np.random.default_rng(seed + 1_000_003)
    # Some places are everybody's, and a great many are nearly nobody's.
    people["zip"] = np.minimum(rng.zipf(1.3, rows), 50_000)
    for name, share in _MISSING.items():
        column = people[name].astype("Int64") if people[name].dtype.kind == "i" else people[name]
        people[name] = column.mask(rng.random(rows) < share)
    people[LABEL] = (rng.random(rows) < guide).astype(np.int64)
    people["person"] = np.arange(first, first + rows)
    people["weight"] = rng.gamma(3.0, 1.0, rows).astype(np.float32)
    people["note"] = pd.Series(_words(rng, rows))
    return people


def _words(rng: np.random.Generator, rows: int) -> npt.NDArray[np.object_]:
    words = np.array([f"word{i}" for i in range(500)], dtype=object)
    return words[np.minimum(rng.zipf(1.5, rows), 500) - 1]


def _columns(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    return list(zip(table.column_names, table.columns, strict=True))


def _lists(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    array = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_string(array.type):
        array = array.cast(pa.binary()).cast(pa.large_binary())
    present = np.asarray(array.is_valid())
    offsets = np.concatenate([[0], np.cumsum(present)])
    marked = pa.array(offsets, type=pa.int64(), mask=np.append(~present, False))
    return pa.LargeListArray.from_arrays(marked, array.drop_null())
