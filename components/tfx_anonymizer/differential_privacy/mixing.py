"""Sums of the records of a cell that are in a Poisson sample, for each cell and each sample; and counts of cells.

All are sums over people, so parts of a table can be summed apart and added. One person more or less, of at most m rows,
moves all sums of one sample, taken together, by at most m times a record's length, whatever cells the rows are in: so a
sample is one Gaussian mechanism over all cells, and cells cost nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.attributes import Codes
from tfx_anonymizer.differential_privacy.encoding import Sums

Cells = npt.NDArray[np.int64]
_MOST_COINS = 1 << 23


def cell_counts(cells: Cells, count: int) -> Sums:
    """Counts the rows of each cell.

    Args:
        cells: Each row's cell, shape (n,); a negative one is in none.
        count: Number of cells.

    Returns:
        Shape (count,).
    """
    return np.bincount(cells[cells >= 0], minlength=count).astype(np.int64)


def mixture_sums(places: Codes, cells: Cells, drawn: npt.NDArray[np.bool_], count: int, width: int) -> Sums:
    """Adds up vectors by cell and sample.

    Args:
        places: Of n rows, as `Encoding.places` gives them.
        cells: Each row's cell, shape (n,); a negative one is in none.
        drawn: Which row is in which sample, shape (n, samples). Rows of one person share their coins.
        count: Number of cells.
        width: Length of a vector.

    Returns:
        Shape (count, samples, width).

    Example:
        >>> places = np.array([[0, 1], [0, 2]], dtype=np.int32)
        >>> mixture_sums(places, np.array([0, 0]), np.array([[True, True], [True, False]]), 1, 3).tolist()
        [[[2, 1, 1], [1, 1, 0]]]
    """
    samples = drawn.shape[1]
    total = np.zeros(count * samples * (width + 1), dtype=np.int64)
    step = max(1, _MOST_COINS // (samples * places.shape[1]))
    for start in range(0, len(places), step):
        rows, which = np.nonzero(drawn[start : start + step] & (cells[start : start + step, None] >= 0))
        group = cells[start + rows] * samples + which
        flat = group[:, None] * (width + 1) + places[start + rows]
        np.add.at(total, flat.reshape(-1), 1) if flat.size < len(total) // 8 else _add(total, flat)
    return total.reshape(count, samples, width + 1)[:, :, :width]


def _add(total: Sums, flat: npt.NDArray[np.int64]) -> None:
    total += np.bincount(flat.reshape(-1), minlength=len(total))
