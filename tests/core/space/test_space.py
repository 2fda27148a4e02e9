"""Bins, mean responses and contributions: worked examples, and what must hold of any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.core.space import bin_codes, contributions, responses
from tfx_anonymizer.core.steering import steer


def test_few_codes_have_a_bin_each():
    codes = np.array([[0, 5], [3, 5]], dtype=np.int32)
    bins = bin_codes(codes, np.array([4, 7]))
    assert [last.tolist() for last in bins.last] == [[0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6]]
    assert bins.of(codes).tolist() == codes.tolist()


@given(st.lists(st.integers(0, 300), min_size=1, max_size=400), st.integers(2, 20))
def test_bins_are_few_and_about_equal(values, most):
    codes = np.array(values, dtype=np.int32)[:, None]
    bins = bin_codes(codes, np.array([301]), most)
    last = bins.last[0]
    assert len(last) <= most
    assert last[-1] == 300
    assert (np.diff(last) > 0).all()
    size = np.bincount(bins.of(codes).ravel(), minlength=len(last))
    frequent = np.bincount(codes.ravel()).max()
    assert size.max() <= len(values) / most + frequent + 1


def test_codes_beyond_the_last_bin_fall_into_it():
    bins = bin_codes(np.arange(3, dtype=np.int32)[:, None], np.array([3]))
    assert bins.of(np.array([[-1], [99]], dtype=np.int32)).ravel().tolist() == [0, 2]


def test_responses_are_means_of_each_attribute_by_itself():
    codes = np.array([[0, 1], [0, 0], [1, 1], [1, 1]], dtype=np.int32)
    target = np.array([[0, 9], [2, 9], [4, 9], [10, 9]], dtype=np.int32)
    effects = responses(codes, np.array([2, 3]), target)
    assert effects.of_rows[:, 0].tolist() == [[-3, 0], [-3, 0], [3, 0], [3, 0]]
    assert effects.of_rows[1, 1].tolist() == [-2, 0]
    # A code without rows has no effect.
    assert effects.by_bin[1][2].tolist() == [0, 0]


@pytest.fixture(scope="module")
def people():
    """The guide follows the first attribute, then the second; the third is the first again, the fourth noise."""
    rng = np.random.default_rng(6)
    first, second, noise = rng.integers(0, 40, (3, 3000))
    codes = np.stack([first, second, first, noise], axis=1).astype(np.int32)
    chance = 1 / (1 + np.exp(-(first - 20) / 4 - (second - 20) / 12))
    return codes, np.full(4, 40), steer(chance)


def test_contributions_follow_what_the_guide_follows(people):
    codes, cardinality, target = people
    effects = contributions(codes, cardinality, target)
    assert effects.of_rows.shape == (3000, 4, 1)
    spread = effects.of_rows[..., 0].std(axis=0)
    assert spread[0] + spread[2] > 2 * spread[1] > 10 * spread[3]
    # Together they say what the guide says.
    total = effects.of_rows.sum(axis=(1, 2))
    assert np.corrcoef(np.argsort(np.argsort(total)), np.argsort(np.argsort(target[:, 0])))[0, 1] > 0.98
    assert effects.by_bin[1][:, 0].argmin() < 5
    assert effects.by_bin[1][:, 0].argmax() > 34


def test_contributions_are_the_same_again(people):
    codes, cardinality, target = people
    first, second = (contributions(codes[:500], cardinality, target[:500]) for _ in range(2))
    assert np.array_equal(first.of_rows, second.of_rows)


def test_a_guide_that_says_nothing_has_no_effects(people):
    codes, cardinality, target = people
    assert not contributions(codes, cardinality, np.zeros_like(target)).of_rows.any()


def test_each_output_has_its_own_contributions(people):
    codes, cardinality, target = people
    both = np.stack([target[:, 0], -target[:, 0]], axis=1)
    found = contributions(codes, cardinality, both).of_rows
    assert found.shape == (3000, 4, 2)
    assert np.corrcoef(found[:, 0, 0], found[:, 0, 1])[0, 1] < -0.95
