"""The page of a pipeline: the verdict first, names are text, nothing from elsewhere, and what is not known is said."""

from __future__ import annotations

import copy
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
import referencing

from tests.report.test_comparison import Balanced
from tests.support.raw_values import page_text
from tfx_anonymizer.report.frame import CLAIM, framed
from tfx_anonymizer.report.pipeline import PIPELINE_LIMITS, Sources, put_together
from tfx_anonymizer.report.pipeline_page import render_pipeline_html
from tfx_anonymizer.report.price import Figure, price

SCHEMAS = Path(__file__).parents[2] / "schemas"
HOSTILE = "<script>alert(1)</script> & \"'größe' $x^2$ 東京\u202e\x00"
CHECK = {"name": "k", "asked": 5, "reached": 6, "holds": True, "column": None}
COUNTED = {"k": 6, "rows": 100, "classes": 9, "class_sizes": {"6": 4, "9": 4, "40": 1}, "columns": []}
NUMBERS = {
    "kind": "numbers",
    "edges": [20.0, 30.0],
    "before": [0.2, 0.5, 0.3],
    "after": [0.1, 0.6, 0.3],
    "missing": None,
}


def sources(name="age", value="Ulm", found=None, **changes):
    policy = {
        "policy_version": 1, "quasi_identifiers": [name], "k": 5, "label": "y", "entity_id": None, "sensitive": [],
        "l": None, "t": None, "direct_identifiers": ["name"], "categorical": [], "diversity": "distinct", "c": None,
        "allow_label_as_quasi_identifier": False, "max_suppressed": 0.1,
    }  # fmt: skip
    attribute = {"distinct_before": 40, "distinct_after": 7, "share_changed": 0.8, "certainty_penalty": 0.21}
    made = {
        "rows": 104, "suppressed": 4, "guide": "model", "partitioner": "mdav", "representative": "median", "shards": 1,
        "undivided_shards": 0, "attributes": {name: attribute}, "checks": [CHECK], "counted": COUNTED,
    }  # fmt: skip
    raw = {(): {"accuracy": Figure(0.9), "example_count": Figure(400.0)}}
    raw[(("sex", value),)] = {"accuracy": Figure(0.95), "example_count": Figure(200.0)}
    mine = {(): {"accuracy": Figure(0.88), "example_count": Figure(400.0)}}
    mine[(("sex", value),)] = {"accuracy": Figure(0.6), "example_count": Figure(200.0)}
    risks = {"prosecutor": 1 / 6, "journalist": 1 / 6, "marketer": 0.09}
    found = found or {
        "kind": "categories", "values": [value, "Bonn"], "before": [0.5, 0.4], "after": [0.6, 0.4],
        "other": [0.1, 0.0], "missing": None,
    }  # fmt: skip
    fields = {
        "anonymization": {
            "policy": policy, "splits": {"train": made}, "other_splits": {"eval": "pass"}, "settings": {"seed": 7},
        },
        "validation": {
            "policy": policy,
            "splits": {"train": {"checks": [CHECK], "counted": COUNTED, "risks": risks, "rows_in_classes_below_k": 0}},
        },
        "audit": None,
        "price": price(mine, raw, 5),
        "distributions": {"train": {name: found}},
        "least": 5,
        "lineage": [{"input": "examples", "type": "Examples", "id": 3, "producer": "Gen", "uri": "/a/b", "facts": {}}],
        "run": {"title": None, "made_at": "2026-01-01 00:00 UTC", "pipeline": "p", "run": "r", "versions": {"a": "1"}},
    }  # fmt: skip
    return Sources(**{**copy.deepcopy(fields), **changes})


def report_of(*arguments, **named):
    report = framed("PrivacyReporter", put_together(sources(*arguments, **named)), CLAIM, PIPELINE_LIMITS)
    report = json.loads(json.dumps(report, allow_nan=False))
    schema, policy = (
        json.loads((SCHEMAS / f"{name}.schema.json").read_text()) for name in ("privacy_report", "policy")
    )
    registry = referencing.Registry().with_resource("policy.schema.json", referencing.Resource.from_contents(policy))
    jsonschema.Draft202012Validator(schema, registry=registry).validate(report)
    return report, render_pipeline_html(report)


def statements(report):
    return {one["about"]: (one["state"], one["text"]) for one in report["statements"]}


AUDIT = {
    "success": True, "leaks_shown": [], "settings": {"mode": "quick", "confidence": 0.95}, "target": "a SavedModel",
    "audited": {"members": 700, "non_members": 600, "members_drawn_by_coin": False}, "release": None,
    "checks": [{"name": "auc", "attack": "loss", "asked": 0.6, "reached": 0.55, "low": 0.5, "holds": True}],
    "model": {"attacks": {"loss": {"auc": {"value": 0.52, "low": 0.49, "high": 0.55}}}},
}  # fmt: skip


