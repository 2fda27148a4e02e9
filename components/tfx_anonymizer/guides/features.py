"""Which columns a built-in estimator learns from, and how they reach it.

Numbers stay numbers (missing is NaN) and everything else becomes text, so that a batch in which a column happens to
hold no missing value looks the same as one in which it does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.errors import GuideError


@dataclasses.dataclass(frozen=True)
class Features:
    """The input columns of an estimator.

    Attributes:
        numeric: Columns used as numbers.
        categorical: Columns used as categories.
    """

    numeric: tuple[str, ...]
    categorical: tuple[str, ...]

    @classmethod
    def choose(cls, table: pa.Table, leave_out: Collection[str], categorical: Collection[str] = ()) -> Features:
        """Takes every usable column: all but `leave_out` and those that are missing in every row.

        Args:
            table: n rows of single-valued columns.
            leave_out: Columns that must not be learned from: the label, ids, direct identifiers.
            categorical: Columns whose numbers are only codes.

        Raises:
            GuideError: If nothing is left.
        """
        numeric: list[str] = []
        categories: list[str] = []
        for name in sorted(table.column_names):
            column = table.column(name)
            if name in leave_out or column.null_count == len(column):
                continue
            (numeric if _is_number(column.type) and name not in categorical else categories).append(name)
        if not numeric and not categories:
            raise GuideError("no column is left for the guide to learn from", hint="check label and identifiers")
        return cls(tuple(numeric), tuple(categories))

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, in the order of `frame`."""
        return self.numeric + self.categorical

    def frame(self, table: pa.Table) -> pd.DataFrame:
        """Returns the columns as floats and text, shape (n, features); missing is NaN, absent is missing in all rows.

        Raises:
            GuideError: If a column that was numbers in training is not, or holds infinite ones.
        """
        columns: dict[str, Any] = {}
        for name in self.names:
            column = table.column(name) if name in table.column_names else pa.chunked_array([pa.nulls(table.num_rows)])
            columns[name] = _floats(column, name) if name in self.numeric else _texts(column)
        return pd.DataFrame(columns)


def infer_task(label: pa.Array | pa.ChunkedArray) -> str:
    """Tells `classification` from `regression` by a label's type and number of values.

    Text, Booleans and numbers of at most two values are classes, as are integers of at most 32; the rest is regressed.
    """
    if not _is_number(label.type):
        return "classification"
    distinct = len(pc.unique(label.drop_null()))
    if distinct <= 2 or (pa.types.is_integer(label.type) and distinct <= 32):
        return "classification"
    return "regression"


def label_values(label: pa.Array | pa.ChunkedArray, task: str) -> npt.NDArray[Any]:
    """Returns a label without missing values as what scikit-learn takes: floats, or text for classes."""
    if task == "regression":
        return np.asarray(label.cast(pa.float64()).to_numpy(), dtype=np.float64)
    return _texts(label).astype(str)


def _is_number(wanted: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_integer(wanted) or types.is_floating(wanted) or types.is_decimal(wanted) or types.is_temporal(wanted)
    )


def _floats(column: pa.ChunkedArray, name: str) -> npt.NDArray[np.float64]:
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if not _is_number(column.type):
        raise GuideError(f"column {name!r} was a number when the guide was trained", got=column.type)
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.int64() if column.type.bit_width == 64 else pa.int32())
    values = np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
    endless = int(np.isinf(values).sum())
    if endless:
        raise GuideError(
            f"column {name!r} holds infinite numbers, and no built-in estimator learns from these",
            got=f"{endless} such values",
            hint="make them missing, or a number of their own, such as the greatest there can be",
        )
    return values


def _texts(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Text of each distinct value, written once; missing is NaN."""
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0)
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan, dtype=object)
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts: Sequence[Any] = [
        value.decode("utf-8", errors="surrogateescape") if isinstance(value, bytes) else str(value)
        for value in encoded.dictionary.to_pylist()
    ]
    lookup = np.array([*texts, np.nan], dtype=object)
    return lookup[np.asarray(encoded.indices.fill_null(len(texts)), dtype=np.int64)]
