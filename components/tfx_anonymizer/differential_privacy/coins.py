"""Random numbers for mechanisms: from the operating system, so that nobody can guess them, or from a seed to rehearse.

A guarantee holds only if the noise cannot be computed again. So a mechanism's coins are secret by default, and whoever
gives a seed gets reproducible numbers and no guarantee, which `secret` says.

Example:
    >>> coins = Coins(seed=1)
    >>> coins.secret, coins.flips(6, 0.5).tolist() == Coins(seed=1).flips(6, 0.5).tolist()
    (False, True)
    >>> Coins().secret
    True
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.noise import SecureSource
from tfx_anonymizer.errors import PolicyError

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

_BITS = 53  # of a float64's fraction
# Of one Gaussian made of floats the lowest bits can tell what it was added to (Mironov 2012). Of the sum of four, whose
# variance is that of one when halved, undoing it takes more than 2^100 steps (Holohan and Braghin 2021).
_SUMMED = 4


class Coins:
    """A source of random numbers.

    Args:
        seed: None: the operating system's generator, which is cryptographically secure. A number: the same numbers
            every time, for rehearsals and tests.

    Attributes:
        secret: Whether nobody can compute the numbers again.

    Raises:
        PolicyError: If the seed is neither None nor a number of 0 or more.
    """

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
            raise PolicyError("seed is no seed", got=repr(seed), allowed="None, or an integer of 0 or more")
        self.secret = seed is None
        self._generator = None if seed is None else np.random.default_rng(int(seed))

    def uniforms(self, count: int) -> Floats:
        """Draws numbers above 0, up to 1, multiples of 2^-53; float64, shape (count,)."""
        if self._generator is not None:
            words = self._generator.integers(0, 2**64, count, dtype=np.uint64)
        else:
            words = SecureSource().take(count)
        return ((words >> np.uint64(64 - _BITS)) + np.uint64(1)).astype(np.float64) * 2.0**-_BITS

    def flips(self, count: int, probability: float) -> Bools:
        """Flips coins that show heads with a probability, or by less than 2^-53 more seldom; bool, shape (count,)."""
        return self.uniforms(count) <= probability

    def choices(self, counts: Ints) -> Ints:
        """Draws for each count one of 0, 1, … count - 1; int64, the shape of `counts`."""
        drawn = (1.0 - self.uniforms(len(counts))) * counts
        return np.minimum(drawn.astype(np.int64), counts - 1)

    def permutation(self, count: int) -> Ints:
        """Draws an order of so many things; int64, shape (count,)."""
        return np.argsort(self.uniforms(count)).astype(np.int64)

    def normals(self, count: int) -> Floats:
        """Draws from the standard normal distribution; float64, shape (count,)."""
        total = np.zeros(count)
        for _ in range(_SUMMED):
            # Box and Muller's transform.
            radius = np.sqrt(-2.0 * np.log(self.uniforms(count)))
            total += radius * np.cos(2.0 * np.pi * self.uniforms(count))
        return np.asarray(total / np.sqrt(_SUMMED), dtype=np.float64)
