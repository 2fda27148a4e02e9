"""Compiled choice of one node's cut, from histograms over the buckets of each attribute's codes.

A cut after bucket b sends the rows of buckets 0..b left. All sums are of integers, so no score depends on row order.
"""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.jit import compiled
from tfx_anonymizer.core.partition.guarantee_kernels import cuts_that_keep
from tfx_anonymizer.core.partition.histogram_kernels import MAX_BUCKETS

# How a cut is scored: by what it explains of the target; by how wide an attribute it halves; whether it is at the
# median or how near, the widest attribute first; by the entropy left of classes that the target counts.
BY_TARGET, BY_WIDTH, BY_MEDIAN, BY_ENTROPY = 0, 1, 2, 3
NO_CUT = -1


@compiled
def is_constant(target, start, stop):
    """Tells whether the target is the same in all rows start:stop."""
    for i in range(start + 1, stop):
        for d in range(target.shape[1]):
            if target[i, d] != target[start, d]:
                return False
    return True


@compiled
def resolution(low, high, rows, shift, buckets):
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
def _explained(left_sum, whole, left, rows):
    """Sum over both sides of |sum of the target|**2 / rows.

    It differs from the squared error explained only by what is the same for all cuts of the node (Breiman et al. 1984,
    *Classification and Regression Trees*, section 8.4).
    """
    score = 0.0
    for d in range(len(whole)):
        a = float(left_sum[d])
        c = float(whole[d] - left_sum[d])
        score += a * a / left + c * c / (rows - left)
    return score


@compiled
def _certain(left_sum, whole, left, rows):
    """Minus the entropy of both sides, in nats, each weighted by its rows; the target has a column of ones a class."""
    score = 0.0
    for d in range(len(whole)):
        a, c = left_sum[d], whole[d] - left_sum[d]
        if a > 0:
            score += a * np.log(a / left)
        if c > 0:
            score += c * np.log(c / (rows - left))
    return score


@compiled
def _score_cuts(table, first, lines, shift, rows, whole, k, mode, width, left_sum, scores):
    """Scores the cuts of one attribute; those that leave fewer than k rows on a side score minus infinity.

    By width, the score is the attribute's width in this node as a share of its whole domain (LeFevre et al. 2006,
    *Mondrian Multidimensional k-Anonymity*, section 4.1), less how far the cut is from halving the rows.

    Args:
        table: Counts and sums, int64, shape (lines of all attributes, 1 + d).
        first: The attribute's first line.
        lines: How many it has.
        shift: A bucket is 2**shift lines.
        rows: The node's.
        whole: Sums of the target over the node, shape (d,).
        k: Least rows on each side.
        mode: One of `BY_TARGET`, `BY_WIDTH`, `BY_MEDIAN`, `BY_ENTROPY`.
        width: The attribute's width in this node, 0 to 1.
        left_sum: Scratch, shape (d,).
        scores: Receives the scores of the cuts after each bucket.

    Returns:
        The best cut's bucket; the first of several as good.
    """
    left, best = 0, 0
    for d in range(len(whole)):
        left_sum[d] = 0
    for b in range(((lines - 1) >> shift) + 1):
        inside = 0
        for line in range(first + (b << shift), first + min((b + 1) << shift, lines)):
            if table[line, 0] > 0:
                inside += table[line, 0]
                for d in range(len(whole)):
                    left_sum[d] += table[line, 1 + d]
        left += inside
        if left < k or rows - left < k or inside == 0:
            scores[b] = -np.inf
        elif mode == BY_WIDTH:
            scores[b] = width - abs(left / rows - 0.5)
        elif mode == BY_MEDIAN:
            half = (rows + 1) // 2
            is_median = left - inside < half <= left
            scores[b] = 0.0 if is_median else -abs(left - half) / rows
        elif mode == BY_ENTROPY:
            scores[b] = _certain(left_sum, whole, left, rows)
        else:
            scores[b] = _explained(left_sum, whole, left, rows)
        if scores[b] > scores[best]:
            best = b
    return best


@compiled
def _best(scores, buckets):
    best = 0
    for b in range(1, buckets):
        if scores[b] > scores[best]:
            best = b
    return best


@compiled
def _merit(score, mode, width):
    """What attributes are compared by: the score of their best cut, but by their width where medians are cut at."""
    return width if mode == BY_MEDIAN and score > -np.inf else score


@compiled
def _keep_only(scores, bucket, buckets, order, start, k, guards):
    keeps = cuts_that_keep(bucket, buckets, order, start, k, guards)
    for b in range(buckets):
        if not keeps[b]:
            scores[b] = -np.inf


