"""Compiled growth of the guided tree, and routing of rows through it."""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.jit import compiled
from tfx_anonymizer.core.partition.cut_kernels import (
    BY_GUIDE,
    BY_WIDTH,
    distinct_codes,
    exact_histogram,
    histograms,
    is_constant,
    score_cuts,
    spans,
)
from tfx_anonymizer.core.partition.guarantee_kernels import cuts_that_keep

MAX_BUCKETS = 256
LEAF = -1


@compiled
def _best(scores, buckets):
    best = 0
    for b in range(1, buckets):
        if scores[b] > scores[best]:
            best = b
    return best


@compiled
def _keep_only(scores, bucket, buckets, order, start, k, guards):
    keeps = cuts_that_keep(bucket, buckets, order, start, k, guards)
    for b in range(buckets):
        if not keeps[b]:
            scores[b] = -np.inf


@compiled
def _coarse_cut(codes, order, start, stop, low, shift, buckets, count, total, k, mode, width, guarded, guards):
    """Returns (attribute, greatest code that goes left) of the best cut between buckets, or (LEAF, 0)."""
    best_score, best_f, best_code = -np.inf, LEAF, 0
    scores = np.empty(MAX_BUCKETS, dtype=np.float64)
    for f in range(codes.shape[1]):
        if buckets[f] < 2:
            continue
        score_cuts(count[f], total[f], buckets[f], k, mode, width[f], scores)
        b = _best(scores, buckets[f])
        if guarded and scores[b] > best_score:
            bucket = np.empty(stop - start, dtype=np.int64)
            for i in range(start, stop):
                bucket[i - start] = (codes[order[i], f] - low[f]) >> shift[f]
            _keep_only(scores, bucket, buckets[f], order, start, k, guards)
            b = _best(scores, buckets[f])
        if scores[b] > best_score:
            best_score, best_f, best_code = scores[b], f, low[f] + ((b + 1) << shift[f]) - 1
    return best_f, best_code


@compiled
def _exact_cut(codes, target, order, start, stop, shift, k, mode, width, guarded, guards):
    """As `_coarse_cut`, over every distinct code of the attributes whose buckets held several."""
    best_score, best_f, best_code = -np.inf, LEAF, 0
    for f in range(codes.shape[1]):
        if shift[f] == 0:
            continue
        values = distinct_codes(codes, f, order, start, stop)
        count, total = exact_histogram(codes, target, f, order, start, stop, values)
        scores = np.empty(len(values), dtype=np.float64)
        score_cuts(count, total, len(values), k, mode, width[f], scores)
        b = _best(scores, len(values))
        if guarded and scores[b] > best_score:
            bucket = np.empty(stop - start, dtype=np.int64)
            for i in range(start, stop):
                bucket[i - start] = np.searchsorted(values, codes[order[i], f])
            _keep_only(scores, bucket, len(values), order, start, k, guards)
            b = _best(scores, len(values))
        if scores[b] > best_score:
            best_score, best_f, best_code = scores[b], f, values[b]
    return best_f, best_code


@compiled
def _divide(codes, f, code, order, start, stop):
    """Moves the rows whose code is at most `code` to the front; returns where the others begin."""
    i, j = start, stop - 1
    while i <= j:
        if codes[order[i], f] <= code:
            i += 1
        else:
            order[i], order[j] = order[j], order[i]
            j -= 1
    return i


@compiled
def _resolution(low, high, rows, shift, buckets):
    """Chooses each attribute's bucket width, a power of two: no more buckets than rows, and 16 at least."""
    limit = 16
    while limit < MAX_BUCKETS and limit < rows:
        limit *= 2
    for f in range(len(low)):
        shift[f] = 0
        while ((high[f] - low[f]) >> shift[f]) >= limit:
            shift[f] += 1
        buckets[f] = ((high[f] - low[f]) >> shift[f]) + 1


@compiled
def grow(codes, cardinality, target, k, depth_limit, guarded, guards):
    """Cuts the rows in two, again and again, until no admissible cut is left.

    Args:
        codes: int32, shape (n, attributes).
        cardinality: Codes of each attribute, int64, shape (attributes,).
        target: The guide in fixed point, int32, shape (n, d).
        k: Least rows of a class.
        depth_limit: Below this depth cuts halve the rows, so that no chain of thin slices makes the work quadratic.
        guarded: Whether `guards` ask for more than k rows.
        guards: See `cuts_that_keep`.

    Returns:
        (attribute, code, left, right, labels): per node the attribute it cuts (-1 in a leaf), the greatest code that
        goes left (in a leaf its class) and the children; and the class of each row. Classes are numbered from left to
        right.
    """
    n, attributes = codes.shape
    capacity = 2 * (n // k) + 1
    cut_f = np.full(capacity, LEAF, dtype=np.int32)
    cut_code = np.zeros(capacity, dtype=np.int32)
    left, right = np.zeros(capacity, dtype=np.int32), np.zeros(capacity, dtype=np.int32)
    labels = np.empty(n, dtype=np.int32)
    order = np.arange(n)
    low, high = np.empty(attributes, dtype=np.int64), np.empty(attributes, dtype=np.int64)
    shift, buckets = np.empty(attributes, dtype=np.int64), np.empty(attributes, dtype=np.int64)
    count = np.zeros((attributes, MAX_BUCKETS), dtype=np.int64)
    total = np.zeros((attributes, MAX_BUCKETS, target.shape[1]), dtype=np.int64)
    stack = [(0, 0, n, 0)]
    nodes, classes = 1, 0
    while len(stack) > 0:
        node, start, stop, depth = stack.pop()
        f, code = LEAF, 0
        if stop - start >= 2 * k:
            spans(codes, order, start, stop, low, high)
            _resolution(low, high, stop - start, shift, buckets)
            width = (high - low) / np.maximum(cardinality - 1, 1)
            halve = depth >= depth_limit or is_constant(target, order, start, stop)
            mode = BY_WIDTH if halve else BY_GUIDE
            histograms(codes, target, order, start, stop, low, shift, buckets, count, total)
            f, code = _coarse_cut(
                codes, order, start, stop, low, shift, buckets, count, total, k, mode, width, guarded, guards
            )
            if f == LEAF:
                f, code = _exact_cut(codes, target, order, start, stop, shift, k, mode, width, guarded, guards)
        if f == LEAF:
            cut_code[node] = classes
            for i in range(start, stop):
                labels[order[i]] = classes
            classes += 1
            continue
        middle = _divide(codes, f, code, order, start, stop)
        cut_f[node], cut_code[node], left[node], right[node] = f, code, nodes, nodes + 1
        stack.append((nodes + 1, middle, stop, depth + 1))
        stack.append((nodes, start, middle, depth + 1))
        nodes += 2
    return cut_f[:nodes], cut_code[:nodes], left[:nodes], right[:nodes], labels


@compiled
def route(codes, cut_f, cut_code, left, right):
    """Returns the class of each row, int32, shape (n,)."""
    labels = np.empty(len(codes), dtype=np.int32)
    for i in range(len(codes)):
        node = 0
        while cut_f[node] != LEAF:
            node = left[node] if codes[i, cut_f[node]] <= cut_code[node] else right[node]
        labels[i] = cut_code[node]
    return labels
