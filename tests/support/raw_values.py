"""Does a report tell a value of the raw data that too few share? What is found is counted and never shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

# Shorter numbers stand on every page as counts, shares and ticks of an axis.
_LONG = 5


class _Text(HTMLParser):
    """Collects what can be read on a page, in pictures too."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in ("style", "code")
        self.parts += [value for name, value in attrs if value and name in ("aria-label", "title", "alt")]

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in ("style", "code")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.parts.append(data)


def page_text(page: str) -> str:
    """Returns what can be read on a page, without style sheets and paths of artifacts."""
    parser = _Text()
    parser.feed(page)
    return "\n".join(parser.parts).replace("\N{NO-BREAK SPACE}", " ")


def told(folder: Path, raw: pd.DataFrame, split: str = "train") -> list[str]:
    """Looks for values that may not be told.

    Args:
        folder: With `report.html` and `report.json` of PrivacyReporter.
        raw: The raw rows of a split, numbers as numbers, missing as None or NaN.
        split: Its name.

    Returns:
        For each value that is told and should not be the name of its column and how it is told.
    """
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    attributes = report["splits"][split]["attributes"]
    texts = {
        "on the page": page_text((folder / "report.html").read_text(encoding="utf-8")),
        "in JSON": "\n".join(_strings(report)),
    }
    found = []
    for name in raw.columns:
        column = raw[name].dropna().infer_objects()
        numbers = pd.api.types.is_numeric_dtype(column)
        rows = column.map(_plain).value_counts()
        distribution = attributes.get(name, {}).get("distribution")
        if distribution is not None:
            found += [f"{name}: {how}" for how in _in_distribution(distribution, rows, report["least"])]
        rare = [value for value in rows.index[rows < report["policy"]["k"]] if _tells(value, numbers=numbers)]
        found += [f"{name}: {where}" for where, text in texts.items() for value in rare if _stands_in(text, value)]
    return found


def _in_distribution(found: dict[str, Any], rows: pd.Series, least: int) -> Iterable[str]:
    if found["kind"] == "categories":
        return ["rare category" for value in found["values"] if rows.get(value, 0) < least]
    by_number = {float(value): n for value, n in rows.items()}
    wrong = ["rare edge" for edge in found["edges"] if 0 < by_number.get(edge, 0) < least]
    extremes = {min(by_number), max(by_number)} if by_number else set()
    return wrong + ["extreme" for edge in found["edges"] if edge in extremes]


def _tells(value: str, *, numbers: bool) -> bool:
    return len(value.lstrip("-")) >= _LONG if numbers else len(value) > 2


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        # As it was written before it became a float of 32 bits.
        short = np.float32(value)
        return f"{value:.0f}" if value.is_integer() else str(short if float(short) == value else value)
    return str(value)


def _stands_in(text: str, value: str) -> bool:
    return value in text and re.search(rf"(?<![\w.,]){re.escape(value)}(?![\w]|[.,]\d)", text) is not None


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("uri", "facts", "versions", "run"):
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield _plain(value)
