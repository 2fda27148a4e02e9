"""Bins of neighbouring codes: few enough to learn something of each, each with about as many rows.

Example:
    >>> import numpy as np
    >>> codes = np.array([[0], [1], [1], [2], [3], [3]], dtype=np.int32)
    >>> bins = bin_codes(codes, np.array([5]), most=3)
    >>> bins.last[0].tolist(), bins.of(codes).ravel().tolist()
    ([0, 2, 4], [0, 1, 1, 1, 2, 2])
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.encoding import Codes

MOST_BINS = 64


@dataclasses.dataclass(frozen=True)
class Bins:
    """Bins of each attribute's codes.

    Attributes:
        last: By attribute the greatest code in each bin, ascending, int32, shape (bins,); the last one is the greatest
            code there is.
    """

    last: tuple[npt.NDArray[np.int32], ...]

    def of(self, codes: Codes) -> npt.NDArray[np.int32]:
        """Returns the bin of each code, int32, shape (n, attributes); a code beyond the last bin falls into it.

        Args:
            codes: int32, shape (n, attributes).
        """
        columns = [
            np.minimum(np.searchsorted(last, column), len(last) - 1)
            for last, column in zip(self.last, codes.T, strict=True)
        ]
        binned: npt.NDArray[np.int32] = np.stack(columns, axis=1).astype(np.int32)
        return binned

    def recode(self, attribute: int, new_codes: Codes) -> Bins:
        """Returns the same bins for codes of one attribute that were renumbered, keeping their order."""
        last = list(self.last)
        last[attribute] = np.asarray(new_codes[last[attribute]], dtype=np.int32)
        return Bins(tuple(last))


def bin_codes(codes: Codes, cardinality: npt.NDArray[np.int64], most: int = MOST_BINS) -> Bins:
    """Cuts each attribute's codes into bins of about equally many rows; a frequent code has a bin of its own.

    Args:
        codes: int32, shape (n, attributes).
        cardinality: The number of codes of each attribute, shape (attributes,).
        most: At most this many bins an attribute.
    """
    return Bins(
        tuple(_cut(np.bincount(column, minlength=int(m)), most) for column, m in zip(codes.T, cardinality, strict=True))
    )


def _cut(count: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int32]:
    if len(count) <= most:
        return np.arange(len(count), dtype=np.int32)
    # A bin ends where the running count of rows, before the code itself, enters another of `most` equal shares.
    share = (np.cumsum(count) - 1).clip(0) * most // max(int(count.sum()), 1)
    ends = np.flatnonzero(np.diff(share) > 0)
    last: npt.NDArray[np.int32] = np.append(ends, len(count) - 1).astype(np.int32)
    return last
