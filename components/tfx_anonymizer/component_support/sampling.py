"""A bounded sample of a split, brought into memory."""

from __future__ import annotations

import posixpath
import uuid
from typing import Any

import apache_beam as beam
import pyarrow as pa
from tfx.v1.dsl.io import fileio

from tfx_anonymizer.component_support.examples import ExamplesInput
from tfx_anonymizer.component_support.running import cancelled_on_failure
from tfx_anonymizer.component_support.writing import write_aside
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.transforms.examples_io import ReadExamples
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip
from tfx_anonymizer.transforms.sample import SampleRows


def sample_split(
    pipeline: beam.Pipeline,
    examples: ExamplesInput,
    split: str,
    beside: str,
    *,
    size: int,
    seed: int,
    leave_out: tuple[str, ...] = (),
) -> pa.Table:
    """Runs a pipeline that draws a sample, the same one whatever the order of rows.

    Args:
        pipeline: A pipeline that was not run yet.
        examples: What to sample.
        split: Of which split.
        beside: The folder of an output; the sample goes through one of its own beside it, which is removed again.
        size: Most rows to keep; all if there are fewer.
        seed: Gives another sample.
        leave_out: Columns to leave out.

    Returns:
        The rows, with columns as TFX hands them out.

    Raises:
        InputDataError: If the split holds no examples, or cannot be read.
    """
    # TFX's folder for temporary files will not do: on Kubeflow it is the pod's own, and a worker elsewhere writes this.
    scratch = f"{beside.rstrip('/')}.sample-{uuid.uuid4().hex}"
    path = posixpath.join(scratch, "sample.arrow")
    source = examples.source(split)
    try:
        with typed_errors(f"split {split!r}"), cancelled_on_failure(pipeline):
            _ = pipeline | "Whole" >> CheckGzip(source.patterns, f"split {split!r}")
            _ = (
                pipeline
                | "Read" >> ReadExamples(source)
                | "Sample" >> SampleRows(size, seed, leave_out)
                | "Keep" >> beam.Map(_write_table, path)
            )
        with fileio.open(path, "rb") as file:
            sample = pa.ipc.open_stream(file.read()).read_all()
    finally:
        if fileio.exists(scratch):
            fileio.rmtree(scratch)
    if not sample.num_rows:
        raise InputDataError(f"split {split!r} holds no examples")
    return sample


def _write_table(table: pa.Table, path: str) -> None:
    with pa.ipc.new_stream(sink := pa.BufferOutputStream(), table.schema) as writer:
        writer.write_table(table)
    write_aside(path, sink.getvalue().to_pybytes())


def categorical_features(schema: Any | None) -> list[str]:
    """Returns the integer features that a TFMD schema says are only codes; none without a schema."""
    if schema is None:
        return []
    return [feature.name for feature in schema.feature if feature.int_domain.is_categorical]
