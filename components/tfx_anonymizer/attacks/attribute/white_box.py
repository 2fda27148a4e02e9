"""The white-box attack on trees: how many training rows lie in the leaf a person would fall into, value by value.

After Fredrikson, Jha and Ristenpart (2015): the leaves of a published tree say how many people of each label it holds.
A value of the attribute with which the person falls among many of their own label is the likelier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def leaf_support(trees: Sequence[Any], candidates: Sequence[Any], labels: npt.NDArray[np.int64]) -> Floats:
    """Returns the share of training rows that lie in a person's leaf and have the person's label, by value.

    Args:
        trees: Fitted scikit-learn tree classifiers: one, or those of a forest.
        candidates: The people's features as the trees take them, one matrix of n rows a value of the attribute.
        labels: Places of their labels among the trees' classes, int64, shape (n,).

    Returns:
        Means over trees, float64, shape (n, values).
    """
    found = np.zeros((len(labels), len(candidates)))
    for place, features in enumerate(candidates):
        rows = np.asarray(features.toarray() if hasattr(features, "toarray") else features, dtype=np.float32)
        for tree in trees:
            leaves = tree.tree_.apply(rows)
            values = tree.tree_.value[leaves, 0, :]
            # Shares of the leaf in newer versions of scikit-learn, counts in older ones.
            shares = values / np.maximum(values.sum(axis=1, keepdims=True), 1e-12)
            own = shares[np.arange(len(labels)), labels] * tree.tree_.weighted_n_node_samples[leaves]
            found[:, place] += own / tree.tree_.weighted_n_node_samples[0]
    return np.asarray(found / max(len(trees), 1), dtype=np.float64)


def likeliest(support: Floats, prior: Floats) -> npt.NDArray[np.int64]:
    """Guesses the value of greatest support; among equals the one more frequent in the population.

    Args:
        support: As `leaf_support` gives it, shape (n, values).
        prior: Share of each value in the population, float64, shape (values,).

    Example:
        >>> likeliest(np.array([[0.2, 0.1], [0.1, 0.1]]), np.array([0.3, 0.7])).tolist()
        [0, 1]
    """
    rank = np.argsort(np.argsort(prior, kind="stable"), kind="stable")
    order = np.lexsort((np.broadcast_to(rank, support.shape), np.round(support, 12)), axis=1)
    return np.asarray(order[:, -1], dtype=np.int64)
