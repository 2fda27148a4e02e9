"""Merging classes until each keeps the guarantees that group sizes alone do not give: people, l-diversity, t-closeness.

A class that breaks one is joined with the nearest of its neighbours with which it keeps them all. Where no neighbour is
such, since people who are near are alike in what is sensitive too, it is joined with the nearest class that leans the
other way: one that has more of what it has too little of. The whole table as one class keeps every guarantee
(`guarantees.bind` made sure), so this ends.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core import diversity
from tfx_anonymizer.core.guarantees import SLACK, Guarantees
from tfx_anonymizer.core.means import group_means

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]
Truths = npt.NDArray[np.bool_]

NEIGHBOURS = 8
# Finer shades of a sensitive value than these do not matter for the way in which a class leans.
SHADES = 64


def merge_until_kept(labels: Labels, points: Floats, guarantees: Guarantees) -> Labels:
    """Merges classes until every one keeps every guarantee.

    Args:
        labels: The class of each row, from 0 without gaps, int32, shape (n,).
        points: float64, shape (n, d).
        guarantees: What each class must hold.

    Returns:
        Labels from 0 without gaps, int32, shape (n,).
    """
    overall = guarantees.shares()
    while labels.max() > 0:
        too_few, too_alike = _breaches(labels, guarantees, overall)
        if not (too_few | too_alike).any():
            break
        labels = _merge(labels, points, guarantees, overall, too_few, too_alike)
    # The whole table as one class keeps everything, whatever rounding says.
    return labels


def _breaches(labels: Labels, guarantees: Guarantees, overall: list[Floats]) -> tuple[Truths, Truths]:
    """Tells which classes hold too few rows or people, and which break a promise about what is sensitive."""
    classes = int(labels.max()) + 1
    if guarantees.people is None:
        too_few = np.bincount(labels, minlength=classes) < guarantees.k
    else:
        span = int(guarantees.people.max()) + 1
        pairs = np.unique(labels.astype(np.int64) * span + guarantees.people)
        too_few = np.bincount(pairs // span, minlength=classes) < guarantees.k
    return too_few, _too_alike(labels, guarantees.sensitive, guarantees, overall)


def _too_alike(
    labels: Labels, sensitive: npt.NDArray[np.int32], guarantees: Guarantees, overall: list[Floats]
) -> Truths:
    """Tells which classes break l or t, shape (classes,); `sensitive` may be some of the rows, shape (n, s)."""
    classes = int(labels.max()) + 1
    broken = np.zeros(classes, dtype=np.bool_)
    for codes, ordered, shares in zip(sensitive.T, guarantees.ordered, overall, strict=True):
        if guarantees.l:
            reached = diversity.measure(labels, codes, classes, guarantees.diversity, guarantees.l)
            broken |= diversity.broken(reached, guarantees.diversity, guarantees.l, guarantees.c)
        if guarantees.t < 1.0:
            broken |= _distances(labels, codes, shares, bool(ordered)) > guarantees.t - SLACK
    return broken


def _distances(labels: Labels, codes: npt.NDArray[np.int32], overall: Floats, ordered: bool) -> Floats:
    """Distance of each class's distribution from the table's (Li et al. 2007, section 4), shape (classes,)."""
    span, classes = len(overall), int(labels.max()) + 1
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


def _merge(
    labels: Labels, points: Floats, guarantees: Guarantees, overall: list[Floats], too_few: Truths, too_alike: Truths
) -> Labels:
    """Joins each broken class with another one; a class takes part in one union a round."""
    classes = len(too_few)
    centres = group_means(points, labels, classes)
    leanings = _leanings(labels, guarantees, overall)
    rows = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels, minlength=classes))[:-1])
    joined = np.arange(classes)
    free = np.ones(classes, dtype=np.bool_)
    broken = np.flatnonzero(too_few | too_alike)
    for one in broken:
        if not free[one] or free.sum() < 2:
            continue
        far = np.where(free, ((centres - centres[one]) ** 2).sum(axis=1), np.inf)
        far[one] = np.inf
        other: int | None = int(np.argmin(far))
        if too_alike[one]:
            other = _nearest_that_helps(int(one), far, rows, guarantees, overall, leanings)
        if other is not None:
            free[[one, other]] = False
            joined[one] = other
    if free.all():
        far = ((centres - centres[broken[0]]) ** 2).sum(axis=1)
        far[broken[0]] = np.inf
        joined[broken[0]] = np.argmin(far)
    merged: Labels = np.unique(joined[labels], return_inverse=True)[1].reshape(-1).astype(np.int32)
    return merged


def _nearest_that_helps(
    one: int,
    far: Floats,
    rows: list[npt.NDArray[np.int64]],
    guarantees: Guarantees,
    overall: list[Floats],
    leanings: Floats,
) -> int | None:
    """Returns the class to join a class with that breaks l or t, or None if it had better wait for the next round.

    Args:
        one: The class.
        far: How far the others are, infinite for those that are taken, shape (classes,); one of them is free.
        rows: The rows of each class.
        guarantees: What a class must hold.
        overall: The whole table's shares.
        leanings: As `_leanings` gives them.
    """
    near = np.argsort(far, kind="stable")[:NEIGHBOURS]
    near = near[np.isfinite(far[near])]
    unions = [np.concatenate([rows[one], rows[other]]) for other in near]
    union_of = np.repeat(np.arange(len(near), dtype=np.int32), list(map(len, unions)))
    kept = ~_too_alike(union_of, guarantees.sensitive[np.concatenate(unions)], guarantees, overall)
    if kept.any():
        return int(near[np.argmax(kept)])
    against = np.where(leanings @ leanings[one] < 0, far, np.inf)
    return int(np.argmin(against)) if np.isfinite(against).any() else None


def _leanings(labels: Labels, guarantees: Guarantees, overall: list[Floats]) -> Floats:
    """By how much each class has more than the whole table of each sensitive value, shape (classes, values)."""
    classes = int(labels.max()) + 1
    parts = [np.zeros((classes, 0))]
    for codes, shares in zip(guarantees.sensitive.T, overall, strict=True):
        shades = min(len(shares), SHADES)
        shade = codes.astype(np.int64) * shades // len(shares)
        count = np.bincount(labels * np.int64(shades) + shade, minlength=classes * shades).reshape(classes, shades)
        whole = np.bincount(np.arange(len(shares)) * shades // len(shares), weights=shares, minlength=shades)
        parts.append(count / count.sum(axis=1, keepdims=True) - whole)
    return np.concatenate(parts, axis=1)
