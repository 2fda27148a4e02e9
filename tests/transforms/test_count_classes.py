"""Counting in Beam agrees with counting in memory, however rows are batched."""

from __future__ import annotations

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.beam import batches_of, run
from tests.support.people import make_people
from tfx_anonymizer.core import measure_privacy
from tfx_anonymizer.errors import ColumnError
from tfx_anonymizer.transforms.class_tally import Tally, extremes_of, merge, merge_extremes, tally_batch
from tfx_anonymizer.transforms.count_classes import ClassCounts, CountClasses


def count(batches, *arguments):
    (found,) = run(batches, lambda elements: elements | CountClasses(*arguments))
    return found


@pytest.mark.parametrize("rows", [7, 100, 1000])
def test_agrees_with_the_measures_in_memory(rows):
    people = pa.Table.from_pandas(make_people(300).assign(age=lambda t: t["age"] // 20))
    found = count(batches_of(people, rows), ("age", "city"), ("diagnosis", "age"), "person", 2)
    expected = measure_privacy(people, ["age", "city"], entity_id="person")
    assert found.k == expected.k
    assert found.rows == 300
    assert dict(found.class_sizes) == dict(expected.class_sizes)
    for name in ("diagnosis", "age"):
        single = measure_privacy(people, ["age", "city"], [name], l=2)
        assert found.distinct_l[name] == single.distinct_l
        assert found.entropy_l[name] == pytest.approx(single.entropy_l)
        assert found.recursive_c[name] == single.recursive_c
        assert found.t[name] == pytest.approx(single.t)
    assert found.columns == tuple(sorted(people.column_names))
    assert found.recursive_c["age"] == math.inf
    assert ClassCounts.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False))) == found
    assert count(batches_of(people, rows), ("age",), ("diagnosis",)).recursive_c == {}


def test_missing_in_two_forms_is_one_sensitive_value():
    # A null and a NaN hide nothing from one another.
    batch = pa.RecordBatch.from_arrays(
        [pa.array([1] * 4), pa.array([None, float("nan"), None, None])], names=["a", "s"]
    )
    found = count([batch], ("a",), ("s",))
    assert found.distinct_l == {"s": 1}


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("us"), pa.time64("us"), pa.float64()])
def test_whatever_has_an_order_is_measured_by_it(kind):
    days = pa.array([1, 1, 2, 3, 5, None, 1, 5], pa.int32() if kind == pa.date32() else pa.int64()).cast(kind)
    table = pa.table({"a": ["x", "x", "x", "x", "y", "y", "y", "y"], "s": days})
    found = count(table.to_batches(), ("a",), ("s",))
    assert found.t["s"] == pytest.approx(measure_privacy(table, ["a"], ["s"]).t)


def test_what_arrow_cannot_tell_apart_by_itself():
    lengths = pa.array([5, 5, None, 7], pa.duration("s"))
    halves = pa.array(np.array([0.5, 1.5, 1.5, 0.5], dtype=np.float16), mask=np.array([False, False, False, True]))
    keys = pa.table({"x": halves})
    found = {key: (tally.rows, sorted(tally.values[0].values())) for key, tally in tally_batch(keys, [lengths])}
    assert found == {(0.5,): (1, [1]), (1.5,): (2, [1, 1]), (None,): (1, [1])}
    table = pa.table({"age": [1, 1, 2, 2], "stay": pa.array([60, 120, 60, 120], pa.duration("s"))})
    counts = count(batches_of(table), ["age"], ["stay"])
    assert (counts.k, dict(counts.distinct_l), dict(counts.t)) == (2, {"stay": 2}, {"stay": 0.0})


def test_every_form_of_missing_is_a_value_of_its_own():
    kind = pa.large_list(pa.float32())
    values = pa.array([[1.0], None, [], [float("nan")], [float("nan")], None], kind)
    absent = pa.RecordBatch.from_arrays([pa.nulls(2)], names=["b"])
    found = count([pa.RecordBatch.from_arrays([values], names=["a"]), absent], ("a",))
    # 1.0 alone, an empty list alone, NaN twice, null twice; and where the column is absent it is null too.
    assert dict(found.class_sizes) == {1: 2, 2: 1, 4: 1}


def test_nothing_to_count():
    empty = pa.RecordBatch.from_arrays([pa.array([], pa.large_list(pa.int64()))], names=["a"])
    for batches in ([], [empty]):
        found = count(batches, ("a",), ("s",))
        assert (found.k, found.rows, found.classes) == (0, 0, 0)


def test_multi_valued_and_missing_ids_are_refused():
    many = pa.RecordBatch.from_arrays([pa.array([[1, 2]])], names=["a"])
    with pytest.raises(ColumnError, match="'a' is multi-valued"):
        count([many], ("a",))
    with pytest.raises(ColumnError, match="entity_id column 'id' is missing"):
        count([pa.RecordBatch.from_arrays([pa.array([[1]])], names=["a"])], ("a",), (), "id")


rows = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 2)), st.sampled_from([b"x", b"y", None])), min_size=1, max_size=30
)


@settings(max_examples=200)
@given(rows, st.integers(1, 29))
def test_tallies_of_parts_add_up_to_the_tally_of_the_whole(rows, cut):
    def tally(part):
        keys = pa.table({"a": pa.array([r[0] for r in part], pa.int64())})
        return tally_batch(keys, [pa.array([r[1] for r in part], pa.binary())])

    whole = dict(tally(rows))
    parts = [*tally(rows[:cut]), *tally(rows[cut:])]
    merged = {key: merge(t for k, t in parts if k == key) for key, _ in parts}
    assert {key: (t.rows, dict(t.values[0])) for key, t in merged.items()} == {
        key: (t.rows, dict(t.values[0])) for key, t in whole.items()
    }


def test_extremes_of_a_class_worked_by_hand():
    overall = Tally(4, 0, ({"a": 3, "b": 1},))
    found = extremes_of(Tally(2, 2, ({"a": 1, "b": 1},)), overall, count_people=True)
    assert dict(found.sizes) == {2: 1}
    assert found.distinct_l == (2,)
    assert found.entropy == (pytest.approx(math.log(2)),)
    assert found.recursive_c == (1.0,)
    assert extremes_of(Tally(2, 2, ({"a": 1, "b": 1},)), overall, count_people=True, l=3).recursive_c == (math.inf,)
    assert found.t == (pytest.approx(0.25),)
    both = merge_extremes([found, extremes_of(Tally(2, 1, ({"a": 2},)), overall, count_people=True)])
    assert (dict(both.sizes), both.distinct_l, both.rows) == ({1: 1, 2: 1}, (1,), 4)
    assert both.entropy == (0.0,)
    assert both.recursive_c == (math.inf,)
