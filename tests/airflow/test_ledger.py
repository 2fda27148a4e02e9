"""The ledger of releases: what it remembers, when it warns, and that it cannot be damaged unnoticed."""

from __future__ import annotations

import dataclasses
import json

import pytest

from tests.support.examples import write_examples
from tests.support.people import make_people
from tfx_anonymizer.airflow import run_node
from tfx_anonymizer.airflow.ledger import FILE, Release, judge, read, record
from tfx_anonymizer.errors import InputDataError

FIRST = Release(
    "2026-01-01T02:00:00+00:00", "dag.one", "AGAnonymizer", 5, "source", 1, "fit", ("größe", "zip"), 600, 50
)


def other(**changes):
    return dataclasses.replace(FIRST, **{"run": "dag.two", "execution": 9, **changes})


def test_it_remembers_in_order(tmp_path):
    releases = [FIRST, other(), other(execution=12, generalization="another")]
    for release in releases:
        record(str(tmp_path), release)
    assert read(str(tmp_path)) == releases
    assert len((tmp_path / FILE).read_text(encoding="utf-8").splitlines()) == 3


def test_no_ledger_is_no_release(tmp_path):
    assert read(str(tmp_path)) == []


@pytest.mark.parametrize(
    ("earlier", "release", "said", "warn"),
    [
        ([], FIRST, "release 1 of AGAnonymizer: no earlier one was grouped differently", False),
        ([FIRST], other(), "release 2 of AGAnonymizer: no earlier one was grouped differently", False),
        ([FIRST], other(source="new", generalization="new"), "1 earlier ones were grouped differently; whoever", True),
        ([FIRST, other(generalization="b")], other(generalization="c"), "2 of them from the very same data", True),
        (
            [other(source="")],
            other(source="", generalization="c"),
            "1 earlier ones were grouped differently; who",
            True,
        ),
    ],
)
def test_it_warns_when_releases_can_be_intersected(earlier, release, said, warn):
    sentence, warned = judge(earlier, release)
    assert said in sentence
    assert warned is warn


@pytest.mark.parametrize("line", ["", "{", "[]", "{}", '{"time": 1}'])
def test_a_damaged_ledger(line, tmp_path):
    record(str(tmp_path), FIRST)
    with (tmp_path / FILE).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputDataError, match="line 2 of the ledger of releases is damaged"):
        record(str(tmp_path), other())
    assert len((tmp_path / FILE).read_text().splitlines()) == 2


def test_a_scheduled_release_is_recorded(tmp_path, caplog):
    for number, seed in ((1, 0), (2, 1)):
        folder = tmp_path / f"night{number}"
        for split in ("train", "eval"):
            write_examples(folder / f"Split-{split}", make_people(300, seed=seed))
        kwargs = {"root": str(tmp_path / "root"), "examples": str(folder)}
        for node in ("Examples", "AGAnonymizer"):
            run_node("tests.support.anonymizing_pipeline:create_pipeline", kwargs, node, f"dag.{number}")
    first, second = read(str(tmp_path / "root"))
    assert (first.run, first.node, first.rows, first.k) == ("dag.1", "AGAnonymizer", 300, 5)
    assert first.quasi_identifiers == ("age", "zip")
    assert first.generalization != second.generalization
    assert "release 2 of AGAnonymizer: 1 earlier ones were grouped differently" in caplog.text
    text = json.dumps([dataclasses.asdict(first), dataclasses.asdict(second)])
    assert not set(make_people(300, seed=0)["city"].dropna().astype(str)) & set(text.split('"'))
