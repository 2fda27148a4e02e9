"""Gaussian noise, of whole numbers for sums of whole numbers and of floats for sums of gradients.

Sums of people are whole numbers, so rounding the noise is rounding the noisy sum: what is released is computed from the
Gaussian mechanism's answer alone, and accounting for that one holds. The lattice of floating point numbers near a noisy
answer, by which Mironov (2012) tells the sum beneath, is not there: every answer is a whole number, and every whole
number may come of every table. Draws are made from 64 bits by the inverse of the distribution function, the tail in
full precision up to 9 standard deviations; that the tail ends there adds some 1e-19 a coordinate to delta, which is not
counted.

Sums of gradients are floats. Of one Gaussian made of floats the lowest bits can tell what it was added to; of the sum
of four, whose variance is that of one when halved, undoing it takes more than 2^100 steps (Holohan and Braghin 2021).

Example:
    >>> from tfx_anonymizer.differential_privacy.coins import Coins
    >>> noise = rounded_gaussian(Coins(), 10.0, (1000,))
    >>> noise.dtype, bool(8 < noise.std() < 12)
    (dtype('int64'), True)
    >>> standard_gaussian(Coins(), 3).dtype
    dtype('float64')
"""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.differential_privacy.coins import Coins, Floats, Ints

_SUMMED = 4


def rounded_gaussian(coins: Coins, scale: float, shape: tuple[int, ...]) -> Ints:
    """Draws Gaussian noise and rounds it.

    Args:
        coins: Where chance comes from.
        scale: Standard deviation before rounding.
        shape: Of the result.

    Returns:
        Independent draws, int64.
    """
    from scipy.special import ndtri

    drawn = coins.words(int(np.prod(shape)))
    # One bit for the sign; the others say how deep in the tail, from 2^-65 up to a half.
    depth = ((drawn >> np.uint64(1)).astype(np.float64) + 0.5) * 2.0**-64
    size = -ndtri(depth)
    signed = np.where(drawn & np.uint64(1), size, -size)
    found: Ints = np.rint(scale * signed).astype(np.int64).reshape(shape)
    return found


def standard_gaussian(coins: Coins, count: int) -> Floats:
    """Draws from the standard normal distribution; float64, shape (count,)."""
    total = np.zeros(count)
    for _ in range(_SUMMED):
        # Box and Muller's transform.
        radius = np.sqrt(-2.0 * np.log(coins.uniforms(count)))
        total += radius * np.cos(2.0 * np.pi * coins.uniforms(count))
    return np.asarray(total / np.sqrt(_SUMMED), dtype=np.float64)
