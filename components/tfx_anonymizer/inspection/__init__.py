"""Advice before work: what stands in a table, whom it singles out, and what its columns may be."""

from __future__ import annotations

from tfx_anonymizer.inspection.advice import Advice, inspect_table
from tfx_anonymizer.inspection.columns import ColumnFacts
from tfx_anonymizer.inspection.uniqueness import SetFacts

__all__ = ["Advice", "ColumnFacts", "SetFacts", "inspect_table"]
