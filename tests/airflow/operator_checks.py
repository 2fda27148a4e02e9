"""Run by the Python of an Airflow environment: what the task does with the process it starts.

Usage: python operator_checks.py FOLDER
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

from tfx_anonymizer.airflow import GraphNode, PipelineGraph, PromiseBrokenError, build_dag  # noqa: E402
from tfx_anonymizer.airflow.airflow_compat import (  # noqa: E402
    AirflowException,
    AirflowFailException,
    AirflowSkipException,
)
from tfx_anonymizer.errors import OrchestrationError, PolicyError  # noqa: E402

FOLDER = Path(sys.argv[1])
FAKE = FOLDER / "python"
GRAPH = PipelineGraph("mod:fn", "p", (GraphNode("A"), GraphNode("B", ("A",))))


def fake(body: str) -> None:
    """Puts a program in the place of TFX's Python."""
    FAKE.write_text(f"#!{sys.executable}\nimport json, os, signal, sys\n{body}\n")
    FAKE.chmod(0o755)


def raised(task: object) -> BaseException | None:
    """Executes a task and returns what it raises."""
    try:
        task.execute({"run_id": "manual__1"})
    except BaseException as error:
        return error
    return None


def check_exit_codes() -> None:
    """Each way to end has its meaning."""
    task = build_dag("d", GRAPH, python=FAKE).get_task("B")
    for body, kind, text in (
        ("print('B: done')", None, ""),
        ("print('Error: why'); sys.exit(1)", AirflowException, "B: exit code 1: Error: why"),
        ("print('PolicyError: why'); sys.exit(2)", AirflowFailException, "B: PolicyError: why"),
        ("print('ViolationError: why'); sys.exit(3)", PromiseBrokenError, "B: ViolationError: why"),
        ("print('B: not to run'); sys.exit(4)", AirflowSkipException, "B: not to run"),
        ("os.kill(os.getpid(), signal.SIGKILL)", AirflowException, "B: the process was ended by signal 9"),
    ):
        fake(body)
        error = raised(task)
        assert (error is None) if kind is None else type(error) is kind, (body, error)
        assert error is None or str(error) == text, error
    assert issubclass(PromiseBrokenError, AirflowFailException)


def check_what_the_process_is_given() -> None:
    """Arguments by a variable, so that no list of processes shows them; no settings of Airflow's."""
    os.environ["AIRFLOW__CORE__FERNET_KEY"] = "secret"
    os.environ["HTTP_PROXY"] = "kept"
    fake(f"json.dump([sys.argv[1:], dict(os.environ), os.getcwd()], open({str(FOLDER / 'seen')!r}, 'w'))")
    kwargs = {"text": 'it\'s "{{ quoted }}" größe; $(rm) `x`\n', "k": 3}
    dag = build_dag("d", GRAPH, python=FAKE, kwargs=kwargs, env={"MINE": "1"}, cwd=FOLDER)
    task = dag.get_task("A")
    task.render_template_fields({"run_id": "manual__1"})
    assert raised(task) is None
    arguments, environment, folder = json.loads((FOLDER / "seen").read_text())
    start = ["-m", "tfx_anonymizer.airflow", "run-node", "mod:fn", "--node", "A", "--run-id", "d.manual__1"]
    assert arguments == [*start, "--fingerprint", GRAPH.fingerprint], arguments
    assert json.loads(environment["TFX_ANONYMIZER_KWARGS"]) == kwargs
    assert environment["MINE"] == "1"
    assert environment["HTTP_PROXY"] == "kept"
    assert not [name for name in environment if name.startswith("AIRFLOW")]
    assert folder == str(FOLDER)


def check_wrong_arguments() -> None:
    """Found when the DAG file is loaded."""
    for arguments, kind in (
        ({"python": ""}, PolicyError),
        ({"python": FAKE, "kwargs": {"a": object()}}, PolicyError),
        ({"python": FAKE, "task_options": {"C": {}}}, PolicyError),
        ({"python": FAKE, "graph": FOLDER / "none.json"}, OrchestrationError),
    ):
        try:
            build_dag("d", **{"graph": GRAPH, **arguments})
        except kind:
            continue
        raise AssertionError(arguments)


def check_options() -> None:
    """A task's own options win over all tasks', and those over the builder's."""
    dag = build_dag(
        "d", GRAPH, python=FAKE, default_args={"retries": 5}, task_options={"B": {"retries": 0, "pool": "gpu"}}
    )
    assert [dag.get_task(name).retries for name in "AB"] == [5, 0]
    assert dag.get_task("B").pool == "gpu"


for check in (check_exit_codes, check_what_the_process_is_given, check_wrong_arguments, check_options):
    check()
sys.stdout.write("\nall checks passed\n")
