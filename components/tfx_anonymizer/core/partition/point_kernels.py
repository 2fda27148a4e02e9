"""Compiled grouping of points: MDAV, and cuts across the principal direction."""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.jit import compiled


@compiled
def _squared_distances(points, alive, rows, place, out):
    for i in range(rows):
        total = 0.0
        for j in range(points.shape[1]):
            difference = points[alive[i], j] - place[j]
            total += difference * difference
        out[i] = total


@compiled
def _take_nearest(distances, alive, rows, k, labels, label):
    """Gives the k nearest rows a label, the earliest of those equally far; returns how many are left."""
    limit = np.partition(distances[:rows], k - 1)[k - 1]
    taken = 0
    for i in range(rows):
        if distances[i] < limit:
            labels[alive[i]] = label
            taken += 1
    left = 0
    for i in range(rows):
        if distances[i] == limit and taken < k:
            labels[alive[i]] = label
            taken += 1
        if labels[alive[i]] < 0:
            alive[left] = alive[i]
            left += 1
    return left


@compiled
def mdav(points, members, k, labels, label):
    """Groups some rows, k to a group, by MDAV.

    Args:
        points: float64, shape (n, d).
        members: Row numbers to group, k or more of them.
        k: Size of a group; the last one may have up to 2k - 1.
        labels: Receives the group of each member; -1 before, shape (n,).
        label: The first group's number.

    Returns:
        The number that the next group would get.
    """
    alive = members.copy()
    rows = len(alive)
    distances = np.empty(rows, dtype=np.float64)
    while rows >= 2 * k:
        centre = np.zeros(points.shape[1])
        for i in range(rows):
            centre += points[alive[i]]
        centre /= rows
        _squared_distances(points, alive, rows, centre, distances)
        far = alive[np.argmax(distances[:rows])]
        _squared_distances(points, alive, rows, points[far], distances)
        opposite = alive[np.argmax(distances[:rows])]
        rows = _take_nearest(distances, alive, rows, k, labels, label)
        label += 1
        if rows < 2 * k or labels[opposite] >= 0:
            continue
        _squared_distances(points, alive, rows, points[opposite], distances)
        rows = _take_nearest(distances, alive, rows, k, labels, label)
        label += 1
    for i in range(rows):
        labels[alive[i]] = label
    return label + 1


@compiled
def halve(points, k, most):
    """Cuts rows apart across their principal direction, at a multiple of k, until no part has more than `most`.

    Args:
        points: float64, shape (n, d).
        k: Parts hold a multiple of k rows, but for the last one.
        most: Greatest part, at least 2k - 1.

    Returns:
        (order, first): row numbers part by part, shape (n,), and where each part begins, shape (parts + 1,).
    """
    n, d = points.shape
    order = np.arange(n)
    first = [0]
    stack = [(0, n)]
    while len(stack) > 0:
        start, stop = stack.pop()
        rows = stop - start
        if rows <= most:
            first.append(stop)
            continue
        part = points[order[start:stop]]
        mean = np.zeros(d)
        for i in range(rows):
            mean += part[i]
        mean /= rows
        scatter = np.zeros((d, d))
        for i in range(rows):
            for a in range(d):
                x = part[i, a] - mean[a]
                for b in range(a + 1):
                    scatter[a, b] += x * (part[i, b] - mean[b])
        for a in range(d):
            for b in range(a):
                scatter[b, a] = scatter[a, b]
        _, vectors = np.linalg.eigh(scatter)
        direction = vectors[:, d - 1].copy()
        # Either sign is right; one of them is chosen, so that libraries cannot disagree.
        if direction[np.argmax(np.abs(direction))] < 0:
            direction = -direction
        along = np.empty(rows)
        for i in range(rows):
            total = 0.0
            for a in range(d):
                total += part[i, a] * direction[a]
            along[i] = total
        order[start:stop] = order[start:stop][np.argsort(along, kind="mergesort")]
        middle = start + (rows // k // 2) * k
        stack.append((middle, stop))
        stack.append((start, middle))
    return order, np.array(first)
