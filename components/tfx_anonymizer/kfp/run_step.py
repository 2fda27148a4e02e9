"""Runs one step of a compiled TFX pipeline, as Kubeflow's launcher starts it: `python -m tfx_anonymizer.kfp.run_step`.

TFX's own entry point expects a managed service round it. Open-source Kubeflow Pipelines 2 differs in three ways, each
set right here in the step's own arguments before TFX's entry point does the rest:

* input artifacts come without their type, so TFX cannot find their class: each gets the type the component declares;
* artifacts are named by `minio://`, `s3://` or `gs://`, of which TFX can open at most the last; the launcher carries
  them between the object store and `/minio`, `/s3` and `/gcs`, so the step works there and reports the true names;
* nobody runs the driver of a file-based ExampleGen, which finds span, version and fingerprint: it is run first.

`--artifacts=direct` leaves the names as they are: for a service that mounts nothing, and for Beam runners whose workers
see only the object store.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfx.v1.dsl.io import fileio

from tfx_anonymizer import _tfx_compat
from tfx_anonymizer.errors import PolicyError

# Where the launcher puts what lies in an object store.
FOLDERS = {"minio://": "/minio/", "s3://": "/s3/", "gs://": "/gcs/"}
# The launcher's own variable, for running it outside a pod: these folders then stand below another one.
LOCAL_ROOT = "ARTIFACT_LOCAL_PATH"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the step.

    Args:
        arguments: As the compiled pipeline gives them, `{{$}}` already replaced with the ExecutorInput.

    Raises:
        PolicyError: If they are not a compiled step's.
    """
    options, beam_args = _parse(sys.argv[1:] if arguments is None else arguments)
    executor_input = _json_object(options.json_serialized_invocation_args, "--json_serialized_invocation_args")
    inputs_spec = _json_object(options.json_serialized_inputs_spec_args, "--json_serialized_inputs_spec_args")
    executor_input = with_types(executor_input, inputs_spec)
    if options.artifacts == "local":
        executor_input = with_uris(executor_input, local_path)
    entry_points = _tfx_compat.kubeflow_entry_points()
    output_file = executor_input.get("outputs", {}).get("outputFile")
    if not output_file:
        raise PolicyError("the ExecutorInput names no outputs.outputFile", hint="steps are started by Kubeflow")
    known = {
        "executor_class_path": options.executor_class_path,
        "json_serialized_inputs_spec_args": options.json_serialized_inputs_spec_args,
    }
    if entry_points.has_driver(options.executor_class_path, executor_input) and not fileio.exists(output_file):
        entry_points.drive(argparse.Namespace(**known, json_serialized_invocation_args=json.dumps(executor_input)))
        executor_input = with_driver_output(executor_input, _read(output_file))
    entry_points.execute(
        (argparse.Namespace(**known, json_serialized_invocation_args=json.dumps(executor_input)), beam_args)
    )
    if options.artifacts == "local":
        _write(output_file, with_uris({"outputs": _read(output_file)}, artifact_uri)["outputs"])


def with_types(executor_input: Mapping[str, Any], inputs_spec: Mapping[str, Any]) -> dict[str, Any]:
    """Gives every input artifact the type that the component declares for it.

    Args:
        executor_input: The launcher's ExecutorInput.
        inputs_spec: The component's ComponentInputsSpec.

    Returns:
        A new ExecutorInput.

    Example:
        >>> declared = {"artifacts": {"examples": {"artifactType": {"instanceSchema": "title: tfx.Examples"}}}}
        >>> given = {"inputs": {"artifacts": {"examples": {"artifacts": [{"uri": "s3://b/x"}]}}}, "outputs": {}}
        >>> with_types(given, declared)["inputs"]["artifacts"]["examples"]["artifacts"]
        [{'uri': 's3://b/x', 'type': {'instanceSchema': 'title: tfx.Examples'}}]
    """
    result = copy.deepcopy(dict(executor_input))
    given = result.get("inputs", {}).get("artifacts", {})
    for name, declared in inputs_spec.get("artifacts", {}).items():
        for artifact in given.get(name, {}).get("artifacts", ()):
            artifact["type"] = declared["artifactType"]
    return result


def with_uris(executor_input: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Changes the URI of every artifact, and every text in its metadata that is such a URI.

    Args:
        executor_input: An ExecutorInput, or an ExecutorOutput as its `outputs`.
        change: From one URI to another; leaves what is none as it is.

    Returns:
        A new ExecutorInput.
    """
    result = copy.deepcopy(dict(executor_input))
    for side in ("inputs", "outputs"):
        for named in result.get(side, {}).get("artifacts", {}).values():
            for artifact in named.get("artifacts", ()):
                artifact["uri"] = change(artifact["uri"])
                metadata = artifact.get("metadata", {})
                metadata.update({key: change(value) for key, value in metadata.items() if isinstance(value, str)})
    return result


def local_path(uri: str) -> str:
    """Returns the folder in the pod where the launcher puts an artifact.

    Example:
        >>> local_path("minio://mlpipeline/v2/artifacts/taxi/model"), local_path("/mnt/shared/model")
        ('/minio/mlpipeline/v2/artifacts/taxi/model', '/mnt/shared/model')
    """
    for scheme, folder in FOLDERS.items():
        if uri.startswith(scheme):
            return os.environ.get(LOCAL_ROOT, "") + folder + uri[len(scheme) :]
    return uri


def artifact_uri(path: str) -> str:
    """Returns the URI whose artifact lies in a folder of the launcher's; the inverse of `local_path`.

    Example:
        >>> artifact_uri("/s3/bucket/model")
        's3://bucket/model'
    """
    for scheme, folder in FOLDERS.items():
        place = os.environ.get(LOCAL_ROOT, "") + folder
        if path.startswith(place):
            return scheme + path[len(place) :]
    return path


def with_driver_output(executor_input: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Gives the output artifacts what the driver found out about them; parameters are read by TFX's entry point.

    Args:
        executor_input: The step's ExecutorInput.
        found: The driver's ExecutorOutput.

    Returns:
        A new ExecutorInput.
    """
    result = copy.deepcopy(dict(executor_input))
    for name, named in found.get("artifacts", {}).items():
        for artifact, driven in zip(result["outputs"]["artifacts"][name]["artifacts"], named["artifacts"], strict=True):
            artifact["metadata"] = {**artifact.get("metadata", {}), **driven.get("metadata", {})}
    return result


def _parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="python -m tfx_anonymizer.kfp.run_step", allow_abbrev=False)
    parser.add_argument("--artifacts", choices=("local", "direct"), default="local")
    parser.add_argument("--executor_class_path", required=True)
    parser.add_argument("--json_serialized_invocation_args", required=True)
    parser.add_argument("--json_serialized_inputs_spec_args", required=True)
    return parser.parse_known_args(list(arguments))


def _json_object(text: str, name: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise PolicyError(f"{name} is not a JSON object", hint="steps are started by Kubeflow, with {{$}} replaced")
    return found


def _read(path: str) -> dict[str, Any]:
    with fileio.open(path, "r") as file:
        found: dict[str, Any] = json.loads(file.read())
    return found


def _write(path: str, content: Mapping[str, Any]) -> None:
    aside = f"{path}.tmp"
    with fileio.open(aside, "w") as file:
        file.write(json.dumps(content))
    fileio.rename(aside, path, overwrite=True)


if __name__ == "__main__":
    main()
