"""Run by a Python with the newest Kubeflow SDK: loads packages as it does, parses them strictly, prints what they hold.

Usage: python load_package.py PACKAGE.yaml …
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import kfp
import yaml
from google.protobuf import json_format
from kfp import components
from kfp.pipeline_spec import pipeline_spec_pb2


def main() -> None:
    """Prints one JSON object a package."""
    for path in sys.argv[1:]:
        loaded = components.load_component_from_file(path)
        document = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        # An unknown field or a value of another type is an error.
        spec = json_format.ParseDict(document, pipeline_spec_pb2.PipelineSpec())
        deployment = json_format.ParseDict(
            json_format.MessageToDict(spec.deployment_spec), pipeline_spec_pb2.PipelineDeploymentConfig()
        )
        found = {
            "kfp": kfp.__version__,
            "name": loaded.pipeline_spec.pipeline_info.name,
            "schema": spec.schema_version,
            "inputs": sorted(loaded.component_spec.inputs),
            "optional": sorted(n for n, p in spec.root.input_definitions.parameters.items() if p.is_optional),
            "tasks": sorted(spec.root.dag.tasks),
            "memory": {
                name.removesuffix("_executor"): executor.container.resources.memory_limit
                for name, executor in deployment.executors.items()
            },
        }
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
