"""The reports of a release and of an audit: JSON for machines, one self-contained HTML page for people."""

from __future__ import annotations

from tfx_anonymizer.report.frame import AUDIT_CLAIM, AUDIT_LIMITS, framed
from tfx_anonymizer.report.release import ReleaseFacts
from tfx_anonymizer.report.writing import check_report_path, render_audit_html, write_audit_report, write_report

__all__ = [
    "AUDIT_CLAIM",
    "AUDIT_LIMITS",
    "ReleaseFacts",
    "check_report_path",
    "framed",
    "render_audit_html",
    "write_audit_report",
    "write_report",
]
