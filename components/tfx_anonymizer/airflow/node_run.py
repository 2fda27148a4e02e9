"""Running one node of a pipeline by TFX's own launcher, as one task of a scheduled run.

All nodes of a run share one run id in ML Metadata, so that each finds what those before it have made, as in TFX's
LocalDagRunner. Every attempt at a node is an execution of its own with folders of its own: a task that was killed
half-way leaves nothing that a later attempt, or a node behind it, could mistake for a result.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.airflow.description import graph_of
from tfx_anonymizer.airflow.ledger import record, release_of
from tfx_anonymizer.airflow.pipelines import load_pipeline
from tfx_anonymizer.errors import OrchestrationError

_ATTEMPT = "tfx_anonymizer.attempt"
_SYSTEM_NODES = ("tfx.dsl.components.common.importer.Importer", "tfx.dsl.components.common.resolver.Resolver")
_LOG = logging.getLogger(__name__)


def run_node(path: str, kwargs: Mapping[str, Any], node_id: str, run_id: str, fingerprint: str | None = None) -> bool:
    """Runs one node of one run.

    A node that ran before in this run, whatever became of it, runs again, and what it had made then is marked as
    replaced: later nodes see the new outputs alone. Importers and Resolvers keep their first answer in a run. What
    AGAnonymizer releases is entered in the ledger of the pipeline root.

    Args:
        path: Where the function is that builds the pipeline, as `package.module:function`.
        kwargs: Its arguments.
        node_id: The node to run. All that it waits for must have run under the same run id.
        run_id: Names the run; the same for all of its nodes.
        fingerprint: Of the graph that the scheduler holds; None if it is not to be compared.

    Returns:
        Whether the node ran; False if a `tfx.dsl.Cond` around it says that it is not to.

    Raises:
        OrchestrationError: If the pipeline is not the one that was described, a node that this one waits for has not
            succeeded in this run, or an input is not there.
        Exception: Whatever the node itself raises.
    """
    pipeline = load_pipeline(path, kwargs)

    from tfx_anonymizer import _tfx_compat as tfx

    _build_wheels(pipeline, node_id)
    compiled = tfx.Compiler().compile(pipeline)
    graph = graph_of(path, compiled)
    if fingerprint is not None and graph.fingerprint != fingerprint:
        raise OrchestrationError(
            "the pipeline is not the one that the DAG was made from; nothing was run",
            got=f"{len(graph.nodes)} nodes: {', '.join(node.id for node in graph.nodes)}",
            hint="write the graph file anew: python -m tfx_anonymizer.airflow describe",
        )
    tfx.substitute_runtime_parameter(compiled, {tfx.PIPELINE_RUN_ID_PARAMETER_NAME: run_id})
    node = _find(compiled, node_id)
    before = {entry.id: _find(compiled, entry.id) for entry in graph.nodes if entry.id in node.upstream_nodes}
    deployment = tfx.runner_utils.extract_local_deployment_config(compiled)
    config = deployment.metadata_connection_config
    connection = tfx.Metadata(getattr(config, config.WhichOneof("connection_config")))

    with connection as opened:
        for name, earlier in before.items():
            _require(opened.store, earlier, name)
        done = _executions(opened.store, node)
        if node.node_info.type.name in _SYSTEM_NODES and any(_succeeded(execution) for execution in done):
            _LOG.info("%s has its answer in this run already", node_id)
            return True
        _retire(opened.store, done)
    attempt = node.contexts.contexts.add()
    attempt.type.name = _ATTEMPT
    attempt.name.field_value.string_value = uuid.uuid4().hex
    launched = tfx.Launcher(
        pipeline_node=node,
        mlmd_connection=connection,
        pipeline_info=compiled.pipeline_info,
        pipeline_runtime_spec=compiled.runtime_spec,
        executor_spec=tfx.runner_utils.extract_executor_spec(deployment, node_id),
        custom_driver_spec=tfx.runner_utils.extract_custom_driver_spec(deployment, node_id),
    ).launch()
    ran = _check(connection, node_id, launched)
    if ran:
        with connection as opened:
            (execution,) = opened.store.get_executions_by_id([launched.execution_id])
            release = release_of(opened.store, execution, node_id, run_id)
        if release is not None:
            record(compiled.runtime_spec.pipeline_root.field_value.string_value, release)
    return ran


def _build_wheels(pipeline: Any, node_id: str) -> None:
    """Packs the node's module file, if it has one; TFX would pack those of all nodes, in each of their tasks."""
    for component in pipeline.components:
        if component.id == node_id and hasattr(component, "_resolve_pip_dependencies"):
            component._resolve_pip_dependencies(pipeline.pipeline_info.pipeline_root)


