"""Compiled walk along a Hilbert curve, and the tightest groups of neighbours on it."""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.jit import compiled


@compiled
def walk(cells, bits):
    """Returns each cell's distance along the Hilbert curve, bit by bit.

    Skilling 2004, *Programming the Hilbert Curve*: the transform from axes to the transposed distance.

    Args:
        cells: int64, shape (n, axes), each below 2**bits.
        bits: Bits an axis.

    Returns:
        Zeros and ones, the most significant first, uint8, shape (n, bits * axes).
    """
    n, axes = cells.shape
    out = np.empty((n, bits * axes), dtype=np.uint8)
    x = np.empty(axes, dtype=np.int64)
    for i in range(n):
        for a in range(axes):
            x[a] = cells[i, a]
        q = 1 << (bits - 1)
        while q > 1:
            for a in range(axes):
                if x[a] & q:
                    x[0] ^= q - 1
                else:
                    swap = (x[0] ^ x[a]) & (q - 1)
                    x[0] ^= swap
                    x[a] ^= swap
            q >>= 1
        for a in range(1, axes):
            x[a] ^= x[a - 1]
        flip = 0
        q = 1 << (bits - 1)
        while q > 1:
            if x[axes - 1] & q:
                flip ^= q - 1
            q >>= 1
        place = 0
        for bit in range(bits - 1, -1, -1):
            for a in range(axes):
                out[i, place] = ((x[a] ^ flip) >> bit) & 1
                place += 1
    return out


@compiled
def tightest_groups(codes, weight, k):
    """Cuts rows that are in order into groups of k to 2k - 1 with the least sum of rows times width of their box.

    Args:
        codes: int32, shape (n, attributes), n at least k.
        weight: One over the width of each attribute's domain, shape (attributes,).
        k: Least size of a group.

    Returns:
        Where each group begins, and n, int64, shape (groups + 1,).
    """
    n, attributes = codes.shape
    least = np.full(n + 1, np.inf)
    least[0] = 0.0
    came_from = np.zeros(n + 1, dtype=np.int64)
    low, high = np.empty(attributes, dtype=np.int64), np.empty(attributes, dtype=np.int64)
    for start in range(n - k + 1):
        if least[start] == np.inf:
            continue
        for stop in range(start + 1, min(start + 2 * k - 1, n) + 1):
            width = 0.0
            for f in range(attributes):
                code = codes[stop - 1, f]
                low[f] = code if stop == start + 1 else min(low[f], code)
                high[f] = code if stop == start + 1 else max(high[f], code)
                width += (high[f] - low[f]) * weight[f]
            if stop - start >= k:
                penalty = least[start] + width * (stop - start)
                if penalty < least[stop]:
                    least[stop] = penalty
                    came_from[stop] = start
    groups, stop = 0, n
    while stop > 0:
        stop = came_from[stop]
        groups += 1
    first = np.empty(groups + 1, dtype=np.int64)
    stop = n
    for g in range(groups, -1, -1):
        first[g] = stop
        stop = came_from[stop]
    return first
