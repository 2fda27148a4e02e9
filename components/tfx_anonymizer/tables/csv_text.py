"""CSV cells as text, and what they mean.

Cells are kept as they were written: a zip code keeps its leading zero, a price its trailing one. What a column means
is read off all its cells together: numbers if all are written as numbers usually are, dates if all are ISO dates,
else text.

    >>> import pyarrow as pa
    >>> typed(pa.table({"zip": ["02139", "10115"], "n": ["1", "2.50"]})).schema.types
    [DataType(string), DataType(double)]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tfx_anonymizer.errors import InputDataError

_WHOLE = r"^-?(0|[1-9][0-9]{0,17})$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_DAY = r"^[0-9]{4}-[01][0-9]-[0-3][0-9]$"
_TIME = r"^[0-9]{4}-[01][0-9]-[0-3][0-9][ T][0-2][0-9]:[0-5][0-9](:[0-5][0-9])?$"


def read(path: Path, delimiter: str) -> pa.Table:
    """Reads a CSV file with a header; every cell as the text it is.

    Raises:
        pyarrow.ArrowInvalid: If it is no such file.
        InputDataError: If two columns have the same name.
    """
    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    with csv.open_csv(path, parse_options=parse) as reader:
        names = reader.schema.names
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputDataError(f"column {twice!r} stands twice in the header of {path}")
    convert = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    return csv.read_csv(path, parse_options=parse, convert_options=convert)


def typed(text: pa.Table, missing: Sequence[str] = ("",)) -> pa.Table:
    """Returns what the cells of each column mean.

    Args:
        text: Cells as they were written.
        missing: Cells that mean missing.
    """
    marks = pa.array(list(missing), pa.string())
    columns = {}
    for name in text.column_names:
        cells = text.column(name).combine_chunks()
        array = cells if isinstance(cells, pa.Array) else pa.concat_arrays(cells.chunks or [pa.array([], pa.string())])
        columns[name] = _typed(pc.if_else(pc.is_in(array, value_set=marks), pa.scalar(None, pa.string()), array))
    return pa.table(columns)


def with_changes(text: pa.Table, before: pa.Table, after: pa.Table, changed: Sequence[str]) -> pa.Table:
    """Returns the cells of a table after some columns were rewritten to values that occurred in them before.

    Args:
        text: The cells as they were written.
        before: What they meant.
        after: What they mean now; rows as in `before`.
        changed: The columns that were rewritten.
    """
    for name in changed:
        column = _write_values(text.column(name), before.column(name), after.column(name))
        text = text.set_column(text.column_names.index(name), name, column)
    return text


def write(table: pa.Table, path: Path, delimiter: str) -> None:
    """Writes a CSV file with a header; missing as nothing."""
    plain = pa.table({name: _as_text(table.column(name)) for name in table.column_names})
    # Arrow's own writer quotes every cell in the oldest version supported.
    plain.to_pandas().to_csv(path, sep=delimiter, index=False, lineterminator="\n")


def _typed(array: pa.Array) -> pa.Array:
    if array.null_count == len(array):
        return array
    if _all_match(array, _WHOLE):
        return array.cast(pa.int64())
    if _all_match(array, _NUMBER):
        return array.cast(pa.float64())
    for pattern in (_DAY, _TIME):
        if _all_match(array, pattern):
            try:
                return array.cast(pa.timestamp("s"))
            except pa.ArrowInvalid:
                # Looks like a date and is none, such as the 31st of February.
                return array
    return array


def _all_match(array: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(array, pattern)).as_py())


def _write_values(cells: pa.ChunkedArray, before: pa.ChunkedArray, after: pa.ChunkedArray) -> pa.Array:
    """Writes each value as it was written before; of several ways the first in the alphabet."""
    pairs = pa.table({"value": before, "cell": cells}).group_by("value").aggregate([("cell", "min")])
    values = pairs.column("value").combine_chunks()
    index = pc.index_in(after.combine_chunks(), value_set=values, skip_nulls=False)
    return pairs.column("cell_min").combine_chunks().take(index)


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column if pa.types.is_string(column.type) else column.cast(pa.string())
