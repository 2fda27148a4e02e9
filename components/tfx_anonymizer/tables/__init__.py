"""Tables in files: CSV and Parquet, by suffix, read typed and written as they were."""

from __future__ import annotations

from tfx_anonymizer.tables.files import TableFile, check_output, read_table

__all__ = ["TableFile", "check_output", "read_table"]
