"""The command `tfx-anonymizer`."""

from __future__ import annotations

from tfx_anonymizer.cli.main import main

__all__ = ["main"]
