"""Compiled growth of a tree whose cuts leave the tightest bounding boxes."""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.jit import compiled
from tfx_anonymizer.core.partition.guarantee_kernels import cuts_that_keep

LEAF = -1


@compiled
def _penalties(codes, rows, weight, backward, penalty):
    """Writes the certainty penalty of the box of the first i rows (the last if backward) to penalty[i].

    Widths are added up anew for each box, attribute by attribute: between two codes of the sorted attribute the sum is
    the same to the last bit, in whatever order the rows of one code come.
    """
    attributes = codes.shape[1]
    low, high = np.empty(attributes, dtype=np.int64), np.empty(attributes, dtype=np.int64)
    penalty[0] = 0.0
    for i in range(len(rows)):
        row = rows[len(rows) - 1 - i] if backward else rows[i]
        width = 0.0
        for f in range(attributes):
            code = codes[row, f]
            low[f] = code if i == 0 else min(low[f], code)
            high[f] = code if i == 0 else max(high[f], code)
            width += (high[f] - low[f]) * weight[f]
        penalty[i + 1] = width * (i + 1)


@compiled
def _best_cut(codes, order, start, stop, k, weight, guarded, guards):
    """Returns (attribute, greatest code that goes left) of the cut with the least penalty, or (LEAF, 0)."""
    n = stop - start
    best, best_f, best_code = np.inf, LEAF, 0
    column = np.empty(n, dtype=np.int32)
    bucket = np.empty(n, dtype=np.int64)
    before, after = np.empty(n + 1), np.empty(n + 1)
    for f in range(codes.shape[1]):
        for i in range(n):
            column[i] = codes[order[start + i], f]
        place = np.argsort(column, kind="mergesort")
        if column[place[0]] == column[place[n - 1]]:
            continue
        rows = order[start:stop][place]
        _penalties(codes, rows, weight, False, before)
        _penalties(codes, rows, weight, True, after)
        keeps = np.ones(1, dtype=np.bool_)
        if guarded:
            b = 0
            for i in range(n):
                b += i > 0 and column[place[i]] != column[place[i - 1]]
                bucket[place[i]] = b
            keeps = cuts_that_keep(bucket, b + 1, order, start, k, guards)
        for i in range(k, n - k + 1):
            code = column[place[i - 1]]
            if code == column[place[i]] or (guarded and not keeps[bucket[place[i - 1]]]):
                continue
            if before[i] + after[n - i] < best:
                best, best_f, best_code = before[i] + after[n - i], f, code
    return best_f, best_code


@compiled
def grow_boxes(codes, cardinality, k, guarded, guards):
    """Cuts the rows in two, again and again, until no admissible cut is left; see `tree_kernels.grow`."""
    n = len(codes)
    capacity = 2 * (n // k) + 1
    cut_f = np.full(capacity, LEAF, dtype=np.int32)
    cut_code = np.zeros(capacity, dtype=np.int32)
    left, right = np.zeros(capacity, dtype=np.int32), np.zeros(capacity, dtype=np.int32)
    labels = np.empty(n, dtype=np.int32)
    weight = 1.0 / np.maximum(cardinality - 1, 1)
    order = np.arange(n)
    stack = [(0, 0, n)]
    nodes, classes = 1, 0
    while len(stack) > 0:
        node, start, stop = stack.pop()
        f, code = LEAF, 0
        if stop - start >= 2 * k:
            f, code = _best_cut(codes, order, start, stop, k, weight, guarded, guards)
        if f == LEAF:
            cut_code[node] = classes
            for i in range(start, stop):
                labels[order[i]] = classes
            classes += 1
            continue
        i, j = start, stop - 1
        while i <= j:
            if codes[order[i], f] <= code:
                i += 1
            else:
                order[i], order[j] = order[j], order[i]
                j -= 1
        cut_f[node], cut_code[node], left[node], right[node] = f, code, nodes, nodes + 1
        stack.append((nodes + 1, i, stop))
        stack.append((nodes, start, i))
        nodes += 2
    return cut_f[:nodes], cut_code[:nodes], left[:nodes], right[:nodes], labels
