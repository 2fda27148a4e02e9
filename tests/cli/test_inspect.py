"""`tfx-anonymizer inspect` as a person uses it."""

from __future__ import annotations

import json
import shlex

from tests.support.people import make_people


def test_the_command_that_it_proposes_runs(tool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = make_people(400).rename(columns={"city": "city, or [town]"})
    people.to_csv("people.csv", index=False)
    code, said, _ = tool("inspect", "people.csv", "--label", "ill", "--k", 8)
    assert code == 0
    assert "is sure" in said
    proposed = shlex.split(said[said.index("To begin with:") :].split("\n")[1])
    assert proposed[:2] == ["tfx-anonymizer", "anonymize"]
    assert tool(*proposed[1:], "--effort", "low", "--guide", "labels")[0] == 0
    released = (tmp_path / "people-release.csv").read_text()
    assert "person number" not in released
    assert "city, or [town]" in released.split("\n")[0]


def test_as_json_and_wrong_use(tool, tmp_path):
    path = tmp_path / "people.parquet"
    make_people(50).to_parquet(path)
    code, said, _ = tool("inspect", path, "--json", "--entity-id", "person")
    assert code == 0
    assert json.loads(said)["roles"]["person"] == "entity id"
    code, _, complaint = tool("inspect", path, "--label", "agee")
    assert code == 2
    assert "'agee'" in complaint
