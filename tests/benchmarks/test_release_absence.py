"""The benchmark of what a release leaves out: its planted leak is found, and what is measured is not measured again."""

from __future__ import annotations

import sys

import pandas as pd
import pyarrow as pa
import pytest

from benchmarks import release_absence
from benchmarks.utility.cases import load_case, split
from tfx_anonymizer.attacks.encoding import encode


@pytest.fixture(scope="module")
def people(uci):
    case = load_case("adult-12", uci)
    part = split(case, 3)
    return case, part.train.iloc[:3000], part.test.iloc[:3000]


def test_the_planted_leak_is_nobodys_combination_and_is_found(people):
    case, members, others = people
    released = release_absence.planted(case, members, seed=3)
    names = list(case.quasi_identifiers)
    assert len(released.merge(members[names], on=names)) == 0
    tables = [pa.Table.from_pandas(rows[names], preserve_index=False) for rows in (members, others, released)]
    found = release_absence.measure_release(encode(tables, names), 10, seed=3)
    assert found["absence"][0].auc.low > 0.5
    assert found["absence"][1][0] == 0
    assert set(found) == {"nearness", "absence", "learned", "learned_without"}


@pytest.mark.slow
def test_a_seed_is_measured_once(uci, tmp_path, monkeypatch, capsys):
    out = tmp_path / "found.csv"
    words = ["--data", str(uci), "--out", str(out), "--k", "100", "--guide", "tree", "--seeds", "10"]
    monkeypatch.setattr(sys, "argv", ["release_absence", *words, "--releases", "median", "planted"])
    release_absence.main()
    first = out.read_text()
    release_absence.main()
    assert out.read_text() == first
    assert len(pd.read_csv(out)) == 8
    assert "learned_without" in capsys.readouterr().out
