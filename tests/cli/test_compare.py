"""`tfx-anonymizer compare` as a person uses it."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.support.people import make_people


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    make_people(240).to_csv(path, index=False)
    return path


ROLES = ["--label", "ill", "--quasi-identifiers", "age,city", "--direct-identifiers", "name", "--model",
         "logistic_regression", "--effort", "low", "--jobs", "1"]  # fmt: skip


def test_it_says_which_k_to_take(tool, people, tmp_path):
    out = tmp_path / "out"
    arguments = [people, "-o", out, *ROLES, "--k", "5,20,300", "--at-most", "30", "--partitioner", "auto,mondrian"]
    code, said, _ = tool("compare", *arguments)
    assert code == 0
    assert "k=20 (" in said
    assert "is the greatest k that loses at most 30 points" in said
    assert said.count("out of reach") == 2
    rows = pd.read_csv(out / "comparison.csv")
    assert list(zip(rows["partitioner"], rows["k"], strict=True)) == [
        (name, k) for name in ("auto", "mondrian") for k in (5, 20, 300)
    ]
    report = json.loads((out / "comparison.json").read_text())
    assert report["recommended"]["k"] == 20
    assert report["method"]["quasi-identifiers"] == "age, city"
    # Again, it is all there.
    assert tool("compare", *arguments, "--quiet")[:2] == (0, "")


def test_nothing_loses_so_little(tool, people, tmp_path):
    code, said, _ = tool(
        "compare", people, "-o", tmp_path / "out", *ROLES, "--k", "150", "--metric", "roc_auc", "--at-most", 0
    )
    assert code == 0
    assert "no k that was tried loses at most 0 points" in said


def test_no_value_of_a_record_reaches_the_folder(tool, people, tmp_path):
    out = tmp_path / "out"
    assert tool("compare", people, "-o", out, *ROLES, "--k", "5")[0] == 0
    written = "".join(path.read_text(encoding="utf-8") for path in out.rglob("*") if path.is_file())
    for value in ("person number", "Köln", "東京", "angina", "50667"):
        assert value not in written


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--k", "5,x"], "not a list of whole numbers"),
        (["--k", "5,1"], "k is out of range"),
        (["--partitioner", "oak"], "'oak'"),
        (["--metric", "r2"], "does not suit"),
        (["--folds", "1"], "folds is out of range"),
    ],
)
def test_wrong_use_is_one_line(tool, people, tmp_path, arguments, says):
    code, _, complaint = tool("compare", people, "-o", tmp_path / "out", *ROLES, *arguments)
    assert code == 2
    assert says in complaint
    assert "Traceback" not in complaint
    assert not (tmp_path / "out" / "comparison.html").exists()
