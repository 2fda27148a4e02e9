"""PrivacyAuditor through LocalDagRunner: models and releases that leak are stopped, others pass."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import referencing

from tests.support.examples import write_splits
from tests.support.people import make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, AuditSplit, InitialModelTrainer, PrivacyAuditor
from tfx_anonymizer.errors import ColumnError, GuideError, InputDataError, PolicyError, ViolationError

ROOT = Path(__file__).parents[2]
QI = ("age", "height", "city", "zip")
POLICY = AnonymizationPolicy(QI, 20, label="ill", categorical=("zip",), direct_identifiers=("name",))
LEFT_OUT = ["name", "person", "income", "diagnosis"]


def people(rows, seed):
    """A label that is a coin's, so that whatever a model knows of it beyond a coin it knows by heart."""
    table = make_people(rows, seed)
    return table.assign(ill=np.random.default_rng(seed + 100).integers(0, 2, rows))


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return write_splits(tmp_path_factory.mktemp("raw"), train=people(700, 3), eval=people(600, 4))


def check_by_schema(report):
    schema, policy = (
        json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text()) for name in ("audit", "policy")
    )
    registry = referencing.Registry().with_resource("policy.schema.json", referencing.Resource.from_contents(policy))
    jsonschema.Draft202012Validator(schema, registry=registry).validate(report)


def report_of(out):
    folder = out["PrivacyAuditor", "report"]
    report = json.loads((folder / "report.json").read_text(), parse_constant=pytest.fail)
    check_by_schema(report)
    page = (folder / "report.html").read_text()
    assert "Privacy audit" in page
    return report, page


def verdict_of(out):
    return [path.name for path in out["PrivacyAuditor", "blessing"].iterdir()]


def audit_forest(root, raw, **arguments):
    examples = import_examples(raw)
    model = InitialModelTrainer(
        examples.outputs["result"], estimator="random_forest", label_key="ill", exclude_features=LEFT_OUT
    )
    auditor = PrivacyAuditor(
        examples.outputs["result"], model.outputs["model"], label_key="ill", exclude_features=LEFT_OUT, **arguments
    )
    return run_components(root, [examples, model, auditor])


def test_a_model_that_learns_by_heart_stops_the_pipeline(tmp_path, raw):
    with pytest.raises(ViolationError, match=r"more than is allowed.*auc of 'loss'.*leaks shown by model: loss"):
        audit_forest(tmp_path / "1", raw, mode="quick")
    assert not list((tmp_path / "1").rglob("BLESSED"))


def test_unless_that_is_asked_and_the_report_says_what_was_reached(tmp_path, raw):
    out = audit_forest(tmp_path / "2", raw, references=2, fail_on_violation=False)
    report, page = report_of(out)
    assert verdict_of(out) == ["NOT_BLESSED"]
    assert artifact_facts(tmp_path / "2", "PrivacyAuditor", "blessing")["blessed"] == 0
    assert artifact_facts(tmp_path / "2", "PrivacyAuditor", "report")["leaks_shown"] >= 1
    assert report["success"] is False
    assert report["audited"] == {"members": 700, "non_members": 600, "members_drawn_by_coin": False}
    attacks = report["model"]["attacks"]
    assert set(attacks) == {"loss", "gap", "quantile", "rmia", "rmia_offline"}
    # The published model is attacked, and not its out-of-fold answers: those betray nobody.
    assert attacks["loss"]["auc"]["low"] > 0.65
    assert attacks["loss"]["epsilon_lower_bound"]["one_run"] is None
    assert report["model"]["accuracy"]["members"] > report["model"]["accuracy"]["non_members"] + 0.1
    assert "2 models on random halves" in report["references"]
    assert "trained on raw rows" in report["references"]
    assert "NO" in page
    assert "person number" not in json.dumps(report) + page


