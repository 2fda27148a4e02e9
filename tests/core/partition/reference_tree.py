"""The guided tree in plain NumPy: slow, and short enough to be believed. The compiled one must grow the same tree."""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.guarantees import SLACK, Guarantees


def keeps(guarantees: Guarantees, rows) -> bool:
    """Whether these rows, as one class, are k people, hold l distinct values, and are t-close to the whole table."""
    if guarantees.people is not None and len(set(guarantees.people[rows])) < guarantees.k:
        return False
    for codes, ordered in zip(guarantees.sensitive.T, guarantees.ordered, strict=True):
        if len(set(codes[rows])) < guarantees.l:
            return False
        if guarantees.t < 1.0:
            span = int(codes.max()) + 1
            share = np.bincount(codes[rows], minlength=span) / len(rows)
            difference = share - np.bincount(codes, minlength=span) / len(codes)
            moved = np.abs(np.cumsum(difference)).sum() / max(span - 1, 1) if ordered else np.abs(difference).sum() / 2
            if moved > guarantees.t - SLACK:
                return False
    return True


def cuts(column, values, target, k, by_width, width):
    """Yields (score, greatest code that goes left) of each cut after one of the values that leaves k on both sides."""
    for value in values:
        below = column <= value
        left, right = int(below.sum()), int((~below).sum())
        if min(left, right) < k or not (column == value).any():
            continue
        if by_width:
            yield width - abs(left / (left + right) - 0.5), int(value)
            continue
        score = 0.0
        for goal in target.T.astype(np.int64):
            a, c = float(goal[below].sum()), float(goal[~below].sum())
            score += a * a / left + c * c / right
        yield score, int(value)


def best_cut(codes, cardinality, target, rows, guarantees, by_width, exact):
    """Returns (attribute, code) of the best cut: between buckets of codes, or (exact) between any two."""
    best, chosen = -np.inf, None
    limit = int(np.clip(2 ** np.ceil(np.log2(len(rows))), 16, 256))
    for f, m in enumerate(cardinality):
        column = codes[rows, f].astype(np.int64)
        low, high = column.min(), column.max()
        shift = 0
        while (high - low) >> shift >= limit:
            shift += 1
        if low == high or (exact and shift == 0):
            continue
        by = 0 if exact else shift
        bucket = (column - low) >> by
        width = (high - low) / max(m - 1, 1)
        for score, value in cuts(bucket, np.unique(bucket), target[rows], guarantees.k, by_width, width):
            if score > best:
                sides = rows[bucket <= value], rows[bucket > value]
                if guarantees.counts_rows_only or all(keeps(guarantees, side) for side in sides):
                    best, chosen = score, (f, low + ((value + 1) << by) - 1)
    return chosen


def grow_reference(codes, cardinality, target, guarantees, depth_limit):
    """Returns (attribute, code, left, right, labels) as `tree_kernels.grow` does."""
    nodes, labels = [[-1, 0, 0, 0]], np.empty(len(codes), dtype=np.int32)
    stack, classes = [(0, np.arange(len(codes)), 0)], 0
    while stack:
        node, rows, depth = stack.pop()
        cut = None
        if len(rows) >= 2 * guarantees.k:
            by_width = depth >= depth_limit or bool((target[rows] == target[rows[0]]).all())
            for exact in (False, True):
                cut = cut or best_cut(codes, cardinality, target, rows, guarantees, by_width, exact)
        if cut is None:
            nodes[node][1] = classes
            labels[rows] = classes
            classes += 1
            continue
        f, code = cut
        nodes[node] = [f, code, len(nodes), len(nodes) + 1]
        nodes += [[-1, 0, 0, 0], [-1, 0, 0, 0]]
        below = codes[rows, f] <= code
        stack += [(len(nodes) - 1, rows[~below], depth + 1), (len(nodes) - 2, rows[below], depth + 1)]
    return (*np.array(nodes, dtype=np.int32).T, labels)
