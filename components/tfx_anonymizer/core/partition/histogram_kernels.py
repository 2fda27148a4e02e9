"""Compiled bookkeeping of a growing tree: the rows of each node side by side in memory, and histograms of their codes.

Three things make it fast, and none changes a result. Rows are moved, not pointed at, so a node's rows are read in
sequence however deep it lies. Codes of attributes with at most 256 of them are kept in one byte and counted code by
code, and only the smaller of two children is counted: the larger one's histogram is its parent's less the smaller's (as
in LightGBM: Ke et al. 2017, *LightGBM: A Highly Efficient Gradient Boosting Decision Tree*). And an attribute that is
constant in a node is not looked at below it.

Attributes with more codes are "wide": they are counted in every node, in up to 256 buckets of neighbouring codes.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.jit import compiled

NARROW_CODES = 256
MAX_BUCKETS = 256
# Histograms that wait for their node's turn; about as many as a tree has levels, and never more memory than this.
MOST_SLOTS, MOST_SLOT_BYTES = 64, 64 << 20

# narrow: whether an attribute is; place: its column among the narrow or the wide ones; first: a narrow one's first line
# in a histogram; size: codes of each attribute. All of shape (attributes,).
Layout = namedtuple("Layout", ["narrow", "place", "first", "size"])

# narrow: uint8, shape (n, columns), columns padded to whole words; words: the same memory as uint64; wide: int32,
# shape (n, columns); target: int32, shape (n, d); number: which row of the table it is, int64, shape (n,).
Rows = namedtuple("Rows", ["narrow", "words", "wide", "target", "number"])

# table: per slot and code the count of rows and the sums of the target, int64, shape (slots, lines, 1 + d); low, high:
# codes between which all rows lie, shape (slots, attributes); whole: sums over the node, shape (slots, d). Lines
# outside low..high hold nothing of meaning.
Slots = namedtuple("Slots", ["table", "low", "high", "whole"])


def layout_of(cardinality: npt.NDArray[np.int64]) -> tuple[Layout, int]:
    """Lays out attributes by how many codes each has; returns a `Layout` and the number of lines of a histogram."""
    size = np.asarray(cardinality, dtype=np.int64)
    narrow = size <= NARROW_CODES
    place = np.where(narrow, np.cumsum(narrow), np.cumsum(~narrow)) - 1
    lines = np.cumsum(np.where(narrow, size, 0))
    first = np.where(narrow, lines - size, 0)
    return Layout(narrow, place, first, size), int(lines[-1])


def make_rows(codes: npt.NDArray[np.int32], target: npt.NDArray[np.int32], layout: Layout) -> Rows:
    """Copies codes and target into a `Rows` that growth may permute."""
    columns = int(layout.narrow.sum())
    narrow = np.zeros((len(codes), -(-columns // 8) * 8), dtype=np.uint8)
    wide = np.empty((len(codes), codes.shape[1] - columns), dtype=np.int32)
    for f in range(codes.shape[1]):
        (narrow if layout.narrow[f] else wide)[:, layout.place[f]] = codes[:, f]
    return Rows(narrow, narrow.view(np.uint64), wide, target.copy(), np.arange(len(codes)))


def make_slots(layout: Layout, lines: int, dimensions: int) -> Slots:
    """Makes room for histograms; the last slot is for a node that finds all others taken."""
    fit = MOST_SLOT_BYTES // max(lines * (1 + dimensions) * 8, 1)
    slots, attributes = min(MOST_SLOTS, max(fit, 4)) + 1, len(layout.size)
    return Slots(
        np.empty((slots, lines, 1 + dimensions), dtype=np.int64),
        np.zeros((slots, attributes), dtype=np.int64),
        np.zeros((slots, attributes), dtype=np.int64),
        np.zeros((slots, dimensions), dtype=np.int64),
    )


@compiled
def _active(layout, low, high, columns, firsts):
    """Lists the narrow attributes that vary: their columns and first lines; returns how many."""
    found = 0
    for f in range(len(low)):
        if layout.narrow[f] and low[f] < high[f]:
            columns[found], firsts[found] = layout.place[f], layout.first[f]
            found += 1
    return found


@compiled
def _add(rows, start, stop, sign, table, whole, columns, firsts, active):
    if rows.target.shape[1] == 1:
        total = 0
        for i in range(start, stop):
            value = sign * np.int64(rows.target[i, 0])
            total += value
            for a in range(active):
                line = firsts[a] + rows.narrow[i, columns[a]]
                table[line, 0] += sign
                table[line, 1] += value
        whole[0] += total
        return
    for i in range(start, stop):
        for d in range(rows.target.shape[1]):
            whole[d] += sign * np.int64(rows.target[i, d])
        for a in range(active):
            line = firsts[a] + rows.narrow[i, columns[a]]
            table[line, 0] += sign
            for d in range(rows.target.shape[1]):
                table[line, 1 + d] += sign * np.int64(rows.target[i, d])


@compiled
def count_rows(slots, slot, layout, rows, start, stop, columns, firsts):
    """Makes a slot the histogram of rows start:stop; the slot's low and high must span them."""
    low, high, table = slots.low[slot], slots.high[slot], slots.table[slot]
    for f in range(len(low)):
        if layout.narrow[f] and low[f] < high[f]:
            for line in range(layout.first[f] + low[f], layout.first[f] + high[f] + 1):
                for d in range(table.shape[1]):
                    table[line, d] = 0
    for d in range(slots.whole.shape[1]):
        slots.whole[slot, d] = 0
    active = _active(layout, low, high, columns, firsts)
    _add(rows, start, stop, 1, table, slots.whole[slot], columns, firsts, active)


