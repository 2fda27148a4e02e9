"""PrivacyReporter through LocalDagRunner: with everything connected, with nothing optional, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
import referencing
import tensorflow_model_analysis as tfma
from tfx import v1 as tfx
from tfx.v1.types import standard_artifacts

from tests.support.examples import write_splits
from tests.support.people import make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tests.support.raw_values import page_text, told
from tests.support.tamper import Tamper
from tfx_anonymizer import (
    AGAnonymizer,
    AnonymizationPolicy,
    KAnonymityValidator,
    PrivacyAuditor,
    PrivacyReporter,
    artifacts,
)
from tfx_anonymizer.errors import InputDataError, PolicyError

ROOT = Path(__file__).parents[2]
POLICY = AnonymizationPolicy(
    ("age", "height", "city", "zip"), 15, label="ill", categorical=("zip",), direct_identifiers=("name",),
    max_suppressed=0.05,
)  # fmt: skip
PEOPLE = make_people(600)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return write_splits(tmp_path_factory.mktemp("raw"), train=PEOPLE, eval=make_people(300, seed=1))


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory):
    """Folders of evaluations: of both models, of the retrained one alone, of the raw one alone."""
    folder = tmp_path_factory.mktemp("evaluations")
    rng = np.random.default_rng(5)
    people = make_people(2000, seed=2)[["ill", "city"]].fillna({"city": "nowhere"})
    right = rng.random(2000) < 0.9
    people["raw"] = np.where(right, people["ill"], 1 - people["ill"]).astype(float)
    worse = right & ~((people["city"] == "Köln") & (rng.random(2000) < 0.5))
    people["retrained"] = np.where(worse, people["ill"], 1 - people["ill"]).astype(float)
    people.loc[0, "city"] = "Nowhere else"
    for name, models in (("both", ("retrained", "raw")), ("retrained", ("retrained",)), ("raw", ("raw",))):
        specs = [
            tfma.ModelSpec(
                name={"retrained": "candidate", "raw": "baseline"}[model] if len(models) > 1 else "",
                label_key="ill",
                prediction_key=model,
                is_baseline=model == "raw" and len(models) > 1,
            )
            for model in models
        ]
        metrics = [tfma.MetricConfig(class_name=metric) for metric in ("ExampleCount", "BinaryAccuracy", "AUC")]
        config = tfma.EvalConfig(
            model_specs=specs,
            slicing_specs=[tfma.SlicingSpec(), tfma.SlicingSpec(feature_keys=["city"])],
            metrics_specs=[tfma.MetricsSpec(metrics=metrics, model_names=[spec.name for spec in specs])],
        )
        columns = ["ill", "city", *models]
        tfma.analyze_raw_data(people[columns], config, output_path=str(folder / name))
    return folder


def imported(folder, node="Evaluation"):
    return tfx.dsl.Importer(
        source_uri=str(folder), artifact_type=standard_artifacts.ModelEvaluation, reimport=True
    ).with_id(node)


def run(root, raw, extra=(), policy=POLICY, present=("train", "eval"), audited=False, **arguments):
    examples = import_examples(raw, present)
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=policy, effort="low")
    released = anonymizer.outputs["anonymized_examples"]
    validator = KAnonymityValidator(released, policy=policy)
    nodes = [examples, anonymizer, validator, *extra]
    if audited:
        auditor = PrivacyAuditor(
            examples.outputs["result"], anonymized_examples=released, policy=policy, mode="quick",
            fail_on_violation=False,
        )  # fmt: skip
        nodes.append(auditor)
        arguments["audit"] = auditor.outputs["report"]
    reporter = PrivacyReporter(
        examples=examples.outputs["result"],
        anonymized_examples=released,
        report=anonymizer.outputs["report"],
        validation=validator.outputs["report"],
        **arguments,
    )
    return run_components(root, [*nodes, reporter])


def report_in(out):
    folder = out["PrivacyReporter", "privacy_report"]
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    schema, policy = (
        json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text()) for name in ("privacy_report", "policy")
    )
    registry = referencing.Registry().with_resource("policy.schema.json", referencing.Resource.from_contents(policy))
    jsonschema.Draft202012Validator(schema, registry=registry).validate(report)
    return report, (folder / "report.html").read_text(encoding="utf-8"), folder


def states(report):
    return {one["about"]: one["state"] for one in report["statements"]}


def test_everything_connected(tmp_path, raw, evaluations):
    evaluation = imported(evaluations / "both")
    out = run(
        tmp_path, raw, [evaluation], audited=True, evaluation=evaluation.outputs["result"], title="People & privacy"
    )
    report, page, folder = report_in(out)
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "report.json"]
    assert "<h1>People &amp; privacy</h1>" in page
    found = states(report)
    assert (found["Promises"], found["Counting"], found["Other splits"]) == ("good", "good", "warn")
    assert found["Audit"] in ("good", "bad")
    assert report["price"]["metric"] == "binary_accuracy"
    assert report["price"]["examples"] == 2000
    # One person's city is not named, and the city that pays is.
    assert report["price"]["folded"] == 1
    assert "Nowhere else" not in json.dumps(report) + page
    flagged = [group["name"] for group in report["price"]["groups"] if group["pays_more"]]
    assert flagged == ["city = Köln"]
    assert found["Who pays"] == "warn"
    attributes = report["splits"]["train"]["attributes"]
    assert set(attributes) == set(POLICY.quasi_identifiers)
    assert all(0 < facts["certainty_penalty"] < 1 for facts in attributes.values())
    assert report["splits"]["train"]["suppressed"] <= 30
    assert {artifact["input"]: artifact["producer"] for artifact in report["lineage"]} == {
        "examples": "Examples", "anonymized_examples": "AGAnonymizer", "report": "AGAnonymizer",
        "validation": "KAnonymityValidator", "audit": "PrivacyAuditor", "evaluation": "Evaluation",
    }  # fmt: skip
    assert report["lineage"][0]["facts"]["span"] == 7
    assert all(artifact["id"] > 0 and artifact["uri"] in page for artifact in report["lineage"])
    assert set(report["run"]["versions"]) >= {"tfx", "tensorflow", "apache-beam", "tfx-anonymizer", "python"}
    assert report["run"]["pipeline"] == "test"
    facts = artifact_facts(tmp_path, "PrivacyReporter", "privacy_report")
    assert (facts["k"], facts["success"]) == (15, int(report["success"]))
    assert told(folder, PEOPLE) == []


def test_what_is_optional_may_be_absent(tmp_path, raw):
    report, page, folder = report_in(run(tmp_path, raw))
    assert states(report) == {
        "Promises": "good", "Counting": "good", "Other splits": "warn", "Audit": "none", "Price": "none",
    }  # fmt: skip
    assert report["success"] is True
    assert "no evaluation of the retrained model was connected" in page
    assert "Privacy report" in page
    assert told(folder, PEOPLE) == []


def test_the_check_of_raw_values_can_fail(tmp_path, raw):
    _, page, folder = report_in(run(tmp_path, raw))
    (folder / "report.html").write_text(page.replace("</h1>", f" {PEOPLE['name'][0]}</h1>"), encoding="utf-8")
    report = json.loads((folder / "report.json").read_text())
    attributes = report["splits"]["train"]["attributes"]
    attributes["age"]["distribution"]["edges"][-1] = float(PEOPLE["age"].max())
    attributes["city"]["distribution"]["values"].append("somewhere")
    (folder / "report.json").write_text(json.dumps(report))
    assert set(told(folder, PEOPLE)) >= {"age: extreme", "city: rare category", "name: on the page"}


def test_two_evaluations(tmp_path, raw, evaluations):
    mine, theirs = imported(evaluations / "retrained"), imported(evaluations / "raw", "Baseline")
    out = run(
        tmp_path, raw, [mine, theirs], evaluation=mine.outputs["result"], baseline_evaluation=theirs.outputs["result"],
        metric="auc",
    )  # fmt: skip
    report, _, _ = report_in(out)
    assert (report["price"]["metric"], report["price"]["missing"]) == ("auc", None)
    assert {group["pays_more"] for group in report["price"]["groups"]} == {None}
    assert states(report)["Who pays"] == "none"


def test_one_evaluation_says_that_the_other_is_missing(tmp_path, raw, evaluations):
    mine = imported(evaluations / "retrained")
    report, _, _ = report_in(run(tmp_path, raw, [mine], evaluation=mine.outputs["result"]))
    assert "no model that learned from the raw data was evaluated" in report["price"]["missing"]


def test_people_are_counted_by_what_one_of_them_can_hold(tmp_path, raw):
    policy = AnonymizationPolicy(("age", "city"), 5, label="ill", entity_id="person")
    report, page, folder = report_in(run(tmp_path, raw, policy=policy))
    splits = (PEOPLE, make_people(300, seed=1))
    most = pd.concat([one["person"] for one in splits]).value_counts().max()
    assert report["least"] == 5 * most
    assert f"at least {5 * most} raw rows share, which are at least 5 people" in page_text(page)
    assert told(folder, PEOPLE[["age", "city"]]) == []


def test_hostile_names(tmp_path):
    name, other = "<script>alert(1)</script>", "größe & 東京 $x$"
    people = make_people(200).rename(columns={"city": name, "age": other})[[name, other, "ill"]]
    folder = write_splits(tmp_path / "raw", train=people)
    policy = AnonymizationPolicy((name, other), 5, label="ill")
    report, page, _ = report_in(run(tmp_path / "run", folder, policy=policy, present=["train"]))
    assert set(report["splits"]["train"]["attributes"]) == {name, other}
    assert "<script" not in page
    assert "größe &amp; 東京 $x$" in page


def test_a_broken_release_is_reported_and_not_praised(tmp_path, raw):
    examples = import_examples(raw)
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=POLICY, effort="low")
    tamper = Tamper(examples=anonymizer.outputs["anonymized_examples"], feature="age")
    validator = KAnonymityValidator(tamper.outputs["tampered"], policy=POLICY, fail_on_violation=False)
    reporter = PrivacyReporter(
        examples.outputs["result"], tamper.outputs["tampered"], anonymizer.outputs["report"],
        validator.outputs["report"],
    )  # fmt: skip
    report, page, _ = report_in(run_components(tmp_path, [examples, anonymizer, tamper, validator, reporter]))
    assert report["success"] is False
    assert (states(report)["Promises"], states(report)["Counting"]) == ("bad", "bad")
    assert "Not to be released" in page
    assert artifact_facts(tmp_path, "PrivacyReporter", "privacy_report")["success"] == 0


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda folder: (folder / "report.json").unlink(), "report holds no report.json"),
        (lambda folder: (folder / "report.json").write_text('{"secret of'), "report.json of report is damaged"),
        (lambda folder: (folder / "report.json").write_text("{}"), "is not such a report"),
        (lambda folder: (folder / "report.json").write_text('{"safe": {}, "splits": {}}'), "mode='safe'"),
    ],
)
def test_a_report_that_cannot_be_read_leaves_nothing(tmp_path, raw, damage, says):
    out = run(tmp_path / "good", raw)
    kept = {}
    for node, key in (("AGAnonymizer", "report"), ("KAnonymityValidator", "report")):
        kept[node] = tmp_path / node
        shutil.copytree(out[node, key], kept[node])
    damage(kept["AGAnonymizer"])
    examples = import_examples(raw)
    made, counted = (
        tfx.dsl.Importer(source_uri=str(kept[node]), artifact_type=kind).with_id(node)
        for node, kind in (
            ("AGAnonymizer", artifacts.AnonymizationReport), ("KAnonymityValidator", artifacts.ValidationReport)
        )
    )  # fmt: skip
    reporter = PrivacyReporter(
        examples.outputs["result"], examples.outputs["result"], made.outputs["result"], counted.outputs["result"]
    )
    with pytest.raises(InputDataError, match=says) as raised:
        run_components(tmp_path / "again", [examples, made, counted, reporter])
    assert "secret" not in str(raised.value)
    assert not [path for path in (tmp_path / "again" / "PrivacyReporter").rglob("*") if path.name.startswith("report.")]


def test_an_evaluation_that_cannot_be_read(tmp_path, raw):
    (tmp_path / "empty").mkdir()
    evaluation = imported(tmp_path / "empty")
    with pytest.raises(InputDataError, match="an evaluation cannot be read"):
        run(tmp_path / "run", raw, [evaluation], evaluation=evaluation.outputs["result"])


def test_configuration_is_checked_when_the_pipeline_is_built(tmp_path):
    examples = import_examples(tmp_path).outputs["result"]
    roles = {"quasi_identifiers": ["a"], "k": 5}
    made = AGAnonymizer(examples, **roles).outputs["report"]
    counted = KAnonymityValidator(examples, **roles).outputs["report"]
    evaluation = imported(tmp_path).outputs["result"]
    for arguments, says in [
        ({"title": 5}, "title is not a text"),
        ({"metric": " ", "evaluation": evaluation}, "metric is not a text"),
        ({"metric": "auc"}, "metric is given, but no evaluation"),
        ({"baseline_evaluation": evaluation}, "nothing to be compared with"),
    ]:
        with pytest.raises(PolicyError, match=says):
            PrivacyReporter(examples, examples, made, counted, **arguments)