def test_a_release_and_a_model_trained_on_it(tmp_path, raw):
    examples = import_examples(raw)
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=POLICY, effort="low")
    released = anonymizer.outputs["anonymized_examples"]
    model = InitialModelTrainer(released, estimator="logistic_regression", label_key="ill", exclude_features=LEFT_OUT)
    auditor = PrivacyAuditor(
        examples.outputs["result"], model.outputs["model"], released, policy=POLICY, sensitive=["diagnosis"],
        references=2, effort="low", exclude_features=["person", "income"], fail_on_violation=False,
        max_auc=0.65, max_tpr=0.1,
    )  # fmt: skip
    out = run_components(tmp_path, [examples, anonymizer, model, auditor])
    report, page = report_of(out)
    assert [
        check for check in report["checks"] if not check["holds"] and check["name"] in ("auc", "tpr_at_fpr_0.01")
    ] == []
    assert "anonymized by the policy" in report["references"]
    known = report["release"]["knowing_the_quasi_identifiers"]
    assert set(known) == {
        "presence", "presence_below_k", "singling_out_1", "singling_out_3", "linkability", "inference_diagnosis",
    }  # fmt: skip
    assert known["presence_below_k"]["successes"] == 0
    assert report["release"]["rows_in_classes_below_k"] == 0
    assert report["attributes"]["diagnosis"]["members"]["black_box"]["people"] == 350
    assert report["policy"]["k"] == 20
    assert "Who is in the release" in page
    for value in ("person number", "angina", "Köln"):
        assert value not in json.dumps(report, ensure_ascii=False) + page


def test_raw_rows_for_a_release_are_not_blessed(tmp_path, raw):
    examples = import_examples(raw)
    auditor = PrivacyAuditor(
        examples.outputs["result"], anonymized_examples=examples.outputs["result"], policy=POLICY, mode="quick",
        fail_on_violation=False,
    )  # fmt: skip
    out = run_components(tmp_path, [examples, auditor])
    report, _ = report_of(out)
    assert verdict_of(out) == ["NOT_BLESSED"]
    assert report["model"] is None
    assert "release: presence_below_k" in report["leaks_shown"]
    assert report["release"]["knowing_the_quasi_identifiers"]["presence"]["successes"] == 700
    assert report["release"]["rows_in_classes_below_k"] > 600


def test_members_drawn_by_coin_bound_epsilon_from_one_run(tmp_path, raw):
    examples = import_examples(raw)
    split = AuditSplit(examples.outputs["result"], share=1.0)
    model = InitialModelTrainer(
        split.outputs["training_examples"], estimator="random_forest", label_key="ill", exclude_features=LEFT_OUT
    )
    auditor = PrivacyAuditor(
        split.outputs["audit_examples"], model.outputs["model"], label_key="ill", mode="quick",
        exclude_features=LEFT_OUT, fail_on_violation=False,
    )  # fmt: skip
    report, page = report_of(run_components(tmp_path, [examples, split, model, auditor]))
    assert report["audited"]["members_drawn_by_coin"] is True
    assert report["audited"]["members"] + report["audited"]["non_members"] == 700
    assert report["model"]["attacks"]["loss"]["epsilon_lower_bound"]["one_run"] > 0.2
    assert "a fair coin told them apart" in page


MODULE = """
import numpy as np
import pyarrow as pa


def labels(table):
    return pa.array((np.asarray(table.column("age").to_numpy()) > 50).astype(np.int64))


def train(table, seed):
    assert set(np.unique(table.column("old").to_numpy())) <= {0, 1}
    return lambda asked: (np.asarray(asked.column("age").to_numpy()) - 50.5) / 8.0
"""
SAVED_MODEL = """
import tensorflow as tf

SPEC = {"age": tf.io.RaggedFeature(tf.int64)}


def run_fn(fn_args):
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def serve(examples):
        age = tf.io.parse_example(examples, SPEC)["age"].to_tensor(shape=[None, 1])
        return {"outputs": (tf.cast(age, tf.float32) - 50.5) / 8.0}

    module.serve = serve
    tf.saved_model.save(module, fn_args.serving_model_dir, signatures={"serving_default": serve})
"""


