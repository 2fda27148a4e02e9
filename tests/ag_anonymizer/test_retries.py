"""A runner may do every stage of AGAnonymizer again; what it leaves is what one attempt leaves."""

from __future__ import annotations

import json

import tensorflow as tf

from pipelines.common.graph import BEAM_ARGS
from tests.support.anonymizer_run import AnonymizerRun
from tests.support.examples import write_splits
from tests.support.people import make_people
from tests.support.runner_graphs import POLICY


def test_stages_done_again(tmp_path):
    raw = write_splits(tmp_path / "raw", shards=2, train=make_people(200), eval=make_people(80, seed=8))
    found = []
    for again in (0, 2):
        run = AnonymizerRun(raw, tmp_path / str(again))
        run.do(POLICY, [*BEAM_ARGS, f"--direct_runner_bundle_repeat={again}"])
        report = json.loads((run.outputs["report"] / "report.json").read_text())
        names = {
            name: sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
            for name, folder in run.outputs.items()
        }
        found.append((names, report["splits"]))
        # A Trainer takes all that a split's folder holds for its files.
        files = tf.data.Dataset.list_files(f"{run.outputs['anonymized_examples']}/Split-train/*")
        assert sum(1 for _ in tf.data.TFRecordDataset(files, compression_type="GZIP")) == 200
    assert found[0] == found[1]
