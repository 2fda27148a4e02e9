"""Records as codes, each with its owner; and no more of them than a person may have.

Which of a person's rows are kept is decided by those rows alone, so a person more or less changes nobody else's.

Example:
    >>> hashes, owners = np.array([5, 1, 3], dtype=np.uint64), np.array([7, 7, 8], dtype=np.uint64)
    >>> coded = Coded(np.zeros((3, 2), dtype=np.int32), np.zeros(3, dtype=np.int64), hashes, owners)
    >>> coded.bounded(1).hashes.tolist()
    [1, 3]
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.attributes import Codes
from tfx_anonymizer.differential_privacy.poisson_samples import PoissonSamples
from tfx_anonymizer.hashing import Hashes


@dataclasses.dataclass(frozen=True)
class Coded:
    """Some records.

    Attributes:
        places: Where each record's ones stand; see `Encoding.places`.
        classes: Each record's class, shape (n,); negative for one that has none.
        hashes: Of each record's content, uint64, shape (n,).
        owners: A hash of whose it is, uint64, shape (n,); None: each record is a person.
    """

    places: Codes
    classes: npt.NDArray[np.int64]
    hashes: Hashes
    owners: Hashes | None = None

    def __len__(self) -> int:
        """Returns the number of records."""
        return len(self.classes)

    def take(self, rows: npt.NDArray[np.int64]) -> Coded:
        """Returns some of the records."""
        owners = None if self.owners is None else self.owners[rows]
        return Coded(self.places[rows], self.classes[rows], self.hashes[rows], owners)

    def bounded(self, most: int) -> Coded:
        """Keeps at most so many records of each owner: those of least hash."""
        if self.owners is None:
            return self
        order = np.lexsort((self.hashes, self.owners))
        owners = self.owners[order]
        first = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
        rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
        return self.take(order[rank < most])

    def draw(self, samples: PoissonSamples) -> npt.NDArray[np.bool_]:
        """Draws samples; records of one owner share their coins.

        Returns:
            Which record is in which sample, shape (n, samples).
        """
        if self.owners is None:
            return samples.draw(self.hashes)
        people, whose = np.unique(self.owners, return_inverse=True)
        drawn: npt.NDArray[np.bool_] = samples.draw(people)[whose.reshape(-1)]
        return drawn


def joined(parts: Sequence[Coded]) -> Coded:
    """Puts records below each other; not for no part."""
    owners = [part.owners for part in parts if part.owners is not None]
    return Coded(
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.classes for part in parts]),
        np.concatenate([part.hashes for part in parts]),
        np.concatenate(owners) if owners else None,
    )
