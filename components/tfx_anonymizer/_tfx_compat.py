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

All of them stand unchanged from TFX 1.16 to 1.21, the versions this package is tested with.
"""

from __future__ import annotations

from tfx.components.trainer.executor import GenericExecutor
from tfx.components.util import examples_utils, udf_utils
from tfx.dsl.components.base.base_beam_executor import BaseBeamExecutor
from tfx.dsl.components.base.executor_spec import BeamExecutorSpec
from tfx.dsl.placeholder.placeholder import Placeholder
from tfx.types import artifact_utils, standard_component_specs
from tfx.types.component_spec import ChannelParameter, ComponentSpec, ExecutionParameter
from tfx.utils import io_utils, json_utils, path_utils

__all__ = [
    "BaseBeamExecutor",
    "BeamExecutorSpec",
    "ChannelParameter",
    "ComponentSpec",
    "ExecutionParameter",
    "GenericExecutor",
    "Placeholder",
    "artifact_utils",
    "examples_utils",
    "io_utils",
    "json_utils",
    "path_utils",
    "standard_component_specs",
    "udf_utils",
]