@compiled
def codes_of(rows, layout, f, start, stop):
    """Returns the codes of attribute f in rows start:stop, int64."""
    codes = np.empty(stop - start, dtype=np.int64)
    for i in range(start, stop):
        codes[i - start] = rows.narrow[i, layout.place[f]] if layout.narrow[f] else rows.wide[i, layout.place[f]]
    return codes


@compiled
def coarse_cut(
    rows, layout, start, stop, table, wide, whole, low, high, shift, buckets, k, mode, width, guarded, guards, scratch
):
    """Returns (attribute, greatest code that goes left) of the best cut between buckets, or (NO_CUT, 0).

    Args:
        rows: A `Rows`.
        layout: A `Layout`.
        start: The node's first row.
        stop: One after its last.
        table: The node's histogram of narrow attributes.
        wide: That of wide ones.
        whole: Sums of the target over the node.
        low: Least code of each attribute.
        high: Greatest code of each.
        shift: A bucket is 2**shift codes.
        buckets: Their number by attribute.
        k: Least rows on each side.
        mode: How cuts are scored.
        width: Each attribute's width in this node, 0 to 1.
        guarded: Whether `guards` ask for more than k rows.
        guards: See `cuts_that_keep`.
        scratch: Sums and scores, shapes (d,) and (MAX_BUCKETS,).
    """
    best_score, best_f, best_code = -np.inf, NO_CUT, 0
    left_sum, scores = scratch
    for f in range(len(low)):
        if buckets[f] < 2:
            continue
        if layout.narrow[f]:
            counts, first, lines, by = table, layout.first[f] + low[f], high[f] - low[f] + 1, shift[f]
        else:
            counts, first, lines, by = wide[layout.place[f]], 0, buckets[f], 0
        b = _score_cuts(counts, first, lines, by, stop - start, whole, k, mode, width[f], left_sum, scores)
        if guarded and _merit(scores[b], mode, width[f]) > best_score:
            bucket = codes_of(rows, layout, f, start, stop)
            for i in range(len(bucket)):
                bucket[i] = (bucket[i] - low[f]) >> shift[f]
            _keep_only(scores, bucket, buckets[f], rows.number, start, k, guards)
            b = _best(scores, buckets[f])
        merit = _merit(scores[b], mode, width[f])
        if merit > best_score:
            best_score, best_f, best_code = merit, f, low[f] + ((b + 1) << shift[f]) - 1
    return best_f, best_code


@compiled
def _exact_wide(rows, w, start, stop):
    """Counts a wide attribute code by code; returns its distinct codes, ascending, and counts and sums for each."""
    values = np.empty(stop - start, dtype=np.int32)
    for i in range(start, stop):
        values[i - start] = rows.wide[i, w]
    values.sort()
    distinct = 0
    for i in range(len(values)):
        if i == 0 or values[i] != values[distinct - 1]:
            values[distinct] = values[i]
            distinct += 1
    values = values[:distinct]
    table = np.zeros((distinct, 1 + rows.target.shape[1]), dtype=np.int64)
    for i in range(start, stop):
        b = np.searchsorted(values, rows.wide[i, w])
        table[b, 0] += 1
        for d in range(rows.target.shape[1]):
            table[b, 1 + d] += rows.target[i, d]
    return values, table


@compiled
def exact_cut(rows, layout, start, stop, table, whole, low, high, shift, k, mode, width, guarded, guards, scratch):
    """As `coarse_cut`, over every distinct code of the attributes whose buckets held several."""
    best_score, best_f, best_code = -np.inf, NO_CUT, 0
    left_sum, fine = scratch
    for f in range(len(low)):
        if shift[f] == 0:
            continue
        if layout.narrow[f]:
            counts, first, lines, scores = table, layout.first[f] + low[f], high[f] - low[f] + 1, fine
            values = np.empty(lines, dtype=np.int32)
            for b in range(lines):
                values[b] = low[f] + b
        else:
            values, counts = _exact_wide(rows, layout.place[f], start, stop)
            first, lines, scores = 0, len(values), np.empty(len(values))
        b = _score_cuts(counts, first, lines, 0, stop - start, whole, k, mode, width[f], left_sum, scores)
        if guarded and _merit(scores[b], mode, width[f]) > best_score:
            bucket = codes_of(rows, layout, f, start, stop)
            for i in range(len(bucket)):
                bucket[i] = np.searchsorted(values, np.int32(bucket[i]))
            _keep_only(scores, bucket, lines, rows.number, start, k, guards)
            b = _best(scores, lines)
        merit = _merit(scores[b], mode, width[f])
        if merit > best_score:
            best_score, best_f, best_code = merit, f, values[b]
    return best_f, best_code
