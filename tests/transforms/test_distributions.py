"""Distributions before and after: counted exactly, the same for any cut into batches, rare values never told."""

from __future__ import annotations

import collections
import datetime
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.beam import batches_of, run
from tests.support.people import make_people
from tfx_anonymizer.transforms.distributions import AFTER, BEFORE, CompareDistributions, MostRowsOfOne, as_numbers


def compare(raw, released, names, least, categorical=(), rows=100):
    tagged = [(BEFORE, batch) for batch in batches_of(raw, rows)] + [
        (AFTER, batch) for batch in batches_of(released, rows)
    ]

    def build(elements):
        sides = {side: elements | f"Only[{side}]" >> _only(side) for side in (BEFORE, AFTER)}
        import apache_beam as beam

        one = elements.pipeline | "Least" >> beam.Create([least])
        return sides | CompareDistributions(names, one, categorical)

    (found,) = run(tagged, build)
    return json.loads(json.dumps(found))


def _only(side):
    import apache_beam as beam

    return beam.FlatMap(lambda element, wanted: [element[1]] if element[0] == wanted else [], side)


def table(people):
    return pa.Table.from_pandas(people, preserve_index=False)


def test_people():
    people = make_people(1000)
    released = people.assign(age=50, city="Ulm", zip=89073)
    found = compare(table(people), table(released), ["age", "city", "zip", "height"], 60, ["zip"])
    # Some fourteen people have any one age: too few for it to be an edge.
    assert found["age"]["edges"] == [29.5, 39.5, 49.5, 59.5, 69.5, 79.5]
    counted = np.histogram(people["age"], [-np.inf, *found["age"]["edges"], np.inf])[0] / 1000
    assert found["age"]["before"] == pytest.approx(counted.tolist(), abs=1e-4)
    assert found["age"]["after"] == [0, 0, 0, 1, 0, 0, 0]
    assert found["city"]["values"][0] == "Ulm"
    assert found["city"]["before"][0] == pytest.approx(
        (people["city"] == "Ulm").sum() / people["city"].notna().sum(), abs=1e-4
    )
    assert found["city"]["missing"] is None
    assert found["zip"]["values"] == [str(value) for value in people["zip"].value_counts().index]
    assert found["height"]["missing"][0] == pytest.approx(people["height"].isna().mean(), abs=1e-4)


def test_the_cut_into_batches_does_not_matter():
    people = table(make_people(300))
    names = ["age", "city", "zip", "height"]
    one, many = (compare(people, people, names, 10, ["zip"], rows) for rows in (1000, 17))
    assert one == many


@settings(max_examples=15)
@given(
    st.lists(st.one_of(st.none(), st.integers(-20, 20), st.just(10)), min_size=1, max_size=60),
    st.lists(st.one_of(st.none(), st.text(max_size=2), st.sampled_from(["a", "<b>", "東"])), min_size=1, max_size=60),
    st.integers(2, 8),
)
def test_nothing_rare_is_told(numbers, words, least):
    rows = max(len(numbers), len(words))
    columns = {
        "number": pa.array((numbers * rows)[:rows], pa.int64()),
        "word": pa.array((words * rows)[:rows], pa.string()),
    }
    raw = pa.table(columns)
    found = compare(raw, raw, ["number", "word"], least)
    counted = {name: collections.Counter(raw[name].to_pylist()) for name in raw.column_names}
    edges = found["number"].get("edges", [])
    present = [value for value in counted["number"] if value is not None]
    assert not [edge for edge in edges if 0 < counted["number"][edge] < least]
    assert not present or not {min(present), max(present)} & set(edges)
    assert not [value for value in found["word"]["values"] if counted["word"][value] < least]


def test_what_reads_as_an_edge_counts_as_it_in_float32():
    values = np.array([0.1] * 3 + [0.05 * i for i in range(40)], dtype=np.float32)
    raw = pa.table({"x": pa.array(values)})
    edges = compare(raw, raw, ["x"], 2)["x"]["edges"]
    assert edges
    assert not [edge for edge in edges if 0 < int((values == np.float32(edge)).sum()) < 2]


def test_a_column_without_values_and_one_that_is_not_there():
    raw = pa.table({"a": pa.nulls(9, pa.int64()), "c": pa.array([5] * 9)})
    found = compare(raw, raw, ["a", "b", "c"], 3)
    assert found["a"].get("values", found["a"].get("edges")) == []
    assert found["b"]["values"] == []
    assert found["c"]["edges"] == []


def test_dates_in_years_and_times_in_hours():
    days = pa.array([datetime.date(1970, 1, 1), None, datetime.date(2000, 1, 1)])
    assert as_numbers(days).tolist() == pytest.approx([1970.0, float("nan"), 2000.0], abs=0.01, nan_ok=True)
    assert as_numbers(pa.array([datetime.time(18, 30)])).tolist() == [18.5]
    moments = pa.array(pd.to_datetime(["2000-07-01 12:00"]))
    assert as_numbers(moments).tolist() == pytest.approx([2000.5], abs=0.01)


def test_most_rows_of_one():
    people = pa.table({"person": ["a", "b", "a", None, "a", "b"]})
    assert run(batches_of(people, 2), lambda batches: batches | MostRowsOfOne("person")) == [3]
    assert run([], lambda batches: batches | MostRowsOfOne("person")) == [1]
