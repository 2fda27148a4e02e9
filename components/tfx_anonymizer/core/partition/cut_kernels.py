"""Compiled inner loops that score the cuts of one node: histograms over the buckets of an attribute's codes.

A cut after bucket b sends the rows of buckets 0..b left. All sums are of integers, so no score depends on row order.
"""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.jit import compiled

# How a cut is scored: by what it explains of the guide, or by how wide an attribute it halves (Mondrian).
BY_GUIDE, BY_WIDTH = 0, 1


@compiled
def spans(codes, order, start, stop, low, high):
    """Writes each attribute's least and greatest code among the rows order[start:stop]."""
    attributes = codes.shape[1]
    for f in range(attributes):
        low[f] = codes[order[start], f]
        high[f] = low[f]
    for i in range(start + 1, stop):
        row = order[i]
        for f in range(attributes):
            code = codes[row, f]
            if code < low[f]:
                low[f] = code
            elif code > high[f]:
                high[f] = code


@compiled
def is_constant(target, order, start, stop):
    """Tells whether the guide says the same of all rows order[start:stop]."""
    first = order[start]
    for i in range(start + 1, stop):
        for d in range(target.shape[1]):
            if target[order[i], d] != target[first, d]:
                return False
    return True


@compiled
def histograms(codes, target, order, start, stop, low, shift, buckets, count, total):
    """Counts rows and sums the guide per attribute and bucket; a code's bucket is (code - low) >> shift."""
    attributes, dimensions = codes.shape[1], target.shape[1]
    for f in range(attributes):
        count[f, : buckets[f]] = 0
        total[f, : buckets[f], :] = 0
    for i in range(start, stop):
        row = order[i]
        for f in range(attributes):
            b = (codes[row, f] - low[f]) >> shift[f]
            count[f, b] += 1
            for d in range(dimensions):
                total[f, b, d] += target[row, d]


@compiled
def distinct_codes(codes, f, order, start, stop):
    """Returns the sorted distinct codes of attribute f among the rows order[start:stop]."""
    found = np.empty(stop - start, dtype=np.int32)
    for i in range(start, stop):
        found[i - start] = codes[order[i], f]
    return np.unique(found)


@compiled
def exact_histogram(codes, target, f, order, start, stop, values):
    """Counts rows and sums the guide for each of the given distinct codes of attribute f."""
    dimensions = target.shape[1]
    count = np.zeros(len(values), dtype=np.int64)
    total = np.zeros((len(values), dimensions), dtype=np.int64)
    for i in range(start, stop):
        row = order[i]
        b = np.searchsorted(values, codes[row, f])
        count[b] += 1
        for d in range(dimensions):
            total[b, d] += target[row, d]
    return count, total


@compiled
def score_cuts(count, total, buckets, k, mode, width, scores):
    """Scores the cuts of one attribute; those that leave fewer than k rows on a side score minus infinity.

    By guide, the score is the sum over both sides of |sum of the guide|**2 / rows, which differs from the squared error
    explained only by what is the same for all cuts of the node (Breiman et al. 1984, section 8.4). By width, it is the
    attribute's width in this node as a share of its whole domain (LeFevre et al. 2006, section 4.1), less how far the
    cut is from halving the rows.

    Args:
        count: Rows by bucket, shape (buckets,).
        total: Sums of the guide by bucket, shape (buckets, d).
        buckets: How many of them are in use.
        k: Least rows on each side.
        mode: `BY_GUIDE` or `BY_WIDTH`.
        width: The attribute's width in this node, 0 to 1.
        scores: Receives the scores of the cuts after each bucket, shape (buckets,).
    """
    dimensions = total.shape[1]
    rows = 0
    whole = np.zeros(dimensions, dtype=np.int64)
    for b in range(buckets):
        rows += count[b]
        for d in range(dimensions):
            whole[d] += total[b, d]
    left = 0
    left_sum = np.zeros(dimensions, dtype=np.int64)
    for b in range(buckets):
        left += count[b]
        for d in range(dimensions):
            left_sum[d] += total[b, d]
        right = rows - left
        if left < k or right < k or count[b] == 0:
            scores[b] = -np.inf
        elif mode == BY_WIDTH:
            scores[b] = width - abs(left / rows - 0.5)
        else:
            score = 0.0
            for d in range(dimensions):
                a = float(left_sum[d])
                c = float(whole[d] - left_sum[d])
                score += a * a / left + c * c / right
            scores[b] = score
