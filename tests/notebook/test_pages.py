"""What notebooks show of reports: all that counts, nothing that runs."""

from __future__ import annotations

import html
import re

import pytest

from tfx_anonymizer.notebook.pages import blessing_page, choice_page, framed_page, generalization_page, report_page
from tfx_anonymizer.report import framed


def a_report(**changes):
    split = {
        "checks": [{"name": "k", "asked": 5, "reached": 1234, "holds": True, "column": None}],
        "counted": {"k": 1234, "rows": 5000, "classes": 3, "class_sizes": {"1234": 2, "2532": 1}},
        "attributes": {"age": {"distinct_before": 71, "distinct_after": 2, "share_changed": 0.875}},
        "rows": 5010,
        "suppressed": 10,
        **changes,
    }
    return framed("AGAnonymizer", {"policy": {"k": 5, "entity_id": None}, "splits": {"train": split}})


def words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL))


def test_a_report_that_holds():
    shown = words(report_page(a_report()))
    assert "AGAnonymizer: every promise holds." in shown
    assert "k 5 1,234 yes" in shown
    assert "5,000 rows in 3 classes, 10 rows left out" in shown
    assert "age 71 2 87.5 %" in shown
    assert "Composition" in shown


def test_a_report_that_does_not_hold():
    checks = [
        {"name": "k", "asked": 5, "reached": 2, "holds": False, "column": None},
        {"name": "recursive_c", "asked": 4.0, "reached": None, "holds": False, "column": "ill"},
    ]
    shown = words(report_page(a_report(checks=checks, rows_in_classes_below_k=8)))
    assert "a promise is broken" in shown
    assert "every promise holds" not in shown
    assert "recursive_c in ill 4 ∞ NO" in shown
    assert "8 rows in classes below k" in shown
    assert "is shared by at least k" not in shown


def test_one_broken_split_breaks_the_report():
    report = a_report()
    report["splits"]["eval"] = {
        "checks": [{"name": "k", "asked": 5, "reached": 4, "holds": False, "column": None}],
        "counted": {"k": 4, "rows": 4, "classes": 1, "class_sizes": {"4": 1}},
    }
    assert "a promise is broken" in words(report_page(report))


def test_people_are_called_people():
    report = a_report()
    report["policy"]["entity_id"] = "person"
    assert "People in a class" in words(report_page(report))


def test_an_empty_split():
    counted = {"k": 0, "rows": 0, "classes": 0, "class_sizes": {}}
    assert "0 rows in 0 classes" in words(report_page(a_report(counted=counted)))


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "naïve 東京"])
def test_names_are_text(name):
    page = report_page(a_report(attributes={name: {"distinct_before": 1, "distinct_after": 1, "share_changed": 0.0}}))
    assert "<script" not in page
    assert "<img" not in page
    assert "naïve 東京" in page or "&lt;" in page
    header = {"classes": 2, "partitioner": "mdav", "attributes": [{"name": name}]}
    assert "<script" not in generalization_page({name: header})


def test_nothing_is_fetched_and_nothing_runs():
    for page in (report_page(a_report()), blessing_page(blessed=True), generalization_page({})):
        assert not re.search(r"<script|<link|<iframe|https?://|url\(|@import", page)
        # Whatever is styled is inside our own element.
        styles = re.search(r"<style>(.*?)</style>", page, flags=re.DOTALL)[1]
        for selectors in re.findall(r"([^{}]+)\{", styles):
            assert all(".tfx-anonymizer" in selector for selector in selectors.split(",")), selectors


@pytest.mark.parametrize(
    ("blessed", "said"), [(True, "Blessed: every promise holds"), (False, "Not blessed"), (None, "No verdict")]
)
def test_a_blessing(blessed, said):
    assert said in words(blessing_page(blessed=blessed))


def test_a_choice():
    assert "k = 1,000; partitioner: mdav." in words(choice_page({"k": 1000, "partitioner": "mdav"}))
    assert "<b>" not in choice_page({"k": 2, "partitioner": "<b>"})


def test_a_whole_page_stays_in_its_frame():
    inner = '<!doctype html><p class="it\'s">k &amp; co</p><script>alert(1)</script>'
    page = framed_page("What each k cost", inner)
    assert "<script" not in page
    (frame,) = re.findall(r"<iframe ([^>]*)>", page)
    # No word after it, so nothing is allowed: no scripts, no forms, no way up.
    assert frame.startswith("sandbox title=")
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1]) == inner


def test_a_generalization_shows_no_value():
    header = {"classes": 1200, "partitioner": "guided_tree", "attributes": [{"name": "age"}, {"name": "zip"}]}
    assert "train 1,200 guided_tree age, zip" in words(generalization_page({"train": header}))
