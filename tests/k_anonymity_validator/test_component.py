"""KAnonymityValidator through LocalDagRunner: it blesses what holds and stops what does not."""

from __future__ import annotations

import json

import pytest

from tests.support.examples import write_examples, write_splits
from tests.support.people import make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tests.support.tamper import Tamper
from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, KAnonymityValidator
from tfx_anonymizer.errors import ColumnError, InputDataError, PolicyError, ViolationError

POLICY = AnonymizationPolicy(("age", "zip"), 6, label="ill", categorical=("zip",))


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return write_splits(tmp_path_factory.mktemp("raw"), train=make_people(200), eval=make_people(50, seed=1))


def validate(root, folder, *, present=("train", "eval"), **arguments):
    examples = import_examples(folder, present)
    return run_components(root, [examples, KAnonymityValidator(examples.outputs["result"], **arguments)])


def test_a_release_is_blessed(tmp_path, raw):
    examples = import_examples(raw)
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=POLICY)
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], policy=POLICY)
    out = run_components(tmp_path, [examples, anonymizer, validator])
    assert [p.name for p in out["KAnonymityValidator", "blessing"].iterdir()] == ["BLESSED"]
    assert artifact_facts(tmp_path, "KAnonymityValidator", "blessing")["blessed"] == 1
    report = json.loads((out["KAnonymityValidator", "report"] / "report.json").read_text())
    assert report["success"] is True
    assert report["splits"]["train"]["checks"][0]["reached"] >= 6
    assert report["splits"]["train"]["risks"]["prosecutor"] <= 1 / 6
    assert report["splits"]["train"]["rows_in_classes_below_k"] == 0


def test_one_edited_row_stops_the_pipeline(tmp_path, raw):
    examples = import_examples(raw)
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=POLICY)
    tamper = Tamper(examples=anonymizer.outputs["anonymized_examples"], feature="age")
    validator = KAnonymityValidator(tamper.outputs["tampered"], policy=POLICY)
    after = AGAnonymizer(tamper.outputs["tampered"], policy=POLICY).with_id("After")
    after.add_upstream_node(validator)
    with pytest.raises(ViolationError, match=r"split 'train': k: asked 6, reached [1-5] \(\d of \d+ classes below k\)"):
        run_components(tmp_path, [examples, anonymizer, tamper, validator, after])
    assert not (tmp_path / "After").exists()


def test_raw_data_is_not_blessed_but_may_pass_when_that_is_asked(tmp_path, raw):
    out = validate(tmp_path, raw, policy=POLICY, fail_on_violation=False)
    assert [p.name for p in out["KAnonymityValidator", "blessing"].iterdir()] == ["NOT_BLESSED"]
    assert artifact_facts(tmp_path, "KAnonymityValidator", "blessing")["blessed"] == 0
    report = json.loads((out["KAnonymityValidator", "report"] / "report.json").read_text())
    assert report["success"] is False
    counted = report["splits"]["train"]["counted"]
    expected = make_people(200).groupby(["age", "zip"]).size()
    assert counted["classes"] == len(expected)
    assert counted["class_sizes"] == {str(s): int(n) for s, n in expected.value_counts().sort_index().items()}
    assert report["splits"]["train"]["rows_in_classes_below_k"] == int(expected[expected < 6].sum())


def test_every_promise_is_checked(tmp_path):
    rows = [{"age": i % 2, "ill": 0 if i % 2 else i % 3, "id": i // 2, "name": "n"} for i in range(24)]
    write_examples(tmp_path / "in" / "Split-train", rows)
    arguments = {
        "quasi_identifiers": ["age"], "k": 12, "entity_id": "id", "sensitive": ["ill"], "l": 2, "t": 0.1,
        "direct_identifiers": ["name"],
    }  # fmt: skip
    with pytest.raises(ViolationError) as caught:
        validate(tmp_path / "run", tmp_path / "in", present=["train"], **arguments)
    for part in ("l in 'ill': asked 2, reached 1", "t in 'ill': asked 0.1", "no_direct_identifiers in 'name'"):
        assert part in str(caught.value)
    assert "k: asked" not in str(caught.value)


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        ({"l": 1.9, "diversity": "entropy"}, "entropy_l in 'ill': asked 1.9, reached 1"),
        ({"l": 2, "diversity": "recursive", "c": 3}, "recursive_c in 'ill': asked 3, reached inf"),
    ],
)
def test_every_kind_of_diversity_is_checked(tmp_path, bounds, says):
    rows = [{"age": i % 2, "ill": 0 if i % 2 else i % 3} for i in range(24)]
    write_examples(tmp_path / "in" / "Split-train", rows)
    arguments = {"quasi_identifiers": ["age"], "k": 12, "label_key": "ill", "sensitive": ["ill"], **bounds}
    with pytest.raises(ViolationError, match=says):
        validate(tmp_path / "run", tmp_path / "in", present=["train"], **arguments)
    out = validate(tmp_path / "again", tmp_path / "in", present=["train"], fail_on_violation=False, **arguments)
    text = (out["KAnonymityValidator", "report"] / "report.json").read_text()
    found = json.loads(text, parse_constant=pytest.fail)["splits"]["train"]["checks"]
    assert [check["holds"] for check in found] == [True, False]


@pytest.mark.parametrize(
    ("rows", "arguments", "error", "says"),
    [
        ([{"age": 1}] * 9, {"quasi_identifiers": ["agee"], "k": 2}, ColumnError, "did you mean 'age'"),
        ([{"age": [1, 2]}] * 9, {"quasi_identifiers": ["age"], "k": 2}, ColumnError, "multi-valued"),
        ([], {"quasi_identifiers": ["age"], "k": 2}, InputDataError, "holds no examples"),
        ([{"age": 1}] * 9, {"quasi_identifiers": ["age"], "k": 2, "splits": ["test"]}, PolicyError, "'test'"),
        ([{"age": 1}] * 9, {"quasi_identifiers": ["age"], "k": 2, "sensitive": ["ill"], "l": 2}, ColumnError, "'ill'"),
        ([{"age": 1}] * 9, {"quasi_identifiers": ["age"], "k": 2, "entity_id": "id"}, ColumnError, "'id'"),
    ],
)
def test_what_cannot_be_counted_is_not_blessed(tmp_path, rows, arguments, error, says):
    write_examples(tmp_path / "in" / "Split-train", rows)
    with pytest.raises(error, match=says):
        validate(tmp_path / "run", tmp_path / "in", present=["train"], **arguments)
    assert not list((tmp_path / "run").rglob("BLESSED"))


def test_configuration_is_checked_when_the_pipeline_is_built(tmp_path):
    examples = import_examples(tmp_path)
    for arguments, says in [
        ({"k": 5}, "no quasi_identifiers"),
        ({"quasi_identifiers": ["a"], "k": 0}, "k is out of range"),
        ({"policy": POLICY, "splits": []}, "splits is not a list"),
    ]:
        with pytest.raises(PolicyError, match=says):
            KAnonymityValidator(examples.outputs["result"], **arguments)
