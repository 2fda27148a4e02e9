"""The normalized certainty penalty: by hand, by its definition written out, and over parts."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.transforms.certainty_penalty import Penalty
from tfx_anonymizer.transforms.group_table import changes

NUMBERS = st.lists(st.tuples(st.one_of(st.none(), st.integers(-50, 50)), st.integers(0, 3)), min_size=1, max_size=30)
WORDS = st.lists(st.tuples(st.sampled_from([None, "a", "b", "ü", ""]), st.integers(0, 3)), min_size=1, max_size=30)


def numbered(classes):
    return np.unique(np.array(classes), return_inverse=True)[1].reshape(-1)


def share(values, classes, *, ordered, kind=None):
    column = pa.array(values, kind)
    return Penalty.of(column, numbered(classes), ordered=ordered).share(len(column.unique()))


def by_definition(values, classes, *, ordered):
    present = [value for value in values if value is not None]
    total = 0.0
    for one in classes:
        held = [value for value, other in zip(values, classes, strict=True) if other == one]
        if not ordered:
            total += len(set(held)) / len(set(values)) if len(set(held)) > 1 else 0.0
        elif None in held:
            total += float(any(value is not None for value in held))
        elif max(present) > min(present):
            total += (max(held) - min(held)) / (max(present) - min(present))
    return total / len(values)


@given(NUMBERS)
def test_numbers(rows):
    values, classes = zip(*rows, strict=True)
    found = share(values, classes, ordered=True, kind=pa.int64())
    # A column without any value is a single category.
    assert found == pytest.approx(by_definition(values, classes, ordered=True))


@given(WORDS)
def test_categories(rows):
    values, classes = zip(*rows, strict=True)
    assert share(values, classes, ordered=False, kind=pa.string()) == pytest.approx(
        by_definition(values, classes, ordered=False)
    )


@given(NUMBERS, st.booleans())
def test_parts_that_share_no_class_add_up(rows, ordered):
    values, classes = zip(*rows, strict=True)
    column, classes = pa.array(values, pa.int64()), np.array(classes)
    parts = [
        Penalty.of(column.filter(pa.array(inside)), numbered(classes[inside]), ordered=ordered)
        for inside in (classes < 2, classes >= 2)
    ]
    whole, distinct = Penalty.of(column, numbered(classes), ordered=ordered), len(column.unique())
    assert (parts[0] + parts[1]).share(distinct) == pytest.approx(whole.share(distinct))


@given(NUMBERS, st.booleans())
def test_one_class_of_many_parts(rows, ordered):
    values, classes = zip(*rows, strict=True)
    column = pa.array(values, pa.int64())
    found = Penalty.of(column, numbered(classes), ordered=ordered).as_one_class(len(column.unique()))
    alone = Penalty.of(column, np.zeros(len(values), dtype=np.int64), ordered=ordered)
    assert found.share(len(column.unique())) == pytest.approx(alone.share(len(column.unique())))


def test_dates_and_an_empty_column():
    days = [datetime.date(2020, 1, day) for day in (1, 3, 5, 9)]
    assert share(days, [0, 0, 1, 1], ordered=True) == pytest.approx((2 + 4) / 2 / 8)
    assert Penalty.of(pa.array([], pa.int64()), np.zeros(0, dtype=np.int64), ordered=True).share(0) == 0.0


def test_classes_are_what_the_release_shows_and_codes_are_categories():
    policy = AnonymizationPolicy(("age", "zip"), 2, categorical=("zip",))
    before = pa.table({"age": [20, 40, 60, 60], "zip": [1, 2, 9, 9]})
    after = pa.table({"age": [30, 30, 60, 60], "zip": [1, 1, 9, 9]})
    found = changes(before, after, policy)
    assert found["age"].penalty.share(3) == pytest.approx(0.25)
    assert found["zip"].penalty.share(3) == pytest.approx((2 / 3) / 2)
