"""What a mechanism spends, and how much noise a budget asks for.

All of it by dp-accounting's privacy loss distributions, rounded against the mechanism (Meiser and Mohammadi 2018;
Koskela et al. 2020; Doroshenko et al. 2022): upper bounds, up to the library's own numerical error. The central limit
form of Gaussian differential privacy, which several papers of data release use, can be too low and is not used.

Example:
    >>> round(spent_epsilon(gaussian(1.0), delta=1e-5), 2)
    4.38
    >>> round(spent_epsilon(sampled_gaussian(0.01, 0.7, times=10), delta=1e-5), 1)
    1.5
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.errors import GuaranteeError

# A dp_accounting.DpEvent; the library is imported when it is used.
Event: TypeAlias = Any

# Width of the bins of a privacy loss. Losses are rounded up to the next, so a coarser grid overstates what is spent.
_GRID = 1e-4
_NOISE = (0.05, 1e5)


def gaussian(noise_multiplier: float, *, times: int = 1) -> Event:
    """Describes noise added `times` times.

    Args:
        noise_multiplier: Its standard deviation in units of the L2 sensitivity.
        times: How often a function of all records was answered.
    """
    import dp_accounting

    return dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(noise_multiplier), times)


def sampled_gaussian(probability: float, noise_multiplier: float, *, times: int) -> Event:
    """Describes sums over Poisson samples, noise added to each: a mixture, or a step of DP-SGD.

    Args:
        probability: With which a record is in a sample, by a coin of its own.
        noise_multiplier: As in `gaussian`.
        times: How many samples were drawn.
    """
    import dp_accounting

    once = dp_accounting.PoissonSampledDpEvent(probability, dp_accounting.GaussianDpEvent(noise_multiplier))
    return dp_accounting.SelfComposedDpEvent(once, times)


def together(*events: Event) -> Event:
    """Describes all of them, on the same records, each chosen after seeing those before."""
    import dp_accounting

    return dp_accounting.ComposedDpEvent(list(events))


def spent_epsilon(event: Event, *, delta: float) -> float:
    """Returns the least epsilon that the accountant can promise.

    Args:
        event: What was done to the records.
        delta: As in `Budget`.
    """
    return float(_accountant().compose(event).get_epsilon(delta))


def spent_delta(event: Event, *, epsilon: float) -> float:
    """Returns the least delta that the accountant can promise."""
    return float(_accountant().compose(event).get_delta(epsilon))


def least_noise(describe: Callable[[float], Event], budget: Budget) -> float:
    """Returns the smallest noise multiplier that keeps a budget.

    Args:
        describe: From a noise multiplier to what would be done with it. More noise must spend less.
        budget: What may be spent.

    Returns:
        The multiplier, to three figures, on the side that keeps the budget.

    Raises:
        GuaranteeError: If no noise of any use keeps it, because other parts of the event spend it all.

    Example:
        >>> noise = least_noise(gaussian, Budget(epsilon=4.38, delta=1e-5))
        >>> 0.99 < noise < 1.01
        True
    """
    low, high = _NOISE
    if spent_epsilon(describe(high), delta=budget.delta) > budget.epsilon:
        raise GuaranteeError(
            "no noise keeps the budget: what else is released spends it",
            got=f"epsilon={budget.epsilon:g}, delta={budget.delta:g}",
            hint="a larger epsilon, fewer iterations, or more noise where it is set by hand",
        )
    # A bracket by powers of two, then halving; noise has no upper end, so the middle is the geometric one.
    middle = 1.0
    while high / low > 1.001:
        if spent_epsilon(describe(middle), delta=budget.delta) <= budget.epsilon:
            high = middle
            middle = max(middle / 2, (low * high) ** 0.5)
        else:
            low = middle
            middle = min(middle * 2, (low * high) ** 0.5)
    return high


def _accountant() -> Any:
    """Returns a fresh accountant for tables that differ in one record more or less."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import PLDAccountant

    return PLDAccountant(NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=_GRID)