@compiled
def take_away(slots, slot, layout, rows, start, stop, columns, firsts):
    """Takes rows start:stop out of a slot's histogram."""
    active = _active(layout, slots.low[slot], slots.high[slot], columns, firsts)
    _add(rows, start, stop, -1, slots.table[slot], slots.whole[slot], columns, firsts, active)


@compiled
def split_slot(slots, slot, other, layout, rows, start, stop, columns, firsts):
    """Moves rows start:stop from one slot's histogram to another's."""
    for f in range(len(layout.size)):
        slots.low[other, f], slots.high[other, f] = slots.low[slot, f], slots.high[slot, f]
    count_rows(slots, other, layout, rows, start, stop, columns, firsts)
    whole, part = slots.table[slot], slots.table[other]
    for f in range(len(layout.size)):
        if layout.narrow[f]:
            for line in range(layout.first[f] + slots.low[slot, f], layout.first[f] + slots.high[slot, f] + 1):
                for d in range(whole.shape[1]):
                    whole[line, d] -= part[line, d]
    for d in range(slots.whole.shape[1]):
        slots.whole[slot, d] -= slots.whole[other, d]


@compiled
def tighten(slots, slot, layout, rows, start, stop):
    """Brings a slot's low and high to the least and greatest code of each attribute among rows start:stop."""
    low, high, table = slots.low[slot], slots.high[slot], slots.table[slot]
    for f in range(len(low)):
        if layout.narrow[f] and low[f] < high[f]:
            while table[layout.first[f] + low[f], 0] == 0:
                low[f] += 1
            while table[layout.first[f] + high[f], 0] == 0:
                high[f] -= 1
    columns = rows.wide.shape[1]
    least, most = np.empty(columns, dtype=np.int32), np.empty(columns, dtype=np.int32)
    for w in range(columns):
        least[w], most[w] = rows.wide[start, w], rows.wide[start, w]
    for i in range(start + 1, stop):
        for w in range(columns):
            least[w] = min(least[w], rows.wide[i, w])
            most[w] = max(most[w], rows.wide[i, w])
    for f in range(len(low)):
        if not layout.narrow[f]:
            low[f], high[f] = least[layout.place[f]], most[layout.place[f]]


@compiled
def count_wide(rows, start, stop, layout, low, shift, buckets, wide):
    """Counts rows and sums the target per bucket of each wide attribute; a code's bucket is (code - low) >> shift.

    Args:
        rows: A `Rows`.
        start: The node's first row.
        stop: One after its last.
        layout: A `Layout`.
        low: The least code of each attribute in the node.
        shift: Binary logarithm of each attribute's bucket width.
        buckets: How many buckets each attribute has.
        wide: Receives counts and sums, int64, shape (wide attributes, MAX_BUCKETS, 1 + d).
    """
    least, by = np.empty(len(wide), dtype=np.int64), np.empty(len(wide), dtype=np.int64)
    for f in range(len(low)):
        if not layout.narrow[f]:
            w = layout.place[f]
            least[w], by[w] = low[f], shift[f]
            for b in range(buckets[f]):
                for d in range(wide.shape[2]):
                    wide[w, b, d] = 0
    for i in range(start, stop):
        for w in range(len(wide)):
            b = (rows.wide[i, w] - least[w]) >> by[w]
            wide[w, b, 0] += 1
            wide[w, b, 1] += rows.target[i, 0]
            for d in range(1, rows.target.shape[1]):
                wide[w, b, 1 + d] += rows.target[i, d]


@compiled
def _swap(rows, i, j):
    for w in range(rows.words.shape[1]):
        rows.words[i, w], rows.words[j, w] = rows.words[j, w], rows.words[i, w]
    for w in range(rows.wide.shape[1]):
        rows.wide[i, w], rows.wide[j, w] = rows.wide[j, w], rows.wide[i, w]
    for d in range(rows.target.shape[1]):
        rows.target[i, d], rows.target[j, d] = rows.target[j, d], rows.target[i, d]
    rows.number[i], rows.number[j] = rows.number[j], rows.number[i]


@compiled
def _divide(rows, column, code, start, stop):
    i, j = start, stop - 1
    while True:
        while i <= j and column[i] <= code:
            i += 1
        while i <= j and column[j] > code:
            j -= 1
        if i >= j:
            return i
        _swap(rows, i, j)
        i += 1
        j -= 1


@compiled
def divide(rows, layout, f, code, start, stop):
    """Moves the rows whose code is at most `code` to the front; returns where the others begin."""
    if layout.narrow[f]:
        return _divide(rows, rows.narrow[:, layout.place[f]], code, start, stop)
    return _divide(rows, rows.wide[:, layout.place[f]], code, start, stop)
