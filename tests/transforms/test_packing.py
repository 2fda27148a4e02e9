"""Packed and unpacked, a batch is what it was, in its values, its types and its forms of missing."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.beam import run
from tfx_anonymizer.transforms.packing import LargerBatches, PackRows, pack, unpack

CELLS = st.one_of(st.none(), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=2))
TEXTS = st.one_of(st.none(), st.lists(st.binary(max_size=3), max_size=1))


@given(st.lists(st.tuples(CELLS, TEXTS), max_size=20))
def test_lists_come_back(rows):
    for wrap in (pa.large_list, pa.list_):
        table = pa.table(
            {
                "number": pa.array([row[0] for row in rows], wrap(pa.int64())),
                "text": pa.array([row[1] for row in rows], wrap(pa.large_binary())),
            }
        )
        assert unpack(pack(table)).equals(table)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([None, None]),
        pa.array([[], None], pa.large_list(pa.null())),
        pa.array([[None], [1]], pa.large_list(pa.int64())),
        pa.array([[[1], []], None], pa.large_list(pa.large_list(pa.int64()))),
        pa.array(["a", None]),
        pa.array(["a", None]).dictionary_encode(),
        pa.array([datetime.date(2020, 1, 1), None]),
        pa.array([{"a": 1}, None]),
        pa.array([[1.5], [float("nan")]], pa.large_list(pa.float32())),
        pa.array([True, None]),
    ],
    ids=lambda column: str(column.type),
)
def test_other_columns_come_back(column):
    table = pa.table({"column": column})
    again = unpack(pack(table))
    assert again.schema.equals(table.schema)
    assert repr(again.to_pydict()) == repr(table.to_pydict())


def test_a_slice_is_no_larger_than_its_rows():
    table = pa.table({"text": [f"value {i}" for i in range(50_000)], "tags": [[i, i] for i in range(50_000)]})
    assert len(pack(table.slice(100, 10))) < 3000


def test_what_is_put_together_is_all_there():
    batches = [pa.RecordBatch.from_pydict({"age": [[i]]}) for i in range(70)]
    batches += [pa.RecordBatch.from_pydict({"age": pa.nulls(5), "city": [[b"Ulm"]] * 5})]
    larger = run(batches, lambda elements: elements | LargerBatches(20))
    assert [batch.num_rows for batch in larger] == [20, 20, 20, 15]
    packed = run(batches, lambda elements: elements | PackRows(20))
    assert [rows for rows, _ in packed] == [20, 20, 20, 15]
    cells = [cell for _, data in packed for cell in unpack(data)["age"].to_pylist()]
    assert cells == [[i] for i in range(70)] + [None] * 5
