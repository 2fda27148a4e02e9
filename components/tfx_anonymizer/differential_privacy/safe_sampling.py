"""What sampling and k-anonymity promise together (Li, Qardaji and Su 2012).

Every person is drawn by a coin of probability beta, the persons drawn are put into cells by a rule that does not depend
on them, and cells of fewer than k persons are left out. Publishing how many there are in each of the other cells is
(epsilon, delta)-differentially private, for tables that differ in one person more or less, if beta is at most
1 - exp(-epsilon); delta is the chance that a cell shows a share of its persons so great, more than
gamma = (exp(epsilon) - 1 + beta) / exp(epsilon), that the count gives one of them away.

Example:
    >>> least_k(Budget(epsilon=1.0, delta=1e-6), greatest_sampling(1.0))
    74
    >>> least_k(Budget(epsilon=1.0, delta=1e-6), 0.1)
    9
"""

from __future__ import annotations

import math

import numpy as np

from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.errors import PolicyError

_BLOCK = 4096
_MOST = 10_000_000


def greatest_sampling(epsilon: float) -> float:
    """Returns the greatest sampling probability that an epsilon allows, 1 - exp(-epsilon)."""
    return -math.expm1(-epsilon)


def check_sampling(probability: float, epsilon: float) -> None:
    """Refuses a sampling probability for which the theorem says nothing.

    Raises:
        PolicyError: If it is not above 0, or above `greatest_sampling`.
    """
    most = greatest_sampling(epsilon)
    if isinstance(probability, bool) or not 0.0 < probability <= most * (1 + 1e-12):
        raise PolicyError(
            "sampling is out of range",
            got=repr(probability),
            allowed=f"above 0, up to 1 - exp(-epsilon) = {most:.4g}",
            hint="who is drawn for certain cannot deny it, however large the cells",
        )


def sampling_delta(k: int, probability: float, epsilon: float) -> float:
    """Returns the delta that cells of k or more keep.

    Args:
        k: Least number of sampled persons in a published cell.
        probability: With which a person is drawn.
        epsilon: The bound that delta is the exception to.

    Returns:
        The maximum of P[Bin(n, probability) > gamma n] over all n from ceil(k / gamma - 1).

    Raises:
        PolicyError: If k or the probability is out of range.

    Example:
        >>> 3e-14 < sampling_delta(20, 0.1, 1.0) < 5e-14
        True
    """
    from scipy.stats import binom

    check_sampling(probability, epsilon)
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise PolicyError("k is out of range", got=repr(k), allowed="an integer of 1 or more")
    rest = (1.0 - probability) * math.exp(-epsilon)
    gamma = 1.0 - rest
    # Chernoff: P[Bin(n, p) > gamma n] <= exp(-n KL(gamma || p)). It falls with n, so it says how far one must look.
    exponent = gamma * math.log(gamma / probability) + rest * math.log(rest / (1.0 - probability))
    first, best = max(math.ceil(k / gamma - 1), 1), 0.0
    while first < _MOST:
        n = np.arange(first, first + _BLOCK)
        # Where gamma n is an integer but for rounding, the greater tail is taken.
        tails = binom.sf(np.floor(gamma * n - 1e-9), n, probability)
        best = max(best, float(tails.max()))
        first += _BLOCK
        if math.exp(-first * exponent) <= best:
            return best
    # No sampling that is of use comes here: the tail beyond is at most Chernoff's.
    return max(best, math.exp(-first * exponent))


def least_k(budget: Budget, probability: float) -> int:
    """Returns the smallest k that keeps a budget.

    Args:
        budget: What may be spent.
        probability: With which a person is drawn.

    Raises:
        PolicyError: If the probability is out of range.
    """
    check_sampling(probability, budget.epsilon)
    high = 1
    while sampling_delta(high, probability, budget.epsilon) > budget.delta:
        high *= 2
    low = high // 2
    # delta falls with k: the larger k, the fewer n are looked at.
    while high - low > 1:
        middle = (low + high) // 2
        if sampling_delta(middle, probability, budget.epsilon) <= budget.delta:
            high = middle
        else:
            low = middle
    return high
