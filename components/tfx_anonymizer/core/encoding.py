"""Attributes as ordered integer codes: no one-hot, missing a value of its own.

A numeric attribute's codes follow its values' own order, missing first. A categorical attribute's codes follow the
guide's mean response to each category, so that a cut between two codes separates people whom the model treats
differently (Breiman et al. 1984, Classification and Regression Trees, section 4.2.2: for one response an optimal
two-way grouping of categories is a cut in this order). The table of values in code order is the attribute's domain.

Worked example: categories b, a, missing with mean responses 0.1, 0.7 and 0.4 get the codes b=0, missing=1, a=2.

    >>> import numpy as np, pyarrow as pa
    >>> column = pa.array(["b", "a", None, "a"])
    >>> target = np.array([[1], [7], [4], [7]], dtype=np.int32)
    >>> attribute, codes = fit_attribute("x", column, "categorical", target)
    >>> attribute.domain.to_pylist(), codes.tolist()
    (['b', None, 'a'], [0, 2, 1, 2])
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.core.columns import Kind, cast_to
from tfx_anonymizer.core.means import group_means

Codes = npt.NDArray[np.int32]
Target = npt.NDArray[np.int32]

_HEAD = 4096


@dataclasses.dataclass(frozen=True)
class Attribute:
    """A quasi-identifier's domain in code order.

    Attributes:
        name: The column's name.
        kind: `numeric` if its values are ordered by themselves, else `categorical`.
        domain: The value of each code, shape (m,); exactly one of them is null, for missing.
        unknown_code: The code of a category never seen in fitting: the middle of the guide's order.
    """

    name: str
    kind: Kind
    domain: pa.Array
    unknown_code: int

    @property
    def missing_code(self) -> int:
        """The code that stands for missing."""
        return int(np.flatnonzero(_null_mask(self.domain))[0])

    def encode(self, array: pa.Array) -> Codes:
        """Gives each value its code; a number between two known ones gets the code of the next larger.

        Args:
            array: A column as `read_column` returns it, shape (n,).

        Returns:
            Codes from 0 to m for a numeric attribute (m: larger than all known), else below m; int32, shape (n,).

        Raises:
            ColumnError: If the values are of another type than the domain's.
        """
        array = cast_to(array, self.domain.type, self.name)
        if self.kind == "categorical":
            domain = self.domain
            if array.type != domain.type:
                # Numbers that are only codes: whole in fitting, and floats where pandas had to fit a missing one in.
                array, domain = array.cast(pa.float64()), domain.cast(pa.float64())
            found = pc.index_in(array, value_set=domain, skip_nulls=False)
            return np.asarray(found.fill_null(self.unknown_code), dtype=np.int32)
        known = _sortable(self.domain.slice(1))
        if _mostly_distinct(array):
            codes = np.zeros(len(array), dtype=np.int32)
            codes[np.asarray(array.is_valid())] = np.searchsorted(known, _sortable(array.drop_null())) + 1
            return codes
        encoded = array.dictionary_encode()
        positions = np.searchsorted(known, _sortable(encoded.dictionary)) + 1
        return _through_dictionary(encoded, positions, missing=0)

    def numbers(self) -> npt.NDArray[np.float64]:
        """Returns a numeric attribute's domain as numbers, NaN for missing; times in their own unit, shape (m,)."""
        return np.append(np.nan, _sortable(self.domain.slice(1)).astype(np.float64))

    def values(self, codes: Codes) -> pa.Array:
        """Returns the values that codes stand for, shape (n,)."""
        return self.domain.take(pa.array(codes))


