"""Columns in and out: every type comes back as it was."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tfx_anonymizer.core.columns import column_names, kind_of, people_of, read_column, replace_columns, require_values
from tfx_anonymizer.errors import ColumnError, InputDataError

SERIES = {
    "int64": pd.Series([3, 1, 2]),
    "uint8": pd.Series([3, 1, 2], dtype="uint8"),
    "float32": pd.Series([0.5, np.nan, 2.5], dtype="float32"),
    "bool": pd.Series([True, False, True]),
    "object text": pd.Series(["b", None, "a"], dtype=object),
    "object bytes": pd.Series([b"b", None, b"a"], dtype=object),
    "object bool": pd.Series([True, None, False], dtype=object),
    "object date": pd.Series([datetime.date(2020, 1, 2), None, datetime.date(2019, 1, 1)], dtype=object),
    "object decimal": pd.Series([decimal.Decimal("1.50"), decimal.Decimal("2.25"), None], dtype=object),
    "string": pd.Series(["b", None, "a"], dtype="string"),
    "Int64": pd.Series([3, None, 1], dtype="Int64"),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "category": pd.Series(["b", None, "a"], dtype="category"),
    "ordered": pd.Series(pd.Categorical(["b", "a", "a"], categories=["b", "a", "unused"], ordered=True)),
    "datetime": pd.to_datetime(pd.Series(["2020-01-01", None, "2019-05-05"])),
    "datetime tz": pd.to_datetime(pd.Series(["2020-01-01", None, "2019-05-05"])).dt.tz_localize("Europe/Berlin"),
    "timedelta": pd.to_timedelta(pd.Series(["1 day", None, "3 days"])),
}


@pytest.mark.parametrize("name", SERIES)
def test_pandas_values_come_back_in_their_own_dtype(name):
    table = pd.DataFrame({"x": SERIES[name], "other": [7, 8, 9]}, index=[10, 20, 30])
    table["x"] = SERIES[name].to_numpy() if not hasattr(SERIES[name].dtype, "na_value") else SERIES[name].array
    table["x"] = pd.Series(SERIES[name].array, index=table.index)
    values = read_column(table, "x", "test")
    back = replace_columns(table, {"x": values}, np.array([0, 1, 2], dtype=np.int32))
    pd.testing.assert_frame_equal(back, table)
    twice = replace_columns(table, {"x": values}, np.array([2, 2, 0], dtype=np.int32))
    assert twice["x"].dtype == table["x"].dtype
    assert twice["x"].iloc[0] == table["x"].iloc[2] or pd.isna(table["x"].iloc[2])
    assert list(twice.index) == [10, 20, 30]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([3, None, 1], pa.int32()),
        pa.array([1.5, None, 2.5], pa.float32()),
        pa.array(["a", None, "b"], pa.large_string()),
        pa.array([b"a", None, b"b"], pa.binary()),
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.array([datetime.datetime(2020, 1, 1), None, datetime.datetime(2021, 1, 1)]),
        pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")]),
    ],
    ids=lambda array: str(array.type),
)
def test_arrow_values_come_back_in_their_own_type(array):
    table = pa.table({"x": array, "other": [7, 8, 9]})
    back = replace_columns(table, {"x": read_column(table, "x", "test")}, np.array([0, 1, 2]))
    assert back.schema == table.schema
    assert back.to_pydict() == table.to_pydict()


def test_both_zeros_are_one_value():
    found = read_column(pa.table({"x": [0.0, -0.0]}), "x", "test")
    assert len(found.dictionary_encode().dictionary) == 1


def test_an_integer_column_becomes_float_only_when_missing_must_fit():
    table = pd.DataFrame({"x": [1, 2, 3]})
    back = replace_columns(table, {"x": pa.array([5, None])}, np.array([0, 1, 0]))
    assert back["x"].tolist()[0] == 5.0
    assert np.isnan(back["x"].tolist()[1])


def test_nan_is_missing_and_chunks_do_not_matter():
    table = pa.table({"x": pa.chunked_array([[1.0, float("nan")], [], [None, 4.0]])})
    assert read_column(table, "x", "test").to_pylist() == [1.0, None, None, 4.0]
    assert read_column(pa.table({"x": pa.chunked_array([], pa.int64())}), "x", "test").to_pylist() == []


@pytest.mark.parametrize(
    "values",
    [[1, "a"], [[1, 2], [3]], [{"a": 1}, None], [1, b"x"], [object(), 1], [10**30, 1], ["\ud800", "a"]],
    ids=["int and text", "lists", "dicts", "int and bytes", "objects", "huge", "lone surrogate"],
)
def test_columns_of_no_simple_type_are_refused_without_their_values(values):
    table = pd.DataFrame({"secret": pd.Series(values, dtype=object)})
    with pytest.raises(ColumnError, match="'secret'") as caught:
        read_column(table, "secret", "test")
    assert caught.value.__cause__ is None
    assert str(10**30) not in str(caught.value)


def test_multi_valued_arrow_columns_are_refused():
    with pytest.raises(ColumnError, match="'x' is multi-valued"):
        read_column(pa.table({"x": [[1], [2, 3]]}), "x", "test")


def test_unknown_and_repeated_columns():
    with pytest.raises(ColumnError, match="did you mean 'age'"):
        read_column(pd.DataFrame({"age": [1]}), "agee", "test")
    with pytest.raises(ColumnError, match="'a' stands twice"):
        column_names(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ColumnError, match="not text"):
        column_names(pd.DataFrame([[1, 2]]))
    with pytest.raises(InputDataError, match="got: list"):
        column_names([1, 2])


def test_a_column_that_is_all_missing():
    require_values(pa.array([], pa.int64()), "x")
    with pytest.raises(ColumnError, match="'x' is missing in every row"):
        require_values(pa.nulls(3, pa.int64()), "x")


def test_kinds():
    assert kind_of(pa.array([1]), codes=False) == "numeric"
    assert kind_of(pa.array([1]), codes=True) == "categorical"
    assert kind_of(pa.array([datetime.date(2020, 1, 1)]), codes=False) == "numeric"
    assert kind_of(pa.array([True]), codes=False) == "categorical"
    assert kind_of(pa.array(["a"]), codes=False) == "categorical"


@pytest.mark.parametrize("of", [pd.DataFrame, pa.table])
def test_people_are_numbered_as_they_appear(of):
    ids = ["東京", "ann", "東京", ""]
    assert people_of(of({"who": ids}), "who").tolist() == [0, 1, 0, 2]
    assert people_of(of({"who": ids}), "who").dtype == np.int32
    with pytest.raises(ColumnError, match=r"'who' is missing in some rows.*1 rows"):
        people_of(of({"who": ["ann", None]}), "who")
    with pytest.raises(ColumnError, match="'who'"):
        people_of(of({"id": ids}), "who")
