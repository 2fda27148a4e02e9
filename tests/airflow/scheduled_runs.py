"""The taxi pipeline under a real scheduler: `make airflow-test`. Takes an hour; not collected by `make test`.

On Airflow 3 by `build_dag`, and on Airflow 2.11 by TFX's AirflowDagRunner. Pictures of the grid, where Chromium is
installed, and Airflow's logs stay in runs/airflow-test/.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.airflow_home import AirflowHome
from tests.support.processes import processes, wait
from tests.support.tampered_taxi import FLAG

ROOT = Path(__file__).parents[2]
FLAVOURS = {
    "3": ("builder.py", "pipelines/taxi/airflow_builder_dag.py", "taxi_anonymized"),
    "2-tfx": ("tfx_runner.py", "pipelines/taxi/airflow_dag.py", "taxi_anonymized_tfx_runner"),
}
# Generous: the import of TFX alone takes half a minute a task, more on a busy machine.
LONG = 5400
NODES = {
    *("CsvExampleGen", "ImportSchemaGen", "RawTransform", "InitialModelTrainer", "AGAnonymizer", "KAnonymityValidator"),
    *("StatisticsGen", "ExampleValidator", "Transform", "Trainer", "Evaluator", "Pusher", "PrivacyReporter"),
}
BEHIND = {"StatisticsGen", "ExampleValidator", "Transform", "Trainer", "Evaluator", "Pusher", "PrivacyReporter"}


@pytest.fixture(scope="module", params=FLAVOURS)
def airflow(request):
    flavour = request.param
    test_dag, shipped_dag, _ = FLAVOURS[flavour]
    home = ROOT / "runs" / "airflow-test" / flavour
    shutil.rmtree(home, ignore_errors=True)
    data = home / "tfx"
    data.mkdir(parents=True)
    describe = [
        sys.executable,
        "-m",
        "tfx_anonymizer.airflow",
        "describe",
        "tests.support.tampered_taxi:create_pipeline",
    ]
    where = '{"root": "any", "serving_dir": "any"}'
    subprocess.run([*describe, "--kwargs", where, "-o", data / "graph.json"], cwd=ROOT, check=True)
    settings = {"TFX_PYTHON": sys.executable, "TFX_PIPELINE_HOME": str(data)}
    if flavour == "2-tfx":
        settings["PYTHONPATH"] = str(ROOT)
    found = AirflowHome(
        flavour, home / "airflow", [ROOT / "tests/airflow/dags" / test_dag, ROOT / shipped_dag], settings
    )
    found.start()
    yield flavour, found, data
    found.stop()


def test_killed_then_broken_then_mended(airflow):
    """One run: a process dies and is replaced; the validator stops the rest; cleared, the rest succeeds."""
    flavour, server, data = airflow
    pictures = data.parent / "pictures"
    (data / "pipeline").mkdir()
    (data / "pipeline" / FLAG).touch()
    server.trigger("tampered", "night1", {"k": 50})

    kill_half_way(flavour, data)
    assert server.finish("tampered", "night1", LONG) == "failed"
    states = server.states("tampered", "night1")
    assert {name for name, state in states.items() if state == "success"} == NODES - BEHIND - {"KAnonymityValidator"}
    assert states["KAnonymityValidator"] == "failed"
    assert {states[name] for name in BEHIND} == {"upstream_failed"}
    assert server.tries("tampered", "night1", "InitialModelTrainer") == 2
    # A promise that is broken is not tried again.
    assert server.tries("tampered", "night1", "KAnonymityValidator") == 1
    assert "ViolationError: the release does not keep its promise" in server.log("night1", "KAnonymityValidator", 1)
    assert not pushed(data)
    server.picture("tampered", pictures / "broken.png")

    (data / "pipeline" / FLAG).unlink()
    server.clear("tampered", "night1", "AGAnonymizer")
    wait(lambda: server.states("tampered", "night1")["Pusher"] != "upstream_failed", 600, "the clearing")
    assert server.finish("tampered", "night1", LONG) == "success"
    assert server.states("tampered", "night1") == dict.fromkeys(NODES, "success")
    assert len(pushed(data)) == 1
    server.picture("tampered", pictures / "mended.png")


def test_a_night_without_incident(airflow):
    """The DAG file as it is shipped."""
    flavour, server, data = airflow
    dag_id = FLAVOURS[flavour][2]
    before = pushed(data)
    server.trigger(dag_id, "night2", {"k": 60, "train_steps": 500})
    assert server.finish(dag_id, "night2", LONG) == "success"
    assert server.states(dag_id, "night2") == dict.fromkeys(NODES, "success")
    assert {server.tries(dag_id, "night2", name) for name in NODES} == {1}
    # Switched on, the DAG begins the night that is due by its own schedule too.
    assert len(pushed(data)) == len(before) + server.successes(dag_id, "Pusher")
    server.picture(dag_id, data.parent / "pictures" / "clean.png")


def kill_half_way(flavour: str, data: Path) -> None:
    """Ends InitialModelTrainer's process, the hard way, once it writes its model's folder."""
    model = data / "pipeline" / "InitialModelTrainer" / "model"
    wait(lambda: model.is_dir() and any(model.iterdir()), LONG, "InitialModelTrainer to start")
    if flavour == "3":
        words = ("run-node", "InitialModelTrainer", "tampered.night1")
    else:
        words = ("airflow task runner:", "tampered", "InitialModelTrainer")
    found = list(processes(*words))
    assert found, words
    for process in found:
        os.kill(process, signal.SIGKILL)


def pushed(data: Path) -> list[Path]:
    """The models that Pusher put into service."""
    return sorted((data / "serving").glob("*/saved_model.pb"))