def _find(compiled: Any, node_id: str) -> Any:
    for entry in compiled.nodes:
        if entry.pipeline_node.node_info.id == node_id:
            return entry.pipeline_node
    names = ", ".join(entry.pipeline_node.node_info.id for entry in compiled.nodes)
    raise OrchestrationError("the pipeline has no such node", got=repr(node_id), allowed=names)


def _require(store: Any, node: Any, name: str) -> None:
    """Checks that a node ran well in this run, whatever the scheduler believes.

    A task can be marked as a success by hand. TFX would then run the nodes behind it without what it makes, and
    without its verdict; a privacy gate must not be opened by a click.
    """
    if node.inputs.conditionals:
        return  # It may have been right not to run.
    executions = _executions(store, node)
    if not executions or not _succeeded(executions[-1]):
        raise OrchestrationError(
            f"node {name!r} has not succeeded in this run, and this one waits for it",
            hint="run it again; marking its task as a success does not make its outputs, or its verdict",
        )


def _executions(store: Any, node: Any) -> list[Any]:
    """Returns the executions of this node in this run, the oldest first."""
    found: dict[int, Any] | None = None
    for spec in node.contexts.contexts:
        context = store.get_context_by_type_and_name(spec.type.name, spec.name.field_value.string_value)
        if context is None:
            return []
        here = {execution.id: execution for execution in store.get_executions_by_context(context.id)}
        found = here if found is None else {key: value for key, value in found.items() if key in here}
    return [found[key] for key in sorted(found)] if found else []


def _succeeded(execution: Any) -> bool:
    return execution.last_known_state in (execution.COMPLETE, execution.CACHED)


def _retire(store: Any, executions: list[Any]) -> None:
    """Takes what earlier attempts made out of later nodes' sight.

    The files stay, marked for deletion. What a cached execution points to is another run's, and is left alone.
    """
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    made = [execution.id for execution in executions if execution.last_known_state == execution.COMPLETE]
    events = store.get_events_by_execution_ids(made) if made else []
    outputs = {event.artifact_id for event in events if event.type == mlmd.Event.OUTPUT}
    artifacts = [a for a in store.get_artifacts_by_id(sorted(outputs)) if a.state == a.LIVE] if outputs else []
    for artifact in artifacts:
        artifact.state = artifact.MARKED_FOR_DELETION
    if artifacts:
        _LOG.info("%d outputs of an earlier attempt are replaced", len(artifacts))
        store.put_artifacts(artifacts)
    over = [e for e in executions if e.last_known_state in (e.NEW, e.RUNNING, e.COMPLETE, e.CACHED)]
    for execution in over:
        # No longer a result that TFX's cache may offer again.
        execution.last_known_state = execution.CANCELED
    if over:
        store.put_executions(over)


def _check(connection: Any, node_id: str, launched: Any) -> bool:
    """TFX's launcher returns as if all were well when an input is missing; this looks at what it recorded."""
    if launched is None or not launched.execution_id:
        _LOG.info("%s is not to run: a condition around it does not hold", node_id)
        return False
    with connection as opened:
        (execution,) = opened.store.get_executions_by_id([launched.execution_id])
    if not _succeeded(execution):
        raise OrchestrationError(
            f"the inputs of node {node_id!r} are not there",
            hint="the log above says which; run the nodes it waits for under the same run id first",
        )
    return True
