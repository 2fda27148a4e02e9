"""DPSynthesizer through LocalDagRunner: examples in, synthetic examples of the same form out, and what they spent."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
from tfx import v1 as tfx

from tests.support.dp_tables import PEOPLE_SCHEMA
from tests.support.examples import read_examples, write_splits
from tests.support.people import make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tfx_anonymizer import DPSynthesizer
from tfx_anonymizer.differential_privacy.spending import Spending, composed_epsilon
from tfx_anonymizer.dp_synthesizer.promises import broken_promises
from tfx_anonymizer.errors import (
    AnonymizerError,
    ColumnError,
    GuaranteeError,
    InputDataError,
    PolicyError,
    ViolationError,
)

SCHEMAS = Path(__file__).parents[2] / "schemas"
# Few people, so a generous budget.
LENIENT = {"epsilon": 8.0, "delta": 1e-5, "leave_out": ["zip"], "entity_id": "person", "clusters": 2, "iterations": 1}


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    people = make_people(4000)
    people["person"] = range(4000)
    return write_splits(tmp_path_factory.mktemp("raw"), shards=3, train=people, eval=make_people(60, seed=1))


def synthesize(root, folder, schema=PEOPLE_SCHEMA, payload="FORMAT_TF_EXAMPLE", **arguments):
    path = root / "public" / "schema.pbtxt"
    path.parent.mkdir(parents=True)
    path.write_text(schema)
    examples = import_examples(folder, payload_format=payload)
    schema_gen = tfx.components.ImportSchemaGen(schema_file=str(path))
    channels = examples.outputs["result"], schema_gen.outputs["schema"]
    return run_components(root, [examples, schema_gen, DPSynthesizer(*channels, **{**LENIENT, **arguments})])


@pytest.fixture(scope="module")
def made(tmp_path_factory, raw):
    root = tmp_path_factory.mktemp("made")
    return root, synthesize(root, raw, rows=900)


def test_examples_are_of_the_schema(made):
    root, out = made
    rows = read_examples(out["DPSynthesizer", "synthetic_examples"] / "Split-train")
    assert len(rows) == 900
    assert set(rows.columns) == {"age", "height", "city", "zip", "income", "ill", "diagnosis", "example_weight"}
    assert rows["zip"].isna().all()
    assert rows["age"].between(18, 90).all()
    assert set(rows["city"].dropna()) <= {"Ulm", "Köln", "Bâle", "other"}
    assert set(rows["ill"]) == {0, 1}
    assert rows["example_weight"].sum() == pytest.approx(4000, rel=0.1)
    facts = artifact_facts(root, "DPSynthesizer", "synthetic_examples")
    assert facts["span"] == 7
    assert facts["payload_format"] == "FORMAT_TF_EXAMPLE"
    old, young = rows[rows["age"] > 75], rows[rows["age"] < 40]
    assert old["ill"].mean() > young["ill"].mean() + 0.3


def test_what_was_spent_stands_on_the_artifact_and_in_the_report(made):
    root, out = made
    facts = artifact_facts(root, "DPSynthesizer", "synthetic_examples")
    assert 7.8 < facts["epsilon"] <= 8.0
    assert facts["delta"] == 1e-5
    assert facts["mechanism"] == "cluster_means"
    assert facts["dp_source"] == "default"
    assert facts["private"] == 1
    # The evaluation split is raw.
    assert facts["contains_personal_data"] == 1
    spending = Spending.from_dict(json.loads(facts["dp_spending"]))
    assert composed_epsilon([spending], delta=1e-5) == pytest.approx(facts["epsilon"])
    folder = out["DPSynthesizer", "report"]
    report = json.loads((folder / "report.json").read_text())
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / "synthesis.schema.json").read_text())).validate(report)
    assert report["spent"] == spending.to_dict()
    assert report["other_splits"] == {"eval": "pass"}
    assert report["splits"]["train"]["looked_over"]["outside"] == {}
    page = (folder / "report.html").read_text()
    assert "Differentially private: epsilon = " in page
    assert not re.search(r'(src|href)="http', page)
    assert {path.name for path in folder.iterdir()} == {"report.json", "report.html"}


def test_other_splits_pass_raw_but_for_names(made, raw):
    _, out = made
    rows = read_examples(out["DPSynthesizer", "synthetic_examples"] / "Split-eval")
    before = read_examples(raw / "Split-eval")
    assert "name" not in rows.columns
    assert sorted(rows["income"]) == sorted(before["income"])


def test_dropped_splits_and_a_seed(tmp_path, raw):
    out = synthesize(tmp_path, raw, seed=1, other_splits="drop", weight_key=None, mechanism="clust_mix", mixtures=3)
    folder = out["DPSynthesizer", "synthetic_examples"]
    assert [path.name for path in folder.iterdir()] == ["Split-train"]
    facts = artifact_facts(tmp_path, "DPSynthesizer", "synthetic_examples")
    assert facts["private"] == 0
    assert "epsilon" not in facts
    assert facts["contains_personal_data"] == 1
    report = json.loads((out["DPSynthesizer", "report"] / "report.json").read_text())
    assert report["private"] is False
    assert "take the noise off" in report["claim"]
    assert "NOT private" in (out["DPSynthesizer", "report"] / "report.html").read_text()
    again = synthesize(
        tmp_path / "again", raw, seed=1, other_splits="drop", weight_key=None, mechanism="clust_mix", mixtures=3
    )
    one, two = (read_examples(f["DPSynthesizer", "synthetic_examples"] / "Split-train") for f in (out, again))
    keys = [
        frame.astype(str).agg("|".join, axis=1).sort_values().tolist() for frame in (one[sorted(one)], two[sorted(two)])
    ]
    assert keys[0] == keys[1]


def test_two_splits_of_the_same_people_spend_more(tmp_path, raw):
    folder = write_splits(tmp_path / "raw", train=make_people(3000).assign(person=range(3000)),
                          eval=make_people(3000, seed=1).assign(person=range(3000)))  # fmt: skip
    synthesize(tmp_path, folder, splits=["train", "eval"])
    facts = artifact_facts(tmp_path, "DPSynthesizer", "synthetic_examples")
    assert 8.5 < facts["epsilon"] < 16
    assert "contains_personal_data" not in facts


def test_parquet(tmp_path):
    people = make_people(3000).drop(columns=["zip"]).assign(person=range(3000))
    for split, rows in (("train", people), ("eval", people.head(50))):
        folder = tmp_path / "raw" / f"Split-{split}"
        folder.mkdir(parents=True)
        rows.to_parquet(folder / "data_tfrecord-00000-of-00001.parquet")
    out = synthesize(tmp_path, tmp_path / "raw", payload="FORMAT_PARQUET", rows=500,
                     schema=PEOPLE_SCHEMA.replace('feature { name: "zip" type: INT }', ""), leave_out=())  # fmt: skip
    rows = pd.read_parquet(out["DPSynthesizer", "synthetic_examples"] / "Split-train")
    assert len(rows) == 500
    assert list(rows.columns) == ["age", "height", "city", "income", "ill", "diagnosis", "example_weight"]
    assert rows["age"].dtype == "int64"
    assert rows["city"].dropna().map(type).eq(str).all()


@pytest.mark.parametrize(
    ("arguments", "schema", "error", "says"),
    [
        ({"leave_out": ()}, PEOPLE_SCHEMA, PolicyError, "feature 'zip' lies"),
        ({"label_key": "il"}, PEOPLE_SCHEMA, ColumnError, "did you mean 'ill'"),
        ({"entity_id": "owner"}, PEOPLE_SCHEMA, AnonymizerError, "'person'|'owner'"),
        ({"delta": 1e-3}, PEOPLE_SCHEMA, GuaranteeError, "delta is too large"),
        ({"epsilon": 0.001}, PEOPLE_SCHEMA, GuaranteeError, "no cell has enough people|delta is too large"),
        ({"weight_key": "age"}, PEOPLE_SCHEMA, PolicyError, "weight_key"),
        ({}, PEOPLE_SCHEMA.replace('"diagnosis" type: BYTES', '"diagnosis" type: INT'), PolicyError, "'diagnosis'"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_left(tmp_path, raw, arguments, schema, error, says):
    with pytest.raises(error, match=says):
        synthesize(tmp_path, raw, schema=schema, **arguments)
    assert not list((tmp_path / "DPSynthesizer").rglob("*.gz"))
    assert not list((tmp_path / "DPSynthesizer").rglob("*.json"))


def test_sequences_are_refused(tmp_path, raw):
    with pytest.raises(InputDataError, match="SequenceExamples"):
        synthesize(tmp_path, raw, payload="FORMAT_TF_SEQUENCE_EXAMPLE")


def channels():
    examples = tfx.components.CsvExampleGen(input_base="anywhere").outputs["examples"]
    return examples, tfx.components.ImportSchemaGen(schema_file="any.pbtxt").outputs["schema"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"epsilon": 0}, "epsilon is out of range"),
        ({"epsilon": "1"}, "epsilon is out of range"),
        ({"delta": 1.0}, "delta is out of range"),
        ({"mechanism": "magic"}, "mechanism"),
        ({"max_rows_per_entity": 2, "entity_id": None}, "needs entity_id"),
        ({"bins": 1}, "bins"),
        ({"rows": 0}, "rows"),
        ({"seed": -1}, "seed"),
        ({"splits": "train"}, "splits is not a list"),
        ({"splits": []}, "splits is empty"),
        ({"leave_out": "zip"}, "leave_out"),
        ({"other_splits": "transform"}, "other_splits"),
        ({"source": ""}, "source"),
    ],
)
def test_wrong_arguments_fail_where_the_pipeline_is_built(arguments, says):
    with pytest.raises(PolicyError, match=says):
        DPSynthesizer(*channels(), **{**LENIENT, **arguments})


def test_a_schema_inferred_from_the_data_is_refused():
    examples, _ = channels()
    statistics = tfx.components.StatisticsGen(examples=examples)
    schema = tfx.components.SchemaGen(statistics=statistics.outputs["statistics"]).outputs["schema"]
    with pytest.raises(PolicyError, match="inferred from the data"):
        DPSynthesizer(examples, schema, epsilon=1.0, delta=1e-6)
    with pytest.raises(PolicyError, match="needs a schema"):
        DPSynthesizer(examples, None, epsilon=1.0, delta=1e-6)


def test_budgets_may_come_when_the_pipeline_runs():
    epsilon = tfx.dsl.experimental.RuntimeParameter(name="epsilon", ptype=float)
    assert DPSynthesizer(*channels(), epsilon=epsilon, delta=1e-6).exec_properties["delta"] == 1e-6


def test_a_release_that_is_not_what_its_report_says_is_caught(made):
    _, out = made
    report = json.loads((out["DPSynthesizer", "report"] / "report.json").read_text())
    assert broken_promises(report, "example_weight") == []
    less_noise = json.loads(json.dumps(report))
    less_noise["spent"]["parts"][-1]["noise_multiplier"] /= 2
    assert "epsilon is above" in broken_promises(less_noise, "example_weight")[0]
    for change, says in (
        ({"rows": 10**6}, "rows instead of"),
        ({"weight": 10**6}, "weights of split 'train'"),
        ({"outside": {"age": 3}}, "3 values of 'age'"),
    ):
        altered = json.loads(json.dumps(report))
        altered["splits"]["train"]["looked_over"].update(change)
        assert says in broken_promises(altered, "example_weight")[0]


def test_a_release_that_breaks_its_promise_is_not_released(tmp_path, raw, monkeypatch):
    from tfx_anonymizer.dp_synthesizer import executor

    monkeypatch.setattr(executor, "broken_promises", lambda *_: ["as asked"])
    with pytest.raises(ViolationError, match="as asked"):
        synthesize(tmp_path, raw, rows=10)
    assert not list((tmp_path / "DPSynthesizer").rglob("*.gz"))