def fit_attribute(name: str, array: pa.Array, kind: Kind, target: Target) -> tuple[Attribute, Codes]:
    """Learns an attribute's domain and encodes the column by it.

    Args:
        name: The column's name.
        array: Its values, shape (n,), missing as null.
        kind: Whether its values have an order of their own.
        target: The guide in fixed point, int32, shape (n, d); see `core.steering`.

    Returns:
        The attribute, and the code of each row, int32, shape (n,). Neither depends on the order of rows.
    """
    values, by_value = (_rank_by_sorting if kind == "numeric" and _mostly_distinct(array) else _rank)(array)
    domain = pa.concat_arrays([pa.nulls(1, values.type), values])
    if kind == "numeric":
        return Attribute(name, kind, domain, unknown_code=0), by_value
    response, count = _mean_response(by_value, len(domain), target)
    by_response = np.lexsort((np.arange(len(domain)), response))
    position = np.empty(len(domain), dtype=np.int32)
    position[by_response] = np.arange(len(domain), dtype=np.int32)
    middle = int(np.searchsorted(np.cumsum(count[by_response]), count.sum() / 2))
    attribute = Attribute(name, kind, domain.take(pa.array(by_response)), unknown_code=min(middle, len(domain) - 1))
    return attribute, position[by_value]


def _rank(array: pa.Array) -> tuple[pa.Array, Codes]:
    """Returns the distinct values, ascending, and each row's place among them from 1 on; 0 is missing."""
    encoded = array.dictionary_encode()
    order = np.asarray(pc.sort_indices(encoded.dictionary), dtype=np.int64)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return encoded.dictionary.take(pa.array(order)), _through_dictionary(encoded, rank + 1, missing=0)


def _rank_by_sorting(array: pa.Array) -> tuple[pa.Array, Codes]:
    """As `_rank`, for numbers of which nearly every row has one of its own; a dictionary of them costs three times."""
    present = array.drop_null()
    numbers = _sortable(present)
    order = np.argsort(numbers)
    ascending = numbers[order]
    first = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
    ranks = np.empty(len(numbers), dtype=np.int32)
    ranks[order] = np.repeat(np.arange(1, len(first) + 1, dtype=np.int32), np.diff(np.append(first, len(numbers))))
    codes = np.zeros(len(array), dtype=np.int32)
    codes[np.asarray(array.is_valid())] = ranks
    return present.take(pa.array(order[first])), codes


def _mostly_distinct(array: pa.Array) -> bool:
    """Guesses from the first rows whether most values stand once; it decides how codes are found, never which."""
    head = array.slice(0, _HEAD)
    return not pa.types.is_decimal(array.type) and len(pc.unique(head)) > _HEAD // 2


def _mean_response(codes: Codes, size: int, target: Target) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Returns each code's position on the line along which the guide's mean responses vary most, and its count.

    Sums of integers are exact in float64 here, so the result does not depend on the order of rows.
    """
    count = np.bincount(codes, minlength=size)
    # A code without rows (missing, where nothing is missing) takes the middle.
    means = group_means(target, codes, size) - target.sum(axis=0) / max(len(target), 1)
    return means @ _principal_direction(means, count), count


def _principal_direction(means: npt.NDArray[np.float64], weights: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    if means.shape[1] == 1:
        return np.ones(1)
    _, vectors = np.linalg.eigh((means * weights[:, None]).T @ means)
    direction = vectors[:, -1]
    return np.asarray(direction * np.sign(direction[np.argmax(np.abs(direction))] or 1.0))


def _through_dictionary(encoded: pa.DictionaryArray, codes: npt.NDArray[Any], missing: int) -> Codes:
    table = np.append(codes, missing).astype(np.int32)
    return table[np.asarray(encoded.indices.fill_null(len(codes)), dtype=np.int64)]


def _sortable(array: pa.Array) -> npt.NDArray[Any]:
    """Turns non-null values into a NumPy array whose order is the values' own."""
    if pa.types.is_temporal(array.type):
        return np.asarray(array.cast(pa.int64() if array.type.bit_width == 64 else pa.int32()))
    if pa.types.is_decimal(array.type):
        return np.array(array.to_pylist(), dtype=object)
    return np.asarray(array.to_numpy(zero_copy_only=False))


def _null_mask(array: pa.Array) -> npt.NDArray[np.bool_]:
    return np.asarray(array.is_null())
