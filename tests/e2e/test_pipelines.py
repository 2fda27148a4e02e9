"""The example pipelines from end to end, as a person starts them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.examples import read_examples
from tests.support.raw_values import told

ROOT = Path(__file__).parents[2]


def run(case: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"pipelines.{case}.local", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def figures(printed: str) -> dict[str, str]:
    """Reads the printed table: what stands in the two columns of each line."""
    return dict(re.findall(r"│\s(.+?)\s*│\s(.+?)\s*│", printed))


def points(cell: str) -> float:
    return float(re.search(r"\(([+-][0-9.]+) points\)", cell)[1])


@pytest.mark.slow
def test_taxi(tmp_path):
    result = run("taxi", "--out", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    found = figures(result.stdout)
    asked, reached = map(int, found["k asked / reached"].split(" / "))
    assert asked == 50
    assert reached >= 50
    assert int(found["classes / largest class"].split(" / ")[0]) > 100
    assert float(found["accuracy, model on raw data"].split()[0]) > 0.82
    assert points(found["accuracy, retrained on the release"]) > -8
    assert (
        float(found["AUC, retrained on the release"].split()[0])
        > float(found["AUC, model on raw data"].split()[0]) - 0.03
    )
    assert list(Path(found["pushed model"]).rglob("saved_model.pb"))
    report = json.loads(Path(found["anonymization report"]).read_text())
    assert report["splits"]["train"]["guide"] == "model"
    assert json.loads(Path(found["validation report"]).read_text())["success"] is True
    for component in ("InitialModelTrainer", "AGAnonymizer", "KAnonymityValidator", "Trainer", "Evaluator", "Pusher"):
        assert re.search(rf"✓ {component}\s+[0-9.]+ s", result.stdout)
    anomalies = [p for p in (tmp_path / "pipeline" / "ExampleValidator").rglob("SchemaDiff.pb") if p.stat().st_size]
    assert len(anomalies) == 2
    assert all(no_anomaly(path) for path in anomalies)
    check_page(tmp_path / "pipeline", found)


def check_page(root: Path, found: dict[str, str]) -> dict:
    """The report of the pipeline knows everything, and tells no value that too few share; returns it."""
    folder = Path(found["privacy report"]).parent
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["success"] is True
    assert report["price"]["missing"] is None
    assert len(report["price"]["groups"]) > 5
    drawn = [facts["distribution"] for facts in report["splits"]["train"]["attributes"].values()]
    assert all(drawn)
    (split,) = (root / "CsvExampleGen" / "examples").glob("*/Split-train")
    leaked = told(folder, read_examples(split))
    assert not leaked
    return report


def no_anomaly(path: Path) -> bool:
    from tensorflow_metadata.proto.v0 import anomalies_pb2

    return not anomalies_pb2.Anomalies.FromString(path.read_bytes()).anomaly_info


@pytest.mark.slow
def test_adult(tmp_path, uci):
    result = run("adult", "--data", uci, "--out", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    found = figures(result.stdout)
    assert found["k asked / reached"] in {f"100 / {k}" for k in range(100, 120)}
    assert found["training rows"] == "32,561"
    assert float(found["accuracy, model on raw data"].split()[0]) > 0.84
    assert points(found["accuracy, retrained on the release"]) > -3
    report = check_page(tmp_path / "pipeline", found)
    # Many countries are those of few.
    assert report["splits"]["train"]["attributes"]["native-country"]["distribution"]["other"]


@pytest.mark.slow
def test_taxi_with_differential_privacy(tmp_path):
    result = run("taxi", "--epsilon", 4, "--out", tmp_path, "--train-steps", 300)
    assert result.returncode == 0, result.stdout + result.stderr
    found = figures(result.stdout)
    epsilon, delta = map(float, found["epsilon / delta spent"].split(" / "))
    assert 3.9 < epsilon <= 4.0
    assert delta == 1e-6
    assert float(found["AUC, retrained on the release"].split()[0]) > 0.75
    report = json.loads(Path(found["synthesis report"]).read_text())
    assert report["private"] is True
    assert report["splits"]["train"]["looked_over"]["outside"] == {}
    for component in ("DPSynthesizer", "Transform", "Trainer", "Evaluator", "Pusher"):
        assert re.search(rf"✓ {component}\s+[0-9.]+ s", result.stdout)
    anomalies = [p for p in (tmp_path / "pipeline" / "ExampleValidator").rglob("SchemaDiff.pb") if p.stat().st_size]
    assert len(anomalies) == 2
    assert all(no_anomaly(path) for path in anomalies)


@pytest.mark.slow
def test_adult_with_differential_privacy(tmp_path, uci):
    result = run("adult", "--epsilon", 1, "--data", uci, "--out", tmp_path, "--train-steps", 500)
    assert result.returncode == 0, result.stdout + result.stderr
    found = figures(result.stdout)
    assert 0.95 < float(found["epsilon / delta spent"].split(" / ")[0]) <= 1.0
    assert 31_000 < int(found["synthetic training rows"].replace(",", "")) < 34_000
    assert float(found["accuracy, retrained on the release"].split()[0]) > 0.77
    assert float(found["AUC, retrained on the release"].split()[0]) > 0.8


@pytest.mark.slow
def test_a_pipeline_that_cannot_keep_its_promise_says_so(tmp_path, uci):
    result = run("adult", "--data", uci, "--out", tmp_path, "--k", "40000", "--train-steps", 10)
    assert result.returncode == 1
    assert "✗ GuaranteeError: the table has fewer than k rows" in result.stdout
    assert "┌" not in result.stdout
    assert not list((tmp_path / "pipeline" / "AGAnonymizer").rglob("*.gz"))


def test_adult_without_its_data(tmp_path):
    result = run("adult", "--data", tmp_path, "--out", tmp_path / "out")
    assert result.returncode == 2
    assert "adult.data does not exist" in result.stdout
