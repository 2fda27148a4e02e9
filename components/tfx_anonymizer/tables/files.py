"""Reading and writing tables by suffix; written aside and then moved in place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tfx_anonymizer.errors import InputDataError, PolicyError
from tfx_anonymizer.hashing import in_content_order
from tfx_anonymizer.tables import csv_text

SUFFIXES = (".csv", ".parquet")


@dataclasses.dataclass(frozen=True)
class TableFile:
    """A table that was read from a file.

    Attributes:
        typed: What the columns mean: numbers, dates, text; missing as null.
        text: For CSV the cells as they were written, so that what is not changed stays as it was to the letter.
        delimiter: What separates the cells of a CSV file.
    """

    typed: pa.Table
    text: pa.Table | None
    delimiter: str = ","

    def exact(self, names: Sequence[str]) -> pa.Table:
        """Returns the typed table, but with some columns of a CSV file as the text of their cells.

        Args:
            names: Columns that are to be compared as they are written.
        """
        table = self.typed
        if self.text is None:
            return table
        for name in names:
            table = table.set_column(table.column_names.index(name), name, self.text.column(name))
        return table

    def filter(self, kept: Sequence[bool]) -> TableFile:
        """Returns some of the rows.

        Args:
            kept: Whether each row is to stay, shape (n,).
        """
        mask = pa.array(kept)
        text = None if self.text is None else self.text.filter(mask)
        return dataclasses.replace(self, typed=self.typed.filter(mask), text=text)

    def write_release(self, path: Path, released: pa.Table, changed: Sequence[str], drop: Collection[str]) -> None:
        """Writes a release of this table, its rows in an order that only their own released content determines.

        Args:
            path: Where to, by suffix CSV or Parquet; may be of another form than the table was read from.
            released: The typed table with rewritten columns, rows as in `typed`.
            changed: The columns that were rewritten.
            drop: Columns to leave out.
        """
        table = released
        if self.text is not None and path.suffix == ".csv":
            table = csv_text.with_changes(self.text, self.typed, released, changed)
        table = table.select([name for name in table.column_names if name not in drop])
        table = in_content_order(table)
        if path.suffix == ".csv":
            _write_aside(path, lambda aside: csv_text.write(table, aside, self.delimiter))
        else:
            _write_aside(path, lambda aside: pq.write_table(table, aside))


def read_table(path: Path, *, delimiter: str = ",", missing: Sequence[str] = ("",)) -> TableFile:
    """Reads a table.

    Args:
        path: A `.csv` file with a header, UTF-8, or a `.parquet` file.
        delimiter: What separates the cells of a CSV file.
        missing: Cells of a CSV file that mean missing.

    Raises:
        PolicyError: If the suffix is not known.
        InputDataError: If the file is absent, damaged or has no rows.
    """
    _check_suffix(path)
    if not path.is_file():
        raise InputDataError(f"{path} does not exist")
    try:
        if path.suffix == ".csv":
            text = csv_text.read(path, delimiter)
            table = TableFile(csv_text.typed(text, missing), text, delimiter)
        else:
            table = TableFile(pq.read_table(path), None)
    except (pa.ArrowInvalid, OSError) as error:
        # Arrow's own text may quote a line of the file.
        raise InputDataError(
            f"{path} cannot be read as {path.suffix[1:]}",
            got=_what(error),
            hint="a CSV file needs a header, as many cells in every line, and UTF-8",
        ) from None
    if not table.typed.num_rows:
        raise InputDataError(f"{path} holds no rows")
    return table


def check_output(path: Path, source: Path) -> None:
    """Checks where a release is to go, before any work.

    Raises:
        PolicyError: If the suffix is not known, the folder does not exist, or it is the input itself.
    """
    _check_suffix(path)
    if not path.parent.is_dir():
        raise PolicyError("the output's folder does not exist", got=str(path.parent))
    if path.resolve() == source.resolve():
        raise PolicyError("the output is the input itself", got=str(path), hint="give the release a name of its own")


def _check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise PolicyError("the file's suffix is not known", got=path.name, allowed=" or ".join(SUFFIXES))


def _write_aside(path: Path, write: Callable[[Path], None]) -> None:
    aside = path.with_name(f".{path.name}.tmp")
    try:
        write(aside)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _what(error: Exception) -> str:
    text = str(error)
    for sign, said in (
        ("UTF8", "text that is not UTF-8"),
        ("Expected", "lines of different lengths"),
        ("Empty CSV", "an empty file"),
        ("magic bytes", "a file that is not Parquet, or truncated"),
        ("footer", "a file that is not Parquet, or truncated"),
    ):
        if sign in text:
            return said
    return type(error).__name__
