"""Reports: the same facts as JSON and as a page, counts only."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest
import referencing
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer import AnonymizationPolicy, measure_privacy
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.promises import checks
from tfx_anonymizer.report import ReleaseFacts, check_report_path, write_report
from tfx_anonymizer.report.release import compare_column
from tfx_anonymizer.report.writing import histogram

SCHEMAS = Path(__file__).parents[2] / "schemas"
TABLE = pa.table({"<b>city</b>": ["Ulm"] * 3 + ["Bonn"] * 5, "ill": ["flu", "cold"] * 4})


def check(report):
    """Validates a report against its schema, which refers to the policy's."""
    schema, policy = (json.loads((SCHEMAS / f"{name}.schema.json").read_text()) for name in ("report", "policy"))
    registry = referencing.Registry().with_resource("policy.schema.json", referencing.Resource.from_contents(policy))
    jsonschema.Draft202012Validator(schema, registry=registry).validate(report)


@pytest.fixture
def facts():
    policy = AnonymizationPolicy(("<b>city</b>",), 3, sensitive=("ill",), l=2)
    measures = measure_privacy(TABLE, policy.quasi_identifiers, policy.sensitive)
    return ReleaseFacts(
        policy=policy,
        checks=tuple(checks(policy, k=measures.k, distinct_l={"ill": measures.distinct_l}, t={})),
        measures=measures.to_dict(),
        attributes={"<b>city</b>": compare_column(TABLE["<b>city</b>"], TABLE["<b>city</b>"])},
        method={"guide": "mlp"},
    )


def test_json(tmp_path, facts):
    write_report(tmp_path / "r.json", "a test", facts)
    report = json.loads((tmp_path / "r.json").read_text())
    check(report)
    assert report["success"] is True
    assert report["counted"]["class_sizes"] == {"3": 1, "5": 1}
    with pytest.raises(jsonschema.ValidationError):
        check({**report, "not_covered": []})


def test_html_escapes_names_and_needs_nothing_from_elsewhere(tmp_path, facts):
    write_report(tmp_path / "r.html", "a test", facts)
    page = (tmp_path / "r.html").read_text()
    assert "Every promise holds: k = 3 reached, 3 asked." in page
    assert "<b>city</b>" not in page
    assert "&lt;b&gt;city&lt;/b&gt;" in page
    for outside in ("http:", "https:", "<script", "@import", "url("):
        assert outside not in page
    for value in ("Ulm", "Bonn", "flu", "cold"):
        assert value not in page


def test_an_infinite_bound_is_null_in_json_and_readable_on_the_page(tmp_path, facts):
    policy = AnonymizationPolicy(("<b>city</b>",), 3, sensitive=("ill",), l=3, diversity="recursive", c=2.0)
    failed = dataclasses.replace(facts, policy=policy, checks=tuple(checks(policy, k=3, distinct_l={}, t={})))
    write_report(tmp_path / "r.json", "a test", failed)
    report = json.loads((tmp_path / "r.json").read_text(), parse_constant=pytest.fail)
    check(report)
    assert report["success"] is False
    assert report["checks"][1]["reached"] is None
    write_report(tmp_path / "r.html", "a test", failed)
    assert "recursive_c in ill" in (tmp_path / "r.html").read_text()
    assert "∞" in (tmp_path / "r.html").read_text()


def test_paths(tmp_path):
    check_report_path(tmp_path / "r.html")
    with pytest.raises(PolicyError, match="suffix"):
        check_report_path(tmp_path / "r.pdf")
    with pytest.raises(PolicyError, match="folder"):
        check_report_path(tmp_path / "none" / "r.html")


@given(st.dictionaries(st.integers(1, 10**6), st.integers(1, 1000), min_size=1, max_size=60), st.integers(1, 30))
def test_histograms_lose_no_class(sizes, bars):
    ranges = histogram(sizes, bars)
    assert sum(r["classes"] for r in ranges) == sum(sizes.values())
    assert len(ranges) <= max(bars, 1)
    assert ranges[0]["low"] == min(sizes)
    assert ranges[-1]["high"] == max(sizes)
    for before, after in itertools.pairwise(ranges):
        assert before["high"] + 1 == after["low"]
