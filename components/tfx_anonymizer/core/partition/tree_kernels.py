"""Compiled growth of trees, and routing of rows through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.jit import compiled
from tfx_anonymizer.core.partition.cut_kernels import (
    BY_ENTROPY,
    BY_MEDIAN,
    BY_TARGET,
    BY_WIDTH,
    NO_CUT,
    coarse_cut,
    exact_cut,
    is_constant,
    resolution,
)
from tfx_anonymizer.core.partition.histogram_kernels import (
    MAX_BUCKETS,
    count_rows,
    count_wide,
    divide,
    layout_of,
    make_rows,
    make_slots,
    split_slot,
    take_away,
    tighten,
)

LEAF = -1
# What a tree grows by: FOLLOW the target, and halve the widest attribute where the target is the same of all or below a
# depth limit; MEDIAN, halve the widest attribute; EXPLAIN the target as FOLLOW does, or leave the least ENTROPY of the
# classes it counts, and stop where it is the same of all.
FOLLOW, MEDIAN, EXPLAIN, ENTROPY = 0, 1, 2, 3
_NO_SLOT = -1
_STOP = -1


def grow(
    codes: npt.NDArray[np.int32],
    cardinality: npt.NDArray[np.int64],
    target: npt.NDArray[np.int32],
    k: int,
    depth_limit: int,
    rule: int,
    guarded: bool,
    guards: tuple[Any, ...],
    enough: int = 0,
) -> tuple[npt.NDArray[np.int32], ...]:
    """Cuts the rows in two, again and again, until no admissible cut is left.

    Args:
        codes: int32, shape (n, attributes); not changed.
        cardinality: Codes of each attribute, int64, shape (attributes,).
        target: The guide in fixed point, int32, shape (n, d); not changed.
        k: Least rows of a class.
        depth_limit: With `FOLLOW`, cuts below this depth halve the rows, so that no chain of thin slices makes the work
            quadratic.
        rule: `FOLLOW`, `MEDIAN`, `EXPLAIN` or `ENTROPY`.
        guarded: Whether `guards` ask for more than k rows.
        guards: See `cuts_that_keep`.
        enough: Nodes of so many rows are left whole even if they could be cut.

    Returns:
        (attribute, code, left, right, labels): per node the attribute it cuts (-1 in a leaf), the greatest code that
        goes left (in a leaf its class) and the children; and the class of each row. Classes are numbered from left to
        right.
    """
    layout, lines = layout_of(cardinality)
    rows = make_rows(codes, target, layout)
    slots = make_slots(layout, lines, target.shape[1])
    grown: tuple[npt.NDArray[np.int32], ...] = _grow(
        rows, layout, slots, k, max(2 * k, enough + 1), depth_limit, rule, guarded, guards
    )
    return grown


@compiled
def _mode(rule, constant, deep):
    """Returns how the cuts of a node are scored."""
    if rule == MEDIAN:
        return BY_MEDIAN
    if rule == FOLLOW:
        return BY_WIDTH if constant or deep else BY_TARGET
    if constant:
        return _STOP
    return BY_ENTROPY if rule == ENTROPY else BY_TARGET


@compiled
def _grow(rows, layout, slots, k, least, depth_limit, rule, guarded, guards):
    n, attributes, dimensions = len(rows.number), len(layout.size), rows.target.shape[1]
    capacity = 2 * (n // k) + 1
    cut_f = np.full(capacity, LEAF, dtype=np.int32)
    cut_code = np.zeros(capacity, dtype=np.int32)
    left, right = np.zeros(capacity, dtype=np.int32), np.zeros(capacity, dtype=np.int32)
    labels = np.empty(n, dtype=np.int32)
    shift, buckets = np.empty(attributes, dtype=np.int64), np.empty(attributes, dtype=np.int64)
    width = np.empty(attributes, dtype=np.float64)
    columns, firsts = np.empty(attributes, dtype=np.int64), np.empty(attributes, dtype=np.int64)
    wide = np.empty((rows.wide.shape[1], MAX_BUCKETS, 1 + dimensions), dtype=np.int64)
    scratch = (np.empty(dimensions, dtype=np.int64), np.empty(MAX_BUCKETS, dtype=np.float64))
    # The last slot is never waiting: a node that finds all others taken uses it and hands nothing down.
    spare = len(slots.table) - 1
    free = np.arange(spare)
    unused = spare
    stack = [(0, 0, n, 0, _NO_SLOT)]
    nodes, classes = 1, 0
    while len(stack) > 0:
        node, start, stop, depth, slot = stack.pop()
        f, code = NO_CUT, 0
        if stop - start >= least:
            if slot == _NO_SLOT:
                slot = spare
                if unused > 0:
                    unused -= 1
                    slot = free[unused]
                for a in range(attributes):
                    slots.low[slot, a], slots.high[slot, a] = 0, layout.size[a] - 1
                count_rows(slots, slot, layout, rows, start, stop, columns, firsts)
            tighten(slots, slot, layout, rows, start, stop)
            low, high = slots.low[slot], slots.high[slot]
            resolution(low, high, stop - start, shift, buckets)
            for a in range(attributes):
                width[a] = (high[a] - low[a]) / max(layout.size[a] - 1, 1)
            mode = _mode(rule, rule != MEDIAN and is_constant(rows.target, start, stop), depth >= depth_limit)
            if mode != _STOP:
                count_wide(rows, start, stop, layout, low, shift, buckets, wide)
                table, whole = slots.table[slot], slots.whole[slot]
                f, code = coarse_cut(
                    rows, layout, start, stop, table, wide, whole, low, high, shift, buckets, k, mode, width, guarded,
                    guards, scratch,
                )  # fmt: skip
                if f == NO_CUT:
                    f, code = exact_cut(
                        rows, layout, start, stop, table, whole, low, high, shift, k, mode, width, guarded, guards,
                        scratch,
                    )  # fmt: skip
        if f == NO_CUT:
            if slot != _NO_SLOT and slot != spare:
                free[unused] = slot
                unused += 1
            cut_code[node] = classes
            for i in range(start, stop):
                labels[rows.number[i]] = classes
            classes += 1
            continue
        middle = divide(rows, layout, f, code, start, stop)
        of_left, of_right = _NO_SLOT, _NO_SLOT
        if slot != spare:
            fewer_left = middle - start <= stop - middle
            few = middle - start if fewer_left else stop - middle
            many = stop - start - few
            few_start, few_stop = (start, middle) if fewer_left else (middle, stop)
            of_few, of_many = _NO_SLOT, slot
            if many < least:
                # Both are leaves.
                free[unused] = slot
                unused += 1
                of_many = _NO_SLOT
            elif few >= least and unused > 0:
                unused -= 1
                of_few = free[unused]
                split_slot(slots, slot, of_few, layout, rows, few_start, few_stop, columns, firsts)
            else:
                take_away(slots, slot, layout, rows, few_start, few_stop, columns, firsts)
            of_left, of_right = (of_few, of_many) if fewer_left else (of_many, of_few)
        cut_f[node], cut_code[node], left[node], right[node] = f, code, nodes, nodes + 1
        stack.append((nodes + 1, middle, stop, depth + 1, of_right))
        stack.append((nodes, start, middle, depth + 1, of_left))
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
