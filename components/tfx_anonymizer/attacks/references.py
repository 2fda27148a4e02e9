"""Reference models: trained in the same way as the target, anonymization included, on random halves of the records.

The halves come in pairs that complete each other, so that each record is inside half of the models and outside the
other half.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.errors import InputDataError, PolicyError

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
# Takes the rows to train on (positions, int64) and a seed; returns the model's confidence in every record, shape (n,).
Replica = Callable[[npt.NDArray[np.int64], int], Floats]


@dataclasses.dataclass(frozen=True)
class ReferenceConfidences:
    """What reference models give to what is true of each record.

    Attributes:
        confidence: float64, shape (models, n).
        inside: Whether a record was among those a model was trained on, bool, shape (models, n).
    """

    confidence: Floats
    inside: Bools

    def __post_init__(self) -> None:
        if self.confidence.shape != self.inside.shape or self.confidence.ndim != 2:
            raise InputDataError(
                "confidences and their halves differ in shape", got=f"{self.confidence.shape}, {self.inside.shape}"
            )

    @property
    def models(self) -> int:
        """How many models there are."""
        return len(self.confidence)

    def outside_mean(self) -> Floats:
        """Returns the mean over models that did not see the record, shape (n,).

        Raises:
            InputDataError: If some record was seen by all.
        """
        return self._mean(~self.inside, "outside of")

    def inside_mean(self) -> Floats:
        """Returns the mean over models that saw the record, shape (n,).

        Raises:
            InputDataError: If some record was seen by none.
        """
        return self._mean(self.inside, "inside")

    def first(self, models: int) -> ReferenceConfidences:
        """Returns the first so many models."""
        return ReferenceConfidences(self.confidence[:models], self.inside[:models])

    def without(self, model: int) -> ReferenceConfidences:
        """Returns all models but one."""
        others = np.arange(self.models) != model
        return ReferenceConfidences(self.confidence[others], self.inside[others])

    def _mean(self, counted: Bools, where: str) -> Floats:
        number = counted.sum(axis=0)
        if not number.all():
            raise InputDataError(
                f"some records are {where} no reference model", got=f"{int((number == 0).sum())} of {len(number)}"
            )
        return np.asarray((self.confidence * counted).sum(axis=0) / number, dtype=np.float64)


def random_halves(records: int, models: int, seed: int = 0) -> Iterator[Bools]:
    """Yields whom each model is trained on, bool, shape (n,): halves in pairs that complete each other.

    Args:
        records: n.
        models: How many; even.
        seed: Of the draws.

    Raises:
        PolicyError: If the number of models is odd or below 2.

    Example:
        >>> halves = list(random_halves(6, 4))
        >>> [int(half.sum()) for half in halves], (halves[0] ^ halves[1]).all().item()
        ([3, 3, 3, 3], True)
    """
    if models < 2 or models % 2:
        raise PolicyError("references is out of range", got=models, allowed="an even number of 2 or more")
    rng = np.random.default_rng(seed)
    for _ in range(models // 2):
        half = np.zeros(records, dtype=bool)
        half[rng.permutation(records)[: records // 2]] = True
        yield half
        yield ~half


def train_references(replica: Replica, records: int, models: int, seed: int = 0) -> ReferenceConfidences:
    """Trains reference models one after the other.

    Args:
        replica: Trains one, the whole way that the target went, and asks it about every record.
        records: n.
        models: How many; even.
        seed: Of the halves, and of the trainings: each has one of its own.
    """
    confidence, inside = [], []
    for number, half in enumerate(random_halves(records, models, seed)):
        confidence.append(replica(np.flatnonzero(half), seed * 1009 + number + 1))
        inside.append(half)
    return ReferenceConfidences(np.stack(confidence), np.stack(inside))
