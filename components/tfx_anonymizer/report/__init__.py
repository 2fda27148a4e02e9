"""The reports of a release and of an audit: JSON for machines, one self-contained HTML page for people."""

from __future__ import annotations

from tfx_anonymizer.report.frame import framed, framed_audit, framed_synthesis
from tfx_anonymizer.report.release import ReleaseFacts
from tfx_anonymizer.report.writing import (
    check_report_path,
    render_audit_html,
    render_synthesis_html,
    write_audit_report,
    write_report,
)

__all__ = [
    "ReleaseFacts",
    "check_report_path",
    "framed",
    "framed_audit",
    "framed_synthesis",
    "render_audit_html",
    "render_synthesis_html",
    "write_audit_report",
    "write_report",
]
