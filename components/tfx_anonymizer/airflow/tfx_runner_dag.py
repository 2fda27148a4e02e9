"""The same DAG run by TFX's own AirflowDagRunner, where Airflow 2 and TFX share one environment.

AirflowDagRunner needs the pipeline itself, and importing TFX takes longer than Airflow lets a DAG file take. So the
file's tasks are made from the graph file, and each builds pipeline and AirflowDagRunner's DAG only when it runs, to
run its own task of that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfx_anonymizer.airflow.airflow_compat import AirflowFailException
from tfx_anonymizer.airflow.dag import assemble
from tfx_anonymizer.airflow.description import compile_pipeline, graph_of
from tfx_anonymizer.airflow.exceptions import PromiseBrokenError
from tfx_anonymizer.airflow.graph import GraphNode, PipelineGraph
from tfx_anonymizer.airflow.pipelines import load_pipeline
from tfx_anonymizer.airflow.templates import kwargs_template
from tfx_anonymizer.errors import (
    AnonymizerError,
    GuaranteeError,
    InputDataError,
    OrchestrationError,
    PolicyError,
    ViolationError,
)


def build_tfx_runner_dag(
    dag_id: str,
    graph: PipelineGraph | Path | str,
    *,
    kwargs: Mapping[str, Any] | None = None,
    task_options: Mapping[str, Mapping[str, Any]] | None = None,
    default_args: Mapping[str, Any] | None = None,
    **dag_arguments: Any,
) -> Any:
    """Returns a DAG whose tasks are run by TFX's AirflowDagRunner, in Airflow's own processes.

    Args:
        dag_id: The DAG's id.
        graph: What `python -m tfx_anonymizer.airflow describe` wrote, or its path.
        kwargs: As of `build_dag`.
        task_options: As of `build_dag`.
        default_args: As of `build_dag`.
        dag_arguments: As of `build_dag`.

    Raises:
        OrchestrationError: If this is not Airflow 2, or the graph file is missing or damaged.
        PolicyError: If an argument is wrong, or the pipeline has a `tfx.dsl.Cond`, which AirflowDagRunner does not
            know: it would run what was not to run.
    """
    from airflow import __version__ as version

    if not version.startswith("2."):
        raise OrchestrationError(
            "TFX's AirflowDagRunner does not run on this Airflow", got=version, allowed="2.x", hint="use build_dag"
        )
    found = graph if isinstance(graph, PipelineGraph) else PipelineGraph.load(Path(graph))
    conditional = [node.id for node in found.nodes if node.conditional]
    if conditional:
        raise PolicyError(
            "TFX's AirflowDagRunner ignores tfx.dsl.Cond and would run these nodes whatever it says",
            got=", ".join(conditional),
            hint="use build_dag, which keeps it",
        )
    arguments = kwargs_template(kwargs or {})

    def make_task(node: GraphNode, options: Mapping[str, Any]) -> Any:
        from airflow.operators.python import PythonOperator

        op_kwargs = {
            "path": found.pipeline,
            "pipeline_kwargs": arguments,
            "node_id": node.id,
            "fingerprint": found.fingerprint,
        }
        return PythonOperator(task_id=node.id, python_callable=run_by_tfx_runner, op_kwargs=op_kwargs, **options)

    return assemble(dag_id, found, make_task, task_options, default_args, dag_arguments)


def run_by_tfx_runner(path: str, pipeline_kwargs: str, node_id: str, fingerprint: str, **context: Any) -> None:
    """Builds AirflowDagRunner's DAG of a pipeline and executes one of its tasks.

    Args:
        path: Where the function is that builds the pipeline.
        pipeline_kwargs: Its arguments, as JSON.
        node_id: The node.
        fingerprint: Of the graph that the DAG was made from.
        context: Airflow's.

    Raises:
        PromiseBrokenError: If a privacy promise is broken; not tried again.
        AirflowFailException: If the pipeline or a parameter is wrong; not tried again.
    """
    try:
        _execute(path, json.loads(pipeline_kwargs), node_id, fingerprint, context)
    except (ViolationError, GuaranteeError) as error:
        raise PromiseBrokenError(f"{node_id}: {type(error).__name__}: {error}") from error
    except InputDataError:
        raise  # Data that is not there may come.
    except AnonymizerError as error:
        raise AirflowFailException(f"{node_id}: {type(error).__name__}: {error}") from error


def _execute(path: str, kwargs: Mapping[str, Any], node_id: str, fingerprint: str, context: Mapping[str, Any]) -> None:
    pipeline = load_pipeline(path, kwargs)

    from tfx_anonymizer._tfx_compat import airflow_dag_runner
    from tfx_anonymizer.airflow.retrying_launcher import RetryingLauncher

    if graph_of(path, compile_pipeline(pipeline)).fingerprint != fingerprint:
        raise OrchestrationError(
            "the pipeline is not the one that the DAG was made from; nothing was run",
            hint="write the graph file anew: python -m tfx_anonymizer.airflow describe",
        )
    built = airflow_dag_runner(supported_launcher_classes=[RetryingLauncher]).run(pipeline)
    # As Airflow prepares a task before it executes it; else it looks for tasks among the arguments, without end.
    task = built.get_task(node_id).prepare_for_execution()
    task.render_template_fields(context)
    task.execute(context)
