"""Advice about a table: counts worked by hand, roles that names and forms give away, and no value of a record."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.people import make_people
from tfx_anonymizer.core import measure_privacy
from tfx_anonymizer.errors import ColumnError, InputDataError, PolicyError
from tfx_anonymizer.inspection import inspect_table
from tfx_anonymizer.inspection.columns import codes_of, describe
from tfx_anonymizer.inspection.patterns import form_of, names_a_person_id, names_an_identifier, words
from tfx_anonymizer.inspection.uniqueness import grow_sets, measure_set


@pytest.fixture(scope="module")
def people():
    return pa.Table.from_pandas(make_people(400), preserve_index=False)


def test_roles(people):
    advice = inspect_table(people, label="ill", k=20)
    assert dict(advice.roles) == {
        "name": "direct identifier", "person": "entity id", "age": "quasi-identifier", "height": "quasi-identifier",
        "city": "quasi-identifier", "zip": "quasi-identifier", "income": "quasi-identifier", "ill": "label",
        "diagnosis": "special category",
    }  # fmt: skip
    assert advice.people == len(set(people.column("person").to_pylist()))
    assert any("'name' may be a direct identifier" in warning for warning in advice.warnings)
    assert any("'diagnosis' may be of a special category" in warning for warning in advice.warnings)


def test_a_column_is_described_by_counts():
    column = pa.chunked_array([[3, None, 5, 3], [7, None]])
    facts = describe("x", column, codes_of(column))
    assert (facts.distinct, facts.missing, facts.unique) == (3, 2 / 6, 2 / 6)
    assert not facts.is_constant
    same = pa.chunked_array([["a", "a"]])
    assert describe("x", same, codes_of(same)).is_constant


@pytest.mark.parametrize(
    "column",
    [
        pa.array([["a", "b"], ["a"], ["a", "b"]]), pa.array([{"x": 1}, {"x": 2}, {"x": 1}]), pa.nulls(3),
        pa.array([1, 2, 1], pa.duration("s")), pa.array([True, False, True]), pa.array([b"a", b"b", b"a"]),
        pa.array(["a", "b", "a"]).dictionary_encode(), pa.array([1.5, float("nan"), 1.5]),
        pa.array([1, 2, 1], pa.date32()),
    ],
)  # fmt: skip
def test_columns_of_every_type(column):
    advice = inspect_table(pa.table({"x": column, "age": [1, 1, 2]}), k=2)
    assert advice.columns[0].distinct == (0 if column.null_count == 3 else 2)
    json.dumps(advice.to_dict(), allow_nan=False)


def test_values_that_point_at_single_people():
    assert form_of(["ada@example.org"] * 3) == "an e-mail address"
    assert form_of(["192.0.2.7", "198.51.100.23"]) == "an IP address"
    assert form_of(["DE89 3704 0044 0532 0130 00"]) == "a bank account number"
    assert form_of(["+49 731 123456"]) == "a telephone number"
    assert form_of(["078-05-1120"]) == "a social security number"
    assert form_of(["Ulm", "ada@example.org", "Bonn"]) is None
    assert form_of([]) is None
    advice = inspect_table(pa.table({"contact": ["a@example.org", "b@example.org"] * 2, "age": [1, 2, 3, 4]}), k=2)
    assert advice.roles["contact"] == "direct identifier"


def test_names_are_read_word_by_word():
    assert words("customerID_2") == {"customer", "id"}
    assert names_a_person_id("customerID_2")
    assert names_a_person_id("patient")
    assert not names_a_person_id("patient_temperature")
    assert not names_an_identifier("filename_length_is_one_word".replace("_", ""))
    assert names_an_identifier("E-Mail")


def test_what_singles_people_out_is_a_quasi_identifier_whatever_its_name():
    rng = np.random.default_rng(4)
    table = pa.table({"q17": rng.integers(0, 90, 500), "q18": rng.integers(0, 40, 500), "q19": rng.integers(0, 2, 500)})
    advice = inspect_table(table, label="q19", k=10)
    assert advice.of_role("quasi-identifier") == ("q17", "q18")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.none() | st.sampled_from("ab")), min_size=1))
def test_a_set_is_counted_as_the_measures_count_it(rows):
    table = pa.Table.from_pandas(pd.DataFrame(rows, columns=["a", "b", "c"]), preserve_index=False)
    codes = {name: codes_of(table.column(name)) for name in table.column_names}
    found = measure_set(codes, ["a", "b", "c"], k=3)
    sizes = measure_privacy(table, ["a", "b", "c"]).class_sizes
    assert found.classes == sum(sizes.values())
    assert found.unique == pytest.approx(sizes.get(1, 0) / len(rows))
    assert found.below_k == pytest.approx(sum(size * count for size, count in sizes.items() if size < 3) / len(rows))
    chain = grow_sets(codes, k=3)
    assert [len(facts.columns) for facts in chain] == list(range(1, len(chain) + 1))
    for smaller, greater in itertools.pairwise(chain):
        assert greater.columns[:-1] == smaller.columns
        assert greater.unique >= smaller.unique


def test_what_k_leaves():
    table = pa.table({"age": [1, 2] * 50})
    assert "k=200 is out of reach: there are 100." in inspect_table(table, k=200).warnings
    assert any("at most 2 classes" in warning for warning in inspect_table(table, k=50).warnings)
    assert not inspect_table(table, k=10).warnings


def test_what_cannot_be_inspected():
    table = pa.table({"age": [1, 2]})
    with pytest.raises(ColumnError, match="'income'"):
        inspect_table(table, label="income")
    with pytest.raises(PolicyError, match="k is out of range"):
        inspect_table(table, k=1)
    with pytest.raises(InputDataError, match="no rows"):
        inspect_table(table.slice(0, 0))


def test_nothing_to_tell_people_apart_by():
    advice = inspect_table(pa.table({"ill": [0, 1], "same": ["x", "x"]}), label="ill", k=2)
    assert (advice.sets, advice.proposed) == ((), None)


def test_no_value_of_a_record_is_told(people):
    told = json.dumps(inspect_table(people, label="ill").to_dict(), ensure_ascii=False)
    for value in ("person number", "Köln", "東京", "angina", "50667"):
        assert value not in told
