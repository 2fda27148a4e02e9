"""One column of a table as a public list of codes: what may be in it is known before anybody is looked at.

A number's code is the range of its public bounds that it falls into; a category's code is its place in a public
vocabulary. What lies outside is clipped, or falls to the vocabulary's `other`, or has no code at all.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Codes: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

# A value without a code: it is counted nowhere.
NOTHING = -1
_EXACT = 32
_DECADES = 4


@dataclasses.dataclass(frozen=True)
class Numeric:
    """A number between public bounds, in ranges.

    Attributes:
        name: The column's name.
        edges: Ascending; range i holds what is at least `edges[i]` and below `edges[i + 1]`. Bounds are the first and,
            for integers, one less than the last.
        integer: Whether values are whole.
        optional: Whether a value may be missing, which is a code of its own, the last.

    Example:
        >>> age = Numeric.between("age", 0, 99, integer=True, bins=4)
        >>> age.encode(pa.array([3, 25, 150])).tolist()
        [0, 1, 3]
    """

    name: str
    edges: tuple[float, ...]
    integer: bool
    optional: bool = False

    @classmethod
    def between(
        cls, name: str, low: float, high: float, *, integer: bool, bins: int, optional: bool = False
    ) -> Numeric:
        """Cuts a range of numbers by its bounds alone.

        Args:
            name: The column's name.
            low: The least value.
            high: The greatest value, included.
            integer: Whether values are whole; so few that each can have a code get one each.
            bins: Into how many ranges: of equal width, or, for what begins at 0 and reaches 1000 or more (amounts of
                money, distances, durations), each wider than the one before by the same factor.
            optional: Whether a value may be missing.
        """
        if integer and high - low < max(bins, _EXACT):
            cuts: Floats = np.arange(low, high + 2, dtype=np.float64)
        elif low == 0 and high >= 1000:
            powers = np.linspace(math.log10(high) - _DECADES, math.log10(high), bins)
            cuts = np.concatenate([[0.0], 10**powers])
            cuts[-1] = high
        else:
            cuts = np.linspace(low, high, bins + 1)
        if integer:
            cuts = np.unique(np.ceil(cuts))
            cuts[-1] = high + 1
        return cls(name, tuple(map(float, cuts)), integer, optional)

    @property
    def low(self) -> float:
        """The least value."""
        return self.edges[0]

    @property
    def high(self) -> float:
        """The greatest value."""
        return self.edges[-1] - 1 if self.integer else self.edges[-1]

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.edges) - 1 + self.optional

    def encode(self, values: pa.Array) -> Codes:
        """Returns a code a value; what is beyond the bounds is clipped.

        Args:
            values: Numbers, missing as null or NaN, shape (n,).

        Returns:
            Shape (n,); `NOTHING` where a value is missing and may not be.
        """
        numbers = np.asarray(values.cast(pa.float64(), safe=False).fill_null(math.nan), dtype=np.float64)
        missing = np.isnan(numbers)
        last = len(self.edges) - 2
        codes = np.searchsorted(self.edges, np.where(missing, self.low, numbers), side="right") - 1
        absent = last + 1 if self.optional else NOTHING
        return np.where(missing, absent, np.clip(codes, 0, last)).astype(np.int32)

    def decode(self, codes: Codes, random: np.random.Generator) -> pa.Array:
        """Draws a value from each code's range, all of the range alike.

        Args:
            codes: Shape (n,).
            random: What draws.

        Returns:
            int64 or float32, missing as null, shape (n,).
        """
        missing = codes >= len(self.edges) - 1
        inside = np.where(missing, 0, codes)
        edges = np.asarray(self.edges)
        values = edges[inside] + random.random(len(codes)) * (edges[inside + 1] - edges[inside])
        if self.integer:
            return pa.array(np.floor(values).astype(np.int64), mask=missing)
        bounds = _inner_float32(self.low, self.high)
        return pa.array(np.clip(values.astype(np.float32), *bounds), mask=missing)


@dataclasses.dataclass(frozen=True)
class Categorical:
    """A value of a public vocabulary.

    Attributes:
        name: The column's name.
        values: The vocabulary, each once: all text, or all integers.
        optional: Whether a value may be missing, which is a code of its own, the last.

    Example:
        >>> race = Categorical("race", ("White", "Black", "Other"))
        >>> race.encode(pa.array(["Black", "Martian", None])).tolist()
        [1, 2, -1]
    """

    name: str
    values: tuple[str, ...] | tuple[int, ...]
    optional: bool = False

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.values) + self.optional

    @property
    def other(self) -> int:
        """The code of values outside the vocabulary: of `other`, in whatever case, if that is in it, or `NOTHING`."""
        for code, value in enumerate(self.values):
            if isinstance(value, str) and value.casefold() == "other":
                return code
        return NOTHING

    def encode(self, values: pa.Array) -> Codes:
        """Returns a code a value.

        Args:
            values: Text, bytes or integers, missing as null, shape (n,).

        Returns:
            Shape (n,); `NOTHING` for what has no code.
        """
        index = pc.index_in(_like(values, self._array().type), value_set=self._array())
        codes = np.asarray(index.fill_null(self.other), dtype=np.int32)
        absent = len(self.values) if self.optional else NOTHING
        return np.where(np.asarray(values.is_null()), np.int32(absent), codes)

    def decode(self, codes: Codes, random: np.random.Generator) -> pa.Array:
        """Returns each code's value, text as bytes, missing as null, shape (n,)."""
        missing = codes >= len(self.values)
        return self._array().take(pa.array(np.where(missing, 0, codes), mask=missing))

    def _array(self) -> pa.Array:
        if isinstance(self.values[0], int):
            return pa.array(self.values, pa.int64())
        return pa.array([str(value).encode() for value in self.values], pa.large_binary())


Attribute: TypeAlias = Numeric | Categorical


def _like(values: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Casts values to a vocabulary's type; numbers that stand as text keep their spelling."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_large_binary(wanted) and not (pa.types.is_binary(values.type) or values.type == wanted):
        values = values.cast(pa.large_string())
    return values.cast(wanted)


def _inner_float32(low: float, high: float) -> tuple[np.float32, np.float32]:
    """Returns the least and the greatest 32-bit float between two bounds."""
    least, most = np.float32(low), np.float32(high)
    if float(least) < low:
        least = np.nextafter(least, np.float32(np.inf))
    if float(most) > high:
        most = np.nextafter(most, np.float32(-np.inf))
    return least, most