def test_the_verdict_comes_first_and_everything_is_there():
    report, page = report_of(audit=AUDIT)
    Balanced().feed(page)
    text = page_text(page)
    order = [
        "Privacy report", "Every promise holds: k = 6 reached, 5 asked.", "What was asked and what was reached",
        "How large the classes are", "What was changed", "What privacy costs, and who pays", "Risk",
        "What was left out, and why", "What this does not protect against", "For the audit file",
    ]  # fmt: skip
    # The list of contents names some of them too.
    contents = text.index("What was asked and what was reached")
    places = [text.index(words, contents if i > 1 else 0) for i, words in enumerate(order)]
    assert places == sorted(places)
    assert report["success"] is True
    for words in (
        "4 of 104 rows of train (3.85 %)", "Split eval: passed on raw", "dropped from every split: name",
        "16.67 %", "0.520 (0.490 to 0.550)", "80.0 %", "21.0 %", "made by Gen", "seed", "mdav", "No attack did better",
    ):  # fmt: skip
        assert words in text, words
    assert statements(report)["Who pays"][0] == "warn"
    assert "sex = Ulm" in statements(report)["Who pays"][1]
    assert statements(report)["Other splits"] == (
        "warn", "Passed on as it is: eval. It is raw data still, and to be kept like it.",
    )  # fmt: skip


class Ids(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.named = [], [], []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.ids += [attributes["id"]] if "id" in attributes else []
        for name in ("href", "xlink:href", "aria-labelledby"):
            if name in attributes:
                self.links.append(attributes[name].lstrip("#"))
        if attributes.get("role") in ("img", "region"):
            self.named.append(attributes.get("aria-label"))


def test_it_needs_nothing_from_elsewhere_and_ids_are_unique():
    _, page = report_of(audit=AUDIT, found=NUMBERS)
    bare = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.findall(r'(?:src|href|action)="(?!#)', bare)
    for outside in ("http:", "https:", "<script", "@import", "<link"):
        assert outside not in bare
    found = Ids()
    found.feed(page)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)
    assert found.named
    assert all(found.named)
    assert 'lang="en"' in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_hostile_names_and_values_are_text():
    report, page = report_of(HOSTILE, HOSTILE, lineage=[
        {"input": "examples", "type": HOSTILE, "id": 0, "producer": None, "uri": HOSTILE, "facts": {"version": 1}}
    ], run={"title": HOSTILE, "made_at": "", "pipeline": None, "run": None, "versions": {}})  # fmt: skip
    Balanced().feed(page)
    assert "<script" not in page
    assert "größe" in page
    # Neither turns the line around nor ends it: what is signed is what is read.
    assert not {"\x00", "\u202e"} & set(page)
    assert HOSTILE in report["splits"]["train"]["attributes"]


@pytest.mark.parametrize(
    "found",
    [
        None,
        {**NUMBERS, "edges": [], "before": [1.0], "after": [1.0]},
        {**NUMBERS, "missing": [0.1, 0.2]},
        {"kind": "categories", "values": [], "before": [], "after": [], "other": [1.0, 1.0], "missing": None},
        {"kind": "categories", "values": [""], "before": [0.5], "after": [0.5], "other": None, "missing": [0.5, 0.5]},
    ],
)
def test_every_shape_of_a_distribution(found):
    changes = {"distributions": {"train": {"age": found} if found else {}}}
    _, page = report_of(**changes)
    Balanced().feed(page)


def test_what_is_not_known_is_said():
    report, page = report_of(price={"missing": "no evaluation of the retrained model was connected"})
    assert statements(report)["Price"][0] == "none"
    assert statements(report)["Audit"][0] == "none"
    assert "Not known: no evaluation of the retrained model was connected." in page_text(page)
    assert report["success"] is True


def broken_validation():
    found = copy.deepcopy(sources().validation)
    found["splits"]["train"]["checks"] = [{**CHECK, "reached": 1, "holds": False}]
    found["splits"]["train"]["counted"] = {**COUNTED, "k": 1, "class_sizes": {"1": 1, "9": 8}}
    return found


def another_k():
    found = copy.deepcopy(sources().validation)
    found["policy"]["k"] = 2
    return found


def another_release():
    found = copy.deepcopy(sources().validation)
    found["splits"]["train"]["counted"]["classes"] = 8
    return found


@pytest.mark.parametrize(
    ("changes", "about", "says"),
    [
        ({"validation": broken_validation()}, "Promises", "Broken: k in train"),
        ({"validation": another_k()}, "Counting", "told otherwise than AGAnonymizer: k"),
        ({"validation": another_release()}, "Counting", "The two counts of train differ"),
        ({"validation": {**sources().validation, "splits": {}}}, "Counting", "did not count train"),
        (
            {"audit": {**AUDIT, "success": False, "checks": [{**AUDIT["checks"][0], "holds": False}]}},
            "Audit",
            "1 of 1 bounds do not hold",
        ),
    ],
)
def test_what_is_broken_stands_in_the_verdict(changes, about, says):
    report, page = report_of(**changes)
    state, text = statements(report)[about]
    assert (state, report["success"]) == ("bad", False)
    assert says in text
    assert "Not to be released: see" in page_text(page)
    assert "Every promise holds" not in page


def test_the_same_facts_make_the_same_page():
    assert report_of(audit=AUDIT)[1] == report_of(audit=AUDIT)[1]


def test_people_are_called_people():
    told = sources()
    for report in (told.anonymization, told.validation):
        report["policy"]["entity_id"] = "person"
    report, page = report_of(anonymization=told.anonymization, validation=told.validation, least=15)
    assert "shared by 6 people or more" in statements(report)["Promises"][1]
    assert "at least 15 raw rows share, which are at least 5 people" in page_text(page)
