"""Compiles the taxi pipeline for Kubeflow: `python -m pipelines.taxi.kubeflow --image REGISTRY/tfx-anonymizer:TAG`.

A run may choose `k`, `quasi_identifiers` (names with commas) and `data` (the folder of the trips); the image, the pods'
sizes and Beam's arguments are settled here. The roles are the schema's, and are checked here with the defaults.
"""

from __future__ import annotations

import sys
from typing import Any

from pipelines.common.kubeflow import (
    IMAGE_FILES,
    Size,
    compile_pipeline,
    parse_beam_args,
    parse_sizes,
    parser,
    quiet_logs,
)
from pipelines.common.local_run import prepare_environment
from tfx_anonymizer.errors import AnonymizerError, PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy, schema_roles

SIZES = {
    "": Size(cpu=1, memory=2),
    "RawTransform": Size(cpu=2, memory=4),
    "InitialModelTrainer": Size(cpu=2, memory=4),
    "AGAnonymizer": Size(cpu=2, memory=4),
    "Transform": Size(cpu=2, memory=4),
    "Trainer": Size(cpu=2, memory=4),
    "Evaluator": Size(cpu=2, memory=4),
    "PrivacyReporter": Size(cpu=1, memory=4),
}


def main(arguments: list[str] | None = None) -> int:
    """Parses arguments, compiles, says where the package is; returns the exit code."""
    options = parser("python -m pipelines.taxi.kubeflow", __doc__, "build/kubeflow/taxi.yaml")
    options.add_argument("--k", type=int, default=50, help="default of the run's k (%(default)s)")
    options.add_argument("--quasi-identifiers", help="default of the run's quasi-identifiers (the schema's)")
    options.add_argument("--data", default=f"{IMAGE_FILES}/data/taxi", help="default of the run's data (%(default)s)")
    options.add_argument("--schema", default=f"{IMAGE_FILES}/schemas/taxi.pbtxt", help="the schema (%(default)s)")
    options.add_argument("--serving-dir", default="/tmp/serving", help="where Pusher puts the model (%(default)s)")  # noqa: S108
    options.add_argument("--train-steps", type=int, default=2000, help="training steps of either model (%(default)s)")
    options.add_argument("--eval-steps", type=int, default=100, help="validation steps in training (%(default)s)")
    chosen = options.parse_args(arguments)
    prepare_environment()
    quiet_logs()
    try:
        compile_taxi(chosen)
    except AnonymizerError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    sys.stdout.write(f"{chosen.out}\n")
    return 0


def compile_taxi(chosen: Any) -> None:
    """Builds the graph with run-time parameters and writes the package.

    Args:
        chosen: The parsed arguments.

    Raises:
        PolicyError: If one is wrong.
    """
    from tfx import v1 as tfx

    from pipelines.taxi.pipeline import SCHEMA, create_pipeline

    roles = schema_roles(SCHEMA)
    names = _names(chosen.quasi_identifiers) if chosen.quasi_identifiers else list(roles["quasi_identifiers"])
    _check_roles(roles, names, chosen.k)
    defaults = {"k": chosen.k, "quasi_identifiers": ",".join(names), "data": chosen.data}
    parameter = {
        name: tfx.dsl.experimental.RuntimeParameter(name=name, ptype=type(value), default=value)
        for name, value in defaults.items()
    }
    pipeline = create_pipeline(
        "",
        chosen.serving_dir,
        chosen.k,
        data=parameter["data"],
        schema_file=chosen.schema,
        overrides={"k": parameter["k"], "quasi_identifiers": parameter["quasi_identifiers"]},
        train_steps=chosen.train_steps,
        eval_steps=chosen.eval_steps,
    )
    compile_pipeline(
        pipeline,
        chosen.out,
        chosen.image,
        defaults=defaults,
        sizes={**SIZES, **parse_sizes(chosen.size)},
        beam_args=parse_beam_args(chosen.beam),
        root=chosen.pipeline_root,
        artifacts=chosen.artifacts,
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _check_roles(roles: dict[str, Any], names: list[str], k: int) -> None:
    """Builds the policy that a run with the defaults will build, so that what is wrong with it is said now."""
    from pipelines.taxi.pipeline import SCHEMA
    from tfx_anonymizer.errors import unknown_column

    known = feature_names(SCHEMA)
    for name in names:
        if name not in known:
            raise unknown_column(name, "quasi_identifiers", known)
        if "," in name:
            raise PolicyError("a feature's name holds a comma", got=repr(name))
    kept = [name for name in roles.get("categorical", ()) if name in names]
    AnonymizationPolicy.from_fields({**roles, "quasi_identifiers": names, "categorical": kept, "k": k})


def feature_names(schema_file: Any) -> list[str]:
    """Returns the names of a schema's features."""
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2

    schema = text_format.Parse(schema_file.read_text(encoding="utf-8"), schema_pb2.Schema())
    return [feature.name for feature in schema.feature]


if __name__ == "__main__":
    sys.exit(main())
