"""Kernel inducing points (Nguyen, Chen and Lee 2021): few points that teach kernel regression what many would.

The points are moved until kernel ridge regression on them predicts the labels of the targets. Targets here are mixtures
that noise was added to, so whatever is done with them spends nothing.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.attributes import Floats
from tfx_anonymizer.differential_privacy.blocks import distributions
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.released import Prototypes
from tfx_anonymizer.errors import PolicyError

_RIDGE = 1e-3
_STEPS = 60
_MOST_TARGETS = 2000


def induced(kinds: Prototypes, layout: Layout, points: int, random: np.random.Generator) -> Prototypes:
    """Reduces prototypes to inducing points.

    Args:
        kinds: Prototypes; at most 2,000 of them, drawn by weight, are looked at.
        layout: Where blocks and, where classes are no cells, labels are.
        points: How many points; each class keeps its share of them, and at least one.
        random: What draws where points begin.

    Returns:
        As many prototypes or fewer; every class weighs what it weighed.

    Raises:
        PolicyError: If there are no classes, or they are not cells.
    """
    if not layout.design.by_class or layout.classes < 2:
        raise PolicyError(
            "inducing points need a label whose classes are cells", hint="another mechanism, or no points"
        )
    chance = kinds.weights / kinds.weights.sum()
    count = min(_MOST_TARGETS, len(kinds.weights))
    targets = random.choice(len(kinds.weights), size=count, replace=False, p=chance)
    start = _start(kinds, points, random)
    labels = np.eye(layout.classes) - 1.0 / layout.classes
    moved = fit(
        kinds.distributions[start],
        labels[kinds.classes[start]],
        kinds.distributions[targets],
        labels[kinds.classes[targets]],
    )
    classes = kinds.classes[start]
    whole = np.bincount(kinds.classes, weights=kinds.weights, minlength=layout.classes)
    share = np.bincount(classes, minlength=layout.classes)
    weights = (whole / np.maximum(share, 1))[classes]
    return dataclasses.replace(
        kinds, distributions=distributions(moved, layout.encoding), classes=classes, weights=weights
    )


def fit(points: Floats, labels: Floats, targets: Floats, wanted: Floats, steps: int = _STEPS) -> Floats:
    """Moves points so that kernel ridge regression on them predicts the targets.

    Args:
        points: Where they begin, shape (m, width).
        labels: What they stand for, shape (m, classes).
        targets: Shape (n, width).
        wanted: What is to be predicted there, shape (n, classes).
        steps: Of L-BFGS.

    Returns:
        Where the points are in the end, shape (m, width).
    """
    from scipy.optimize import minimize

    gamma = 1.0 / max(float(np.median(_squared_distances(targets, targets))), 1e-6)

    def both(flat: Floats) -> tuple[float, Floats]:
        value, gradient = loss(flat.reshape(points.shape), labels, targets, wanted, gamma)
        return value, gradient.reshape(-1)

    found = minimize(both, points.reshape(-1), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    moved: Floats = found.x.reshape(points.shape)
    return moved


def loss(points: Floats, labels: Floats, targets: Floats, wanted: Floats, gamma: float) -> tuple[float, Floats]:
    """Half the squared error of kernel ridge regression from points to targets, and its gradient by the points.

    Args:
        points: Shape (m, width).
        labels: Shape (m, classes).
        targets: Shape (n, width).
        wanted: Shape (n, classes).
        gamma: Of the kernel exp(-gamma |x - y|^2).

    Returns:
        The error, and shape (m, width).
    """
    across = np.exp(-gamma * _squared_distances(targets, points))
    among = np.exp(-gamma * _squared_distances(points, points))
    inverse = np.linalg.inv(among + _RIDGE * np.eye(len(points)))
    dual = inverse @ labels
    residual = wanted - across @ dual
    by_across = -(residual @ dual.T) * across
    by_among = (inverse @ (across.T @ residual) @ dual.T) * among
    gradient = 2 * gamma * (by_across.T @ targets - by_across.sum(axis=0)[:, None] * points)
    both_ways = by_among + by_among.T
    gradient += 2 * gamma * (both_ways @ points - both_ways.sum(axis=1)[:, None] * points)
    return 0.5 * float((residual**2).sum()), gradient


def _start(kinds: Prototypes, points: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draws prototypes to begin at: of every class its share, and at least one."""
    found = []
    total = kinds.weights.sum()
    for label in np.unique(kinds.classes):
        own = np.flatnonzero(kinds.classes == label)
        weight = kinds.weights[own]
        count = min(len(own), max(1, round(points * weight.sum() / total)))
        found.append(random.choice(own, size=count, replace=False, p=weight / weight.sum()))
    return np.concatenate(found)


def _squared_distances(first: Floats, second: Floats) -> Floats:
    found: Floats = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1)[None, :] - 2 * first @ second.T
    return np.maximum(found, 0.0)
