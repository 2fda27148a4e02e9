"""Reading a pipeline's shape off TFX's own compiled form of it; runs where TFX is installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.airflow.graph import GraphNode, PipelineGraph
from tfx_anonymizer.airflow.pipelines import load_pipeline
from tfx_anonymizer.errors import OrchestrationError


def describe(path: str, kwargs: Mapping[str, Any]) -> PipelineGraph:
    """Builds a pipeline and returns its graph. Nothing is run and nothing is written.

    Args:
        path: `package.module:function`.
        kwargs: Arguments of the function. Only the shape is looked at, so any folders will do.

    Raises:
        OrchestrationError: If the pipeline cannot be loaded, or holds a pipeline of its own.
    """
    return graph_of(path, compile_pipeline(load_pipeline(path, kwargs)))


def compile_pipeline(pipeline: Any) -> Any:
    """Returns TFX's intermediate representation of a pipeline, a `pipeline_pb2.Pipeline`."""
    from tfx_anonymizer._tfx_compat import Compiler

    return Compiler().compile(pipeline)


def graph_of(path: str, compiled: Any) -> PipelineGraph:
    """Reads nodes and edges: all that a node reads, what decides on it, and `add_upstream_node`.

    Args:
        path: Where the pipeline comes from.
        compiled: Of `compile_pipeline`.
    """
    nodes = []
    for entry in compiled.nodes:
        if entry.WhichOneof("node") != "pipeline_node":
            raise OrchestrationError(
                "a pipeline inside a pipeline cannot be scheduled node by node",
                got=repr(entry.sub_pipeline.pipeline_info.id),
                hint="put its components into the outer pipeline",
            )
        node = entry.pipeline_node
        nodes.append(
            GraphNode(node.node_info.id, tuple(sorted(node.upstream_nodes)), conditional=bool(node.inputs.conditionals))
        )
    return PipelineGraph(path, compiled.pipeline_info.id, tuple(nodes))
