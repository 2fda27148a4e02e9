"""What an AnonymizationTuner chose, written and read."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from typing import Any

from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import artifact_utils, io_utils
from tfx_anonymizer.component_support.writing import write_aside
from tfx_anonymizer.errors import InputDataError

CHOICE_FILE = "choice.json"


def write_choice(uri: str, *, k: int, partitioner: str) -> None:
    """Writes a choice into an artifact's folder."""
    write_aside(posixpath.join(uri, CHOICE_FILE), json.dumps({"k": k, "partitioner": partitioner}, indent=2) + "\n")


def read_choice(input_dict: Mapping[str, list[Any]]) -> dict[str, Any] | None:
    """Reads the choice among a component's inputs.

    Args:
        input_dict: An executor's inputs.

    Returns:
        `k` and `partitioner`; None if no choice is connected.

    Raises:
        InputDataError: If it cannot be read.
    """
    if not input_dict.get("choice"):
        return None
    path = posixpath.join(artifact_utils.get_single_uri(input_dict["choice"]), CHOICE_FILE)
    if not fileio.exists(path):
        raise InputDataError("the choice is empty", hint="the AnonymizationTuner that makes it has not succeeded")
    found = json.loads(io_utils.read_string_file(path))
    return {"k": int(found["k"]), "partitioner": str(found["partitioner"])}
