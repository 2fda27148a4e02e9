"""Reading audited examples by Beam, and asking the model about them on its workers."""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.component_support.examples import ExamplesInput
from tfx_anonymizer.component_support.handing_over import read_table, write_table
from tfx_anonymizer.component_support.running import cancelled_on_failure
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.guides import GuideLocation
from tfx_anonymizer.hashing import in_content_order
from tfx_anonymizer.transforms.columns import GUIDE_COLUMN, RECORD_COLUMN, drop_columns, single_valued_columns, unify
from tfx_anonymizer.transforms.examples_io import ReadExamples
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip
from tfx_anonymizer.transforms.predict import PredictWithGuide, guide_matrix
from tfx_anonymizer.transforms.sample import SampleRows

_BATCH_ROWS = 1000
_WHOLE = 10**9


@dataclasses.dataclass(frozen=True)
class Asked:
    """Examples of one split, and what the model said of them.

    Attributes:
        table: Their single-valued features, n rows; missing as null.
        answers: float64, shape (n, outputs); None if there is no model.
    """

    table: pa.Table
    answers: npt.NDArray[np.float64] | None


@dataclasses.dataclass(frozen=True)
class Reading:
    """How examples are read.

    Attributes:
        make_pipeline: Makes a Beam pipeline.
        folder: For what is handed from Beam to here.
        size: Most records of a split.
        seed: Of the sample.
    """

    make_pipeline: Callable[[], Any]
    folder: str
    size: int
    seed: int

    def ask(self, examples: ExamplesInput, splits: Sequence[str], location: GuideLocation | None) -> dict[str, Asked]:
        """Reads a sample of each split and asks the model about it.

        Args:
            examples: The raw examples.
            splits: Their splits.
            location: The model; None if there is none.

        Raises:
            InputDataError: If a split is empty or cannot be read.
            GuideError: If the model cannot be applied.
        """
        records = location is not None and location.load().needs_records
        paths = {split: posixpath.join(self.folder, f"asked-{split}.arrow") for split in splits}
        with typed_errors(f"a split ({', '.join(splits)})"), cancelled_on_failure(self.make_pipeline()) as pipeline:
            for split in splits:
                source = examples.source(split)
                _ = pipeline | f"Whole[{split}]" >> CheckGzip(source.patterns, f"split {split!r}")
                rows = pipeline | f"Read[{split}]" >> ReadExamples(source, with_records=records)
                rows = rows | f"Sample[{split}]" >> SampleRows(self.size, self.seed)
                if location is not None:
                    rows = (
                        rows
                        | f"Cut[{split}]" >> beam.FlatMap(_cut)
                        | f"Spread[{split}]" >> beam.Reshuffle()
                        | f"Ask[{split}]" >> PredictWithGuide(location, as_published=True)
                        | f"Gather[{split}]" >> beam.combiners.ToList()
                        | f"Join[{split}]" >> beam.Map(_join)
                    )
                _ = rows | f"Keep[{split}]" >> beam.Map(write_table, paths[split])
        return {split: _asked(_some(read_table(path), split)) for split, path in paths.items()}

    def whole(self, examples: ExamplesInput, split: str) -> pa.Table:
        """Reads all examples of a split; their single-valued features."""
        path = posixpath.join(self.folder, f"whole-{split}.arrow")
        source = examples.source(split)
        with typed_errors(f"split {split!r}"), cancelled_on_failure(self.make_pipeline()) as pipeline:
            _ = pipeline | "WholeRelease" >> CheckGzip(source.patterns, f"split {split!r}")
            rows = pipeline | "ReadRelease" >> ReadExamples(source)
            _ = rows | "AllOfIt" >> SampleRows(_WHOLE, self.seed) | "KeepRelease" >> beam.Map(write_table, path)
        return single_valued_columns(_some(read_table(path), split))


def _asked(table: pa.Table) -> Asked:
    answers = guide_matrix(table) if GUIDE_COLUMN in table.column_names else None
    return Asked(single_valued_columns(drop_columns(table, (GUIDE_COLUMN, RECORD_COLUMN))), answers)


def _cut(table: pa.Table) -> Iterator[pa.RecordBatch]:
    for start in range(0, table.num_rows, _BATCH_ROWS):
        yield from table.slice(start, _BATCH_ROWS).combine_chunks().to_batches()


def _join(batches: Sequence[pa.RecordBatch]) -> pa.Table:
    if not batches:
        return pa.table({})
    # Workers finish in any order.
    return in_content_order(unify(list(batches)))


def _some(table: pa.Table, split: str) -> pa.Table:
    if not table.num_rows:
        raise InputDataError(f"split {split!r} holds no examples")
    return table
