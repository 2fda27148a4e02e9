"""The taxi package run twice from one beginning: a release that broke on its way, then the release as it was made."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import tensorflow as tf

from pipelines.taxi import kubeflow as taxi
from tests.support.examples import read_records, write_records
from tests.support.kubeflow import FAILED, OMITTED, SUCCEEDED, Cluster

BEFORE = {"CsvExampleGen", "ImportSchemaGen", "RawTransform", "InitialModelTrainer", "AGAnonymizer"}
AFTER = {"StatisticsGen", "ExampleValidator", "Transform", "Trainer", "Evaluator", "Pusher", "PrivacyReporter"}


def compile_small(out: Path, *chosen: str) -> Path:
    """Compiles the taxi pipeline with few training steps."""
    assert taxi.main(["--out", str(out), "--train-steps", "20", "--eval-steps", "2", *chosen]) == 0
    return out


def check_both_releases(cluster: Cluster) -> None:
    """Runs all steps; the broken release must stop before Transform and Trainer, the other reach the end."""
    begun = cluster.run(until="AGAnonymizer")
    assert {name: step.state for name, step in begun.items()} == dict.fromkeys(BEFORE, SUCCEEDED), _logs(cluster)
    raw, release = cluster.stored("CsvExampleGen", "examples"), cluster.stored("AGAnonymizer", "anonymized_examples")
    # What only the driver finds out reached the examples, and AGAnonymizer handed it on.
    assert begun["CsvExampleGen"].metadata["examples"]["input_fingerprint"]
    assert begun["AGAnonymizer"].metadata["anonymized_examples"]["custom:span"] == 0

    kept = release.with_name("kept")
    shutil.copytree(release, kept)
    _tamper(release / "Split-train")
    cluster.run()
    assert cluster.steps["KAnonymityValidator"].state == FAILED
    log = cluster.steps["KAnonymityValidator"].log
    assert "tfx_anonymizer.errors.ViolationError: the release does not keep its promise" in log
    # The class that lost the row may have been as small as it may be.
    assert re.search(r"k: asked 40, reached 1 \([12] of [0-9]+ classes below k\)", log), log[-1500:]
    assert {name for name, step in cluster.steps.items() if step.state == OMITTED} == AFTER
    assert not any(cluster.stored(name, "").exists() for name in AFTER)

    shutil.rmtree(release)
    kept.rename(release)
    for name in {*AFTER, "KAnonymityValidator"}:
        del cluster.steps[name]
    ended = cluster.run()
    assert {name: step.state for name, step in ended.items()} == dict.fromkeys(
        {*BEFORE, *AFTER, "KAnonymityValidator"}, SUCCEEDED
    ), _logs(cluster)
    assert ended["KAnonymityValidator"].metadata["blessing"]["blessed"] == 1
    report = json.loads((cluster.stored("KAnonymityValidator", "report") / "report.json").read_text())
    # Both came from the run, not from the package's defaults.
    assert report["policy"]["k"] == 40
    assert report["policy"]["quasi_identifiers"] == ["pickup_community_area", "trip_start_hour", "trip_seconds"]
    assert report["splits"]["train"]["counted"]["k"] >= 40
    assert len(read_records(release / "Split-train")) == len(read_records(raw / "Split-train"))
    assert list(cluster.stored("Trainer", "model").rglob("saved_model.pb"))
    # The launcher's names of the models, not the pod's folders.
    assert ended["Evaluator"].metadata["blessing"]["baseline_model"].startswith("minio://")


def run_parameters(data: str) -> dict[str, object]:
    """What the run chooses."""
    names = "pickup_community_area, trip_start_hour,trip_seconds"
    return {"k": 40, "quasi_identifiers": names, "data": data}


def _tamper(folder: Path) -> None:
    records = read_records(folder)
    first = tf.train.Example.FromString(records[0])
    first.features.feature["trip_seconds"].int64_list.value[:] = [987_654_321]
    shutil.rmtree(folder)
    write_records(folder, [first.SerializeToString(), *records[1:]])


def _logs(cluster: Cluster) -> str:
    failed = {name: step.log[-3000:] for name, step in cluster.steps.items() if step.state == FAILED}
    return "\n".join(f"{name}:\n{log}" for name, log in failed.items())
