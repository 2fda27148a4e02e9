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
    """

    people: int
    with_model: float
    without_model: float
    advantage: Estimate

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
    from scipy.stats import norm

    n = len(with_model) + 2
    gained = int((with_model & ~without_model).sum()) + 0.5
    lost = int((~with_model & without_model).sum()) + 0.5
    middle = (gained - lost) / n
    error = math.sqrt((gained + lost) - (gained - lost) ** 2 / n) / n * float(norm.ppf((1 + confidence) / 2))
    raw = float(with_model.mean() - without_model.mean())
    return Advantage(
        len(with_model),
        float(with_model.mean()),
        float(without_model.mean()),
        Estimate(raw, min(raw, middle - error), max(raw, middle + error), confidence),
    )
