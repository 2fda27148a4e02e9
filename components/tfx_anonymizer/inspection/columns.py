"""Facts about single columns: counts, shares and forms, and never a value."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.inspection import patterns

# So many distinct texts are enough to tell a form by.
_TEXTS = 1000
# Texts that differ in this share of rows, or more, number the rows.
_NUMBERS_ROWS = 0.95


@dataclasses.dataclass(frozen=True)
class ColumnFacts:
    """What a column looks like.

    Attributes:
        name: The column's name.
        kind: Its Arrow type.
        distinct: How many distinct values it has, missing not among them.
        missing: Share of rows without a value.
        unique: Share of rows that alone have their value.
        form: What most of its texts look like, if it points at single people.
    """

    name: str
    kind: str
    distinct: int
    missing: float
    unique: float
    form: str | None = None

    @property
    def is_constant(self) -> bool:
        """Whether it tells no two rows apart."""
        return self.distinct + (self.missing > 0) <= 1

    @property
    def numbers_rows(self) -> bool:
        """Whether it tells (nearly) every row apart, and is no measurement."""
        return self.unique >= _NUMBERS_ROWS * (1 - self.missing) > 0 and not self.is_measured

    @property
    def is_measured(self) -> bool:
        """Whether it holds numbers with a fraction."""
        return self.kind in ("float", "double", "halffloat") or self.kind.startswith("decimal")


def codes_of(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Numbers a column's distinct values from 0, missing one of them; shape (n,)."""
    array = column.combine_chunks()
    array = pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array
    if pa.types.is_null(array.type):
        return np.zeros(len(array), dtype=np.int64)
    if pa.types.is_nested(array.type) or pa.types.is_duration(array.type):
        array = pa.array([None if value is None else repr(value) for value in array.to_pylist()], pa.string())
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    indices = encoded.indices.fill_null(len(encoded.dictionary))
    return np.asarray(indices, dtype=np.int64)


def describe(name: str, column: pa.ChunkedArray, codes: npt.NDArray[np.int64]) -> ColumnFacts:
    """Describes one column.

    Args:
        name: Its name.
        column: Its values, shape (n,), n at least 1.
        codes: As `codes_of` gives them.
    """
    missing = np.asarray(pc.is_null(column).combine_chunks(), dtype=bool)
    present = codes[~missing]
    counts = np.bincount(present) if len(present) else np.zeros(0, dtype=np.int64)
    return ColumnFacts(
        name=name,
        kind=str(column.type),
        distinct=int((counts > 0).sum()),
        missing=float(missing.mean()),
        unique=float((counts == 1).sum() / len(codes)),
        form=_form(column),
    )


def _form(column: pa.ChunkedArray) -> str | None:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    distinct = pc.unique(column.slice(0, 20 * _TEXTS)).drop_null().slice(0, _TEXTS)
    return patterns.form_of(distinct.to_pylist())
