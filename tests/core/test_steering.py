"""The guide in fixed point."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tfx_anonymizer.core.steering import FULL_SCALE, MAX_DIMENSIONS, steer, unguided
from tfx_anonymizer.errors import GuideError


def test_probabilities_keep_six_digits():
    target = steer([0.0, 0.1234567, 1.0])
    assert target.dtype == np.int32
    assert target[0, 0] == -FULL_SCALE
    assert abs((target[1, 0] / FULL_SCALE + 1) / 2 - 0.1234567) < 1e-6


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a"],
        [1, 7, 1],
        [True, False, True],
        pd.Series(["a", "b", "a"], dtype="category"),
        pa.array(["a", "b", "a"]),
        np.array([b"a", b"b", b"a"], dtype=object),
    ],
    ids=["text", "int", "bool", "category", "arrow", "bytes"],
)
def test_labels_become_indicators(labels):
    target = steer(labels)
    assert target.shape == (3, 1)
    assert target[0, 0] == target[2, 0] == -target[1, 0]
    assert abs(int(target[0, 0])) == FULL_SCALE


def test_missing_labels_are_a_class():
    assert steer(["a", None, "b", "a"]).shape == (4, 3)


def test_integers_of_many_values_are_numbers():
    assert steer(np.arange(100)).shape == (100, 1)
    assert steer(np.arange(20)).shape[1] > 1


def test_two_class_probabilities_need_one_column():
    assert steer([[0.9, 0.1], [0.2, 0.8]]).shape == (2, 1)
    assert steer([[0.9, 0.4], [0.2, 0.8]]).shape == (2, 2)


def test_many_classes_are_projected_whatever_the_order():
    rng = np.random.default_rng(1)
    guide = rng.dirichlet(np.ones(40), 300)
    order = rng.permutation(300)
    target = steer(guide)
    assert target.shape == (300, MAX_DIMENSIONS)
    assert (steer(guide[order]) == target[order]).all()


def test_regression_values_of_any_size():
    target = steer([1e12, -3e12, 5e11])
    assert target.min() == -FULL_SCALE
    assert target.max() == FULL_SCALE


@pytest.mark.parametrize(
    "disguised",
    [
        [decimal.Decimal("1.5"), decimal.Decimal("3.5"), decimal.Decimal("2.0")],
        [datetime.date(2020, 1, 2), datetime.date(2020, 1, 6), datetime.date(2020, 1, 3)],
        np.array(["2020-01-02", "2020-01-06", "2020-01-03"], dtype="datetime64[s]"),
        pd.Series([1.5, 3.5, 2.0], dtype="Float64"),
        pa.array([datetime.date(2020, 1, 2), datetime.date(2020, 1, 6), datetime.date(2020, 1, 3)]),
        pa.array([decimal.Decimal("1.5"), decimal.Decimal("3.5"), decimal.Decimal("2.0")]),
        [datetime.timedelta(1), datetime.timedelta(5), datetime.timedelta(2)],
    ],
    ids=["decimal", "date", "datetime64", "Float64", "Arrow date", "Arrow decimal", "timedelta"],
)
def test_numbers_in_disguise_are_numbers(disguised):
    assert steer(disguised).ravel().tolist() == [-FULL_SCALE, FULL_SCALE, -FULL_SCALE // 2]


def test_nullable_integers_are_integers():
    assert (steer(pd.Series(range(50), dtype="Int64")) == steer(np.arange(50))).all()


@pytest.mark.parametrize("guide", [pd.Series([1.5, None], dtype="Float64"), np.array(["2020-01-02", "NaT"], "M8[s]")])
def test_missing_numbers_cannot_guide(guide):
    with pytest.raises(GuideError, match="1 such values"):
        steer(guide)


def test_of_very_many_labels_the_most_frequent_are_told_apart():
    # A column for each of 5000 labels would be 200 MB.
    labels = np.array([f"rare {i}" for i in range(5000)] + ["a"] * 30 + ["b"] * 20)
    order = np.random.default_rng(0).permutation(len(labels))
    target = steer(labels)
    assert target.shape == (5050, MAX_DIMENSIONS)
    assert len({tuple(target[4999]), tuple(target[5000]), tuple(target[5049])}) == 3
    assert (steer(labels[order]) == target[order]).all()


def test_a_guide_that_says_nothing():
    assert not steer([0.5, 0.5]).any()
    assert not unguided(3).any()
    assert steer(np.zeros((0, 2))).shape[0] == 0


@pytest.mark.parametrize(
    ("guide", "says"),
    [
        ([0.1, np.nan], "not finite"),
        ([0.1, np.inf], "not finite"),
        (np.zeros((2, 2, 2)), "wrong shape"),
        (np.zeros((2, 0)), "wrong shape"),
        (0.5, "wrong shape"),
        ([[0.1, "secret"], [0.2, "x"]], "not all numbers"),
    ],
)
def test_what_cannot_guide(guide, says):
    with pytest.raises(GuideError, match=says) as caught:
        steer(guide)
    assert "secret" not in str(caught.value)


def test_one_prediction_a_row():
    with pytest.raises(GuideError, match="3 predictions; allowed: 4"):
        steer([0.1, 0.2, 0.3], rows=4)
