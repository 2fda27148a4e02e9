"""Writing a report file: `.json` or `.html`, aside and then moved in place."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.report.frame import framed, framed_audit
from tfx_anonymizer.report.release import ReleaseFacts

_BARS = 24


def check_report_path(path: Path) -> None:
    """Checks where a report is to go, before any work.

    Raises:
        PolicyError: If the suffix is not known or the folder does not exist.
    """
    if path.suffix not in (".json", ".html"):
        raise PolicyError("the report's suffix is not known", got=path.name, allowed=".html or .json")
    if not path.parent.is_dir():
        raise PolicyError("the report's folder does not exist", got=str(path.parent))


def write_report(path: Path, tool: str, facts: ReleaseFacts) -> None:
    """Writes a report of a release.

    Args:
        path: Where to; the suffix says in which form.
        tool: What made the release.
        facts: What is reported.
    """
    report = framed(tool, facts.to_dict())
    text = render_html(report) if path.suffix == ".html" else json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    write_aside(path, text)


def write_audit_report(path: Path, tool: str, body: Mapping[str, Any]) -> None:
    """Writes a report of an audit.

    Args:
        path: Where to; the suffix says in which form.
        tool: What made it.
        body: What `auditing.whole.Audit.to_dict` gives.
    """
    report = framed_audit(tool, body)
    html = path.suffix == ".html"
    write_aside(path, render_audit_html(report) if html else json.dumps(report, indent=2, ensure_ascii=False) + "\n")


def write_aside(path: Path, text: str) -> None:
    """Writes a file beside its place and moves it there: whoever looks sees all of it or nothing."""
    aside = path.with_name(f".{path.name}.tmp")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def render_html(report: dict[str, Any]) -> str:
    """Renders a report of a release as one page that needs nothing from elsewhere."""
    bars = histogram({int(size): count for size, count in report["counted"]["class_sizes"].items()})
    return render("release.html.j2", report=report, bars=bars)


def render_audit_html(report: dict[str, Any]) -> str:
    """Renders a report of an audit as one page that needs nothing from elsewhere."""
    return render("audit.html.j2", report=report)


def render_synthesis_html(report: dict[str, Any]) -> str:
    """Renders a report of a synthesis as one page that needs nothing from elsewhere."""
    return render("synthesis.html.j2", report=report)


def render(template: str, **values: Any) -> str:
    """Renders one of the templates beside this file."""
    import jinja2
    from markupsafe import Markup

    def visible(value: Any) -> Any:
        # What turns a line around or ends it is no part of a name that somebody signs for.
        if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
            return value
        return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in value)

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tfx_anonymizer.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=visible,
    )
    return environment.get_template(template).render(**values)


def histogram(class_sizes: dict[int, int], bars: int = _BARS) -> list[dict[str, int]]:
    """Folds a histogram of class sizes into at most `bars` ranges of growing width.

    Args:
        class_sizes: Number of classes by size.
        bars: Most ranges.

    Returns:
        Ranges in order, each with `low`, `high` (inclusive) and `classes`; empty ones at either end are left out.

    Example:
        >>> histogram({50: 3, 51: 1, 400: 1}, bars=2)
        [{'low': 50, 'high': 141, 'classes': 4}, {'low': 142, 'high': 400, 'classes': 1}]
    """
    low, high = min(class_sizes), max(class_sizes)
    if high - low < bars:
        edges = list(range(low, high + 2))
    else:
        growth = (high + 1) / low
        edges = sorted({round(low * growth ** (i / bars)) for i in range(bars + 1)})
    ranges = []
    for start, stop in itertools.pairwise(edges):
        count = sum(n for size, n in class_sizes.items() if start <= size < stop)
        ranges.append({"low": start, "high": stop - 1, "classes": count})
    return ranges
