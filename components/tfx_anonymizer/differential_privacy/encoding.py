"""Records as vectors of 0 and 1 whose length is known before the data: sqrt(1 + attributes), or less.

A record has a leading one, and a one for each attribute, at the place of its code (nowhere, if it has none). Sums of
such vectors are whole numbers, and one record more or less moves a sum by at most that length in L2, whoever it is:
nothing is clipped or scaled by what the data hold.

Example:
    >>> from tfx_anonymizer.differential_privacy.attributes import Categorical
    >>> encoding = Encoding((Categorical("a", ("x", "y")), Categorical("b", (1, 2, 3))))
    >>> encoding.places(pa.table({"a": ["y", "z"], "b": [1, 3]})).tolist()
    [[0, 2, 3], [0, 6, 5]]
    >>> encoding.width, encoding.squared_norm
    (6, 3)
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.differential_privacy.attributes import NOTHING, Attribute, Codes
from tfx_anonymizer.errors import ColumnError

Sums: TypeAlias = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Encoding:
    """Where each code of each attribute stands in a vector.

    Attributes:
        attributes: In the order of their blocks.
    """

    attributes: tuple[Attribute, ...]

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each attribute's block begins."""
        return tuple(itertools.accumulate((attribute.size for attribute in self.attributes[:-1]), initial=1))

    @property
    def blocks(self) -> tuple[slice, ...]:
        """Each attribute's block."""
        starts = self.starts
        return tuple(slice(start, start + a.size) for start, a in zip(starts, self.attributes, strict=True))

    @property
    def width(self) -> int:
        """Length of a vector; the place `width` itself stands for nowhere."""
        return 1 + sum(attribute.size for attribute in self.attributes)

    @property
    def squared_norm(self) -> int:
        """The greatest squared L2 norm of a record's vector."""
        return 1 + len(self.attributes)

    def places(self, table: pa.Table) -> Codes:
        """Returns where each record's ones stand.

        Args:
            table: n rows; the attributes' columns are single-valued, one that is not there is missing in all rows.

        Returns:
            Shape (n, 1 + attributes), from 0 to `width`.

        Raises:
            ColumnError: If a column is of a type that its domain is not.
        """
        found = np.zeros((table.num_rows, 1 + len(self.attributes)), dtype=np.int32)
        for j, (attribute, start) in enumerate(zip(self.attributes, self.starts, strict=True), start=1):
            codes = codes_of(table, attribute)
            found[:, j] = np.where(codes == NOTHING, self.width, codes + start)
        return found


def codes_of(table: pa.Table, attribute: Attribute) -> Codes:
    """Returns a column's codes, shape (n,).

    Raises:
        ColumnError: If the column is of a type that its domain is not.
    """
    index = table.schema.get_field_index(attribute.name)
    if index < 0:
        return attribute.encode(pa.nulls(table.num_rows, pa.int64()))
    column = table.column(index)
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.nulls(0, array.type)
    try:
        return attribute.encode(array)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise ColumnError(
            f"column {attribute.name!r} does not hold what the schema says",
            got=str(array.type),
            hint="the schema's type and domain must fit the examples",
        ) from None


def sums_by_group(places: Codes, groups: npt.NDArray[np.int64], count: int, width: int) -> Sums:
    """Adds up vectors by group.

    Args:
        places: Of n records, as `Encoding.places` gives them.
        groups: Each record's group, shape (n,); a negative one is in none.
        count: Number of groups.
        width: Length of a vector.

    Returns:
        Shape (count, width).
    """
    inside = groups >= 0
    flat = groups[inside, None] * (width + 1) + places[inside]
    total = np.bincount(flat.reshape(-1), minlength=count * (width + 1))
    return total.reshape(count, width + 1)[:, :width].astype(np.int64)
