"""The report of a release: JSON for machines, one self-contained HTML page for people."""

from __future__ import annotations

from tfx_anonymizer.report.frame import framed
from tfx_anonymizer.report.release import ReleaseFacts
from tfx_anonymizer.report.writing import check_report_path, write_report

__all__ = ["ReleaseFacts", "check_report_path", "framed", "write_report"]
