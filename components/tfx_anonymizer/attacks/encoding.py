"""Tables as numbers: several tables encoded together, so that equal values have equal codes in all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.errors import unknown_column

Floats = npt.NDArray[np.float64]

# Of a category with more values the rarest are not told apart in distances.
_MOST_COORDINATES = 100


@dataclasses.dataclass(frozen=True)
class EncodedTables:
    """Columns of several tables as numbers.

    Attributes:
        names: The columns.
        categorical: Which of them hold codes, 0 and up, bool, shape (d,).
        tables: One matrix a table, float64, shape (rows, d); a missing number is NaN, a missing category a code.
    """

    names: tuple[str, ...]
    categorical: npt.NDArray[np.bool_]
    tables: tuple[Floats, ...]

    def select(self, names: Collection[str]) -> EncodedTables:
        """Returns some of the columns, in the order they have here."""
        kept = np.array([name in names for name in self.names], dtype=bool)
        chosen = tuple(name for name in self.names if name in names)
        return EncodedTables(chosen, self.categorical[kept], tuple(table[:, kept] for table in self.tables))

    def points(self) -> tuple[npt.NDArray[np.float32], ...]:
        """Returns each table as points: two values of a category lie 1 apart, as do a number's least and greatest.

        A missing number lies in the middle and half a unit aside.
        """
        parts: list[list[npt.NDArray[np.float32]]] = [[] for _ in self.tables]
        for column, is_category in enumerate(self.categorical):
            values = [table[:, column] for table in self.tables]
            for part, found in zip(parts, _corners(values) if is_category else _scaled(values), strict=True):
                part.append(found)
        return tuple(
            np.concatenate(part, axis=1) if part else np.zeros((len(table), 0), dtype=np.float32)
            for part, table in zip(parts, self.tables, strict=True)
        )


def encode(tables: Sequence[pa.Table], names: Sequence[str], categorical: Collection[str] = ()) -> EncodedTables:
    """Encodes columns of several tables together.

    Args:
        tables: Single-valued columns, missing as null.
        names: The columns; every table must have them.
        categorical: Columns whose numbers are only codes.

    Raises:
        ColumnError: If a table lacks a column.

    Example:
        >>> first, second = pa.table({"a": [1, None], "b": ["x", "y"]}), pa.table({"a": [3], "b": ["y"]})
        >>> found = encode([first, second], ["a", "b"])
        >>> found.categorical.tolist(), found.tables[0].tolist(), found.tables[1].tolist()
        ([False, True], [[1.0, 0.0], [nan, 1.0]], [[3.0, 1.0]])
    """
    rows = [table.num_rows for table in tables]
    columns, kinds = [], []
    for name in names:
        for table in tables:
            if name not in table.column_names:
                raise unknown_column(name, "columns", table.column_names)
        values, is_category = _column([_one(table.column(name)) for table in tables], name in categorical)
        columns.append(values)
        kinds.append(is_category)
    matrix = np.stack(columns, axis=1) if columns else np.zeros((sum(rows), 0))
    parts = tuple(np.split(matrix, np.cumsum(rows)[:-1]))
    return EncodedTables(tuple(names), np.array(kinds, dtype=bool), parts)


def row_codes(tables: Sequence[Floats]) -> tuple[npt.NDArray[np.int64], ...]:
    """Numbers distinct rows: equal rows have equal numbers, whichever table they are in; int64, shape (rows,) each.

    Example:
        >>> [codes.tolist() for codes in row_codes([np.array([[1.0, np.nan], [2.0, 0.0]]), np.array([[1.0, np.nan]])])]
        [[0, 1], [0]]
    """
    whole = np.concatenate(tables) + 0.0
    # Missing equals missing here.
    _, codes = np.unique(np.where(np.isnan(whole), np.inf, whole), axis=0, return_inverse=True)
    return tuple(np.split(codes.reshape(-1).astype(np.int64), np.cumsum([len(table) for table in tables])[:-1]))


def _column(parts: Sequence[pa.Array], codes: bool) -> tuple[Floats, bool]:
    kinds = [part.type for part in parts if not pa.types.is_null(part.type)]
    if kinds and not codes and all(map(_is_number, kinds)):
        return np.concatenate([_floats(part) for part in parts]), False
    texts = [np.array([str(value) for value in part.to_pylist()], dtype=object) for part in parts]
    _, found = np.unique(np.concatenate(texts), return_inverse=True)
    return found.astype(np.float64), True


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_temporal(kind))


def _floats(array: pa.Array) -> Floats:
    if pa.types.is_temporal(array.type):
        array = array.cast(pa.int64() if array.type.bit_width == 64 else pa.int32())
    return np.asarray(array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def _one(column: pa.ChunkedArray) -> pa.Array:
    array = pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _corners(values: Sequence[Floats]) -> list[npt.NDArray[np.float32]]:
    found, count = np.unique(np.concatenate(values), return_counts=True)
    common = np.sort(found[np.argsort(-count, kind="stable")[:_MOST_COORDINATES]])
    return [(part[:, None] == common).astype(np.float32) * np.float32(np.sqrt(0.5)) for part in values]


def _scaled(values: Sequence[Floats]) -> list[npt.NDArray[np.float32]]:
    whole = np.concatenate(values)
    known = whole[~np.isnan(whole)]
    low, width = (float(known.min()), float(known.max() - known.min()) or 1.0) if len(known) else (0.0, 1.0)
    scaled = []
    for part in values:
        missing = np.isnan(part)
        place = np.where(missing, 0.5, (np.nan_to_num(part) - low) / width)
        scaled.append(np.stack([place, 0.5 * missing], axis=1).astype(np.float32))
    return scaled
