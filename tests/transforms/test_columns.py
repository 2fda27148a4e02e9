"""Single-valued views of examples, and batches brought to one schema."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.errors import ColumnError
from tfx_anonymizer.transforms import columns


def lists(values, kind=None):
    return pa.array(values, kind or pa.large_list(pa.int64()))


@given(st.lists(st.one_of(st.none(), st.just([]), st.lists(st.integers(0, 9), min_size=1, max_size=1)), max_size=20))
def test_single_values(values):
    array = lists(values)
    expected = [v[0] if v else None for v in values]
    assert columns.single_values(array, "x").to_pylist() == expected
    assert columns.single_values(array.slice(1), "x").to_pylist() == expected[1:]


def test_multi_valued_is_refused_by_name():
    with pytest.raises(ColumnError, match="'x' is multi-valued; got: up to 3 values"):
        columns.single_values(lists([[1], [1, 2, 3], None]), "x")


def test_plain_columns_pass():
    assert columns.single_values(pa.array(["a", None]), "x").to_pylist() == ["a", None]


@given(st.lists(st.one_of(st.none(), st.integers(0, 9)), max_size=20), st.booleans())
def test_lists_and_back(values, empty):
    array = pa.array(values, pa.int64())
    for wanted in (pa.large_list(pa.int64()), pa.list_(pa.int64())):
        back = columns.to_lists(array, wanted, empty=empty)
        assert back.type == wanted
        missing = [] if empty else None
        assert back.to_pylist() == [missing if v is None else [v] for v in values]


def test_unify_fills_what_a_batch_lacks():
    first = pa.RecordBatch.from_arrays([lists([[1], [2]]), pa.nulls(2)], names=["a", "b"])
    second = pa.RecordBatch.from_arrays([lists([[3]]), lists([[9]])], names=["b", "c"])
    third = pa.RecordBatch.from_arrays([pa.array([[]], pa.list_(pa.null()))], names=["a"])
    table = columns.unify([first, second, third])
    assert table.to_pydict() == {
        "a": [[1], [2], None, None],
        "b": [None, None, [3], None],
        "c": [None, None, [9], None],
    }


def test_unify_refuses_two_types():
    first = pa.RecordBatch.from_arrays([lists([[1]])], names=["a"])
    second = pa.RecordBatch.from_arrays([pa.array([[b"x"]])], names=["a"])
    with pytest.raises(ColumnError, match="'a' holds values of two types"):
        columns.unify([first, second])


def test_replace_keeps_the_form_of_missing():
    table = pa.table({"null": lists([[1], None]), "empty": lists([[1], []]), "plain": [1, None]})
    assert columns.empty_lists(table, table.column_names) == {"empty"}
    values = {name: pa.array([None, 7]) for name in table.column_names}
    back = columns.replace(table, values, {"empty"})
    assert back.schema == table.schema
    assert back.to_pydict() == {"null": [None, [7]], "empty": [[], [7]], "plain": [None, 7]}


def test_replace_gives_a_type_to_what_had_none():
    table = pa.table({"a": pa.nulls(2)})
    back = columns.replace(table, {"a": pa.array([5, None]), "b": pa.array(["x", "y"])})
    assert back.to_pydict() == {"a": [[5], None], "b": [["x"], ["y"]]}


def test_project_and_single_valued_columns():
    table = pa.table({"a": lists([[1], None]), "many": lists([[1, 2], [3]]), "s": [{"x": 1}, None]})
    assert columns.project(table, ["a", "absent"]).to_pydict() == {"a": [1, None]}
    assert columns.single_valued_columns(table).column_names == ["a"]
    assert columns.drop_columns(table, ["s", "absent"]).column_names == ["a", "many"]


def test_required_columns():
    with pytest.raises(ColumnError, match="did you mean 'age'"):
        columns.require_columns(["agee"], ["age", columns.GUIDE_COLUMN], "quasi_identifiers")
