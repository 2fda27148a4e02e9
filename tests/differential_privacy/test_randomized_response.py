"""Randomized response: probabilities, unbiased estimates, and the bound on every answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tfx_anonymizer.differential_privacy.randomized_response import RandomizedResponse
from tfx_anonymizer.errors import PolicyError


def test_two_coins():
    """Warner's survey with two coins: the truth with 3/4, epsilon = ln 3."""
    response = RandomizedResponse(math.log(3), 2)
    assert response.truth == pytest.approx(0.75)
    assert response.lie == pytest.approx(0.25)


@pytest.mark.parametrize(("epsilon", "values"), [(0.5, 2), (1.0, 5), (3.0, 20)])
def test_answers_are_as_likely_as_said(epsilon, values):
    response = RandomizedResponse(epsilon, values)
    assert response.truth / response.lie == pytest.approx(math.exp(epsilon))
    assert response.truth + (values - 1) * response.lie == pytest.approx(1.0)
    answers = response.randomize(np.full(100_000, 1))
    shares = np.bincount(answers, minlength=values) / len(answers)
    expected = np.full(values, response.lie)
    expected[1] = response.truth
    assert np.abs(shares - expected).max() < 5 * (0.25 / len(answers)) ** 0.5


def test_estimates_are_unbiased_and_as_sure_as_they_say():
    response = RandomizedResponse(1.0, 4)
    shares = np.array([0.6, 0.25, 0.1, 0.05])
    truth = np.repeat(np.arange(4), (shares * 2000).astype(int))
    found = [response.estimate(response.randomize(truth, seed=seed)) for seed in range(300)]
    means = np.mean([f.shares for f in found], axis=0)
    spread = np.std([f.shares for f in found], axis=0)
    np.testing.assert_allclose(means, shares, atol=5 * spread.max() / 300**0.5)
    assert np.allclose([f.shares.sum() for f in found], 1.0)
    # Given the truth, answers spread a little less than answers of people drawn anew.
    assert (np.mean([f.errors for f in found], axis=0) > 0.9 * spread).all()


@pytest.mark.parametrize(("epsilon", "values"), [(0, 2), (-1, 2), (math.nan, 2), (21, 2), (1, 1), (1, 2.5), (True, 2)])
def test_what_means_nothing_is_refused(epsilon, values):
    with pytest.raises(PolicyError):
        RandomizedResponse(epsilon, values)


def test_codes_out_of_range_are_refused():
    with pytest.raises(PolicyError, match="0 to 2"):
        RandomizedResponse(1.0, 3).randomize([0, 3])
    assert RandomizedResponse(1.0, 3).randomize([]).shape == (0,)
