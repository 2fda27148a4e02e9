"""What AuditSplit does when it runs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils
from tfx_anonymizer.artifacts import CONTAINS_PERSONAL_DATA, MEMBERS_DRAWN_BY_COIN
from tfx_anonymizer.component_support.examples import ExamplesInput, clear, remove_attempts, split_prefix, write_facts
from tfx_anonymizer.component_support.running import cancelled_on_failure
from tfx_anonymizer.errors import InputDataError, unknown_column
from tfx_anonymizer.hashing import row_hashes
from tfx_anonymizer.transforms.columns import INTERNAL_COLUMNS, drop_columns
from tfx_anonymizer.transforms.examples_io import ReadExamples, WriteExamples
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip

TRAINED, MEMBER, NON_MEMBER = "trained", "member", "non_member"
# Streams of their own, and of no other draw that an audit makes from the same content and seed.
_DRAW, _COIN = np.uint64(0xA0761D6478BD642F), np.uint64(0xE7037ED1A0B428DB)


class Executor(BaseBeamExecutor):  # type: ignore[misc]
    """Executor of AuditSplit."""

    def Do(
        self, input_dict: dict[str, list[Any]], output_dict: dict[str, list[Any]], exec_properties: dict[str, Any]
    ) -> None:
        """Writes the examples without those held back, and the audited ones.

        Args:
            input_dict: `examples`.
            output_dict: `training_examples`, `audit_examples`.
            exec_properties: `split`, `share`, `entity_id`, `seed`; see `component`.

        Raises:
            AnonymizerError: If the examples cannot be read, or nobody was drawn; the outputs are then left empty.
        """
        self._log_startup(input_dict, output_dict, exec_properties)
        kept = artifact_utils.get_single_instance(output_dict["training_examples"])
        audited = artifact_utils.get_single_instance(output_dict["audit_examples"])
        examples = ExamplesInput.of(input_dict["examples"])
        split = exec_properties["split"]
        examples.check_splits([split], "split")
        try:
            write_facts(examples.artifact, kept, examples.splits)
            write_facts(examples.artifact, audited, [MEMBER, NON_MEMBER])
            for other in examples.splits:
                if other != split:
                    _copy(examples, other, kept)
            self._split(examples, split, kept, audited, exec_properties)
            remove_attempts(kept, [split])
            remove_attempts(audited, [MEMBER, NON_MEMBER])
        except BaseException:
            clear(kept)
            clear(audited)
            raise
        audited.set_int_custom_property(CONTAINS_PERSONAL_DATA, 1)
        audited.set_int_custom_property(MEMBERS_DRAWN_BY_COIN, 1)

    def _split(self, examples: ExamplesInput, split: str, kept: Any, audited: Any, properties: dict[str, Any]) -> None:
        source, schema = examples.source(split), examples.arrow_schema(split)
        draw = Draw(float(properties["share"]), properties.get("entity_id"), int(properties["seed"]))
        with typed_errors(f"split {split!r}"), cancelled_on_failure(self._make_beam_pipeline()) as pipeline:
            _ = pipeline | "Whole" >> CheckGzip(source.patterns, f"split {split!r}")
            found = (
                pipeline
                | "Read" >> ReadExamples(source)
                | "Draw" >> beam.ParDo(_Part(draw)).with_outputs(TRAINED, MEMBER, NON_MEMBER)
            )
            targets = {
                TRAINED: split_prefix(kept, split),
                MEMBER: split_prefix(audited, MEMBER),
                NON_MEMBER: split_prefix(audited, NON_MEMBER),
            }
            for name, prefix in targets.items():
                _ = found[name] | f"Write[{name}]" >> WriteExamples(prefix, source, arrow_schema=schema)
                _ = (
                    found[name]
                    | f"Rows[{name}]" >> beam.Map(lambda batch: batch.num_rows)
                    | f"Sum[{name}]" >> beam.CombineGlobally(sum)
                    | f"Some[{name}]" >> beam.Map(_require_some, name, split)
                )


class Draw:
    """Who is audited, and on which side the coin fell.

    Args:
        share: Share of records that are audited.
        entity_id: The feature whose value alone counts; None: all of them.
        seed: Of the draws.

    Example:
        >>> audited, heads = Draw(0.5, None, 0).of(pa.RecordBatch.from_pydict({"a": list(range(4000))}))
        >>> abs(int(audited.sum()) - 2000) < 150, abs(int((audited & heads).sum()) - 1000) < 120
        (True, True)
    """

    def __init__(self, share: float, entity_id: str | None, seed: int) -> None:
        self._share = share
        self._entity_id = entity_id
        self._seed = np.uint64(seed)

    def of(self, batch: pa.RecordBatch) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Returns who is audited and for whom the coin shows heads, each bool, shape (n,)."""
        known = drop_columns(batch, tuple(INTERNAL_COLUMNS))
        if self._entity_id is not None:
            if self._entity_id not in known.schema.names:
                raise unknown_column(self._entity_id, "entity_id", known.schema.names)
            known = pa.table({self._entity_id: known.column(known.schema.get_field_index(self._entity_id))})
        place = row_hashes(known, int(self._seed ^ _DRAW)) / 2.0**64
        return place < self._share, (row_hashes(known, int(self._seed ^ _COIN)) & np.uint64(1)) == 1


class _Part(beam.DoFn):  # type: ignore[misc]
    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def process(self, batch: pa.RecordBatch) -> Iterator[beam.pvalue.TaggedOutput]:
        audited, heads = self._draw.of(batch)
        parts = {TRAINED: ~audited | heads, MEMBER: audited & heads, NON_MEMBER: audited & ~heads}
        for name, rows in parts.items():
            if rows.any():
                chosen = pa.Table.from_batches([batch]).filter(pa.array(rows)).combine_chunks()
                for part in chosen.to_batches():
                    yield beam.pvalue.TaggedOutput(name, part)


def _require_some(rows: int, name: str, split: str) -> None:
    if not rows:
        raise InputDataError(
            f"the draw leaves split {split!r} without records for {name!r}",
            hint="audit a greater share, or more records",
        )


def _copy(examples: ExamplesInput, split: str, target: Any) -> None:
    folder = artifact_utils.get_split_uri([target], split)
    fileio.makedirs(folder)
    for pattern in examples.source(split).patterns:
        for path in fileio.glob(pattern):
            fileio.copy(path, posixpath.join(folder, posixpath.basename(path)), overwrite=True)
