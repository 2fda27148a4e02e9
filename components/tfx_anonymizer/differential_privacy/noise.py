"""Noise: Gaussian, rounded to whole numbers, from the operating system's cryptographic source.

Sums here are whole numbers, so rounding the noise is rounding the noisy sum: what is released is computed from the
Gaussian mechanism's answer alone, and accounting for that one holds. The lattice of floating point numbers near a noisy
answer, by which Mironov (2012) tells the sum beneath, is not there: every answer is a whole number, and every whole
number may come of every table. Draws are made from 64 bits by the inverse of the distribution function, the tail in
full precision up to 9 standard deviations; that the tail ends there adds some 1e-19 a coordinate to delta, which is not
counted.

A seed makes draws repeatable. Whoever knows it can take the noise off again, so nothing made with one is private.

Example:
    >>> noise = rounded_gaussian(source(None), 10.0, (1000,))
    >>> noise.dtype, bool(8 < noise.std() < 12)
    (dtype('int64'), True)
"""

from __future__ import annotations

import os
import zlib
from typing import Protocol

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.uint64]


class BitSource(Protocol):
    """Where random bits come from."""

    def take(self, count: int) -> Bits:
        """Returns 64 random bits `count` times."""
        ...


class SecureSource:
    """The operating system's: os.urandom."""

    def take(self, count: int) -> Bits:
        """Returns 64 random bits `count` times."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


class SeededSource:
    """The same bits for the same seed and purpose; for tests, never for a release."""

    def __init__(self, seed: int, purpose: str) -> None:
        """Takes a seed, and what the bits are for: other purposes get bits of their own."""
        self._bits = np.random.Philox(np.random.SeedSequence([seed, zlib.crc32(purpose.encode())]))

    def take(self, count: int) -> Bits:
        """Returns 64 random bits `count` times."""
        return np.asarray(self._bits.random_raw(count), dtype=np.uint64)


def source(seed: int | None, purpose: str = "") -> BitSource:
    """Returns the secure source, or the repeatable one if a seed is given."""
    return SecureSource() if seed is None else SeededSource(seed, purpose)


def rounded_gaussian(bits: BitSource, scale: float, shape: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Draws Gaussian noise and rounds it.

    Args:
        bits: Where randomness comes from.
        scale: Standard deviation before rounding.
        shape: Of the result.

    Returns:
        Independent draws, int64.
    """
    from scipy.special import ndtri

    drawn = bits.take(int(np.prod(shape)))
    # One bit for the sign; the others say how deep in the tail, from 2^-65 up to a half.
    depth = ((drawn >> np.uint64(1)).astype(np.float64) + 0.5) * 2.0**-64
    size = -ndtri(depth)
    signed = np.where(drawn & np.uint64(1), size, -size)
    found: npt.NDArray[np.int64] = np.rint(scale * signed).astype(np.int64).reshape(shape)
    return found
