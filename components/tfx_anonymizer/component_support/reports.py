"""Writing reports and verdicts, aside first and then in place."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.component_support.writing import write_aside
from tfx_anonymizer.report import framed, framed_audit, framed_synthesis, render_audit_html, render_synthesis_html
from tfx_anonymizer.report.frame import CLAIM
from tfx_anonymizer.report.pipeline import PIPELINE_LIMITS
from tfx_anonymizer.report.pipeline_page import render_pipeline_html

REPORT_FILE = "report.json"


def write_report(uri: str, tool: str, body: Mapping[str, Any]) -> None:
    """Writes `report.json` into an artifact's folder.

    Args:
        uri: The artifact's folder; made if it does not exist.
        tool: The component's name.
        body: JSON-ready facts; never a value of a record.
    """
    report = framed(tool, body)
    write_aside(posixpath.join(uri, REPORT_FILE), json.dumps(report, indent=2, ensure_ascii=False) + "\n")


def write_audit(uri: str, tool: str, body: Mapping[str, Any]) -> None:
    """Writes the report of an audit, `report.json` and `report.html`, into an artifact's folder; see `write_report`."""
    report = framed_audit(tool, body)
    write_aside(posixpath.join(uri, REPORT_FILE), json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    write_aside(posixpath.join(uri, "report.html"), render_audit_html(report))


def write_pipeline_report(uri: str, tool: str, body: Mapping[str, Any]) -> None:
    """Writes the report of a whole pipeline, `report.json` and `report.html`; see `write_report`.

    Args:
        uri: The artifact's folder; made if it does not exist.
        tool: The component's name.
        body: What `report.pipeline.put_together` gives.
    """
    report = framed(tool, body, CLAIM, PIPELINE_LIMITS)
    page = render_pipeline_html(report)
    write_aside(posixpath.join(uri, REPORT_FILE), json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    write_aside(posixpath.join(uri, "report.html"), page)


def write_synthesis(uri: str, tool: str, body: Mapping[str, Any]) -> None:
    """Writes the report of a synthesis, `report.json` and `report.html`; see `write_report`."""
    report = framed_synthesis(tool, body)
    write_aside(posixpath.join(uri, REPORT_FILE), json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    write_aside(posixpath.join(uri, "report.html"), render_synthesis_html(report))


def write_blessing(blessing: Any, *, blessed: bool) -> None:
    """Writes a verdict as a file and as the custom property `blessed`."""
    write_aside(posixpath.join(blessing.uri, "BLESSED" if blessed else "NOT_BLESSED"), "")
    blessing.set_int_custom_property("blessed", int(blessed))
