"""Lower bounds on epsilon: against formulae worked out another way, and never above what training had."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binom

from tfx_anonymizer.attacks import epsilon
from tfx_anonymizer.attacks.intervals import lower_limit, share, upper_limit


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (500, 100_000)])
def test_clopper_pearson_by_the_beta_distribution(successes, trials):
    found = share(successes, trials, 0.95)
    low = beta.ppf(0.025, successes, trials - successes + 1) if successes else 0.0
    high = beta.ppf(0.975, successes + 1, trials - successes) if successes < trials else 1.0
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert lower_limit(successes, trials, 0.025) == pytest.approx(low, abs=1e-9)
    assert upper_limit(successes, trials, 0.025) == pytest.approx(high, abs=1e-9)


def test_without_trials_nothing_is_known():
    found = share(0, 0)
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize(("guesses", "right"), [(100, 90), (1000, 600), (40, 40)])
def test_one_run_without_delta_is_the_limit_of_a_share(guesses, right):
    low = lower_limit(right, guesses, 0.05)
    expected = math.log(low / (1 - low))
    assert epsilon.one_run_bound(5000, guesses, right) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("right", [1, 7, 12, 20])
def test_the_p_value_with_delta_term_by_term(right):
    audited, guesses, eps, delta = 500, 20, 0.7, 1e-4
    likely = 1 / (1 + math.exp(-eps))
    terms = [
        sum(binom.pmf(v, guesses, likely) for v in range(max(right - i, 0), right)) / i for i in range(1, right + 1)
    ]
    expected = binom.sf(right - 1, guesses, likely) + 2 * audited * delta * max(terms)
    assert epsilon.one_run_p_value(audited, guesses, right, eps, delta) == pytest.approx(min(1.0, expected))


def test_delta_and_fewer_right_guesses_only_lower_the_bound():
    bounds = [epsilon.one_run_bound(1000, 100, right, delta=delta) for delta in (0, 1e-5, 1e-3) for right in (90, 70)]
    assert bounds[0] > bounds[2] > bounds[4]
    assert all(more > fewer for more, fewer in zip(bounds[::2], bounds[1::2], strict=True))


def randomized_response(eps: float, records: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The leakiest mechanism there is: each record's coin is told rightly with e^eps : 1."""
    rng = np.random.default_rng(seed)
    heads = rng.integers(0, 2, records).astype(bool)
    tells = rng.random(records) < 1 / (1 + math.exp(-eps))
    return np.where(tells, heads, ~heads) + rng.random(records) * 0.1, heads


@pytest.mark.parametrize("bound", [epsilon.one_run, epsilon.by_rates])
@pytest.mark.parametrize("eps", [0.0, 1.0, 3.0])
def test_the_bound_is_wrong_no_more_often_than_it_says(bound, eps):
    found = [bound(*randomized_response(eps, 2000, seed)) for seed in range(100)]
    # Five are expected to be too high; more than eleven would happen once in a hundred and fifty.
    assert sum(value > eps for value in found) <= 11
    # And it is of use: near the truth where there is one.
    assert np.median(found) > 0.6 * eps - 1e-9


def test_a_perfect_attack_and_its_opposite():
    members = np.arange(2000) < 1000
    right = members * 1.0
    assert epsilon.by_rates(right, members) > 4
    assert epsilon.by_rates(-right, members) == 0.0
    assert epsilon.one_run(-right, members) == 0.0


def test_too_few_records_show_nothing():
    assert epsilon.by_rates(np.array([1.0, 0.0]), np.array([True, False])) == 0.0
