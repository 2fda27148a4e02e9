"""DAG files and tasks in Airflow's own environments, 2.11 and 3, neither of which has TFX."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tfx_anonymizer.airflow import PipelineGraph

ROOT = Path(__file__).parents[2]
BUILDER = ["pipelines/taxi/airflow_builder_dag.py", "pipelines/adult/airflow_builder_dag.py"]
TFX_RUNNER = ["pipelines/taxi/airflow_dag.py", "pipelines/adult/airflow_dag.py"]


@pytest.fixture(scope="module", params=["3", "2"])
def airflow(request, tmp_path_factory):
    """Runs a script by the Python of an Airflow environment, which is made if it is not there."""
    if sys.version_info >= (3, 13):
        pytest.skip("Airflow is pinned for Python 3.10 to 3.12, and this is Python 3.13")
    subprocess.run(["sh", "scripts/airflow.sh", request.param], cwd=ROOT, check=True)
    home = tmp_path_factory.mktemp("airflow")

    def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [ROOT / ".airflow" / request.param / "bin" / "python", ROOT / "tests/airflow" / script, *arguments]
        environment = {**os.environ, "AIRFLOW_HOME": str(home), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
        return subprocess.run(
            list(map(str, command)), cwd=home, env=environment, capture_output=True, text=True, check=False
        )

    run.version, run.home = request.param, home
    return run


def loaded(airflow, path):
    result = airflow("probe.py", ROOT / path)
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.parametrize("path", [*BUILDER, *TFX_RUNNER])
def test_a_dag_file_has_the_pipelines_shape_and_loads_fast(airflow, path):
    if airflow.version == "3" and path in TFX_RUNNER:
        result = airflow("probe.py", ROOT / path)
        assert "OrchestrationError: TFX's AirflowDagRunner does not run on this Airflow" in result.stderr
        return
    dag = loaded(airflow, path)
    graph = PipelineGraph.load(ROOT / Path(path).with_name("graph.json"))
    assert {name: task["upstream"] for name, task in dag["tasks"].items()} == {
        node.id: sorted(node.upstream) for node in graph.nodes
    }
    assert dag["heavy"] == []
    assert dag["seconds"] < 2
    assert (dag["catchup"], dag["max_active_runs"], dag["schedule"]) == (False, 1, "0 2 * * *")
    assert {task["retries"] for task in dag["tasks"].values()} == {2}
    # Skipped or failed, a gate stops what is behind it.
    assert {task["trigger_rule"].split(".")[-1].lower() for task in dag["tasks"].values()} == {"all_success"}


def test_the_check_of_speed_can_fail(airflow, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text(f"{(ROOT / BUILDER[0]).read_text()}\nimport time\ntime.sleep(2.5)\n")
    (tmp_path / "graph.json").write_bytes((ROOT / "pipelines/taxi/graph.json").read_bytes())
    # The file looks for its checkout two folders up; any will do.
    assert loaded(airflow, slow)["seconds"] > 2


def test_the_dag_of_the_how_to(airflow, tmp_path):
    text = (ROOT / "docs/airflow.md").read_text(encoding="utf-8")
    snippet, alert = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    (airflow.home / "credit.graph.json").write_bytes((ROOT / "pipelines/taxi/graph.json").read_bytes())
    told = snippet.replace('params={"k": None},', 'params={"k": None}, default_args=alerting,')
    assert told != snippet
    (tmp_path / "dag.py").write_text(alert + told)
    dag = loaded(airflow, tmp_path / "dag.py")
    assert (dag["dag_id"], dag["schedule"], len(dag["tasks"])) == ("credit_nightly", "0 2 * * *", 13)


def test_tasks(airflow, tmp_path):
    result = airflow("operator_checks.py", tmp_path)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-4000:]
    assert result.stdout.endswith("all checks passed\n")
