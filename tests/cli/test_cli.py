"""The command line as a person uses it: files, exit codes, one line for what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.people import make_people

QI = "age,height,city,zip"


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    make_people(300).to_csv(path, index=False)
    return path


def test_anonymize_then_validate(tool, people, tmp_path):
    out = tmp_path / "release.csv"
    code, said, _ = tool("anonymize", people, "-o", out, "--label", "ill", "--quasi-identifiers", QI, "--k", 9,
                         "--direct-identifiers", "name", "--categorical", "zip")  # fmt: skip
    assert code == 0
    assert "k=9 reached" in said or "k=1" in said
    assert tool("validate", out, "--quasi-identifiers", QI, "--k", 9, "--direct-identifiers", "name")[0] == 0
    released, raw = pd.read_csv(out, dtype=str), pd.read_csv(people, dtype=str)
    assert "name" not in released
    assert sorted(released["income"]) == sorted(raw["income"])
    assert released["income"].tolist() != raw["income"].tolist()
    assert released.groupby(QI.split(","), dropna=False).size().min() >= 9


@pytest.mark.parametrize("partitioner", ["auto", "mondrian"])
def test_a_number_to_be_predicted(tool, people, tmp_path, partitioner):
    out = tmp_path / "release.csv"
    code, _, wrong = tool("anonymize", people, "-o", out, "--label", "income", "--quasi-identifiers", "age,height",
                          "--k", 9, "--direct-identifiers", "name", "--partitioner", partitioner)  # fmt: skip
    assert (code, wrong) == (0, "")
    released = pd.read_csv(out, dtype=str)
    assert sorted(released["income"]) == sorted(pd.read_csv(people, dtype=str)["income"])
    sizes = released.groupby(["age", "height"], dropna=False).size()
    assert sizes.min() >= 9
    assert len(sizes) > 5


def test_validate_says_what_is_broken(tool, people):
    code, said, _ = tool("validate", people, "--quasi-identifiers", "age,zip", "--k", 9, "--direct-identifiers", "name",
                         "--sensitive", "diagnosis", "--l", 2)  # fmt: skip
    assert code == 1
    assert "k: asked 9, reached 1" in said
    assert "l in 'diagnosis': asked 2, reached 1" in said
    assert "no_direct_identifiers in 'name'" in said


def test_validate_as_json(tool, people):
    code, said, _ = tool("validate", people, "--quasi-identifiers", "zip", "--k", 5, "--json")
    found = json.loads(said)
    assert code == 0
    assert found["holds"] is True
    assert found["rows"] == 300
    assert found["k"] == int(pd.read_csv(people)["zip"].value_counts().min())


def test_cells_are_compared_as_they_are_written(tool, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a\n" + "1\n" * 5 + "1.0\n" + "\n" * 0)
    assert tool("validate", path, "--quasi-identifiers", "a", "--k", 2)[0] == 1


def test_parquet(tool, people, tmp_path):
    source, out = tmp_path / "people.parquet", tmp_path / "release.parquet"
    frame = make_people(300)
    frame.to_parquet(source, index=False)
    assert tool("anonymize", source, "-o", out, "--label", "ill", "--quasi-identifiers", QI, "--k", 7)[0] == 0
    released = pd.read_parquet(out)
    assert released.dtypes.equals(frame.dtypes)
    assert tool("validate", out, "--quasi-identifiers", QI, "--k", 7)[0] == 0


def test_everything_at_once(tool, people, tmp_path):
    out, report = tmp_path / "r.csv", tmp_path / "r.json"
    code, said, _ = tool("anonymize", people, "-o", out, "--label", "ill", "--quasi-identifiers", "age,city",
                         "--quasi-identifiers", "zip", "--k", 6, "--entity-id", "person", "--sensitive", "diagnosis",
                         "--l", 2, "--t", 0.7, "--guide", "random_forest", "--seed", 3, "--report", report,
                         "--quiet")  # fmt: skip
    assert (code, said) == (0, "")
    found = json.loads(report.read_text())
    assert [check["name"] for check in found["checks"]] == ["k", "l", "t"]
    assert found["success"] is True
    assert found["method"]["guide"] == "random_forest"
    assert tool("validate", out, "--quasi-identifiers", "age,city,zip", "--k", 6, "--entity-id", "person",
                "--sensitive", "diagnosis", "--l", 2, "--t", 0.7)[0] == 0  # fmt: skip


def test_direct_identifiers_do_not_steer_what_is_chosen(tool, people, tmp_path):
    table = pd.read_csv(people)
    table["number"] = table["ill"].to_numpy() * 1000 + np.arange(len(table))
    table.to_csv(tmp_path / "numbered.csv", index=False)
    ways = ["--label", "ill", "--quasi-identifiers", QI, "--k", 6, "--effort", "medium"]
    with_it, without = tmp_path / "with.csv", tmp_path / "without.csv"
    report = tmp_path / "r.json"
    assert tool("anonymize", tmp_path / "numbered.csv", "-o", with_it, *ways, "--direct-identifiers", "number",
                "--report", report)[0] == 0  # fmt: skip
    assert tool("anonymize", people, "-o", without, *ways)[0] == 0
    assert with_it.read_text() == without.read_text()
    # The report says what was chosen, and by whom.
    method = json.loads(report.read_text())["method"]
    assert "auto" not in (method["partitioner"], method["representative"])
    assert (method["effort"], method["student"]) == ("medium", "gradient_boosting")


def test_a_column_name_with_a_comma(tool, people, tmp_path):
    out = tmp_path / "r.csv"
    pd.read_csv(people).rename(columns={"city": "city, or town"}).to_csv(people, index=False)
    roles = ["--quasi-identifiers", 'age,"city, or town"', "--k", 6]
    assert tool("anonymize", people, "-o", out, *roles)[0] == 0
    assert tool("validate", out, *roles)[0] == 0
    assert tool("validate", out, "--quasi-identifiers", "age,city, or town", "--k", 6)[0] == 2


@pytest.mark.parametrize(
    ("promise", "name"),
    [
        (["--l", "1.5", "--diversity", "entropy"], "entropy_l"),
        (["--l", "2", "--diversity", "recursive", "--c", "4"], "recursive_c"),
        (["--l", "2", "--diversity", "recursive", "--c", "4", "--t", "0.4"], "recursive_c"),
    ],
)
def test_every_kind_of_diversity_of_the_label_too(tool, people, tmp_path, promise, name):
    out, report = tmp_path / "r.csv", tmp_path / "r.json"
    promise = ["--quasi-identifiers", QI, "--k", 5, "--sensitive", "ill,diagnosis", *promise]
    code, said, _ = tool("anonymize", people, "-o", out, "--label", "ill", *promise, "--report", report)
    assert code == 0, said
    found = [check for check in json.loads(report.read_text())["checks"] if check["name"] == name]
    assert [(check["column"], check["holds"]) for check in found] == [("ill", True), ("diagnosis", True)]
    assert tool("validate", out, *promise)[0] == 0
    # Without the promise, nobody keeps it by chance.
    assert tool("anonymize", people, "-o", out, "--label", "ill", "--quasi-identifiers", QI, "--k", 5)[0] == 0
    code, said, _ = tool("validate", out, *promise)
    assert code == 1
    assert f"{name} in 'ill': asked" in said


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_outliers_may_be_left_out(tool, people, tmp_path, suffix):
    out = tmp_path / f"r.{suffix}"
    promise = ["--quasi-identifiers", QI, "--k", 9]
    for report in (tmp_path / "r.json", tmp_path / "r.html"):
        code, said, _ = tool("anonymize", people, "-o", out, "--label", "ill", *promise, "--max-suppressed", "0.05",
                             "--report", report)  # fmt: skip
        assert code == 0
        assert "left out: 15 of 300 rows (allowed 5.00%)" in said
    released = pd.read_csv(out, dtype=str) if suffix == "csv" else pd.read_parquet(out)
    raw = pd.read_csv(people, dtype=str)
    assert len(released) == 285
    # Every cell that is not a quasi-identifier belongs to the row it stood in.
    names = ["name", "person", "income", "ill", "diagnosis"] if suffix == "csv" else ["name", "diagnosis"]
    assert set(map(tuple, released[names].to_numpy())) < set(map(tuple, raw[names].to_numpy()))
    assert tool("validate", out, *promise)[0] == 0
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["suppressed"] == 15
    assert found["counted"]["rows"] == 285
    assert found["checks"][-1] == {
        "name": "max_suppressed", "asked": 0.05, "reached": 0.05, "holds": True, "column": None
    }  # fmt: skip
    assert '<td>Rows left out</td><td class="n">15</td>' in (tmp_path / "r.html").read_text()


def test_same_input_same_output_in_any_order_of_lines(tool, people, tmp_path):
    shuffled = tmp_path / "shuffled.csv"
    pd.read_csv(people, dtype=str).sample(frac=1, random_state=1).to_csv(shuffled, index=False)
    outputs = []
    for source in (people, shuffled):
        out = tmp_path / f"out-{source.stem}.csv"
        assert tool("anonymize", source, "-o", out, "--label", "ill", "--quasi-identifiers", QI, "--k", 9)[0] == 0
        outputs.append(out.read_bytes())
    assert outputs[0] == outputs[1]


def test_a_saved_model_guides(tool, people, tmp_path):
    import tensorflow as tf

    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def serve(examples):
        age = tf.io.parse_example(examples, {"age": tf.io.FixedLenFeature([], tf.int64)})["age"]
        return {"outputs": tf.cast(age > 50, tf.float32)}

    module.serve = serve
    tf.saved_model.save(module, str(tmp_path / "model"), signatures={"serving_default": serve})
    out = tmp_path / "out.csv"
    code, _, _ = tool("anonymize", people, "-o", out, "--guide", tmp_path / "model", "--quasi-identifiers", "age",
                      "--k", 100)  # fmt: skip
    assert code == 0
    ages = pd.read_csv(people)["age"]
    released = pd.read_csv(out)["age"]
    assert (released > 50).sum() == (ages > 50).sum()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--k", "301"], "300 rows, k=301"),
        (["--k", "1"], "k is out of range"),
        (["--k", "5", "--label", "sick"], "label names a column 'sick'"),
        (["--k", "5", "--guide", "mlp"], "guide mlp needs a label"),
        (["--k", "5", "--guide", "no-such-folder"], "neither known by name nor a folder"),
        (["--k", "5", "--partitioner", "kd"], "partitioner is not known"),
        (["--k", "5", "--report", "x.pdf"], "report's suffix is not known"),
        (["--k", "5", "--t", "0.1"], "no column is sensitive"),
        (["--k", "5", "--quasi-identifiers", "agee"], "did you mean 'age'"),
        (["--k", "5", "--max-suppressed", "1"], "max_suppressed is out of range"),
        (["--k", "5", "--sensitive", "ill", "--l", "2.5"], "only diversity='entropy' takes an l between"),
        (["--k", "5", "--sensitive", "ill", "--l", "2", "--diversity", "recursive"], "needs c"),
        (
            ["--k", "5", "--sensitive", "ill", "--l", "2.1", "--diversity", "entropy"],
            "'ill' has less entropy than log l",
        ),
        (
            ["--k", "5", "--sensitive", "ill", "--l", "2", "--diversity", "recursive", "--c", "0.5"],
            "is not (c, l)-diverse in the whole table",
        ),
    ],
)
def test_wrong_use_is_one_line_and_leaves_no_file(tool, people, tmp_path, arguments, says):
    out = tmp_path / "out.csv"
    code, _, error = tool("anonymize", people, "-o", out, "--quasi-identifiers", "age,zip", *arguments)
    assert code == 2
    assert error.startswith("error: ")
    assert says in error
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["anonymize"],
        ["validate", "x.csv", "--k", "many"],
        ["nonsense"],
        ["validate", "none.csv"],
        ["validate", "none.csv", "--quasi-identifiers", "a", "--k", "2", "--l", "two"],
        ["validate", "none.csv", "--quasi-identifiers", "a", "--k", "2", "--diversity", "shannon"],
    ],
)
def test_usage_errors_exit_with_two(tool, arguments):
    assert tool(*arguments)[0] == 2


def test_an_absent_file(tool, tmp_path):
    code, _, error = tool("validate", tmp_path / "none.csv", "--quasi-identifiers", "a", "--k", 2)
    assert code == 2
    assert "does not exist" in error


def test_fetch_offline(tool, tmp_path):
    code, _, error = tool("fetch", "adult", "--out", tmp_path, "--url", "http://127.0.0.1:9")
    assert code == 2
    assert "cannot be reached" in error


def test_fetch_finds_what_is_there(tool, uci):
    code, said, _ = tool("fetch", "nursery", "--out", uci)
    assert code == 0
    assert said.splitlines()[0].endswith("nursery.data")


@pytest.mark.parametrize("command", ["anonymize", "validate", "fetch"])
def test_help_explains_every_option(tool, command):
    code, said, _ = tool(command, "--help")
    assert code == 0
    assert "\\b" not in said
    for line in said.splitlines():
        assert line.strip() not in {"--k INTEGER", "--seed INTEGER"}


def test_the_installed_command():
    command = Path(sys.executable).with_name("tfx-anonymizer")
    result = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("tfx-anonymizer, version ")


def test_a_real_table(tool, uci, tmp_path):
    from tfx_anonymizer.datasets import read_adult
    from tfx_anonymizer.datasets.uci import ADULT_COLUMNS

    source, out = tmp_path / "adult.csv", tmp_path / "release.csv"
    read_adult(uci).to_csv(source, index=False)
    names = ",".join(name for name in ADULT_COLUMNS if name not in ("fnlwgt", "education", "income"))
    code, said, _ = tool("anonymize", source, "-o", out, "--label", "income", "--quasi-identifiers", names, "--k", 100)
    assert code == 0
    assert np.int64(said.split("rows in ")[1].split(" ")[0].replace(",", "")) > 200
    assert tool("validate", out, "--quasi-identifiers", names, "--k", 100)[0] == 0
