"""The bound against known figures and against brute force over all that a cell can show."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.safe_sampling import greatest_sampling, least_k, sampling_delta
from tfx_anonymizer.errors import PolicyError


def shown(n: int, k: int, probability: float, length: int) -> np.ndarray:
    """Distribution of what is published of a cell of n persons: 0 if fewer than k were drawn, else how many."""
    chances = binom.pmf(np.arange(length), n, probability)
    chances[0] = chances[:k].sum()
    chances[1:k] = 0.0
    return chances


def exact_delta(k: int, probability: float, epsilon: float, most: int) -> float:
    """The delta of one cell, of n persons or n - 1, by the definition of differential privacy."""
    worst = 0.0
    for n in range(1, most):
        more, fewer = (shown(count, k, probability, most + 1) for count in (n, n - 1))
        for one, other in ((more, fewer), (fewer, more)):
            worst = max(worst, float(np.maximum(one - math.exp(epsilon) * other, 0.0).sum()))
    return worst


@pytest.mark.parametrize(("epsilon", "k"), [(1.0, 74), (2.0, 131)])
def test_known_figures_at_the_greatest_sampling(epsilon, k):
    # For delta = 1e-6, as SafePub's implementation in ARX computes them.
    probability = greatest_sampling(epsilon)
    assert least_k(Budget(epsilon, 1e-6), probability) == k
    assert sampling_delta(k, probability, epsilon) <= 1e-6 < sampling_delta(k - 1, probability, epsilon)


def test_a_known_figure_at_a_tenth():
    assert sampling_delta(20, 0.1, 1.0) == pytest.approx(4e-14, rel=0.05)


@pytest.mark.parametrize(
    ("k", "probability", "epsilon"),
    [(5, 0.632, 1.0), (20, 0.632, 1.0), (2, 0.1, 1.0), (5, 0.1, 0.5), (10, 0.86, 2.0), (1, 0.3, 1.0), (8, 0.05, 3.0)],
)
def test_it_is_never_below_brute_force(k, probability, epsilon):
    exact = exact_delta(k, probability, epsilon, most=400)
    assert exact > 0
    # The theorem bounds the chance of a bad count; what that chance adds up to in the definition is as much or less.
    assert exact * (1 - 1e-9) <= sampling_delta(k, probability, epsilon) <= 60 * exact


def test_drawing_more_than_epsilon_allows_breaks_it():
    # What the check is there for: at 0.9, epsilon = 1 fails with a probability that no k mends.
    assert min(exact_delta(k, 0.9, 1.0, most=150) for k in (20, 40, 60)) > 1e-3
    for probability in (0.9, 1.0, 0.0, -0.1, True):
        with pytest.raises(PolicyError, match="sampling is out of range"):
            sampling_delta(50, probability, 1.0)
        with pytest.raises(PolicyError, match="sampling is out of range"):
            least_k(Budget(1.0, 1e-6), probability)


def test_delta_falls_with_k_and_rises_with_sampling():
    by_k = [sampling_delta(k, 0.5, 1.0) for k in range(1, 60)]
    assert all(a >= b for a, b in itertools.pairwise(by_k))
    by_sampling = [sampling_delta(30, probability, 1.0) for probability in (0.1, 0.3, 0.5, 0.63)]
    assert by_sampling == sorted(by_sampling)


@pytest.mark.parametrize("k", [0, -3, 2.5, True, None])
def test_k_out_of_range_is_refused(k):
    with pytest.raises(PolicyError, match="k is out of range"):
        sampling_delta(k, 0.5, 1.0)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 20.0])
def test_far_ends_come_to_an_end(epsilon):
    probability = greatest_sampling(epsilon)
    k = least_k(Budget(epsilon, 1e-6), min(probability, 1 - 1e-9))
    assert k >= 2
