"""What DPSynthesizer does when it runs."""

from __future__ import annotations

import dataclasses
import json
import posixpath
from collections.abc import Mapping
from typing import Any

import apache_beam as beam

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils
from tfx_anonymizer.artifacts import CONTAINS_PERSONAL_DATA
from tfx_anonymizer.component_support import reports
from tfx_anonymizer.component_support.examples import ExamplesInput, clear, remove_attempts, split_prefix, write_facts
from tfx_anonymizer.component_support.handing_over import take_json, write_json
from tfx_anonymizer.component_support.running import cancelled_on_failure
from tfx_anonymizer.component_support.schemas import read_schema
from tfx_anonymizer.differential_privacy import ledger
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.plan import Plan, plan
from tfx_anonymizer.differential_privacy.spending import Spending, composed_epsilon
from tfx_anonymizer.dp_synthesizer.promises import broken_promises
from tfx_anonymizer.dp_synthesizer.settings import Settings
from tfx_anonymizer.errors import InputDataError, PolicyError, ViolationError
from tfx_anonymizer.transforms.check_domain import CheckDomain
from tfx_anonymizer.transforms.code_people import CodePeople
from tfx_anonymizer.transforms.examples_io import PARQUET, SEQUENCE_EXAMPLE, DropColumns, ReadExamples, WriteExamples
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip
from tfx_anonymizer.transforms.noisy_sums import NoisySums
from tfx_anonymizer.transforms.synthetic_rows import ROWS, SUMMARY, SyntheticRows


class Executor(BaseBeamExecutor):  # type: ignore[misc]
    """Executor of DPSynthesizer."""

    def Do(
        self, input_dict: dict[str, list[Any]], output_dict: dict[str, list[Any]], exec_properties: dict[str, Any]
    ) -> None:
        """Writes the synthetic examples.

        Args:
            input_dict: `examples`, `schema`.
            output_dict: `synthetic_examples`, `report`.
            exec_properties: `epsilon`, `delta`, `settings`; see `component`.

        Raises:
            AnonymizerError: If the schema does not say enough, the budget cannot be kept, or the examples cannot be
                read; the outputs are then left empty.
        """
        self._log_startup(input_dict, output_dict, exec_properties)
        schema = read_schema(input_dict)
        if schema is None:
            raise PolicyError("DPSynthesizer needs a schema")
        settings = Settings.from_json(exec_properties["settings"]).with_roles(schema)
        budget = Budget(float(exec_properties["epsilon"]), float(exec_properties["delta"]))
        outputs = {name: artifact_utils.get_single_instance(found) for name, found in output_dict.items()}
        examples = ExamplesInput.of(input_dict["examples"])
        run = _Run(examples, schema, settings, budget, outputs)
        try:
            with typed_errors(run.reading), cancelled_on_failure(self._make_beam_pipeline()) as pipeline:
                run.build(pipeline)
            run.finish()
        except BaseException:
            for artifact in outputs.values():
                clear(artifact)
            raise


