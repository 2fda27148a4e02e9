"""Poisson samples: for every person and every mixture a coin of its own says whether the person is in it."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.coins import Coins


@dataclasses.dataclass(frozen=True)
class PoissonSamples:
    """How samples are drawn.

    Attributes:
        probability: With which a person is in a sample; rounded down to a multiple of 2^-32, so that no more is spent
            than is accounted for.
        times: Number of samples.
        seed: Makes coins a function of the person's own hash: the same in whatever batch, worker or retry the person
            is met. Not private. None: the operating system's randomness, new at every draw.
    """

    probability: float
    times: int
    seed: int | None = None

    def draw(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Draws for some people.

        Args:
            hashes: One a person, shape (n,); only looked at if there is a seed.

        Returns:
            Who is in which sample, shape (n, times).
        """
        if self.probability >= 1.0:
            return np.ones((len(hashes), self.times), dtype=np.bool_)
        threshold = np.uint32(self.probability * 2.0**32)
        return Coins(self.seed).words_of_people(hashes, self.times) < threshold
