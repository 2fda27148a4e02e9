"""Releases by worker processes: `make runners-test`, `prism-test` and `flink-test`; not collected by `make test`.

Every runner gives the release that the in-process one gives; a worker that dies, and a run that is refused, leave
nothing behind. The servers' logs stay in runs/runners-test/.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import apache_beam as beam
import pytest

from pipelines.common.graph import BEAM_ARGS
from tests.support.anonymizer_run import AnonymizerRun
from tests.support.beam_runners import FLAVOURS
from tests.support.examples import read_examples, read_records, write_splits
from tests.support.flink_cluster import FlinkCluster
from tests.support.people import QUASI_IDENTIFIERS, make_people
from tests.support.pipelines import import_examples, run_components
from tests.support.processes import wait
from tests.support.runner_graphs import POLICY, SOURCES, release
from tfx_anonymizer import AGAnonymizer, InitialModelTrainer, KAnonymityValidator
from tfx_anonymizer.errors import GuaranteeError, ViolationError

LOGS = Path(__file__).parents[2] / "runs" / "runners-test"


@pytest.fixture(scope="module", autouse=True)
def ends_in_order():
    """A run that is told to end (a time limit, a CI's cancel button) ends its servers too."""
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.exit("told to end", returncode=143))
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="module", params=FLAVOURS)
def runner(request):
    home = LOGS / request.param
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    with FLAVOURS[request.param](home) as found:
        yield found
    wait(lambda: not found.workers(), 60, "the workers to end")


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return write_splits(tmp_path_factory.mktemp("raw"), shards=3, train=make_people(600), eval=make_people(200, seed=8))


def components(raw):
    """The three components; the other split is placed by the generalization, a side input."""
    examples = import_examples(raw)
    channel = examples.outputs["result"]
    guide = InitialModelTrainer(
        channel, estimator="gradient_boosting", label_key="ill", exclude_features=["name", "person"]
    )
    anonymizer = AGAnonymizer(channel, guide.outputs["model"], policy=POLICY, other_splits="transform")
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], policy=POLICY)
    return [examples, guide, anonymizer, validator]


def rows_of(table):
    return Counter(map(repr, table[sorted(table.columns)].to_numpy().tolist()))


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("form", SOURCES)
def test_transforms_give_the_same_release(runner, tmp_path, form):
    source, guide = SOURCES[form](tmp_path)
    found = {}
    for name, args in (("here", BEAM_ARGS), ("there", runner.args)):
        prefix = tmp_path / name / "Split-train" / "data"
        with beam.Pipeline(argv=list(args)) as pipeline:
            release(pipeline, source, guide, str(prefix), str(tmp_path / f"{name}.json"))
        rows = read_release(prefix.parent, form)
        found[name] = rows, json.loads((tmp_path / f"{name}.json").read_text())
        assert not [path for path in prefix.parent.iterdir() if path.is_dir()]
    assert found["here"] == found["there"]
    assert sum(found["there"][0].values()) == 300
    assert found["there"][1]["k"] >= POLICY.k


def read_release(folder, form):
    """The rows of a release, whatever order and files they are in."""
    if form == "parquet":
        import pandas as pd

        return rows_of(pd.concat(map(pd.read_parquet, sorted(folder.iterdir()))))
    return rows_of(read_examples(folder)) if form == "tf.Example" else Counter(read_records(folder))


def test_components_give_the_same_release(runner, raw, tmp_path):
    here = run_components(tmp_path / "here", components(raw), BEAM_ARGS)
    there = run_components(tmp_path / "there", components(raw), runner.args)
    released = "AGAnonymizer", "anonymized_examples"
    for split in ("Split-train", "Split-eval"):
        assert rows_of(read_examples(there[released] / split)) == rows_of(read_examples(here[released] / split))
    reports = [json.loads((run["KAnonymityValidator", "report"] / "report.json").read_text()) for run in (here, there)]
    assert reports[0]["splits"] == reports[1]["splits"]
    assert (there["KAnonymityValidator", "blessing"] / "BLESSED").is_file()
    combined = read_examples(there[released] / "Split-train")[QUASI_IDENTIFIERS].astype(str)
    assert combined.value_counts().min() >= POLICY.k


def test_a_worker_that_dies_leaves_a_whole_release_or_none(runner, raw, tmp_path):
    """All workers are killed, the hard way, once the first file is there; runners may try again or give up.

    By the executor itself, as Kubeflow runs it: there nobody clears away after it.
    """
    run = AnonymizerRun(raw, tmp_path)
    recovered = False
    with kills(runner, run.outputs) as killed, contextlib.suppress(RuntimeError):
        run.do(POLICY, runner.args)
        recovered = True
    assert killed
    if recovered:
        assert len(read_examples(run.outputs["anonymized_examples"] / "Split-train")) == 600
        return
    # What still ran when the run failed has had its time.
    time.sleep(10)
    assert not any(files_below(folder) for folder in run.outputs.values())
    with pytest.raises(GuaranteeError, match="600 rows, k=601"):
        run.do(dataclasses.replace(POLICY, k=601), runner.args)
    assert not any(files_below(folder) for folder in run.outputs.values())
    run.do(POLICY, runner.args)
    assert len(read_examples(run.outputs["anonymized_examples"] / "Split-train")) == 600


@contextlib.contextmanager
def kills(runner, outputs):
    """Kills all workers as soon as a file is below one of some folders; gives the list of those killed."""
    killed = []

    def kill() -> None:
        wait(lambda: any(files_below(folder) for folder in outputs.values()), 600, "the first file", pause=0.02)
        killed.extend(runner.workers())
        for worker in killed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        killer.join()


def test_a_refusal_comes_back_by_name_and_leaves_nothing(runner, raw, tmp_path):
    examples = import_examples(raw)
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=POLICY, k=601, splits=["train"])
    with pytest.raises(GuaranteeError, match="600 rows, k=601") as caught:
        run_components(tmp_path, [examples, anonymizer], runner.args)
    assert "person number" not in str(caught.value)
    assert not files_below(tmp_path / "AGAnonymizer")


def test_a_broken_promise_stops_the_run(runner, raw, tmp_path):
    examples = import_examples(raw)
    validator = KAnonymityValidator(examples.outputs["result"], policy=POLICY)
    with pytest.raises(ViolationError, match="the release does not keep its promise"):
        run_components(tmp_path, [examples, validator], runner.args)
    assert not [path for path in files_below(tmp_path / "KAnonymityValidator") if path.name != "NOT_BLESSED"]


def test_a_flink_cluster_of_two_task_managers():
    """What the Flink runs stand on; on its own, for it needs nothing of Beam."""
    home = LOGS / "flink-cluster-alone"
    shutil.rmtree(home, ignore_errors=True)
    cluster = FlinkCluster(home, task_managers=2)
    try:
        cluster.start()
        found = cluster.overview()
    finally:
        cluster.stop()
    assert (found["taskmanagers"], found["slots-total"], found["jobs-running"]) == (2, 2, 0)
    assert cluster.overview() == {}
