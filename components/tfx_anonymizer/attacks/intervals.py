"""Confidence intervals for shares."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Counts: TypeAlias = int | npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A figure with its confidence interval.

    Attributes:
        value: The figure.
        low: Lower limit.
        high: Upper limit.
        confidence: Of the interval, 0 to 1.
    """

    value: float
    low: float
    high: float
    confidence: float

    def to_dict(self) -> dict[str, float]:
        """Returns the figure as JSON-ready values."""
        return dataclasses.asdict(self)


def share(successes: int, trials: int, confidence: float = 0.95) -> Estimate:
    """Estimates a probability from independent trials; the interval is Clopper and Pearson's (1934), exact.

    Args:
        successes: Trials that succeeded.
        trials: All trials.
        confidence: Of the two-sided interval.

    Returns:
        The share. Without a trial nothing is known: the interval is 0 to 1 and the value 0.

    Example:
        >>> found = share(3, 100)
        >>> found.value, round(found.low, 4), round(found.high, 4)
        (0.03, 0.0062, 0.0852)
    """
    if not trials:
        return Estimate(0.0, 0.0, 1.0, confidence)
    level = (1 - confidence) / 2
    low, high = lower_limit(successes, trials, level), upper_limit(successes, trials, level)
    return Estimate(successes / trials, float(low), float(high), confidence)


def upper_limit(successes: Counts, trials: Counts, level: float) -> Any:
    """Returns the one-sided upper limit of a share, wrong with a probability of at most `level`.

    Args:
        successes: Trials that succeeded; a number or an array.
        trials: All trials, one or more.
        level: Probability of being wrong.

    Example:
        >>> round(float(upper_limit(0, 100, 0.05)), 4)
        0.0295
    """
    from scipy.special import betaincinv

    failed = np.asarray(trials) - successes
    return np.where(failed == 0, 1.0, betaincinv(np.add(successes, 1), np.maximum(failed, 1), 1 - level))


def lower_limit(successes: Counts, trials: Counts, level: float) -> Any:
    """Returns the one-sided lower limit of a share; see `upper_limit`.

    Example:
        >>> round(float(lower_limit(100, 100, 0.05)), 4)
        0.9705
    """
    from scipy.special import betaincinv

    failed = np.asarray(trials) - successes
    return np.where(np.asarray(successes) == 0, 0.0, betaincinv(np.maximum(successes, 1), failed + 1, level))
