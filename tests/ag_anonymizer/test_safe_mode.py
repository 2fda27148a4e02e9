"""AGAnonymizer in its safe mode, through LocalDagRunner: what it releases, says, and refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.support.examples import read_examples, write_splits
from tests.support.people import make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tfx_anonymizer import AGAnonymizer
from tfx_anonymizer.errors import GuaranteeError, InputDataError, PolicyError

SAFE = {
    "quasi_identifiers": ["age", "city"],
    "label_key": "ill",
    "k": 74,
    "direct_identifiers": ["name"],
    "mode": "safe",
    "epsilon": 1.0,
    "delta": 1e-6,
    "design_split": "design",
    "partitioner": "guided_tree",
}
SPLITS = ("train", "design", "eval")


def split_people(count, start=0):
    people = make_people(count)
    return people.assign(person=np.arange(count) + start)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    people = split_people(5060)
    parts = {"train": people[:3400], "design": people[3400:5000], "eval": people[5000:]}
    return write_splits(tmp_path_factory.mktemp("raw"), shards=2, **parts)


@pytest.fixture(scope="module")
def run(tmp_path_factory, raw):
    root = tmp_path_factory.mktemp("run")
    examples = import_examples(raw, splits=SPLITS)
    anonymizer = AGAnonymizer(examples.outputs["result"], **SAFE, entity_id="person")
    return root, run_components(root, [examples, anonymizer])


def test_all_that_is_released_is_common_and_the_design_is_not(run):
    out = run[1]["AGAnonymizer", "anonymized_examples"]
    released = read_examples(out / "Split-train")
    assert set(released.columns) == {"age", "city", "ill"}
    assert released.groupby(["age", "city", "ill"], dropna=False).size().min() >= 74
    assert 300 < len(released) < 3400 * 0.75
    assert not (out / "Split-design").exists()
    assert json.loads(artifact_facts(run[0], "AGAnonymizer", "anonymized_examples")["split_names"]) == ["train", "eval"]
    assert "name" not in read_examples(out / "Split-eval")


def test_the_report_says_what_holds_and_counts_no_raw_rows(run):
    text = (run[1]["AGAnonymizer", "report"] / "report.json").read_text()
    report = json.loads(text)
    assert report["safe"]["epsilon"] == 1.0
    assert report["safe"]["delta"] <= 1e-6
    assert "design split" in report["safe"]["does_not_cover"][0]
    assert report["splits"]["train"]["counted"]["k"] >= 74
    for raw_count in ("3400", "1600", '"suppressed": ', "distinct_before"):
        assert raw_count not in text
    facts = artifact_facts(run[0], "AGAnonymizer", "report")
    assert (facts["epsilon"], facts["k"]) == (1.0, 74)
    assert [path.name for path in run[1]["AGAnonymizer", "report"].iterdir()] == ["report.json"]


def test_people_of_both_splits_stop_the_run(tmp_path):
    people = split_people(3000)
    raw = write_splits(tmp_path / "raw", train=people[:2000], design=people[1990:])
    examples = import_examples(raw, splits=("train", "design"))
    anonymizer = AGAnonymizer(examples.outputs["result"], **SAFE, entity_id="person")
    with pytest.raises(GuaranteeError, match="design split are to be released"):
        run_components(tmp_path / "run", [examples, anonymizer])
    assert not list((tmp_path / "run" / "AGAnonymizer").rglob("*.gz"))


def test_a_split_that_one_worker_cannot_hold_stops_the_run(tmp_path, raw):
    examples = import_examples(raw, splits=SPLITS)
    anonymizer = AGAnonymizer(examples.outputs["result"], **SAFE, max_rows_per_shard=1700)
    with pytest.raises(InputDataError, match="more records than max_rows_per_shard"):
        run_components(tmp_path / "run", [examples, anonymizer])


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"k": 50}, GuaranteeError, "k is too small for the budget; got: 50; allowed: 74 or more"),
        ({"mode": "safer"}, PolicyError, "mode is not known"),
        ({"mode": "k_anonymity"}, PolicyError, "epsilon belongs to another mode"),
        ({"epsilon": None}, PolicyError, "mode='safe' needs epsilon"),
        ({"delta": 2.0}, PolicyError, "delta is out of range"),
        ({"sampling": 0.7}, PolicyError, "sampling is out of range"),
        ({"design_split": "train"}, PolicyError, "design_split must be a split of its own"),
        ({"design_split": None}, PolicyError, "mode='safe' needs design_split"),
        ({"splits": ["train", "eval"]}, PolicyError, "releases one split"),
        ({"other_splits": "transform"}, PolicyError, "other_splits='transform' promises nothing"),
        ({"max_suppressed": 0.1}, PolicyError, "max_suppressed cannot be kept in mode='safe'"),
        ({"sensitive": ["diagnosis"], "l": 2}, PolicyError, "sensitive cannot be kept"),
    ],
)
def test_what_cannot_be_kept_is_refused_when_the_pipeline_is_built(change, error, says):
    examples = import_examples("anywhere")
    with pytest.raises(error, match=says):
        AGAnonymizer(examples.outputs["result"], **{**SAFE, **change})


def test_a_model_cannot_be_connected():
    from tfx import v1 as tfx
    from tfx.v1.types import standard_artifacts

    model = tfx.dsl.Channel(type=standard_artifacts.Model)
    with pytest.raises(PolicyError, match="model cannot be connected"):
        AGAnonymizer(import_examples("anywhere").outputs["result"], model, **SAFE)
