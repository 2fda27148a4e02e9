"""Compiled check of which cuts keep the guarantees that counting rows cannot see: people, l-diversity, t-closeness."""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.bounds import DIVERSITIES
from tfx_anonymizer.core.diversity import ROUNDING
from tfx_anonymizer.core.guarantees import SLACK
from tfx_anonymizer.core.jit import compiled

DISTINCT, ENTROPY, RECURSIVE = range(len(DIVERSITIES))


@compiled
def distance(count, rows, overall, ordered):
    """Distance of a class's distribution of a sensitive attribute from the whole table's.

    Args:
        count: Rows of the class by value, shape (m,).
        rows: Their sum.
        overall: The whole table's shares, shape (m,), summing to 1.
        ordered: Whether the values have an order.

    Returns:
        Earth mover's distance, 0 to 1 (Li et al. 2007, section 4): with the ordered ground distance
        1/(m-1) * sum of |cumulated differences|, or with the equal one 1/2 * sum of |differences|.
    """
    m = len(overall)
    moved = 0.0
    carried = 0.0
    for v in range(m):
        difference = count[v] / rows - overall[v]
        if ordered:
            carried += difference
            moved += abs(carried)
        else:
            moved += abs(difference)
    if ordered:
        return moved / (m - 1) if m > 1 else 0.0
    return moved / 2


@compiled
def _sort_by_bucket(bucket, buckets, order, start):
    first = np.zeros(buckets + 1, dtype=np.int64)
    for i in range(len(bucket)):
        first[bucket[i] + 1] += 1
    for b in range(buckets):
        first[b + 1] += first[b]
    rows = np.empty(len(bucket), dtype=np.int64)
    place = first[:buckets].copy()
    for i in range(len(bucket)):
        rows[place[bucket[i]]] = order[start + i]
        place[bucket[i]] += 1
    return rows, first


@compiled
def is_diverse(count, rows, kind, l, c):
    """Tells whether a class is diverse in the sense of entropy or recursion; see `core.diversity` for both.

    Args:
        count: Rows of the class by value, shape (m,).
        rows: Their sum.
        kind: `ENTROPY` or `RECURSIVE`.
        l: The bound of entropy; for recursion, which value in the order of frequency the tail begins with.
        c: The bound of recursion.
    """
    if kind == ENTROPY:
        entropy = 0.0
        for v in range(len(count)):
            if count[v] > 0:
                share = count[v] / rows
                entropy -= share * np.log(share)
        return entropy >= np.log(l) - ROUNDING
    frequent = np.sort(count)[::-1]
    tail = frequent[int(l) - 1 :].sum()
    return tail > 0 and frequent[0] / tail < c


@compiled
def _side_keeps(rows, first, buckets, backward, k, guards, keeps):
    """Clears keeps[b] for each cut after bucket b whose left side (right side if backward) breaks a guarantee."""
    people, stamp, token, sensitive, sizes, overall, ordered, (kind, l, c), t = guards
    attributes = sensitive.shape[1]
    count = np.zeros(overall.shape, dtype=np.int64)
    distinct = np.zeros(attributes, dtype=np.int64)
    seen_people = 0
    token[0] += 1
    seen_rows = 0
    for step in range(buckets - 1):
        b = buckets - 1 - step if backward else step
        for i in range(first[b], first[b + 1]):
            row = rows[i]
            seen_rows += 1
            if len(people) > 0 and stamp[people[row]] != token[0]:
                stamp[people[row]] = token[0]
                seen_people += 1
            for s in range(attributes):
                value = sensitive[row, s]
                distinct[s] += count[s, value] == 0
                count[s, value] += 1
        cut = b - 1 if backward else b
        if len(people) > 0 and seen_people < k:
            keeps[cut] = False
        for s in range(attributes):
            # Fewer than l values are diverse in no sense; whatever costs more is asked last.
            if distinct[s] < l:
                keeps[cut] = False
            if not keeps[cut]:
                break
            mine = count[s, : sizes[s]]
            if l > 0 and kind != DISTINCT:
                keeps[cut] = is_diverse(mine, seen_rows, kind, l, c)
            if keeps[cut] and t < 1.0:
                keeps[cut] = distance(mine, max(seen_rows, 1), overall[s, : sizes[s]], ordered[s]) <= t - SLACK


@compiled
def cuts_that_keep(bucket, buckets, order, start, k, guards):
    """Returns for each cut after bucket b whether both sides keep every guarantee, bool, shape (buckets,).

    Args:
        bucket: The bucket of each row of the node, shape (rows,).
        buckets: Their number.
        order: Row numbers; the node's are order[start : start + rows].
        start: Where the node begins.
        k: Least number of distinct people on a side.
        guards: What else is to be kept, a tuple of
            people: whose row it is, shape (n,), or empty if rows are counted;
            stamp: scratch, one entry a person; which count last saw the person;
            token: scratch, shape (1,); the number of the current count;
            sensitive: sensitive codes, shape (n, s);
            sizes: number of values of each sensitive attribute, shape (s,);
            overall: shares of each sensitive value in the whole table, shape (s, m), zero-padded;
            ordered: whether a sensitive attribute is ordered, shape (s,);
            (kind, l, c): how diverse a side must be, the kind by its place in `bounds.DIVERSITIES`;
            t: greatest distance of a side's sensitive distribution.
    """
    keeps = np.ones(buckets, dtype=np.bool_)
    keeps[buckets - 1] = False
    rows, first = _sort_by_bucket(bucket, buckets, order, start)
    for backward in (False, True):
        _side_keeps(rows, first, buckets, backward, k, guards, keeps)
    return keeps
