"""Poisson samples: for every person and every mixture a coin of its own says whether the person is in it."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.noise import SecureSource

Owners = npt.NDArray[np.int64]
_ONE = np.uint64(1)
_ODD = np.uint64(0x9E3779B97F4A7C15)


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
        if self.seed is None:
            words = SecureSource().take((len(hashes) * self.times + 1) // 2).view(np.uint32)
            return words[: len(hashes) * self.times].reshape(len(hashes), self.times) < threshold
        places = (np.arange(self.times, dtype=np.uint64) + np.uint64(self.seed) * np.uint64(self.times) + _ONE) * _ODD
        return (_mix(_mix(hashes)[:, None] + places[None, :]) >> np.uint64(32)) < threshold


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Scatters bits (the finalizer of SplitMix64; Steele, Lea and Flood 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = values ^ (values >> np.uint64(31))
    return mixed
