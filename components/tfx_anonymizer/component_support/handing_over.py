"""Tables and facts handed from Beam's workers to the process that runs the pipeline, through files."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import io_utils
from tfx_anonymizer.component_support.writing import write_aside


@contextlib.contextmanager
def folder_beside(uri: str) -> Iterator[str]:
    """Gives a folder beside an output's, and removes it with all that was written to it.

    TFX's folder for temporary files will not do: on Kubeflow it is the pod's own, and a worker elsewhere writes here.

    Args:
        uri: The folder of an output.
    """
    folder = f"{uri.rstrip('/')}.handing-over-{uuid.uuid4().hex}"
    try:
        yield folder
    finally:
        if fileio.exists(folder):
            fileio.rmtree(folder)


def write_table(table: pa.Table, path: str) -> None:
    """Writes a table, on a worker."""
    with pa.ipc.new_stream(sink := pa.BufferOutputStream(), table.schema) as writer:
        writer.write_table(table)
    write_aside(path, sink.getvalue().to_pybytes())


def read_table(path: str) -> pa.Table:
    """Reads what `write_table` wrote."""
    with fileio.open(path, "rb") as file:
        return pa.ipc.open_stream(file.read()).read_all()


def write_json(value: Any, path: str) -> None:
    """Writes a JSON-ready value, on a worker."""
    write_aside(path, json.dumps(value, ensure_ascii=False))


def take_json(path: str) -> Any:
    """Reads what `write_json` wrote, and removes it."""
    found = json.loads(io_utils.read_string_file(path))
    fileio.remove(path)
    return found
