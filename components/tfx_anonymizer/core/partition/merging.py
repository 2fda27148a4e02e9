"""Merging classes until each keeps the guarantees that group sizes alone do not give: people, l-diversity, t-closeness.

A class that breaks one is joined with the class whose centre is nearest. The whole table as one class keeps them all
(`guarantees.bind` made sure), so this ends.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.guarantees import SLACK, Guarantees
from tfx_anonymizer.core.means import group_means

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]


def merge_until_kept(labels: Labels, points: Floats, guarantees: Guarantees) -> Labels:
    """Merges classes until every one keeps every guarantee.

    Args:
        labels: The class of each row, from 0 without gaps, int32, shape (n,).
        points: float64, shape (n, d).
        guarantees: What each class must hold.

    Returns:
        Labels from 0 without gaps, int32, shape (n,).
    """
    while True:
        broken = broken_classes(labels, guarantees)
        if not len(broken):
            return labels
        labels = _merge(labels, points, broken)


def broken_classes(labels: Labels, guarantees: Guarantees) -> npt.NDArray[np.int64]:
    """Returns the classes that break some guarantee, ascending."""
    classes = int(labels.max()) + 1
    if guarantees.people is None:
        broken = np.bincount(labels, minlength=classes) < guarantees.k
    else:
        broken = _distinct(labels, guarantees.people, classes) < guarantees.k
    for codes, ordered in zip(guarantees.sensitive.T, guarantees.ordered, strict=True):
        if guarantees.l:
            broken |= _distinct(labels, codes, classes) < guarantees.l
        if guarantees.t < 1.0:
            broken |= _distances(labels, codes, classes, bool(ordered)) > guarantees.t - SLACK
    # The whole table as one class keeps everything, whatever rounding says.
    return np.flatnonzero(broken) if classes > 1 else np.zeros(0, dtype=np.int64)


def _distinct(labels: Labels, codes: npt.NDArray[np.int32], classes: int) -> npt.NDArray[np.int64]:
    span = int(codes.max()) + 1
    pairs = np.unique(labels.astype(np.int64) * span + codes)
    return np.bincount(pairs // span, minlength=classes)


def _distances(labels: Labels, codes: npt.NDArray[np.int32], classes: int, ordered: bool) -> Floats:
    """Distance of each class's distribution from the table's (Li et al. 2007, section 4), shape (classes,)."""
    span = int(codes.max()) + 1
    overall = np.bincount(codes, minlength=span) / len(codes)
    pairs, count = np.unique(labels.astype(np.int64) * span + codes, return_counts=True)
    of_class, value = pairs // span, pairs % span
    distances = np.empty(classes)
    # In blocks, so that many classes of many values take no more memory than a few.
    block = max(1, 4_000_000 // span)
    for start in range(0, classes, block):
        inside = slice(*np.searchsorted(of_class, [start, start + block]))
        table = np.zeros((min(block, classes - start), span))
        table[of_class[inside] - start, value[inside]] = count[inside]
        difference = table / table.sum(axis=1, keepdims=True) - overall
        moved = np.cumsum(difference, axis=1) if ordered else difference
        distances[start : start + block] = np.abs(moved).sum(axis=1) / (max(span - 1, 1) if ordered else 2)
    return distances


def _merge(labels: Labels, points: Floats, broken: npt.NDArray[np.int64]) -> Labels:
    """Joins each broken class with its nearest; a class takes part in one union a round."""
    from scipy.spatial import cKDTree

    classes = int(labels.max()) + 1
    centres = group_means(points, labels, classes)
    joined = np.arange(classes)
    taken = np.zeros(classes, dtype=bool)
    neighbours = min(classes, 8)
    near = cKDTree(centres).query(centres[broken], k=neighbours)[1].reshape(len(broken), neighbours)
    for one, candidates in zip(broken, near, strict=True):
        others = [c for c in candidates if c != one and not taken[c]]
        if not taken[one] and others:
            joined[one] = others[0]
            taken[[one, others[0]]] = True
    if not taken.any():
        joined[broken[0]] = near[0][near[0] != broken[0]][0]
    merged: Labels = np.unique(joined[labels], return_inverse=True)[1].reshape(-1).astype(np.int32)
    return merged