class _Run:
    """One execution: what is read, how, and where it goes."""

    def __init__(
        self, examples: ExamplesInput, schema: Any, settings: Settings, budget: Budget, outputs: Mapping[str, Any]
    ) -> None:
        if examples.payload_format == SEQUENCE_EXAMPLE:
            raise InputDataError("SequenceExamples cannot be synthesized", allowed="tf.Examples or Parquet")
        examples.check_splits(settings.splits)
        self._examples = examples
        self._schema = schema
        self._settings = settings
        self._layout = Layout(settings.domain(schema), settings.design, settings.entity_id)
        self._plan: Plan = plan(settings.design, budget)
        self._released = outputs["synthetic_examples"]
        self._report = outputs["report"]
        self.reading = f"an input split ({', '.join(examples.splits)})"

    @property
    def _others(self) -> list[str]:
        return self._examples.others(self._settings.splits, self._settings.other_splits)

    @property
    def _spending(self) -> Spending:
        """Of all splits together: rows are in one split each, but a person of several rows may be in all."""
        one = self._plan.spending(self._settings.source)
        if self._settings.entity_id is None or len(self._settings.splits) == 1:
            return one
        parts = one.parts * len(self._settings.splits)
        every = dataclasses.replace(one, parts=parts)
        return dataclasses.replace(every, epsilon=composed_epsilon([every], delta=every.delta))

    def build(self, pipeline: beam.Pipeline) -> None:
        """Builds the Beam graph over all splits."""
        write_facts(self._examples.artifact, self._released, [*self._settings.splits, *self._others])
        for split in self._settings.splits:
            self._synthesize(pipeline, split)
        for split in self._others:
            batches = self._read(pipeline, split)
            batches = batches | f"Drop[{split}]" >> DropColumns(tuple(self._settings.direct_identifiers or ()))
            self._write(batches, split, self._arrow_schema(split, synthetic=False))

    def _synthesize(self, pipeline: beam.Pipeline, split: str) -> None:
        settings = self._settings
        coded = self._read(pipeline, split) | f"Code[{split}]" >> CodePeople(self._layout)
        released = coded | f"Release[{split}]" >> NoisySums(self._layout, self._plan, settings.seed)
        made = released | f"Make[{split}]" >> SyntheticRows(self._layout, self._plan, settings.wanted)
        self._write(made[ROWS], split, self._arrow_schema(split, synthetic=True))
        checker = CheckDomain(self._schema.SerializeToString(), settings.weight_key)
        looked = made[ROWS] | f"Look[{split}]" >> checker
        looked = looked | f"Looked[{split}]" >> beam.Map(lambda found: found.to_dict())
        for name, facts in (("summary", made[SUMMARY]), ("looked", looked)):
            _ = facts | f"Keep[{split}, {name}]" >> beam.Map(write_json, self._json_path(split, name))

    def finish(self) -> None:
        """Tidies up, checks what was written and what it spent, then writes the report and the artifacts' facts."""
        remove_attempts(self._released, [*self._settings.splits, *self._others])
        splits = {
            split: {**self._take_json(split, "summary"), "looked_over": self._take_json(split, "looked")}
            for split in self._settings.splits
        }
        spending = self._spending
        body = self._body(spending, splits)
        broken = broken_promises(json.loads(json.dumps(body)), self._settings.weight_key)
        if broken:
            raise ViolationError(
                "the release is not what was promised; nothing was released",
                got="; ".join(broken),
                hint="this is a defect of tfx_anonymizer, please report it",
            )
        reports.write_synthesis(self._report.uri, "DPSynthesizer", body)
        private = self._settings.seed is None
        self._released.set_int_custom_property("private", int(private))
        if private:
            ledger.record(self._released, spending)
        if not private or self._others:
            self._released.set_int_custom_property(CONTAINS_PERSONAL_DATA, 1)
        self._report.set_float_custom_property("epsilon", spending.epsilon)
        self._report.set_float_custom_property("delta", spending.delta)
        self._report.set_int_custom_property("rows", sum(found["rows"] for found in splits.values()))

    def _body(self, spending: Spending, splits: Mapping[str, Any]) -> dict[str, Any]:
        budget, settings = self._plan.budget, self._settings
        counting, clustering, mixing = self._plan.scales(self._layout.encoding.squared_norm)
        return {
            "private": settings.seed is None,
            "budget": dataclasses.asdict(budget),
            "spent": spending.to_dict(),
            "person": f"one {settings.entity_id!r}" if settings.entity_id else "one row",
            "noise": {"counts of cells": counting, "k-means": clustering, "mixtures": mixing},
            "design": dataclasses.asdict(settings.design),
            "domain": self._layout.domain.to_dict(),
            "left_out": list(settings.leave_out),
            "splits": dict(splits),
            "other_splits": dict.fromkeys(self._others, settings.other_splits),
        }

    def _arrow_schema(self, split: str, *, synthetic: bool) -> Any | None:
        """Returns the schema of Parquet files to be written."""
        import pyarrow as pa

        found = self._examples.arrow_schema(split)
        if found is None:
            return None
        drop = {*(self._settings.direct_identifiers or ())}
        if synthetic:
            domain = self._layout.domain
            drop = set(found.names) - {*domain.columns, *domain.left_out}
        fields = [field for field in found if field.name not in drop]
        if synthetic and self._settings.weight_key:
            fields.append(pa.field(self._settings.weight_key, pa.float32()))
        return pa.schema(fields)

    def _read(self, pipeline: beam.Pipeline, split: str) -> beam.PCollection[Any]:
        source = self._examples.source(split)
        _ = pipeline | f"Whole[{split}]" >> CheckGzip(source.patterns, f"split {split!r}")
        return pipeline | f"Read[{split}]" >> ReadExamples(source)

    def _write(self, batches: beam.PCollection[Any], split: str, arrow_schema: Any | None) -> None:
        if self._examples.payload_format == PARQUET:
            batches = batches | f"Plain[{split}]" >> beam.Map(single_valued)
        writer = WriteExamples(
            split_prefix(self._released, split), self._examples.source(split), arrow_schema=arrow_schema
        )
        _ = batches | f"Write[{split}]" >> writer

    def _json_path(self, split: str, name: str) -> str:
        return posixpath.join(self._report.uri, f"{name}-{split}.json")

    def _take_json(self, split: str, name: str) -> Any:
        return take_json(self._json_path(split, name))


def single_valued(batch: Any) -> Any:
    """Returns a batch of lists of one value as one of plain values, as Parquet has them."""
    import pyarrow as pa

    from tfx_anonymizer.transforms.columns import column_of, single_values

    columns = [single_values(column_of(batch, name), name) for name in batch.schema.names]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
