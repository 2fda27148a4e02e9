"""Means by group, the one sum over rows that spaces, encodings and centres of classes have in common.

Example:
    >>> import numpy as np
    >>> group_means(np.array([[1.0], [3.0], [8.0]]), np.array([0, 0, 2]), 3).ravel().tolist()
    [2.0, 4.0, 8.0]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def group_means(values: npt.NDArray[Any], groups: npt.NDArray[Any], number: int) -> npt.NDArray[np.float64]:
    """Averages rows by group; a group without rows gets the overall mean.

    Args:
        values: Numbers, shape (n, d). Sums of integers below 2**53 are exact, so their means are the same for any order
            of rows.
        groups: The group of each row, from 0, shape (n,).
        number: How many groups there are.

    Returns:
        float64, shape (number, d).
    """
    count = np.bincount(groups, minlength=number)
    sums = np.stack([np.bincount(groups, weights=column, minlength=number) for column in values.T], axis=1)
    overall = sums.sum(axis=0) / max(len(values), 1)
    return np.where(count[:, None] > 0, sums / np.maximum(count, 1)[:, None], overall)
