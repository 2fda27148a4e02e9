"""An order of rows that is a function of their content, for whatever depends on order; and knowing rows again by it."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from tfx_anonymizer.core.columns import Table
from tfx_anonymizer.core.encoding import Codes, Target
from tfx_anonymizer.hashing import row_hashes

Hashes = npt.NDArray[np.uint64]


@dataclasses.dataclass(frozen=True)
class KnownRows:
    """The rows of a fitted table and their classes, so that the same table is given the same classes again.

    Attributes:
        hashes: A hash of each row, ascending, uint64, shape (n,).
        labels: The class of each, in the same order, int32, shape (n,).
    """

    hashes: Hashes
    labels: npt.NDArray[np.int32]

    @classmethod
    def remember(cls, hashes: Hashes, labels: npt.NDArray[np.int32]) -> KnownRows:
        """Keeps hashes and labels, given in the order of the rows."""
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], labels[order])

    def find(self, table: Table) -> npt.NDArray[np.int32] | None:
        """Returns the class of each row if the table is the fitted one, its rows in any order; else None."""
        if len(table) != len(self.hashes):
            return None
        hashes = content_hashes(table)
        order = np.argsort(hashes, kind="stable")
        if not np.array_equal(hashes[order], self.hashes):
            return None
        labels = np.empty_like(self.labels)
        labels[order] = self.labels
        return labels


def content_order(hashes: Hashes, target: Target, codes: Codes) -> npt.NDArray[np.int64]:
    """Sorts rows by the guide, then by codes, then by a hash of all columns.

    Args:
        hashes: A hash of each row, uint64, shape (n,).
        target: The guide in fixed point, int32, shape (n, d).
        codes: int32, shape (n, attributes).

    Returns:
        Row numbers, shape (n,). Rows that are the same in every column stay in the order they came in.
    """
    order: npt.NDArray[np.int64] = np.lexsort((hashes, *codes.T[::-1], *target.T[::-1]))
    return order


def content_hashes(table: Table) -> Hashes:
    """Returns a hash of each row over all columns, uint64, shape (n,)."""
    if isinstance(table, pd.DataFrame):
        table = pa.table({str(i): _to_arrow(table.iloc[:, i]) for i in range(table.shape[1])})
    return row_hashes(table)


def _to_arrow(column: pd.Series) -> pa.Array:
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, OverflowError, ValueError):
        # A column of mixed types that has no role; only its place in the order is asked for.
        return pa.array(list(map(repr, column)))
