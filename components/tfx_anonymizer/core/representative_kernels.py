"""Compiled choice of each class's representative codes."""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.jit import compiled

MOST_COUNTED = 256


@compiled
def group_rows(labels, classes):
    """Returns the row numbers sorted by class, and where each class begins, shapes (n,) and (classes + 1,)."""
    first = np.zeros(classes + 1, dtype=np.int64)
    for label in labels:
        first[label + 1] += 1
    for c in range(classes):
        first[c + 1] += first[c]
    rows = np.empty(len(labels), dtype=np.int64)
    place = first[:classes].copy()
    for i in range(len(labels)):
        rows[place[labels[i]]] = i
        place[labels[i]] += 1
    return rows, first


@compiled
def _lower_median(ordered, missing_code):
    """The lower median of those present, or missing if most are; `ordered` is sorted and missing comes first."""
    missing = np.searchsorted(ordered, missing_code, side="right")
    present = len(ordered) - missing
    if missing > present:
        return missing_code
    return ordered[missing + (present - 1) // 2]


@compiled
def _mode(ordered):
    """The most frequent of sorted codes, the least of them in a tie."""
    best, best_run, run = ordered[0], 0, 0
    for i in range(len(ordered)):
        run = run + 1 if i > 0 and ordered[i] == ordered[i - 1] else 1
        if run > best_run:
            best, best_run = ordered[i], run
    return best


@compiled
def _counted_median(count, rows):
    """As `_lower_median`, from the number of rows by code; code 0 is missing."""
    present = rows - count[0]
    if count[0] > present:
        return 0
    passed, code = 0, 0
    while passed <= (present - 1) // 2:
        code += 1
        passed += count[code]
    return code


@compiled
def central_codes(codes, numeric, cardinality, rows, first):
    """Median (numeric) or mode (categorical) of every attribute in every class.

    Args:
        codes: int32, shape (n, attributes); code 0 is missing in a numeric attribute.
        numeric: Whether each attribute is numeric, shape (attributes,).
        cardinality: The number of codes of each attribute, int64, shape (attributes,).
        rows: Row numbers sorted by class.
        first: Where each class begins in `rows`, shape (classes + 1,).

    Returns:
        int32, shape (classes, attributes); every code is attained in its class.
    """
    classes, attributes = len(first) - 1, codes.shape[1]
    central = np.empty((classes, attributes), dtype=np.int32)
    # Few codes are counted, many are sorted.
    counted = cardinality <= MOST_COUNTED
    count = np.zeros((attributes, MOST_COUNTED), dtype=np.int64)
    largest = 0
    for c in range(classes):
        largest = max(largest, first[c + 1] - first[c])
    members = np.empty((0 if counted.all() else attributes, largest), dtype=np.int32)
    for c in range(classes):
        size = first[c + 1] - first[c]
        for i in range(size):
            row = rows[first[c] + i]
            for f in range(attributes):
                if counted[f]:
                    count[f, codes[row, f]] += 1
                else:
                    members[f, i] = codes[row, f]
        for f in range(attributes):
            if counted[f]:
                of_code = count[f, : cardinality[f]]
                central[c, f] = _counted_median(of_code, size) if numeric[f] else np.argmax(of_code)
                of_code[:] = 0
            else:
                ordered = np.sort(members[f, :size])
                central[c, f] = _lower_median(ordered, 0) if numeric[f] else _mode(ordered)
    return central


@compiled
def typical_codes(codes, effects, rows, first):
    """In every class the code of each attribute whose effect is nearest the class's mean effect, the least in a tie.

    Args:
        codes: int32, shape (n, attributes).
        effects: float64, shape (n, attributes, d).
        rows: Row numbers sorted by class.
        first: Where each class begins in `rows`, shape (classes + 1,).

    Returns:
        int32, shape (classes, attributes); every code is attained in its class.
    """
    classes, attributes, dimensions = len(first) - 1, codes.shape[1], effects.shape[2]
    chosen = np.empty((classes, attributes), dtype=np.int32)
    mean = np.empty(dimensions)
    for c in range(classes):
        for f in range(attributes):
            mean[:] = 0.0
            for i in range(first[c], first[c + 1]):
                for d in range(dimensions):
                    mean[d] += effects[rows[i], f, d]
            mean /= first[c + 1] - first[c]
            least = np.inf
            for i in range(first[c], first[c + 1]):
                distance = 0.0
                for d in range(dimensions):
                    distance += (effects[rows[i], f, d] - mean[d]) ** 2
                code = codes[rows[i], f]
                if distance < least or (distance == least and code < chosen[c, f]):
                    least = distance
                    chosen[c, f] = code
    return chosen


@compiled
def nearest_members(codes, numeric, cardinality, rows, first, central):
    """The codes of each class's member nearest its centre.

    A numeric attribute adds its distance in codes as a share of the domain, a categorical one adds 1 if it differs.
    Of members equally near, the one with the least codes, compared attribute by attribute.
    """
    classes, attributes = len(first) - 1, codes.shape[1]
    chosen = np.empty((classes, attributes), dtype=np.int32)
    for c in range(classes):
        best, best_distance = -1, np.inf
        for i in range(first[c], first[c + 1]):
            row = rows[i]
            distance = 0.0
            for f in range(attributes):
                if numeric[f]:
                    distance += abs(codes[row, f] - central[c, f]) / max(cardinality[f] - 1, 1)
                elif codes[row, f] != central[c, f]:
                    distance += 1.0
            if distance < best_distance or (distance == best_distance and precedes(codes, row, best)):
                best, best_distance = row, distance
        for f in range(attributes):
            chosen[c, f] = codes[best, f]
    return chosen


@compiled
def precedes(codes, row, other):
    """Tells whether a row's codes come before another's, compared attribute by attribute."""
    for f in range(codes.shape[1]):
        if codes[row, f] != codes[other, f]:
            return codes[row, f] < codes[other, f]
    return False
