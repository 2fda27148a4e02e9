"""The KFP components: what each writes, called as KFP's executor calls it, and the sample pipeline run by kfp.local."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.people import make_people

pytest.importorskip("kfp", reason="kfp is not installed: its SDK needs Python 3.10 or 3.11 here")

import kfp
import kfp.dsl

from tfx_anonymizer.errors import ColumnError, GuaranteeError, InputDataError, PolicyError, ViolationError
from tfx_anonymizer.kfp import anonymize, audit, validate

ROOT = Path(__file__).parents[2]
NAMES = ["age", "city", "zip"]


def artifact(kind: type, path: Path, **metadata: object):
    return kind(name=path.name, uri=str(path), metadata=metadata)


@pytest.fixture
def outputs(tmp_path):
    folder = tmp_path / "outputs"
    folder.mkdir()
    kinds = {
        "release": kfp.dsl.Dataset,
        "metrics": kfp.dsl.Metrics,
        "report": kfp.dsl.HTML,
        "summary": kfp.dsl.Markdown,
    }
    return {name: artifact(kind, folder / name) for name, kind in kinds.items()}


def raw(tmp_path: Path, file_format: str = "csv", name: str = "data", **metadata: object):
    people = make_people(300)
    path = tmp_path / name
    if file_format == "csv":
        people.to_csv(path, index=False)
    else:
        people.to_parquet(path)
    return artifact(kfp.dsl.Dataset, path, **metadata)


def read(path: str, file_format: str) -> pd.DataFrame:
    return pd.read_csv(path) if file_format == "csv" else pd.read_parquet(path)


@pytest.mark.parametrize(
    ("file_format", "name", "metadata", "parameter"),
    [
        ("csv", "data", {}, "csv"),
        ("parquet", "data", {}, "parquet"),
        ("parquet", "people.parquet", {}, "csv"),
        ("parquet", "data", {"format": "parquet"}, "csv"),
    ],
)
def test_a_table_is_released_in_its_own_form(tmp_path, outputs, file_format, name, metadata, parameter):
    data = raw(tmp_path, file_format, name, **metadata)
    anonymize.python_func(
        data=data, **outputs, quasi_identifiers=NAMES, k=10, label="ill", guide="labels", effort="low",
        direct_identifiers=["name"], categorical=["zip"], file_format=parameter,
    )  # fmt: skip
    before, after = read(data.path, file_format), read(outputs["release"].path, file_format)
    assert len(after) == 300
    assert "name" not in after
    assert after.groupby(NAMES, dropna=False).size().min() >= 10
    np.testing.assert_array_equal(np.sort(after["income"]), np.sort(before["income"]))
    found = outputs["release"].metadata
    assert found["format"] == file_format
    assert found["rows"] == outputs["metrics"].metadata["rows"] == 300
    assert found["k"] == outputs["metrics"].metadata["k"] >= 10
    assert sorted(path.name for path in (tmp_path / "outputs").iterdir()) == ["release", "report", "summary"]


def test_reports_hold_counts_and_no_values(tmp_path, outputs):
    data = raw(tmp_path)
    anonymize.python_func(data=data, **outputs, quasi_identifiers=[*NAMES, "height"], k=10, label="ill", effort="low")
    page, text = Path(outputs["report"].path).read_text(), Path(outputs["summary"].path).read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "| k | 10 | " in text
    assert "| height | " in text
    assert "Not covered:" in text
    for value in ("東京", "1000001", "person number"):
        assert value in Path(data.path).read_text()
        assert value not in page
        assert value not in text


def test_validate_holds_and_breaks(tmp_path, outputs):
    anonymize.python_func(
        data=raw(tmp_path), **outputs, quasi_identifiers=NAMES, k=10, label="ill", guide="labels", effort="low"
    )
    release = outputs.pop("release")
    del outputs["report"]
    assert validate.python_func(data=release, **outputs, quasi_identifiers=NAMES, k=10) is True
    assert "## The promise holds" in Path(outputs["summary"].path).read_text()

    table = pd.read_csv(release.path)
    table.loc[0, "age"] = 117
    table.to_csv(release.path, index=False)
    with pytest.raises(ViolationError, match=r"k: asked 10, reached 1"):
        validate.python_func(data=release, **outputs, quasi_identifiers=NAMES, k=10)
    found = validate.python_func(data=release, **outputs, quasi_identifiers=NAMES, k=10, fail_on_violation=False)
    assert found is False
    assert outputs["metrics"].metadata["k"] == 1
    text = Path(outputs["summary"].path).read_text()
    assert "## The promise is broken" in text
    assert "| k | 10 | 1 | ✗ |" in text
    assert "117" not in text


def test_validate_keeps_l_and_direct_identifiers(tmp_path, outputs):
    del outputs["release"], outputs["report"]
    table = pd.DataFrame(
        {"age": [1] * 5 + [2] * 5, "name": list("abcdefghij"), "ill": ["flu"] * 5 + ["flu", "cold"] * 2 + ["flu"]}
    )
    table.to_parquet(tmp_path / "data.parquet")
    data = artifact(kfp.dsl.Dataset, tmp_path / "data.parquet")
    promises = {"quasi_identifiers": ["age"], "k": 5, "sensitive": ["ill"], "l": 2, "direct_identifiers": ["name"]}
    with pytest.raises(ViolationError, match=r"l in 'ill': asked 2, reached 1; no_direct_identifiers in 'name'"):
        validate.python_func(data=data, **outputs, **promises)


def test_every_option_of_the_command_is_a_parameter():
    from tfx_anonymizer.cli.anonymize import anonymize as command

    files = {"source": "data", "output": "release", "report": "report", "quiet": None}
    options = {files.get(option.name, option.name) for option in command.params} - {None}
    assert options <= set(anonymize.component_spec.inputs) | set(anonymize.component_spec.outputs)


@pytest.mark.parametrize(
    ("change", "row"),
    [
        ({"l": 3.0}, r"\| l of diagnosis \| 3 \| [34] \| ✓ \|"),
        ({"l": 1.5, "diversity": "entropy"}, r"\| entropy.l of diagnosis \| 1.5 \| \S+ \| ✓ \|"),
        ({"l": 2, "diversity": "recursive", "c": 9.0}, r"\| recursive.c of diagnosis \| 9 \| \S+ \| ✓ \|"),
        ({"t": 0.5}, r"\| t of diagnosis \| 0.5 \| 0\.\d+ \| ✓ \|"),
    ],
)
def test_sensitive_columns(tmp_path, outputs, change, row):
    arguments = {"quasi_identifiers": NAMES, "k": 10, "sensitive": ["diagnosis"], **change}
    anonymize.python_func(data=raw(tmp_path), **outputs, **arguments)
    assert re.search(row, Path(outputs["summary"].path).read_text().replace("\\_", "_"))
    release = outputs.pop("release")
    del outputs["report"]
    assert validate.python_func(data=release, **outputs, **arguments) is True
    assert re.search(row, Path(outputs["summary"].path).read_text().replace("\\_", "_"))


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (PolicyError, {"k": 1}),
        (PolicyError, {"quasi_identifiers": []}),
        (PolicyError, {"file_format": "xlsx"}),
        (PolicyError, {"guide": "oracle"}),
        (PolicyError, {"l": 2.0}),
        (PolicyError, {"sensitive": ["diagnosis"], "t": -0.5}),
        (PolicyError, {"effort": "utmost"}),
        (ColumnError, {"quasi_identifiers": ["age", "town"]}),
        (GuaranteeError, {"k": 301}),
        (InputDataError, {"file_format": "parquet"}),
    ],
)
def test_what_is_wrong_leaves_nothing(tmp_path, outputs, error, change):
    arguments = {"quasi_identifiers": NAMES, "k": 10, "label": "ill", "guide": "labels", **change}
    with pytest.raises(error):
        anonymize.python_func(data=raw(tmp_path), **outputs, **arguments)
    assert not list((tmp_path / "outputs").iterdir())


def test_an_artifact_without_a_file(tmp_path, outputs):
    (tmp_path / "folder").mkdir()
    for place in ("folder", "absent"):
        data = artifact(kfp.dsl.Dataset, tmp_path / place)
        with pytest.raises(InputDataError, match="the artifact holds no file"):
            anonymize.python_func(data=data, **outputs, quasi_identifiers=NAMES, k=10)


def test_hostile_names(tmp_path, outputs):
    names = ["a,b", "x|y", "`<b>`"]
    rng = np.random.default_rng(0)
    pd.DataFrame({name: rng.integers(0, 9, 60) for name in names}).to_csv(tmp_path / "data", index=False)
    data = artifact(kfp.dsl.Dataset, tmp_path / "data")
    anonymize.python_func(data=data, **outputs, quasi_identifiers=names, k=5)
    assert pd.read_csv(outputs["release"].path).groupby(names).size().min() >= 5
    text = Path(outputs["summary"].path).read_text()
    assert "| x\\|y |" in text
    assert "<b>" not in text.replace("\\<b>", "")
    assert "`<b>`" not in Path(outputs["report"].path).read_text()


def compile_table(out: Path) -> None:
    command = [sys.executable, "-m", "pipelines.table.kubeflow", "--out", str(out)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_sample_compiles_and_the_newest_sdk_takes_it(tmp_path):
    compile_table(tmp_path / "table.yaml")
    ran = subprocess.run(
        ["sh", "scripts/newest_kfp.sh", "tests/support/load_package.py", str(tmp_path / "table.yaml")],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["tasks"] == ["anonymize", "importer", "validate"]
    assert found["inputs"] == ["k", "label", "quasi_identifiers", "seed", "table"]
    assert found["memory"]["exec-anonymize"] == pytest.approx(4)


PROGRAM = """
import sys
from kfp import local
from pipelines.table.kubeflow import anonymize_table
local.init(runner=local.SubprocessRunner(use_venv=False), pipeline_root=sys.argv[1])
anonymize_table(table=sys.argv[2], quasi_identifiers=["age", "city", "zip"], label="ill", k=int(sys.argv[3]))
"""


@pytest.mark.skipif(
    importlib.util.find_spec("kfp.local.pipeline_orchestrator") is None,
    reason=f"kfp {kfp.__version__} runs no pipelines locally",
)
@pytest.mark.parametrize("k", [10, 301])
def test_the_sample_runs(tmp_path, k):
    data = raw(tmp_path, name="people.csv")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "root"), data.uri, str(k)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = {path.name: path for path in (tmp_path / "root").rglob("*") if path.is_file()}
    if k == 301:
        assert ran.returncode != 0
        assert "GuaranteeError: the table has fewer than k rows" in ran.stdout
        assert not {"release", "report"} & set(found)
        assert not list((tmp_path / "root").rglob("validate"))
    else:
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert pd.read_csv(found["release"]).groupby(NAMES, dropna=False).size().min() >= 10
        assert "## The promise holds" in (next((tmp_path / "root").rglob("validate")) / "summary").read_text()
        assert "<html" in found["report"].read_text()


@pytest.mark.parametrize("leaks", [False, True])
def test_a_release_is_attacked(tmp_path, outputs, leaks):
    people = make_people(1200).assign(ill=np.random.default_rng(0).integers(0, 2, 1200))
    people[:600].to_csv(tmp_path / "members", index=False)
    people[600:].to_parquet(tmp_path / "others")
    members = artifact(kfp.dsl.Dataset, tmp_path / "members")
    others = artifact(kfp.dsl.Dataset, tmp_path / "others", format="parquet")
    roles = {
        "quasi_identifiers": NAMES, "k": 20, "label": "ill", "direct_identifiers": ["name"], "categorical": ["zip"],
        "effort": "low",
    }  # fmt: skip
    anonymize.python_func(data=members, **outputs, **roles, guide="labels")
    arguments = {
        "data": members, "control": others, "release": members if leaks else outputs["release"],
        **{name: outputs[name] for name in ("metrics", "report", "summary")}, **roles,
        "model": "logistic_regression", "mode": "quick", "max_auc": 0.7, "max_tpr": 0.15, "entity_id": None,
    }  # fmt: skip
    if leaks:
        with pytest.raises(ViolationError, match="rows_in_classes_below_k of 'counting'"):
            audit.python_func(**arguments)
    assert audit.python_func(**arguments, fail_on_violation=False) is not leaks
    assert 0.4 < outputs["metrics"].metadata["auc_loss"] < 0.7
    assert "Privacy audit" in Path(outputs["report"].path).read_text()
    shown = Path(outputs["summary"].path).read_text()
    assert ("Not every bound holds" in shown) == leaks
    assert "person number" not in shown
