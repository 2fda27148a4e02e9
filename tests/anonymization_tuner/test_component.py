"""AnonymizationTuner through LocalDagRunner: AGAnonymizer keeps what it chooses, and KAnonymityValidator counts it."""

from __future__ import annotations

import json

import pytest

from tests.support.examples import write_splits
from tests.support.people import QUASI_IDENTIFIERS, make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, AnonymizationTuner, KAnonymityValidator
from tfx_anonymizer.component_support.choices import read_choice
from tfx_anonymizer.errors import GuaranteeError, InputDataError, PolicyError

ROLES = {"quasi_identifiers": QUASI_IDENTIFIERS, "label_key": "ill", "direct_identifiers": ["name"]}
FAST = {"model": "logistic_regression", "effort": "low", "folds": 2}


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return write_splits(tmp_path_factory.mktemp("raw"), train=make_people(300), eval=make_people(60, seed=1))


def test_what_is_chosen_is_kept_and_counted(tmp_path, raw):
    examples = import_examples(raw)
    data = examples.outputs["result"]
    tuner = AnonymizationTuner(data, ks=[4, 9, 5000], at_most=40, partitioners=["mondrian"], **ROLES, **FAST)
    choice = tuner.outputs["choice"]
    anonymizer = AGAnonymizer(data, choice=choice, **ROLES)
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], choice=choice, **ROLES)
    out = run_components(tmp_path / "run", [examples, tuner, anonymizer, validator])
    assert json.loads((out["AnonymizationTuner", "choice"] / "choice.json").read_text()) == {
        "k": 9, "partitioner": "mondrian",
    }  # fmt: skip
    facts = artifact_facts(tmp_path / "run", "AnonymizationTuner", "choice")
    assert (facts["k"], facts["partitioner"]) == (9, "mondrian")
    made = json.loads((out["AGAnonymizer", "report"] / "report.json").read_text())
    assert made["policy"]["k"] == 9
    assert made["splits"]["train"]["partitioner"] == "mondrian"
    counted = json.loads((out["KAnonymityValidator", "report"] / "report.json").read_text())
    assert counted["policy"]["k"] == 9
    assert counted["splits"]["train"]["counted"]["k"] >= 9
    report = out["AnonymizationTuner", "report"]
    assert {path.name for path in report.iterdir()} == {"comparison.html", "comparison.csv", "comparison.json"}
    found = json.loads((report / "comparison.json").read_text())
    assert found["tool"] == "AnonymizationTuner"
    assert [(point["k"], point["reached"]) for point in found["points"]] == [(4, True), (9, True), (5000, False)]
    text = "".join(path.read_text(encoding="utf-8") for path in report.iterdir())
    assert not [value for value in ("person number", "Köln", "angina", "50667") if value in text]


def test_no_k_loses_so_little(tmp_path, raw):
    examples = import_examples(raw)
    tuner = AnonymizationTuner(examples.outputs["result"], ks=[140], at_most=0, metric="roc_auc", **ROLES, **FAST)
    with pytest.raises(GuaranteeError, match=r"no k that was tried loses at most 0 points; got: the least loss is"):
        run_components(tmp_path / "run", [examples, tuner])
    assert not list((tmp_path / "run" / "AnonymizationTuner" / "choice").rglob("choice.json"))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"ks": []}, "ks is empty"),
        ({"ks": [1]}, "k is out of range"),
        ({"at_most": -1}, "at_most is out of range"),
        ({"at_most": float("nan")}, "at_most is out of range"),
        ({"sample_size": 1}, "sample_size is out of range"),
        ({"model": "oracle"}, "'oracle'"),
        ({"partitioners": ["oak"]}, "'oak'"),
        ({"quasi_identifiers": None}, "no quasi_identifiers were given"),
    ],
)
def test_checked_when_the_pipeline_is_built(raw, wrong, says):
    with pytest.raises(PolicyError, match=says):
        AnonymizationTuner(import_examples(raw).outputs["result"], **{**ROLES, **wrong})


def test_k_is_said_by_one(raw):
    examples = import_examples(raw)
    choice = AnonymizationTuner(examples.outputs["result"], **ROLES).outputs["choice"]
    for component in (AGAnonymizer, KAnonymityValidator):
        with pytest.raises(PolicyError, match="both k and choice"):
            component(examples.outputs["result"], choice=choice, k=5, **ROLES)
    # A policy's own k gives way.
    AGAnonymizer(examples.outputs["result"], choice=choice, policy=AnonymizationPolicy(("age",), 7))


def test_a_choice_that_was_never_made(tmp_path):
    class Artifact:
        uri = str(tmp_path)

    with pytest.raises(InputDataError, match="the choice is empty"):
        read_choice({"choice": [Artifact()]})
    assert read_choice({}) is None
