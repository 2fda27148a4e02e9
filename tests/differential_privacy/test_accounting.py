"""What mechanisms spend, against closed forms and published values."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from tfx_anonymizer.differential_privacy.accounting import (
    gaussian,
    least_noise,
    sampled_gaussian,
    spent_delta,
    spent_epsilon,
    together,
)
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.errors import GuaranteeError


def exact_delta(noise: float, epsilon: float) -> float:
    """The Gaussian mechanism's delta by Balle and Wang (2018), theorem 8."""
    left, right = norm.cdf(1 / (2 * noise) - epsilon * noise), norm.cdf(-1 / (2 * noise) - epsilon * noise)
    return float(left - math.exp(epsilon) * right)


@pytest.mark.parametrize(("noise", "epsilon"), [(0.5, 3.0), (1.0, 4.38), (3.0, 0.7)])
def test_one_gaussian_spends_what_the_closed_form_says(noise: float, epsilon: float) -> None:
    assert spent_delta(gaussian(noise), epsilon=epsilon) == pytest.approx(exact_delta(noise, epsilon), rel=0.01)


def test_gaussians_add_up_to_one_of_less_noise() -> None:
    # 1 / z^2 adds up: two of 3 and 4 are one of 2.4.
    both = spent_epsilon(together(gaussian(3.0), gaussian(4.0)), delta=1e-6)
    assert both == pytest.approx(spent_epsilon(gaussian(2.4), delta=1e-6), rel=0.01)


@pytest.mark.parametrize(
    ("sampled", "times", "noise", "central_limit"),
    [(0.01, 10, 0.7, 0.27), (0.005, 100, 0.6, 0.70), (0.001, 1000, 0.5, 0.85)],
)
def test_sampling_saves_less_than_the_central_limit_says(
    sampled: float, times: int, noise: float, central_limit: float
) -> None:
    assert spent_epsilon(sampled_gaussian(sampled, noise, times=times), delta=1e-5) > 3 * central_limit


def test_dp_sgd_spends_what_is_known_of_it() -> None:
    # Abadi et al. (2016): q = 0.01, z = 4, 10,000 steps, delta = 1e-5: 1.26 by moments; losses are tighter.
    epsilon = spent_epsilon(sampled_gaussian(0.01, 4.0, times=10_000), delta=1e-5)
    assert 0.9 < epsilon < 1.26


def test_least_noise_keeps_the_budget_and_little_less_would_not() -> None:
    budget = Budget(epsilon=1.0, delta=1e-6)

    def describe(noise: float) -> object:
        return together(gaussian(50.0), sampled_gaussian(0.02, noise, times=500))

    noise = least_noise(describe, budget)
    assert spent_epsilon(describe(noise), delta=budget.delta) <= 1.0
    assert spent_epsilon(describe(noise * 0.99), delta=budget.delta) > 1.0


def test_a_budget_that_is_spent_already_is_refused() -> None:
    with pytest.raises(GuaranteeError, match="no noise keeps the budget"):
        least_noise(lambda noise: together(gaussian(0.5), gaussian(noise)), Budget(epsilon=1.0, delta=1e-6))
