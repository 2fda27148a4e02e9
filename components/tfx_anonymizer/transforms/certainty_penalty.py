"""How much less is known of a row once it is released as its class: the normalized certainty penalty.

Xu, Wang, Pei, Wang, Shi and Fu 2006, *Utility-based anonymization using local recoding*, section 3; for categories
without a hierarchy as Ghinita et al. 2007. There a release says intervals and sets; here it says one value a class, and
the interval or set is the one that this value stands for, that of the class's raw values:

* numbers: (greatest - least raw value of the row's class) / (greatest - least of the column);
* categories: 0 if the class has one value only, else its number of distinct values / that of the column.

Each is averaged over the rows, so 0 is a column released as it was and 1 one of which nothing is told. The papers know
no missing values. Here a class of numbers that some of its rows lack has a penalty of 1, and among categories missing
is one more. A class is what shares a released combination; where rows were cut into shards, within a shard.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Penalty:
    """The penalty of a column over some rows; `+` puts rows of other classes together.

    It holds the column's extremes, so it stays inside a pipeline: what is reported is `share`.

    Attributes:
        rows: Number of rows.
        missing: Of these without a value.
        width: Sum over rows of the width of their class, numbers; or of its distinct values, categories.
        mixed: Rows of classes that hold both missing values and numbers; not in `width`.
        low: Least number; None for categories and where there is none.
        high: Greatest.
    """

    rows: int
    missing: int
    width: float
    mixed: int = 0
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, before: pa.Array, classes: Ints, *, ordered: bool) -> Penalty:
        """Measures a column.

        Args:
            before: Its raw values, missing as null, shape (n,).
            classes: The class of each row, 0 and on without gaps, shape (n,).
            ordered: Whether its values are numbers, dates or times whose order means something.

        Example:
            >>> ages = pa.array([20, 30, 60, 60])
            >>> Penalty.of(ages, np.array([0, 0, 1, 1]), ordered=True).share(3)
            0.125
            >>> Penalty.of(ages, np.array([0, 0, 1, 1]), ordered=False).share(3)
            0.333...
        """
        if not len(before):
            return cls(0, 0, 0.0)
        return _of_numbers(before, classes) if ordered else _of_categories(before, classes)

    def __add__(self, other: Penalty) -> Penalty:
        """Adds the penalty of rows of other classes."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return Penalty(
            self.rows + other.rows,
            self.missing + other.missing,
            self.width + other.width,
            self.mixed + other.mixed,
            min(lows, default=None),
            max(highs, default=None),
        )

    def as_one_class(self, distinct: int) -> Penalty:
        """Returns what it would be if all these rows were one class.

        Args:
            distinct: The column's distinct values, missing among them.
        """
        if self.low is None or self.high is None:
            width = self.rows * distinct if distinct > 1 else 0
            return dataclasses.replace(self, width=float(width), mixed=0)
        if 0 < self.missing < self.rows:
            return dataclasses.replace(self, width=0.0, mixed=self.rows)
        return dataclasses.replace(self, width=self.rows * (self.high - self.low), mixed=0)

    def share(self, distinct: int) -> float:
        """Returns the normalized certainty penalty, 0 to 1.

        Args:
            distinct: The column's distinct values, missing among them.
        """
        if not self.rows:
            return 0.0
        if self.low is None or self.high is None:
            return min(self.width / (self.rows * max(distinct, 1)), 1.0)
        span = self.high - self.low
        return min(((self.width / span if span else 0.0) + self.mixed) / self.rows, 1.0)


def _of_numbers(before: pa.Array, classes: Ints) -> Penalty:
    present = np.asarray(before.is_valid())
    rows, missing = len(before), int((~present).sum())
    if missing == rows:
        return Penalty(rows, missing, 0.0)
    values = _as_floats(before.drop_null())
    groups = int(classes.max()) + 1
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, classes[present], values)
    np.maximum.at(high, classes[present], values)
    size = np.bincount(classes, minlength=groups)
    known = np.bincount(classes[present], minlength=groups)
    mixed = (known > 0) & (known < size)
    whole = (known > 0) & ~mixed
    width = float((size[whole] * (high[whole] - low[whole])).sum())
    return Penalty(rows, missing, width, int(size[mixed].sum()), float(values.min()), float(values.max()))


def _of_categories(before: pa.Array, classes: Ints) -> Penalty:
    encoded = before.dictionary_encode(null_encoding="encode")
    codes = np.asarray(encoded.indices, dtype=np.int64)
    pairs = np.unique(classes * (int(codes.max()) + 1) + codes)
    distinct = np.bincount(pairs // (int(codes.max()) + 1))
    size = np.bincount(classes)
    # Of a class with one value everything is known.
    width = float((size * distinct)[distinct > 1].sum())
    return Penalty(len(before), before.null_count, width)


def _as_floats(array: pa.Array) -> Floats:
    if pa.types.is_temporal(array.type):
        array = pc.cast(array, pa.int32() if array.type.bit_width == 32 else pa.int64())
    return np.asarray(pc.cast(array, pa.float64(), safe=False))
