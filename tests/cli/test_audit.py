"""`tfx-anonymizer audit` as a person uses it: files, exit codes, reports, one line for what is wrong."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tests.support.people import make_people

QI = ["--quasi-identifiers", "age,height,city,zip", "--k", "20"]
ROLES = [*QI, "--label", "ill", "--direct-identifiers", "name", "--categorical", "zip", "--effort", "low", "--quiet"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    people = make_people(1600).assign(ill=np.random.default_rng(0).integers(0, 2, 1600))
    people = people.drop(columns=["income", "person"])
    people.to_csv(folder / "people.csv", index=False)
    people[:800].to_csv(folder / "members.csv", index=False)
    people[800:].to_parquet(folder / "others.parquet")
    return folder


def test_one_file_is_enough(tool, files, tmp_path):
    report = tmp_path / "audit.html"
    code, said, wrong = tool("audit", files / "people.csv", *ROLES, "--model", "logistic_regression",
                             "--references", 2, "--max-tpr", 0.1, "--max-auc", 0.65, "--report", report)  # fmt: skip
    assert (code, wrong) == (0, "")
    assert "rmia" in said
    assert "every bound holds" in said
    page = report.read_text()
    assert "Every bound holds" in page
    assert "person number" not in page


def test_a_release_that_is_none_and_a_model_on_raw_rows_fail(tool, files):
    code, said, _ = tool("audit", files / "members.csv", "--control", files / "others.parquet", "--release",
                         files / "members.csv", "--raw-model", "--references", 2, "--json", *ROLES)  # fmt: skip
    assert code == 1
    found = json.loads(said)
    assert found["success"] is False
    assert "release: presence" in found["leaks_shown"]
    assert "model: rmia" in found["leaks_shown"]
    assert found["model"]["attacks"]["rmia"]["auc"]["low"] > 0.6
    assert "trained on raw rows" in found["references"]
    assert found["audited"]["members"] == found["audited"]["non_members"] == 800


def test_the_same_seed_gives_the_same_report(tool, files):
    command = ["audit", files / "people.csv", *ROLES, "--model", "logistic_regression", "--mode", "quick", "--json"]
    first, second = tool(*command), tool(*command)
    assert first == second
    assert tool(*command, "--seed", 1) != first


def test_a_saved_model(tool, files, tmp_path):
    import tensorflow as tf

    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def serve(examples):
        age = tf.io.parse_example(examples, {"age": tf.io.FixedLenFeature([1], tf.int64, 0)})["age"]
        return {"outputs": tf.sigmoid((tf.cast(age, tf.float32) - 60.0) / 8.0)}

    module.serve = serve
    tf.saved_model.save(module, str(tmp_path / "model"), signatures={"serving_default": serve})
    assert tool("anonymize", files / "members.csv", "-o", tmp_path / "release.csv", *ROLES)[0] == 0
    code, said, wrong = tool("audit", files / "members.csv", "--control", files / "others.parquet", "--release",
                             tmp_path / "release.csv", "--model", tmp_path / "model", "--mode", "quick",
                             "--max-auc", 0.65, "--max-tpr", 0.1, *ROLES)  # fmt: skip
    assert (code, wrong) == (0, ""), said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--release", "x.csv"], "people who are not in it"),
        (["--model", "forest"], "allowed: random_forest, gradient_boosting"),
        (["--references", "3"], "an even number of 2 or more"),
        (["--max-auc", "2"], "max_auc is out of range"),
        (["--report", "x.txt"], ".html or .json"),
        (["--sensitive", "diagnose"], "did you mean 'diagnosis'"),
        (["--control", "nowhere.csv"], "does not exist"),
    ],
)
def test_wrong_usage(tool, files, arguments, says):
    code, said, wrong = tool("audit", files / "members.csv", *ROLES, *arguments)
    assert code == 2
    assert says in wrong
    assert said == ""
    assert wrong.count("\n") == 1


def test_too_few_people(tool, tmp_path):
    path = tmp_path / "few.csv"
    pd.DataFrame({"a": range(60), "y": [0, 1] * 30}).to_csv(path, index=False)
    code, _, wrong = tool("audit", path, "--label", "y", "--quasi-identifiers", "a", "--k", 5, "--quiet")
    assert code == 2
    assert "too few members" in wrong or "too few non-members" in wrong
