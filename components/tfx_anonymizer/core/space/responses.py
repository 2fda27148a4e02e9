"""Effects as mean responses: how far the guide's mean among the rows of a bin lies from its mean among all.

The simplest measure of what a value means to the model, known as target encoding. It takes each attribute by itself, so
two attributes that say the same count twice; see `contributions` for what tells them apart.

Example:
    >>> import numpy as np
    >>> codes = np.array([[0], [0], [1], [1]], dtype=np.int32)
    >>> target = np.array([[0], [2], [4], [10]], dtype=np.int32)
    >>> responses(codes, np.array([2]), target).coordinates.ravel().tolist()
    [-3.0, -3.0, 3.0, 3.0]
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.encoding import Codes, Target
from tfx_anonymizer.core.means import group_means
from tfx_anonymizer.core.space.bins import bin_codes
from tfx_anonymizer.core.space.effects import Effects


def responses(codes: Codes, cardinality: npt.NDArray[np.int64], target: Target) -> Effects:
    """Measures each attribute's effect by itself.

    Args:
        codes: int32, shape (n, attributes).
        cardinality: The number of codes of each attribute, shape (attributes,).
        target: The guide in fixed point, int32, shape (n, d).

    Returns:
        Effects in the target's units; the same for any order of rows, since the sums are of integers.
    """
    bins = bin_codes(codes, cardinality)
    binned = bins.of(codes)
    overall = target.mean(axis=0)
    tables = tuple(group_means(target, binned[:, i], len(last)) - overall for i, last in enumerate(bins.last))
    of_rows = np.stack([table[binned[:, i]] for i, table in enumerate(tables)], axis=1)
    return Effects(of_rows, bins, tables)
