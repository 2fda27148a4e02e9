"""What is shown: HTML that stands in a notebook beside anything else, runs no script and fetches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.report.writing import histogram


def report_page(report: Mapping[str, Any]) -> str:
    """Renders the report of AGAnonymizer or KAnonymityValidator.

    Args:
        report: What `report.json` holds; see `schemas/report.schema.json`.

    Returns:
        HTML, one element, its styles bound to itself.
    """
    splits = {name: {**split, "bars": _bars(split)} for name, split in report["splits"].items()}
    holds = all(check["holds"] for split in splits.values() for check in split["checks"])
    return _render("report.html.j2", report={**report, "splits": splits}, holds=holds)


def blessing_page(*, blessed: bool | None) -> str:
    """Renders a verdict.

    Args:
        blessed: Whether every promise holds; None if there is no verdict.
    """
    return _render("blessing.html.j2", blessed=blessed)


def generalization_page(headers: Mapping[str, Mapping[str, Any]]) -> str:
    """Renders which generalizations there are.

    Args:
        headers: By split what `generalization.json` holds.
    """
    return _render("generalization.html.j2", headers=headers)


def choice_page(choice: Mapping[str, Any]) -> str:
    """Renders what AnonymizationTuner chose.

    Args:
        choice: What `choice.json` holds.
    """
    return _render("choice.html.j2", choice=choice)


def framed_page(title: str, page: str) -> str:
    """Renders a whole page inside a frame in which no script runs.

    Args:
        title: What the page is, for those who hear it read.
        page: A whole page of HTML.
    """
    return _render("page.html.j2", title=title, page=page)


def _bars(split: Mapping[str, Any]) -> list[dict[str, int]]:
    sizes = {int(size): count for size, count in split["counted"]["class_sizes"].items()}
    return histogram(sizes) if sizes else []


def _render(template: str, **values: Any) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tfx_anonymizer.notebook", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(values)
