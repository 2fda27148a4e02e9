"""AuditSplit through LocalDagRunner: who is audited is drawn by coin, once, and nobody is lost or trained on twice."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from tests.support.examples import read_examples, write_splits
from tests.support.people import make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tfx_anonymizer import AuditSplit
from tfx_anonymizer.audit_split.executor import Draw
from tfx_anonymizer.errors import ColumnError, InputDataError, PolicyError


def split(root, folder, **arguments):
    examples = import_examples(folder)
    return run_components(root, [examples, AuditSplit(examples.outputs["result"], **arguments)])


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    people = make_people(1000)
    people.loc[500:509, :] = people.loc[490:499, :].to_numpy()
    return write_splits(tmp_path_factory.mktemp("raw"), shards=3, train=people, eval=make_people(60, seed=1))


def rows(folder) -> list[tuple]:
    frame = read_examples(folder)
    return sorted(tuple(map(str, row)) for row in frame[sorted(frame.columns)].itertuples(index=False))


def test_members_stay_and_non_members_go(tmp_path, raw):
    out = split(tmp_path, raw, share=0.5)
    kept, audited = out["AuditSplit", "training_examples"], out["AuditSplit", "audit_examples"]
    train, members = rows(kept / "Split-train"), rows(audited / "Split-member")
    others = rows(audited / "Split-non_member")
    assert rows(kept / "Split-eval") == rows(raw / "Split-eval")
    assert sorted(train + others) == rows(raw / "Split-train")
    assert set(members) <= set(train)
    # Records alike share a coin, so none is on both sides.
    assert not set(others) & set(train)
    assert 190 < len(members) < 310
    assert 190 < len(others) < 310
    facts = artifact_facts(tmp_path, "AuditSplit", "audit_examples")
    assert facts["contains_personal_data"] == facts["members_drawn_by_coin"] == 1
    assert artifact_facts(tmp_path, "AuditSplit", "training_examples")["span"] == 7


def test_the_coins_are_the_content_and_the_seed(tmp_path, raw):
    other_files = write_splits(tmp_path / "raw", shards=1, train=make_people(1000).sample(frac=1, random_state=1),
                               eval=make_people(60, seed=1))  # fmt: skip
    whole = write_splits(tmp_path / "whole", shards=4, train=make_people(1000), eval=make_people(60, seed=1))
    first = split(tmp_path / "1", other_files, seed=3)["AuditSplit", "audit_examples"]
    again = split(tmp_path / "2", whole, seed=3)["AuditSplit", "audit_examples"]
    other = split(tmp_path / "3", whole, seed=4)["AuditSplit", "audit_examples"]
    assert rows(first / "Split-member") == rows(again / "Split-member")
    assert rows(first / "Split-member") != rows(other / "Split-member")


def test_all_rows_of_a_person_share_a_coin(tmp_path, raw):
    out = split(tmp_path, raw, share=0.6, entity_id="person")
    train = read_examples(out["AuditSplit", "training_examples"] / "Split-train")
    others = read_examples(out["AuditSplit", "audit_examples"] / "Split-non_member")
    assert not set(others["person"]) & set(train["person"])


def test_draws_and_coins_are_independent():
    batch = pa.RecordBatch.from_pydict({"a": list(range(20_000))})
    audited, heads = Draw(0.3, None, 1).of(batch)
    table = pd.crosstab(audited, heads, normalize=True)
    assert table.loc[True, True] == pytest.approx(0.15, abs=0.01)
    assert table.loc[True, False] == pytest.approx(0.15, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"share": 1e-9}, InputDataError, "leaves split 'train' without records"),
        ({"entity_id": "persn"}, ColumnError, "did you mean 'person'"),
        ({"split": "test"}, PolicyError, "'test'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_left(tmp_path, raw, arguments, error, says):
    with pytest.raises(error, match=says):
        split(tmp_path, raw, **arguments)
    assert not list((tmp_path / "AuditSplit").rglob("*.gz"))


@pytest.mark.parametrize(
    ("arguments", "says"), [({"share": 0}, "share"), ({"seed": -1}, "seed"), ({"split": ""}, "split")]
)
def test_configuration_is_checked_when_the_pipeline_is_built(tmp_path, arguments, says):
    examples = import_examples(tmp_path)
    with pytest.raises(PolicyError, match=says):
        AuditSplit(examples.outputs["result"], **arguments)