def test_a_saved_model_with_a_label_of_its_own_and_exact_references(tmp_path, raw, monkeypatch):
    (tmp_path / "audit_module.py").write_text(textwrap.dedent(MODULE))
    (tmp_path / "audited_trainer.py").write_text(textwrap.dedent(SAVED_MODEL))
    monkeypatch.syspath_prepend(str(tmp_path))
    examples = import_examples(raw)
    model = InitialModelTrainer(examples.outputs["result"], run_fn="audited_trainer.run_fn")
    auditor = PrivacyAuditor(
        examples.outputs["result"], model.outputs["model"], label_key="old", label_fn="audit_module.labels",
        reference_fn="audit_module.train", references=2, attributes=["city"], max_auc=0.65, max_tpr=0.1,
    )  # fmt: skip
    out = run_components(tmp_path / "run", [examples, model, auditor])
    report, _ = report_of(out)
    assert verdict_of(out) == ["BLESSED"]
    assert report["target"] == "a SavedModel"
    assert "trained by audit_module.train" in report["references"]
    # Above 0 is above a half: logits were taken for logits.
    assert report["model"]["accuracy"] == {"members": 1.0, "non_members": 1.0}
    assert report["attributes"]["city"]["members"]["black_box"]["advantage"]["low"] < 0.02


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"label_key": "il"}, ColumnError, "did you mean 'ill'"),
        ({"label_key": "ill", "non_member_split": "test"}, PolicyError, "'test'"),
        ({"label_key": "ill", "attributes": ["cty"]}, ColumnError, "did you mean 'city'"),
        ({"label_key": "ill", "label_classes": ["0", "1", "2"]}, GuideError, "outputs are not the label's classes"),
        ({"label_key": "ill", "mode": "standard", "reference_fn": "no.such"}, PolicyError, "cannot be imported"),
    ],
)
def test_what_cannot_be_audited_is_not_blessed(tmp_path, raw, arguments, error, says):
    examples = import_examples(raw)
    model = InitialModelTrainer(
        examples.outputs["result"], estimator="logistic_regression", label_key="ill", exclude_features=LEFT_OUT
    )
    auditor = PrivacyAuditor(examples.outputs["result"], model.outputs["model"], **{"mode": "quick", **arguments})
    with pytest.raises(error, match=says):
        run_components(tmp_path, [examples, model, auditor])
    assert not list(tmp_path.rglob("BLESSED"))


def test_too_few_people_are_refused(tmp_path):
    folder = write_splits(tmp_path / "raw", train=people(200, 1), eval=people(49, 2))
    examples = import_examples(folder)
    auditor = PrivacyAuditor(
        examples.outputs["result"], anonymized_examples=examples.outputs["result"], policy=POLICY, mode="quick"
    )
    with pytest.raises(InputDataError, match="too few non-members to audit; got: 49 records; allowed: 50 or more"):
        run_components(tmp_path / "run", [examples, auditor])


def test_configuration_is_checked_when_the_pipeline_is_built(tmp_path):
    examples = import_examples(tmp_path).outputs["result"]
    model = InitialModelTrainer(examples, estimator="mlp", label_key="y").outputs["model"]
    for arguments, says in [
        ({}, "there is nothing to audit"),
        ({"anonymized_examples": examples}, "quasi-identifiers"),
        ({"model": model}, "label_key was not given"),
        ({"model": model, "label_key": "y", "mode": "thorough"}, "mode is not known"),
        ({"model": model, "label_key": "y", "references": 3}, "an even number"),
        ({"model": model, "label_key": "y", "mode": "quick", "references": 2}, "quick"),
        ({"model": model, "label_key": "y", "max_auc": 0.4}, "max_auc is out of range"),
        ({"model": model, "label_key": "y", "records": 10}, "records is out of range"),
        ({"model": model, "label_key": "y", "estimator": "tree"}, "estimator is not known"),
        ({"model": model, "label_key": "y", "member_split": "a", "non_member_split": "a"}, "the same split"),
        ({"model": model, "label_key": "y", "reference_fn": "f"}, "import path"),
        ({"model": model, "label_key": "y", "estimator": "mlp", "reference_fn": "a.f"}, "one of the two"),
        ({"model": model, "label_key": "y", "attributes": "age"}, "not a list of names"),
        ({"model": model, "label_key": "y", "k": 1, "quasi_identifiers": ["a"]}, "k is out of range"),
    ]:
        with pytest.raises(PolicyError, match=says):
            PrivacyAuditor(examples, **arguments)
