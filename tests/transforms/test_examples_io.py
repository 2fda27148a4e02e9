"""Examples read and written again in every payload format; damage refused by name."""

from __future__ import annotations

import gzip

import apache_beam as beam
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf

from tests.support.beam import RUNNER
from tests.support.examples import read_examples, read_records, to_example, write_examples, write_records
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.transforms.columns import RECORD_COLUMN, column_of
from tfx_anonymizer.transforms.examples_io import (
    PARQUET,
    SEQUENCE_EXAMPLE,
    DropColumns,
    ExamplesSource,
    ReadExamples,
    WriteExamples,
)
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip
from tfx_anonymizer.transforms.tf_examples import encode_examples

ROWS = [
    {"a": 1, "b": "x", "c": 1.5, "many": [1, 2, 3], "gone": None},
    {"a": None, "b": "東京", "c": None, "many": [], "gone": None},
    {"a": -3, "b": None, "c": 0.0, "many": [7], "gone": None},
]


def copy(folder, source, *, drop=(), with_records=False, **options):
    with beam.Pipeline(argv=[f"--runner={RUNNER}"]) as p:
        _ = p | "Whole" >> CheckGzip(source.patterns, "split 'train'")
        _ = (
            p
            | ReadExamples(source, with_records=with_records)
            | DropColumns(tuple(drop))
            | WriteExamples(str(folder / "data_tfrecord"), source, **options)
        )


def test_tf_examples_survive(tmp_path):
    write_examples(tmp_path / "in", ROWS * 700, shards=3)
    copy(tmp_path / "out", ExamplesSource((f"{tmp_path}/in/*",)), drop=["gone"], with_records=True)
    found = read_examples(tmp_path / "out")
    expected = read_examples(tmp_path / "in").drop(columns="gone")
    key = sorted(expected.columns)
    assert sorted(map(repr, found[key].to_numpy().tolist())) == sorted(map(repr, expected[key].to_numpy().tolist()))


def test_records_stand_beside_their_columns(tmp_path):
    write_examples(tmp_path / "in", ROWS)
    seen = []
    with beam.Pipeline(argv=[f"--runner={RUNNER}"]) as p:
        batches = p | ReadExamples(ExamplesSource((f"{tmp_path}/in/*",)), with_records=True)
        _ = batches | beam.Map(_rows_match_records)
    assert seen == []


def _rows_match_records(batch):
    values = column_of(batch, "a").to_pylist()
    for value, record in zip(values, column_of(batch, RECORD_COLUMN).to_pylist(), strict=True):
        example = tf.train.Example.FromString(record[0])
        assert list(example.features.feature["a"].int64_list.value) == (value or [])


def test_sequence_examples_keep_their_sequences(tmp_path):
    records = []
    for i in range(50):
        example = tf.train.SequenceExample()
        example.context.feature["age"].int64_list.value.append(20 + i)
        if i % 2:
            example.context.feature["city"].bytes_list.value.append(b"Ulm")
        steps = example.feature_lists.feature_list["steps"]
        for j in range(i % 4):
            steps.feature.add().float_list.value.append(j / 2)
        example.feature_lists.feature_list["secret"].feature.add().bytes_list.value.append(b"s")
        records.append(example.SerializeToString())
    write_records(tmp_path / "in", records)
    source = ExamplesSource((f"{tmp_path}/in/*",), SEQUENCE_EXAMPLE)
    copy(tmp_path / "out", source, drop=["city"], drop_sequences=("secret", "absent"))
    found = [tf.train.SequenceExample.FromString(r) for r in read_records(tmp_path / "out")]
    found.sort(key=lambda e: e.context.feature["age"].int64_list.value[0])
    assert len(found) == 50
    for i, example in enumerate(found):
        assert set(example.context.feature) == {"age"}
        assert set(example.feature_lists.feature_list) == {"steps"}
        values = [step.float_list.value[0] for step in example.feature_lists.feature_list["steps"].feature]
        assert values == [j / 2 for j in range(i % 4)]


def test_parquet_keeps_types(tmp_path):
    (tmp_path / "in").mkdir()
    frame = pd.DataFrame({"age": pd.array([1, None, 3] * 900, "Int32"), "city": ["Ulm", None, "Bonn"] * 900, "x": 1.5})
    frame.to_parquet(tmp_path / "in" / "part.parquet", index=False)
    source = ExamplesSource((f"{tmp_path}/in/*",), PARQUET)
    schema = pq.read_schema(tmp_path / "in" / "part.parquet").remove_metadata()
    copy(tmp_path / "out", source, drop=["x"], arrow_schema=schema.remove(2), with_records=True)
    table = pa.concat_tables(pq.read_table(path) for path in (tmp_path / "out").iterdir())
    assert table.schema.remove_metadata() == schema.remove(2)
    assert table.num_rows == 2700
    assert table["age"].null_count == 900


def test_other_payload_formats_are_refused_by_name():
    with pytest.raises(InputDataError, match="FORMAT_PROTO; allowed: FORMAT_TF_EXAMPLE, FORMAT_TF_SEQUENCE_EXAMPLE"):
        ExamplesSource(("x",), "FORMAT_PROTO")


def damaged(tmp_path, change):
    write_examples(tmp_path / "in", ROWS * 400)
    (path,) = (tmp_path / "in").iterdir()
    path.write_bytes(change(path.read_bytes()))
    return ExamplesSource((f"{tmp_path}/in/*",))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:20],
        lambda data: data[:-4],
        lambda data: data[:60] + b"zzzz" + data[64:],
        lambda data: gzip.compress(gzip.decompress(data)[:1000]),
        lambda data: gzip.compress(tf_record(b"no example at all")),
        lambda data: b"hello, I am no TFRecord",
        lambda data: data + b"rubbish",
    ],
    ids=["half", "20 bytes", "no trailer", "overwritten", "half a record", "no proto", "no gzip", "rubbish behind"],
)
def test_damage_is_refused_without_quoting_it(tmp_path, change):
    source = damaged(tmp_path, change)
    with pytest.raises(InputDataError, match="cannot be read") as caught, typed_errors("split 'train'"):
        copy(tmp_path / "out", source)
    assert "rubbish" not in str(caught.value)
    assert "hello" not in str(caught.value)


def tf_record(data: bytes) -> bytes:
    import tempfile
    from pathlib import Path

    with tempfile.NamedTemporaryFile() as file:
        with tf.io.TFRecordWriter(file.name) as writer:
            writer.write(data)
        return Path(file.name).read_bytes()


def test_whole_files_pass_even_in_several_members(tmp_path):
    write_examples(tmp_path / "in", ROWS)
    (path,) = (tmp_path / "in").iterdir()
    path.write_bytes(path.read_bytes() * 2)
    copy(tmp_path / "out", ExamplesSource((f"{tmp_path}/in/*",)))
    assert len(read_records(tmp_path / "out")) == 6


def test_encoding_of_plain_columns():
    table = pa.table(
        {
            "i": [1, None],
            "f": [0.5, None],
            "b": [True, False],
            "s": ["x", None],
            "d": pa.array(["p", "q"]).dictionary_encode(),
            "n": pa.nulls(2),
        }
    )
    first, second = (tf.train.Example.FromString(e).features.feature for e in encode_examples(table))
    assert first["i"].int64_list.value[0] == 1
    assert first["b"].int64_list.value[0] == 1
    assert first["d"].bytes_list.value[0] == b"p"
    assert second["i"].WhichOneof("kind") is None
    assert second["f"].WhichOneof("kind") is None
    assert to_example({"i": None}).features.feature["i"].WhichOneof("kind") is None
