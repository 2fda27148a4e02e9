"""The benchmark on Beam: its examples are what they are said to be, and each piece of work does its work."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.scale.__main__ import show
from benchmarks.scale.examples import LABEL, QUASI_IDENTIFIERS, write_census
from benchmarks.scale.plots import plot
from tests.support.examples import read_examples
from tests.support.recount import breaches, rows_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("census")
    write_census(folder / "Split-train", 1500, seed=3)
    return folder


def test_examples_are_skewed_with_many_values_and_missing_ones(source, tmp_path):
    found = read_examples(source / "Split-train")
    assert len(found) == 1500
    assert {*QUASI_IDENTIFIERS, LABEL, "person", "weight", "note"} == set(found.columns)
    assert 0.03 < found["occupation"].isna().mean() < 0.1
    zips = found["zip"].value_counts()
    assert len(zips) > 100
    assert zips.iloc[0] > 300
    write_census(tmp_path / "again", 1500, seed=3)
    pd.testing.assert_frame_equal(read_examples(tmp_path / "again")[found.columns], found)


def rows(folder):
    return sorted(repr(sorted(row.items())) for row in rows_of(read_examples(folder)))


@pytest.mark.slow
def test_each_piece_of_work(source, tmp_path):
    read = {"copy": source, "anonymize": source, "validate": tmp_path / "anonymize"}
    for name, folder in read.items():
        command = [sys.executable, "-m", "benchmarks.scale.work", name, str(folder), str(tmp_path / name), "--k", "20"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        found = json.loads(done.stdout)
        assert found["wall"] > 0
        assert found["peak"] > 100
        assert (found["refining"] > 0) == (name == "anonymize")
    assert rows(tmp_path / "copy" / "Split-train") == rows(source / "Split-train")
    assert breaches(rows_of(read_examples(tmp_path / "anonymize" / "Split-train")), QUASI_IDENTIFIERS, 20) == []


def test_results_are_shown_beside_the_copy(tmp_path):
    turn = {"rows": 1000, "turn": 0, "processor": 2.0, "peak": 900.0, "refining": 0.0}
    table = pd.DataFrame([{**turn, "work": "copy", "wall": 2.0}, {**turn, "work": "anonymize", "wall": 3.0}])
    from rich.console import Console

    console = Console(width=160, record=True, file=(tmp_path / "out.txt").open("w"))
    show(table, console)
    assert "1.50" in console.export_text()
    plot(table, tmp_path / "scale.svg")
    assert (tmp_path / "scale.svg").stat().st_size > 1000
