"""The one source of chance: the operating system's cryptographic generator, or a seed to rehearse with.

A guarantee holds only if nobody can compute the noise again. So coins are secret by default, and whoever gives a seed
gets repeatable numbers and no guarantee, which `secret` says. Noise of every shape (`noise`), samples of people
(`poisson_samples`), answers by coin (`randomized_response`) and the steps of a training are made of these coins alone.

Example:
    >>> coins = Coins(seed=1)
    >>> coins.secret, coins.flips(6, 0.5).tolist() == Coins(seed=1).flips(6, 0.5).tolist()
    (False, True)
    >>> Coins().secret
    True
"""

from __future__ import annotations

import os
import secrets
import zlib

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.errors import PolicyError

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_BITS = 53  # of a float64's fraction
_ONE = np.uint64(1)
_ODD = np.uint64(0x9E3779B97F4A7C15)


class Coins:
    """Draws at random.

    Args:
        seed: None: the operating system's generator, which is cryptographically secure. A number: the same numbers
            every time, for rehearsals and tests.
        purpose: What the numbers are for: with the same seed, other purposes get numbers of their own. Without a seed
            every draw is new anyway.

    Attributes:
        secret: Whether nobody can compute the numbers again.

    Raises:
        PolicyError: If the seed is neither None nor a number of 0 or more.
    """

    def __init__(self, seed: int | None = None, purpose: str = "") -> None:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
            raise PolicyError("seed is no seed", got=repr(seed), allowed="None, or an integer of 0 or more")
        self.secret = seed is None
        self._seed = None if seed is None else int(seed)
        entropy = None if seed is None else np.random.SeedSequence([int(seed), zlib.crc32(purpose.encode())])
        self._rehearsed = None if entropy is None else np.random.Philox(entropy)

    def words(self, count: int) -> Words:
        """Draws 64 bits so many times; uint64, shape (count,)."""
        if self._rehearsed is None:
            return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
        return np.asarray(self._rehearsed.random_raw(count), dtype=np.uint64)

    def words_of_people(self, hashes: Words, times: int) -> npt.NDArray[np.uint32]:
        """Draws 32 bits for each person so many times.

        Args:
            hashes: One a person, shape (n,). With a seed, a person's bits are a function of their own hash: the same
                in whatever batch, worker or retry the person is met. Without one nobody looks at them.
            times: How often.

        Returns:
            Bits, uint32, shape (n, times).
        """
        if self._seed is None:
            halves = self.words((len(hashes) * times + 1) // 2).view(np.uint32)
            return halves[: len(hashes) * times].reshape(len(hashes), times)
        places = (np.arange(times, dtype=np.uint64) + np.uint64(self._seed) * np.uint64(times) + _ONE) * _ODD
        scattered = _scatter(_scatter(hashes)[:, None] + places[None, :])
        return (scattered >> np.uint64(32)).astype(np.uint32)

    def uniforms(self, count: int) -> Floats:
        """Draws numbers above 0, up to 1, multiples of 2^-53; float64, shape (count,)."""
        return ((self.words(count) >> np.uint64(64 - _BITS)) + _ONE).astype(np.float64) * 2.0**-_BITS

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


def seed_or_secret(seed: int | None) -> int:
    """Returns the seed; without one, 128 bits that nobody knows beforehand."""
    return secrets.randbits(128) if seed is None else seed


def generator(seed: int | None, *stream: int) -> np.random.Generator:
    """Returns NumPy's generator for draws where nothing private is seen, such as rows from what is released already.

    It is fast and not cryptographic, so no noise and no sample of people may come of it.

    Args:
        seed: As of `Coins`.
        *stream: What the numbers are for, as whole numbers.
    """
    return np.random.default_rng([seed_or_secret(seed), *stream])


def _scatter(values: Words) -> Words:
    """Scatters bits (the finalizer of SplitMix64; Steele, Lea and Flood 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = values ^ (values >> np.uint64(31))
    return mixed
