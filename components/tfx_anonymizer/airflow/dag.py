"""Building a DAG from a pipeline's graph file: for Airflow 2.11 and Airflow 3, without TFX."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tfx_anonymizer.airflow.airflow_compat import DAG
from tfx_anonymizer.airflow.graph import GraphNode, PipelineGraph
from tfx_anonymizer.airflow.operator import TfxNodeOperator
from tfx_anonymizer.airflow.templates import kwargs_template
from tfx_anonymizer.errors import PolicyError

# With catchup off any day in the past will do; without one Airflow 2 does not schedule at all.
_LONG_AGO = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
_RETRIES = {"retries": 2, "retry_delay": datetime.timedelta(minutes=5)}


def build_dag(
    dag_id: str,
    graph: PipelineGraph | Path | str,
    *,
    python: str | Path,
    kwargs: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    task_options: Mapping[str, Mapping[str, Any]] | None = None,
    default_args: Mapping[str, Any] | None = None,
    **dag_arguments: Any,
) -> Any:
    """Returns a DAG with one task for each node of a TFX pipeline, in the pipeline's order.

    Each task runs its node by TFX in the environment of `python`; Airflow and TFX need not be installed together.

    Args:
        dag_id: The DAG's id. The run id in ML Metadata is `<dag_id>.<Airflow's run id>`.
        graph: What `python -m tfx_anonymizer.airflow describe` wrote, or its path.
        python: The interpreter of TFX's environment, with this package and the pipeline's own in it.
        kwargs: Arguments of the pipeline function: JSON values and `expression`s.
        env: Variables of the tasks' processes; values are rendered by Airflow.
        cwd: The tasks' current folder, on Python's path.
        task_options: More arguments of single tasks, by node id: `{"Trainer": {"pool": "gpu"}}`.
        default_args: Of all tasks. Unless it says otherwise a task is tried again twice, after five minutes each.
        dag_arguments: Of Airflow's DAG: `schedule`, `params`, `tags`, ... Unless they say otherwise there is no
            catch-up, and one run at a time.

    Raises:
        OrchestrationError: If the graph file is missing or damaged.
        PolicyError: If an argument is wrong.

    Example:
        In a DAG file::

            dag = build_dag(
                "credit_nightly",
                Path(__file__).with_name("credit.graph.json"),
                python="/opt/tfx/bin/python",
                kwargs={"root": "/data/credit", "k": expression("params.k")},
                schedule="0 2 * * *",
                params={"k": 50},
            )
    """
    if not str(python):
        raise PolicyError("python is empty", allowed="the path of TFX's interpreter", hint="/opt/tfx/bin/python")
    found = graph if isinstance(graph, PipelineGraph) else PipelineGraph.load(Path(graph))
    arguments = kwargs_template(kwargs or {})

    def make_task(node: GraphNode, options: Mapping[str, Any]) -> Any:
        return TfxNodeOperator(
            task_id=node.id,
            tfx_node=node.id,
            pipeline=found.pipeline,
            python=str(python),
            pipeline_kwargs=arguments,
            fingerprint=found.fingerprint,
            env=env,
            cwd=None if cwd is None else str(cwd),
            **options,
        )

    return assemble(dag_id, found, make_task, task_options, default_args, dag_arguments)


def assemble(
    dag_id: str,
    graph: PipelineGraph,
    make_task: Callable[[GraphNode, Mapping[str, Any]], Any],
    task_options: Mapping[str, Mapping[str, Any]] | None,
    default_args: Mapping[str, Any] | None,
    dag_arguments: Mapping[str, Any],
) -> Any:
    """Returns a DAG of the graph's shape.

    Args:
        dag_id: The DAG's id.
        graph: Its shape.
        make_task: Makes a node's task, inside the DAG, from the node and more arguments of the task.
        task_options: These, by node id.
        default_args: Of all tasks.
        dag_arguments: Of the DAG.
    """
    options = task_options or {}
    names = [node.id for node in graph.nodes]
    for name in options:
        if name not in names:
            raise PolicyError("task_options names no node", got=repr(name), allowed=", ".join(names))
    settings: dict[str, Any] = {
        "schedule": None,
        "start_date": _LONG_AGO,
        "catchup": False,
        "max_active_runs": 1,
        "doc_md": f"TFX pipeline `{graph.name}`, built by `{graph.pipeline}`.",
        **dag_arguments,
    }
    with DAG(dag_id=dag_id, default_args={**_RETRIES, **(default_args or {})}, **settings) as dag:
        tasks: dict[str, Any] = {}
        for node in graph.nodes:
            tasks[node.id] = make_task(node, options.get(node.id, {}))
            for other in node.upstream:
                tasks[node.id].set_upstream(tasks[other])
    return dag
