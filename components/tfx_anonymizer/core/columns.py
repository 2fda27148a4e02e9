"""Columns in and out: pandas or Arrow tables seen as single-valued Arrow arrays, and back without changing a type.

Missing has one form inside: null. A NaN in a column of floats is missing too. What a column may hold: integers, floats,
decimals, Booleans, dates and times, text, bytes, or a dictionary of those. Anything else is refused by name.

Example:
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [31.0, float("nan")], "city": ["Ulm", "Köln"]})
    >>> read_column(table, "age", "quasi_identifiers").null_count
    1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.errors import ColumnError, InputDataError, unknown_column

Table: TypeAlias = pd.DataFrame | pa.Table
TableT = TypeVar("TableT", pd.DataFrame, pa.Table)
Labels: TypeAlias = npt.NDArray[np.integer[Any]]
Kind: TypeAlias = Literal["numeric", "categorical"]


def column_names(table: Table) -> list[str]:
    """Returns the table's column names.

    Raises:
        InputDataError: If `table` is neither a pandas DataFrame nor an Arrow Table.
        ColumnError: If a name is not text or stands twice.
    """
    if isinstance(table, pd.DataFrame):
        names = list(table.columns)
    elif isinstance(table, pa.Table):
        names = table.column_names
    else:
        raise InputDataError(
            "the table is of a type that is not supported",
            got=type(table).__name__,
            allowed="a pandas DataFrame or a pyarrow Table",
        )
    seen = set()
    for name in names:
        if not isinstance(name, str):
            raise ColumnError(
                "a column's name is not text", got=type(name).__name__, hint="table.columns = table.columns.map(str)"
            )
        if name in seen:
            raise ColumnError(f"column {name!r} stands twice in the table", hint="rename one of them")
        seen.add(name)
    return names


def read_column(table: Table, name: str, role: str) -> pa.Array:
    """Reads one column as a single Arrow array, shape (n,), missing as null.

    Args:
        table: A pandas DataFrame or an Arrow Table.
        name: The column's name.
        role: The parameter that asks for it, for the error's text.

    Returns:
        An array of a primitive, text or binary type: dictionaries are decoded, NaN has become null.

    Raises:
        ColumnError: If the column is absent, multi-valued or of mixed types.
    """
    if name not in column_names(table):
        raise unknown_column(name, role, column_names(table))
    column = table[name]
    array = _series_to_arrow(column, name) if isinstance(column, pd.Series) else column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        # An empty or many-chunked column may stay chunked, depending on Arrow's version.
        array = array.chunk(0) if array.num_chunks == 1 else pa.concat_arrays(array.chunks or [pa.nulls(0, array.type)])
    return _plain(array, name)


def people_of(table: Table, entity_id: str) -> npt.NDArray[np.int32]:
    """Numbers the people of a table.

    Args:
        table: A pandas DataFrame or an Arrow Table of n rows.
        entity_id: The column that says whose row it is.

    Returns:
        Whose each row is, codes from 0 in the order in which people appear, int32, shape (n,).

    Raises:
        ColumnError: If the column is absent, or missing in some row.

    Example:
        >>> people_of(pa.table({"who": ["ann", "bob", "ann"]}), "who").tolist()
        [0, 1, 0]
    """
    array = read_column(table, entity_id, "entity_id")
    if array.null_count:
        raise ColumnError(
            f"entity_id column {entity_id!r} is missing in some rows, so it cannot be said whose they are",
            got=f"{array.null_count} rows without one",
            hint="drop those rows, or give each an id of its own if they are different people",
        )
    return np.asarray(array.dictionary_encode().indices, dtype=np.int32)


def require_values(array: pa.Array, name: str) -> None:
    """Refuses a column in which every row is missing.

    Raises:
        ColumnError: If `array` has rows and all of them are null.
    """
    if len(array) and array.null_count == len(array):
        raise ColumnError(
            f"column {name!r} is missing in every row, so it can neither identify nor be generalized",
            hint="take it out of the quasi-identifiers, or list it as a direct identifier to drop it",
        )


def kind_of(array: pa.Array, *, codes: bool) -> Kind:
    """Tells whether an array's values have an order of their own.

    Args:
        array: As `read_column` returns it.
        codes: Whether its numbers are only codes (a district's number).
    """
    ordered = (
        pa.types.is_integer(array.type)
        or pa.types.is_floating(array.type)
        or pa.types.is_decimal(array.type)
        or pa.types.is_temporal(array.type)
    )
    return "numeric" if ordered and not codes else "categorical"


def replace_columns(table: TableT, representatives: Mapping[str, pa.Array], labels: Labels) -> TableT:
    """Returns a copy of the table in which every row has its class's values in some columns.

    Args:
        table: A pandas DataFrame or an Arrow Table of n rows; not changed.
        representatives: By column name the classes' values, each of shape (classes,).
        labels: The class of each row, integers, shape (n,).

    Returns:
        A table of the same type, with the same columns in the same order and of the same types, and the same index if
        it has one. An integer pandas column whose class value is missing becomes float, as it would anywhere in pandas.
    """
    if isinstance(table, pd.DataFrame):
        frame: Any = table
        columns = {}
        for name in column_names(table):
            if name in representatives:
                values = _values_like(representatives[name], frame[name].dtype)
                columns[name] = pd.Series(values).array.take(labels)
            else:
                columns[name] = frame[name].array.copy()
        # Every array is a copy already and stays a block of its own, so pandas need not copy a second time.
        released = frame._constructor(columns, index=frame.index, copy=False)
        released.columns = frame.columns
        return cast(pd.DataFrame, released.__finalize__(frame))
    index = pa.array(labels)
    for name, values in representatives.items():
        position = table.column_names.index(name)
        field = table.schema.field(position)
        table = table.set_column(position, field, _arrow_like(values, field.type).take(index))
    return table


def cast_to(array: pa.Array, wanted: pa.DataType, name: str) -> pa.Array:
    """Casts a column to the type that was seen when the generalization was fitted.

    Numbers stay as they are, whole or not: they compare among themselves.

    Raises:
        ColumnError: If its values are of another kind.
    """
    if pa.types.is_null(array.type):
        # Rows in which the column is missing throughout: pandas does not say of what type it would be.
        return array.cast(wanted)
    kind = _family(wanted)
    if kind != _family(array.type):
        raise ColumnError(
            f"column {name!r} is of another type than the one the generalization was fitted on",
            got=array.type,
            allowed=wanted,
        )
    return array if kind == "number" else array.cast(wanted)


def _family(wanted: pa.DataType) -> str:
    types = pa.types
    if types.is_integer(wanted) or types.is_floating(wanted) or types.is_decimal(wanted):
        return "number"
    if types.is_string(wanted) or types.is_large_string(wanted):
        return "text"
    if types.is_binary(wanted) or types.is_large_binary(wanted) or types.is_fixed_size_binary(wanted):
        return "bytes"
    # Dates, timestamps, times and durations of any unit.
    return str(wanted).split("[", maxsplit=1)[0].rstrip("0123456789")


def _series_to_arrow(series: pd.Series, name: str) -> pa.Array:
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, OverflowError, ValueError):
        # The cause is dropped on purpose: Arrow quotes the offending value.
        raise ColumnError(
            f"column {name!r} holds values that are not all of one simple type",
            got=f"pandas dtype {series.dtype}",
            allowed="numbers, Booleans, dates, text or bytes; one of them per column",
            hint=f"table[{name!r}] = table[{name!r}].astype(str) makes it text",
        ) from None
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _plain(array: pa.Array, name: str) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_float16(array.type):
        array = array.cast(pa.float32())
    if pa.types.is_nested(array.type):
        raise ColumnError(
            f"column {name!r} is multi-valued",
            got=array.type,
            allowed="one value a row, or none",
            hint="aggregate it into a single value first, or leave it out of the quasi-identifiers",
        )
    if pa.types.is_floating(array.type):
        # Adding nothing turns -0.0 into 0.0: equal numbers, which Arrow's dictionaries would tell apart.
        array = pc.add(pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array), pa.scalar(0.0, array.type))
    return array


def _arrow_like(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(wanted):
        return array.cast(wanted.value_type).dictionary_encode().cast(wanted)
    return array.cast(wanted)


def _values_like(values: pa.Array, wanted: Any) -> Any:
    """Converts class values to a pandas dtype; one that cannot hold missing gives way where it must."""
    if values.null_count and isinstance(wanted, np.dtype) and wanted.kind in "iub":
        return values.to_pandas().to_numpy()
    if isinstance(wanted, np.dtype) and wanted.kind in "iufb":
        return values.to_pandas().to_numpy().astype(wanted)
    return pd.Series(values.to_pylist(), dtype=wanted).array
