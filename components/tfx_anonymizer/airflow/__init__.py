"""TFX pipelines as Airflow DAGs: one task a node, run in a Python environment of TFX's own.

Importing this package imports neither Airflow nor TFX; a name brings in what it needs when it is first used. In
Airflow's environment the package is installed without its dependencies (`pip install --no-deps`).

| name | needs | what it is |
|---|---|---|
| `build_dag` | Airflow 2.11 or 3 | a DAG whose tasks start TFX in another environment |
| `build_tfx_runner_dag` | Airflow 2.11, and TFX beside it | the same DAG, run by TFX's own AirflowDagRunner |
| `expression` | nothing | an argument that Airflow works out when the task starts |
| `PromiseBrokenError` | Airflow | why a task failed whose privacy promise is broken |
| `PipelineGraph` | nothing | a pipeline's nodes and edges, in a small JSON file |
| `describe` | TFX | writes that file; `python -m tfx_anonymizer.airflow describe` |
| `run_node` | TFX | what a task does; `python -m tfx_anonymizer.airflow run-node` |
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfx_anonymizer.airflow.dag import build_dag
    from tfx_anonymizer.airflow.description import describe
    from tfx_anonymizer.airflow.exceptions import PromiseBrokenError
    from tfx_anonymizer.airflow.graph import GraphNode, PipelineGraph
    from tfx_anonymizer.airflow.node_run import run_node
    from tfx_anonymizer.airflow.templates import Expression, expression
    from tfx_anonymizer.airflow.tfx_runner_dag import build_tfx_runner_dag

_HOMES = {
    "Expression": "templates",
    "GraphNode": "graph",
    "PipelineGraph": "graph",
    "PromiseBrokenError": "exceptions",
    "build_dag": "dag",
    "build_tfx_runner_dag": "tfx_runner_dag",
    "describe": "description",
    "expression": "templates",
    "run_node": "node_run",
}

__all__ = [
    "Expression",
    "GraphNode",
    "PipelineGraph",
    "PromiseBrokenError",
    "build_dag",
    "build_tfx_runner_dag",
    "describe",
    "expression",
    "run_node",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
