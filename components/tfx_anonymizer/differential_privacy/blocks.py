"""From noisy sums of vectors to a distribution for each attribute: post-processing, which spends nothing.

A noisy sum has entries below zero and blocks that do not add up. Divided by how many records it holds, each block is
brought to the nearest distribution.
"""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.differential_privacy.attributes import Floats
from tfx_anonymizer.differential_privacy.encoding import Encoding


def nearest_distribution(rows: Floats) -> Floats:
    """Projects each row onto the simplex in L2 (Duchi et al. 2008, figure 1).

    Args:
        rows: Shape (n, values).

    Returns:
        Rows of the same shape, nothing below zero, each adding up to one.

    Example:
        >>> nearest_distribution(np.array([[0.9, 0.3, -0.5]])).round(3).tolist()
        [[0.8, 0.2, 0.0]]
    """
    ordered = -np.sort(-rows, axis=1)
    excess = np.cumsum(ordered, axis=1) - 1.0
    ranks = np.arange(1, rows.shape[1] + 1)
    kept = np.count_nonzero(ordered - excess / ranks > 0, axis=1)
    shift = np.take_along_axis(excess, kept[:, None] - 1, axis=1) / kept[:, None]
    found: Floats = np.maximum(rows - shift, 0.0)
    found /= found.sum(axis=1, keepdims=True)
    return found


def distributions(means: Floats, encoding: Encoding) -> Floats:
    """Brings every block of each mean to the nearest distribution.

    Args:
        means: Noisy sums divided by their number of records, shape (n, width).
        encoding: Says where blocks are.

    Returns:
        Shape (n, width); the leading one stays one.
    """
    found = np.ones_like(means)
    for block in encoding.blocks:
        found[:, block] = nearest_distribution(means[:, block])
    return found


def sizes(sums: Floats, encoding: Encoding, expected: Floats, spread: Floats, noise: float) -> Floats:
    """Estimates how many records noisy sums hold.

    Args:
        sums: Noisy sums, shape (n, width).
        encoding: Says where blocks are.
        expected: What is known of the number beforehand, shape (n,).
        spread: Variance of the true number about that, shape (n,).
        noise: Standard deviation of the noise on every entry.

    Returns:
        Numbers of at least 1, shape (n,): the mean of what is expected, of the leading entry and of the blocks' totals,
        weighted by how sure each is.
    """
    weight = np.full(len(sums), 1.0 / max(noise**2, 1e-12))
    total = sums[:, 0] * weight
    for block in encoding.blocks:
        certainty = 1.0 / max((block.stop - block.start) * noise**2, 1e-12)
        total = total + sums[:, block].sum(axis=1) * certainty
        weight = weight + certainty
    prior = 1.0 / np.maximum(spread, 1e-12)
    found: Floats = np.maximum((total + expected * prior) / (weight + prior), 1.0)
    return found
