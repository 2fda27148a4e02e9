"""Every import from TFX that `tfx.v1` does not export, in one place.

| name | module | since |
|---|---|---|
| `BaseBeamExecutor` | `tfx.dsl.components.base.base_beam_executor` | 0.30 |
| `BeamExecutorSpec` | `tfx.dsl.components.base.executor_spec` | 0.30 |
| `ComponentSpec`, `ChannelParameter`, `ExecutionParameter` | `tfx.types.component_spec` | 0.12 |
| `standard_component_specs` | `tfx.types.standard_component_specs` | 0.26 |
| `artifact_utils` | `tfx.types.artifact_utils` | 0.14 |
| `GenericExecutor` | `tfx.components.trainer.executor` | 0.21 |
| `udf_utils` | `tfx.components.util.udf_utils` | 0.26 |
| `examples_utils` | `tfx.components.util.examples_utils` | 0.24 |
| `Placeholder` | `tfx.dsl.placeholder.placeholder` | 0.27 |
| `path_utils`, `io_utils` | `tfx.utils` | 0.13 |
| `json_utils` | `tfx.utils.json_utils` | 0.21 |
| `kubeflow_v2_run_executor` | `tfx.orchestration.kubeflow.v2.container.kubeflow_v2_run_executor` | 0.24 |
| `driver` | `tfx.orchestration.kubeflow.v2.file_based_example_gen.driver` | 0.26 |
| `BaseExampleGenExecutor` | `tfx.components.example_gen.base_example_gen_executor` | 0.13 |
| `import_utils` | `tfx.utils.import_utils` | 0.13 |
| `Compiler` | `tfx.dsl.compiler.compiler` | 0.24 |
| `PIPELINE_RUN_ID_PARAMETER_NAME` | `tfx.dsl.compiler.constants` | 0.26 |
| `Launcher`, `substitute_runtime_parameter` | `tfx.orchestration.portable` | 0.26 |
| `runner_utils` | `tfx.orchestration.local.runner_utils` | 0.27 |
| `Metadata` | `tfx.orchestration.metadata` | 0.12 |
| `InProcessComponentLauncher` | `tfx.orchestration.launcher.in_process_component_launcher` | 0.15 |
| `visualizations` | `tfx.orchestration.experimental.interactive` | 0.15 |
| `AirflowDagRunner`, `AirflowPipelineConfig` | `tfx.orchestration.airflow.airflow_dag_runner` | 0.12 |

All of them stand unchanged from TFX 1.16 to 1.21, the versions this package is tested with.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from tfx.components.trainer.executor import GenericExecutor
from tfx.components.util import examples_utils, udf_utils
from tfx.dsl.compiler.compiler import Compiler
from tfx.dsl.compiler.constants import PIPELINE_RUN_ID_PARAMETER_NAME
from tfx.dsl.components.base.base_beam_executor import BaseBeamExecutor
from tfx.dsl.components.base.executor_spec import BeamExecutorSpec
from tfx.dsl.placeholder.placeholder import Placeholder
from tfx.orchestration.launcher.in_process_component_launcher import InProcessComponentLauncher
from tfx.orchestration.local import runner_utils
from tfx.orchestration.metadata import Metadata
from tfx.orchestration.portable.launcher import Launcher
from tfx.orchestration.portable.runtime_parameter_utils import substitute_runtime_parameter
from tfx.types import artifact_utils, standard_component_specs
from tfx.types.component_spec import ChannelParameter, ComponentSpec, ExecutionParameter
from tfx.utils import io_utils, json_utils, path_utils

__all__ = [
    "PIPELINE_RUN_ID_PARAMETER_NAME",
    "BaseBeamExecutor",
    "BeamExecutorSpec",
    "ChannelParameter",
    "Compiler",
    "ComponentSpec",
    "ExecutionParameter",
    "GenericExecutor",
    "InProcessComponentLauncher",
    "KubeflowEntryPoints",
    "Launcher",
    "Metadata",
    "Placeholder",
    "airflow_dag_runner",
    "artifact_utils",
    "examples_utils",
    "interactive_visualizations",
    "io_utils",
    "json_utils",
    "kubeflow_entry_points",
    "path_utils",
    "runner_utils",
    "standard_component_specs",
    "substitute_runtime_parameter",
    "udf_utils",
]


@dataclasses.dataclass(frozen=True)
class KubeflowEntryPoints:
    """What TFX runs inside a Kubeflow container.

    Attributes:
        execute: Runs a step's executor; takes parsed arguments and Beam's.
        drive: Runs the driver of a file-based ExampleGen; takes parsed arguments.
        has_driver: Whether a step has such a driver, by its executor's path and its ExecutorInput.
    """

    execute: Callable[[tuple[Any, list[str]]], None]
    drive: Callable[[Any], None]
    has_driver: Callable[[str, Mapping[str, Any]], bool]


def kubeflow_entry_points() -> KubeflowEntryPoints:
    """Imports what needs `kfp-pipeline-spec`, which only Kubeflow's images and compilers have."""
    from tfx.components.example_gen.base_example_gen_executor import BaseExampleGenExecutor
    from tfx.orchestration.kubeflow.v2.container import kubeflow_v2_run_executor
    from tfx.orchestration.kubeflow.v2.file_based_example_gen import driver
    from tfx.utils import import_utils

    def has_driver(executor_class_path: str, executor_input: Mapping[str, Any]) -> bool:
        given = executor_input.get("inputs", {}).get("parameterValues", {})
        executor = import_utils.import_class_by_path(executor_class_path)
        return issubclass(executor, BaseExampleGenExecutor) and "input_base" in given

    return KubeflowEntryPoints(kubeflow_v2_run_executor.main, driver.main, has_driver)


def airflow_dag_runner(**config: Any) -> Any:
    """Returns TFX's AirflowDagRunner; needs Airflow 2, which is imported only here.

    Args:
        config: Of AirflowPipelineConfig.
    """
    from tfx.orchestration.airflow.airflow_dag_runner import AirflowDagRunner, AirflowPipelineConfig

    return AirflowDagRunner(AirflowPipelineConfig(**config))


def interactive_visualizations() -> Any:
    """Returns TFX's module of the ways in which notebooks show artifacts, which only notebooks need."""
    from tfx.orchestration.experimental.interactive import visualizations

    return visualizations
