"""A bounded sample of a split, brought into memory."""

from __future__ import annotations

import posixpath
from typing import Any

import apache_beam as beam
import pyarrow as pa

from tfx_anonymizer.component_support.examples import ExamplesInput
from tfx_anonymizer.component_support.handing_over import folder_beside, read_table, write_table
from tfx_anonymizer.component_support.running import cancelled_on_failure
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
    source = examples.source(split)
    with folder_beside(beside) as folder:
        path = posixpath.join(folder, "sample.arrow")
        with typed_errors(f"split {split!r}"), cancelled_on_failure(pipeline):
            _ = pipeline | "Whole" >> CheckGzip(source.patterns, f"split {split!r}")
            _ = (
                pipeline
                | "Read" >> ReadExamples(source)
                | "Sample" >> SampleRows(size, seed, leave_out)
                | "Keep" >> beam.Map(write_table, path)
            )
        sample = read_table(path)
    if not sample.num_rows:
        raise InputDataError(f"split {split!r} holds no examples")
    return sample


def categorical_features(schema: Any | None) -> list[str]:
    """Returns the integer features that a TFMD schema says are only codes; none without a schema."""
    if schema is None:
        return []
    return [feature.name for feature in schema.feature if feature.int_domain.is_categorical]
