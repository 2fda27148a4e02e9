"""An attack with the model against an imputation without it, person by person."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks.intervals import Estimate

Bools = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class Advantage:
    """What the model adds.

    Attributes:
        people: Whose attribute was guessed.
        with_model: Share guessed rightly with the model.
        without_model: Share guessed rightly without.
        advantage: The difference, with the interval of Agresti and Min (2005) for pairs.
        gained: People guessed rightly with the model only.
        lost: People guessed rightly without it only.
    """

    people: int
    with_model: float
    without_model: float
    advantage: Estimate

    gained: int
    lost: int

    def at(self, confidence: float) -> Estimate:
        """Returns the advantage with another interval."""
        return _difference(self.people, self.gained, self.lost, confidence)

    def to_dict(self) -> dict[str, Any]:
        """Returns the advantage as JSON-ready values."""
        return dataclasses.asdict(self)


def compare(with_model: Bools, without_model: Bools, confidence: float = 0.95) -> Advantage:
    """Compares two ways to guess on the same people.

    Args:
        with_model: Whether the guess with the model is right, bool, shape (n,), n >= 1.
        without_model: The same without it.
        confidence: Of the interval.

    Example:
        >>> found = compare(np.array([True] * 60 + [False] * 40), np.array([True] * 50 + [False] * 50))
        >>> found.with_model, found.without_model, round(found.advantage.low, 3), round(found.advantage.high, 3)
        (0.6, 0.5, 0.037, 0.159)
    """
    gained = int((with_model & ~without_model).sum())
    lost = int((~with_model & without_model).sum())
    difference = _difference(len(with_model), gained, lost, confidence)
    return Advantage(len(with_model), float(with_model.mean()), float(without_model.mean()), difference, gained, lost)


def _difference(people: int, gained: int, lost: int, confidence: float) -> Estimate:
    from scipy.stats import norm

    # Half a pair of either kind more, and two people more.
    n, more, less = people + 2, gained + 0.5, lost + 0.5
    middle = (more - less) / n
    error = math.sqrt((more + less) - (more - less) ** 2 / n) / n * float(norm.ppf((1 + confidence) / 2))
    raw = (gained - lost) / people
    return Estimate(raw, min(raw, middle - error), max(raw, middle + error), confidence)
