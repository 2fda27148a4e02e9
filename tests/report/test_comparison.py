from __future__ import annotations

import csv
import json
import math
import re
from html.parser import HTMLParser

import pytest

from tfx_anonymizer.report.comparison import write_comparison
from tfx_anonymizer.report.plots import trade_off


def point(partitioner, k, change, **values):
    reached = change is not None
    return {
        "partitioner": partitioner, "k": k, "reached": reached, "score": 0.9 + change / 100 if reached else None,
        "change": change, "change_error": 0.25, "membership": 0.51 if reached else None, "classes": 17.0,
        "changed": 0.3, "chosen": "x", "seconds": 1.0, "on_front": reached, **values,
    }  # fmt: skip


FACTS = {
    "metric": "balanced_accuracy", "model": "random_forest", "folds": 3, "score_raw": 0.9, "membership_raw": 0.66,
    "points": [point("auto", 5, -0.5), point("auto", 50, -1.25), point("a<b>&\"'", 50, None)],
}  # fmt: skip


class Balanced(HTMLParser):
    """Fails where a tag is closed that is not open."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br", "path", "use", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("path", "use", "rect"):
            while self.open.pop() != tag:
                assert self.open, tag


def written(tmp_path, recommended=1):
    best = None if recommended is None else FACTS["points"][recommended]
    write_comparison(tmp_path, "a test", FACTS, best, at_most=1.5, method={"seed": 7})
    return (tmp_path / "comparison.html").read_text(encoding="utf-8")


def test_the_verdict_comes_first(tmp_path):
    page = written(tmp_path)
    Balanced().feed(page)
    text = re.sub(r"<[^>]+>", "", page[page.index("<h1>") :])
    assert text.split("\n")[1].strip() == "k = 50 is the greatest k that loses at most 1.5 points."
    assert "Random forest, trained on raw rows: balanced accuracy 0.9000." in text
    assert "0.8875, −1.25 points" in text
    assert "cannot be reached" in text
    assert "No k that was tried loses at most 1.5 points." in written(tmp_path, None)


def test_it_needs_nothing_from_elsewhere_and_names_are_text(tmp_path):
    page = written(tmp_path)
    # Names of the SVG language are no places to fetch from.
    assert not re.findall(r"(?:src|href)=\"(?!#)", page)
    assert "a<b>" not in page
    assert "a&lt;b&gt;&amp;" in page


def test_tables_and_programs_get_the_same_figures(tmp_path):
    written(tmp_path)
    report = json.loads((tmp_path / "comparison.json").read_text())
    assert (report["recommended"]["k"], report["at_most"], report["points"]) == (50, 1.5, FACTS["points"])
    with (tmp_path / "comparison.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["partitioner"], row["k"], row["change"]) for row in rows] == [
        ("auto", "5", "-0.5"), ("auto", "50", "-1.25"), ("a<b>&\"'", "50", ""),
    ]  # fmt: skip
    assert not list(tmp_path.glob(".*"))


def test_the_picture_is_the_same_of_the_same_figures_and_takes_the_colour_of_the_page():
    picture = trade_off(FACTS["points"], "accuracy", 1.0, 50)
    assert picture == trade_off(FACTS["points"], "accuracy", 1.0, 50)
    assert "#010203" not in picture
    assert "currentColor" in picture
    assert "change of accuracy, points" in picture


@pytest.mark.parametrize("points", [[point("auto", 5, -1.0)], [point("auto", 5, None)]])
def test_a_single_point_or_none_can_be_drawn(points):
    assert trade_off(points, "accuracy", 1.0, None).startswith("<svg")
    assert math.isfinite(len(trade_off(points, "accuracy", 0.0, 5)))
