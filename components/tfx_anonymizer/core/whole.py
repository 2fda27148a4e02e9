"""What a part of a table must know of the whole table, so that what is promised of the whole holds in each part.

How many people a class holds and how diverse they are is seen in the class alone. How close a class is to the table (t)
is not: a part of the table compares its classes with the distribution in the whole.

Example:
    >>> whole = Whole(6, {"ill": ValueCounts.of({"flu": 3, None: 1, "cold": 2})})
    >>> whole.sensitive["ill"].values, whole.sensitive["ill"].shares.round(2).tolist()
    (('cold', 'flu'), [0.33, 0.5, 0.17])
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc


@dataclasses.dataclass(frozen=True)
class ValueCounts:
    """A column's values in a whole table.

    Attributes:
        values: Its distinct values but missing, ascending.
        rows: The rows that have each, and last, if there are any, those that have none.
        ordered: Whether the order of the values means anything.
    """

    values: tuple[Any, ...]
    rows: tuple[int, ...]
    ordered: bool = False

    @classmethod
    def of(cls, counted: Mapping[Any, int], *, ordered: bool = False) -> ValueCounts:
        """Builds it from rows by value, missing as None."""
        values = tuple(sorted(value for value in counted if value is not None))
        missing = counted.get(None, 0)
        return cls(values, (*(counted[value] for value in values), *([missing] if missing else [])), ordered)

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Share of each value in the whole, missing last if there is any."""
        rows = np.array(self.rows, dtype=np.int64)
        return np.asarray(rows / max(int(rows.sum()), 1))

    def codes(self, array: pa.Array) -> npt.NDArray[np.int32]:
        """Numbers a part's values by their place in the whole.

        Args:
            array: As `read_column` returns it, shape (n,); every value occurs in the whole.

        Returns:
            int32, shape (n,).
        """
        found = pc.index_in(array, value_set=pa.array(self.values, type=array.type))
        return np.asarray(found.fill_null(len(self.values)), dtype=np.int32)


@dataclasses.dataclass(frozen=True)
class Whole:
    """A table of which a part is to be grouped.

    Attributes:
        rows: Its rows.
        sensitive: By sensitive column its values; empty if neither l nor t is promised.
    """

    rows: int
    sensitive: Mapping[str, ValueCounts] = dataclasses.field(default_factory=dict)
