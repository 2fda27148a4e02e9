"""Every step of the compiled taxi package, started as Kubeflow's launcher starts it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("kfp", reason="kfp is not installed: compiling needs Python 3.10 or 3.11")

from tests.support.kubeflow import Cluster
from tests.support.kubeflow_runs import check_both_releases, compile_small, run_parameters

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_broken_release_stops_and_a_whole_one_reaches_the_end(tmp_path):
    from pipelines.taxi.pipeline import TAXI

    package = compile_small(tmp_path / "taxi.yaml", "--schema", str(ROOT / "schemas/taxi.pbtxt"))
    check_both_releases(Cluster(package, tmp_path, run_parameters(str(TAXI / "data/simple"))))
