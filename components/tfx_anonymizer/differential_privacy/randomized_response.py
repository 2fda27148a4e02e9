"""Randomized response (Warner 1965) on k answers: everybody lies by coin, so nobody has to be trusted with the truth.

Example:
    >>> response = RandomizedResponse(epsilon=1.0, values=3)
    >>> random = np.random.default_rng(0)
    >>> truth = random.choice(3, size=20_000, p=[0.7, 0.2, 0.1])
    >>> estimate = response.estimate(response.randomize(truth, seed=0))
    >>> bool(np.abs(estimate.shares - [0.7, 0.2, 0.1]).max() < 4 * estimate.errors.max())
    True
"""

from __future__ import annotations

import dataclasses
import math
import numbers

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.coins import Coins
from tfx_anonymizer.errors import PolicyError


@dataclasses.dataclass(frozen=True)
class Estimate:
    """What the answers say of the population.

    Attributes:
        shares: Unbiased estimates of each value's share, shape (values,); they add up to one, and may be below zero.
        errors: Their standard errors, shape (values,), from the answers' own spread.
    """

    shares: npt.NDArray[np.float64]
    errors: npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class RandomizedResponse:
    """A coin that tells the truth with probability e^epsilon / (e^epsilon + k - 1), and each other value alike.

    Every single answer is epsilon-differentially private, delta being 0, whatever its receiver knows or does.

    Attributes:
        epsilon: Bound on the log of how much likelier any answer becomes by another truth; above 0, at most 20.
        values: Number k of values, 2 or more.

    Raises:
        PolicyError: If either is out of range.
    """

    epsilon: float
    values: int

    def __post_init__(self) -> None:
        """Checks both."""
        real = isinstance(self.epsilon, numbers.Real) and not isinstance(self.epsilon, bool)
        if not real or not 0.0 < self.epsilon <= 20.0:
            raise PolicyError("epsilon is out of range", got=repr(self.epsilon), allowed="a number above 0, up to 20")
        if not isinstance(self.values, numbers.Integral) or isinstance(self.values, bool) or self.values < 2:
            raise PolicyError("values is out of range", got=repr(self.values), allowed="a whole number from 2")

    @property
    def truth(self) -> float:
        """The probability of the truth."""
        return 1.0 / (1.0 + (self.values - 1) * math.exp(-self.epsilon))

    @property
    def lie(self) -> float:
        """The probability of each other value."""
        return (1.0 - self.truth) / (self.values - 1)

    def randomize(self, truth: npt.ArrayLike, seed: int | None = None) -> npt.NDArray[np.int64]:
        """Answers for each person.

        Args:
            truth: Codes from 0 to values - 1, shape (n,).
            seed: Makes the answers repeatable, and not private.

        Returns:
            Codes of the same shape.

        Raises:
            PolicyError: If a code is out of range.
        """
        codes = np.asarray(truth, dtype=np.int64)
        if codes.size and not (codes.min() >= 0 and codes.max() < self.values):
            raise PolicyError("a value is no code", allowed=f"0 to {self.values - 1}")
        coins = Coins(seed, "randomized response")
        # Rounded down to a multiple of 2^-53: at most that much less truth.
        honest = (coins.words(codes.size) >> np.uint64(11)) * 2.0**-53 < self.truth
        # 64 bits over a few values: each is as likely as the others to within k / 2^64.
        step = (coins.words(codes.size) % np.uint64(self.values - 1)).astype(np.int64) + 1
        return np.where(honest.reshape(codes.shape), codes, (codes + step.reshape(codes.shape)) % self.values)

    def estimate(self, answers: npt.ArrayLike) -> Estimate:
        """Estimates the shares that the truth has.

        Args:
            answers: What `randomize` returned, shape (n,), n at least 1.
        """
        codes = np.asarray(answers, dtype=np.int64)
        seen = np.bincount(codes, minlength=self.values) / max(len(codes), 1)
        gain = self.truth - self.lie
        errors = np.sqrt(seen * (1.0 - seen) / max(len(codes), 1)) / gain
        return Estimate((seen - self.lie) / gain, errors)
