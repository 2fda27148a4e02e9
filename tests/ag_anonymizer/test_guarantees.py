"""AGAnonymizer's other guarantees through LocalDagRunner: sensitive labels, every diversity, rows left out."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.support.examples import read_examples, write_splits
from tests.support.people import QUASI_IDENTIFIERS, make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tests.support.recount import breaches, rows_of
from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, InitialModelTrainer, KAnonymityValidator

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


@pytest.mark.parametrize("promise", [{}, {"entity_id": "person", "sensitive": ["diagnosis"], "t": 0.4}])
def test_a_split_larger_than_a_worker_holds(tmp_path, raw, promise):
    examples = import_examples(raw)
    guide = InitialModelTrainer(
        examples.outputs["result"], estimator="gradient_boosting", label_key="ill", exclude_features=["name", "person"]
    )
    anonymizer = AGAnonymizer(
        examples.outputs["result"],
        guide.outputs["model"],
        policy=POLICY,
        partitioner="guided_tree",
        max_rows_per_shard=60,
        other_splits="transform",
        **promise,
    )
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], policy=POLICY, **promise)
    out = run_components(tmp_path, [examples, guide, anonymizer, validator])
    folder = out["AGAnonymizer", "anonymized_examples"]
    released, other = (read_examples(folder / f"Split-{split}") for split in ("train", "eval"))
    assert (len(released), len(other)) == (300, 120)
    assert breaches(rows_of(released), QUASI_IDENTIFIERS, K, **promise) == []
    combinations = [{tuple(row[n] for n in QUASI_IDENTIFIERS) for row in rows_of(t)} for t in (released, other)]
    assert combinations[1] <= combinations[0]
    report = json.loads((out["AGAnonymizer", "report"] / "report.json").read_text())
    assert report["splits"]["train"]["shards"] > 2
    assert report["settings"]["max_rows_per_shard"] == 60
    saved = {path.name for path in (out["AGAnonymizer", "generalization"] / "Split-train").iterdir()}
    assert {"generalization.json", "shards.arrow", "shard-00000.zip", "examples.json"} <= saved
    assert not [name for name in saved if name.endswith(".tmp")]
