"""AGAnonymizer's other guarantees through LocalDagRunner: sensitive labels, every diversity, rows left out."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.support.examples import read_examples, write_splits
from tests.support.people import QUASI_IDENTIFIERS, make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tests.support.recount import breaches, rows_of
from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, KAnonymityValidator

K = 8
POLICY = AnonymizationPolicy(
    tuple(QUASI_IDENTIFIERS), K, label="ill", categorical=("zip",), direct_identifiers=("name",)
)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return write_splits(tmp_path_factory.mktemp("raw"), shards=3, train=make_people(300), eval=make_people(120, seed=8))


@pytest.mark.parametrize(
    "bounds",
    [
        {"l": 1.5, "diversity": "entropy"},
        {"l": 2, "diversity": "recursive", "c": 4.0, "t": 0.4},
        {"l": 2, "partitioner": "mdav"},
    ],
)
def test_the_label_may_be_sensitive(tmp_path, raw, bounds):
    promise = {name: value for name, value in bounds.items() if name != "partitioner"}
    examples = import_examples(raw)
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=POLICY, sensitive=["ill", "diagnosis"], **bounds)
    released = anonymizer.outputs["anonymized_examples"]
    validator = KAnonymityValidator(released, policy=POLICY, sensitive=["ill", "diagnosis"], **promise)
    out = run_components(tmp_path, [examples, anonymizer, validator])
    rows = rows_of(read_examples(out["AGAnonymizer", "anonymized_examples"] / "Split-train"))
    assert breaches(rows, QUASI_IDENTIFIERS, K, sensitive=["ill", "diagnosis"], **promise) == []
    assert len({tuple(row[name] for name in QUASI_IDENTIFIERS) for row in rows}) > 3
    report = json.loads((out["KAnonymityValidator", "report"] / "report.json").read_text())
    assert [check["column"] for check in report["splits"]["train"]["checks"] if check["column"] in ("ill", "diagnosis")]


@pytest.mark.parametrize("partitioner", ["guided_tree", "mdav"])
def test_outliers_may_be_left_out(tmp_path, raw, partitioner):
    promise = {"max_suppressed": 0.04, "entity_id": "person"}
    examples = import_examples(raw)
    anonymizer = AGAnonymizer(
        examples.outputs["result"], policy=POLICY, partitioner=partitioner, other_splits="transform", **promise
    )
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], policy=POLICY, **promise)
    out = run_components(tmp_path, [examples, anonymizer, validator])
    released, other, before = (
        read_examples(folder)
        for folder in (
            out["AGAnonymizer", "anonymized_examples"] / "Split-train",
            out["AGAnonymizer", "anonymized_examples"] / "Split-eval",
            raw / "Split-train",
        )
    )
    assert (len(released), len(other)) == (288, 120)
    assert breaches(rows_of(released), QUASI_IDENTIFIERS, K, entity_id="person") == []
    names = ["person", "income", "ill", "diagnosis"]
    gone = Counter(map(repr, rows_of(before[names]))) - Counter(map(repr, rows_of(released[names])))
    assert sum(gone.values()) == 12
    report = json.loads((out["AGAnonymizer", "report"] / "report.json").read_text())
    train = report["splits"]["train"]
    assert (train["rows"], train["suppressed"], train["counted"]["rows"]) == (300, 12, 288)
    assert train["checks"][-1]["name"] == "max_suppressed"
    assert train["checks"][-1]["reached"] == pytest.approx(0.04)
    facts = artifact_facts(tmp_path, "AGAnonymizer", "report")
    assert (facts["rows"], facts["suppressed"]) == (288, 12)
    validated = json.loads((out["KAnonymityValidator", "report"] / "report.json").read_text())
    assert validated["splits"]["train"]["counted"]["rows"] == 288
