"""Where a report comes from: the artifacts that were read, the run, and the versions of what made it."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from tfx_anonymizer._version import __version__

_PACKAGES = ("tfx", "tensorflow", "tensorflow-model-analysis", "apache-beam", "pyarrow", "numpy")
# The order in which a pipeline makes them.
_INPUTS = ("examples", "anonymized_examples", "report", "validation", "audit", "evaluation", "baseline_evaluation")
# Facts that components leave on their artifacts; none is a value of a record.
_FACTS = ("span", "version", "input_fingerprint", "k", "k_reached", "blessed", "contains_personal_data")


def artifacts_read(input_dict: Mapping[str, Sequence[Any]], context: Any) -> list[dict[str, Any]]:
    """Lists the artifacts that a component read.

    Args:
        input_dict: The executor's inputs.
        context: The executor's context; where the orchestrator gives none, who made an artifact is not told.

    Returns:
        One mapping an artifact: `input`, `type`, `id` (0 where the orchestrator gives none), `producer`, `uri` and
        `facts`.
    """
    return [
        {
            "input": name,
            "type": artifact.type_name,
            "id": int(artifact.id or 0),
            "producer": _producer(name, artifact, context),
            "uri": artifact.uri,
            "facts": _facts(artifact),
        }
        for name in _INPUTS
        for artifact in input_dict.get(name) or ()
    ]


def run_facts(context: Any) -> dict[str, Any]:
    """Returns what is known of the run: time, pipeline, run, versions of packages.

    Args:
        context: The executor's context.
    """
    info = getattr(context, "pipeline_info", None)
    return {
        "made_at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "pipeline": info.id if info is not None else None,
        "run": getattr(context, "pipeline_run_id", None) or None,
        "versions": {**_versions(), "python": platform.python_version()},
    }


def _versions() -> dict[str, str]:
    installed = {name: _version(name) for name in _PACKAGES}
    return {"tfx-anonymizer": __version__, **{name: found for name, found in installed.items() if found}}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _producer(name: str, artifact: Any, context: Any) -> str | None:
    node = getattr(context, "pipeline_node", None)
    if node is not None and name in node.inputs.inputs:
        for channel in node.inputs.inputs[name].channels:
            if channel.producer_node_query.id:
                return str(channel.producer_node_query.id)
    return artifact.producer_component or None


def _facts(artifact: Any) -> dict[str, Any]:
    message = artifact.mlmd_artifact
    found = {}
    for name in _FACTS:
        for properties in (message.custom_properties, message.properties):
            if name in properties and properties[name].WhichOneof("value") in ("int_value", "string_value"):
                found[name] = getattr(properties[name], properties[name].WhichOneof("value"))
                break
    return found
