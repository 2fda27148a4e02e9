"""The guide in fixed point."""

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
