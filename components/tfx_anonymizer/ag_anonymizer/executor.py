"""What AGAnonymizer does when it runs."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

import apache_beam as beam

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils
from tfx_anonymizer.ag_anonymizer.settings import Settings
from tfx_anonymizer.artifacts import CONTAINS_PERSONAL_DATA
from tfx_anonymizer.component_support import reports
from tfx_anonymizer.component_support.choices import read_choice
from tfx_anonymizer.component_support.counts import check_counts
from tfx_anonymizer.component_support.examples import ExamplesInput, clear, remove_attempts, split_prefix, write_facts
from tfx_anonymizer.component_support.handing_over import take_json, write_json
from tfx_anonymizer.component_support.parameters import resolve_policy
from tfx_anonymizer.component_support.running import cancelled_on_failure
from tfx_anonymizer.component_support.schemas import read_schema
from tfx_anonymizer.component_support.writing import write_aside
from tfx_anonymizer.errors import ViolationError
from tfx_anonymizer.guides import GuideLocation
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.promises import broken, suppression_check
from tfx_anonymizer.transforms.anonymize import SUMMARY, Anonymize
from tfx_anonymizer.transforms.apply import ApplyGeneralization
from tfx_anonymizer.transforms.count_classes import ClassCounts, CountClasses
from tfx_anonymizer.transforms.examples_io import DropColumns, ReadExamples, WriteExamples
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.predict import PredictWithGuide
from tfx_anonymizer.transforms.refine import FILES, RELEASED


class Executor(BaseBeamExecutor):  # type: ignore[misc]
    """Executor of AGAnonymizer."""

    def Do(
        self, input_dict: dict[str, list[Any]], output_dict: dict[str, list[Any]], exec_properties: dict[str, Any]
    ) -> None:
        """Writes the k-anonymous examples.

        Args:
            input_dict: `examples`; optional `model`, `schema`, `choice`.
            output_dict: `anonymized_examples`, `generalization`, `report`.
            exec_properties: `policy`, `quasi_identifiers`, `k`, `settings`; see `component`.

        Raises:
            AnonymizerError: If the examples cannot be read or cannot be made to keep the guarantee; the outputs are
                then left empty.
        """
        self._log_startup(input_dict, output_dict, exec_properties)
        choice = read_choice(input_dict)
        policy = resolve_policy(exec_properties, read_schema(input_dict), choice)
        settings = Settings.from_dict(json.loads(exec_properties["settings"])).following(choice)
        outputs = {name: artifact_utils.get_single_instance(found) for name, found in output_dict.items()}
        kind = Run
        if settings.safety is not None:
            from tfx_anonymizer.ag_anonymizer.safe_run import SafeRun

            kind = SafeRun
        run = kind(ExamplesInput.of(input_dict["examples"]), policy, settings, _guide(input_dict, settings), outputs)
        run.check()
        try:
            with typed_errors(run.reading), cancelled_on_failure(self._make_beam_pipeline()) as pipeline:
                run.build(pipeline)
            run.finish()
        except BaseException:
            for artifact in outputs.values():
                clear(artifact)
            raise


class Run:
    """One execution: what is read, how, and where it goes."""

    def __init__(
        self,
        examples: ExamplesInput,
        policy: AnonymizationPolicy,
        settings: Settings,
        guide: GuideLocation | None,
        outputs: Mapping[str, Any],
    ) -> None:
        self._examples = examples
        self._policy = policy
        self._settings = settings
        self._guide = guide
        self._released = outputs["anonymized_examples"]
        self._generalization = outputs["generalization"]
        self._report = outputs["report"]
        self.reading = f"an input split ({', '.join(examples.splits)})"

    @property
    def _others(self) -> list[str]:
        return self._examples.others(self._settings.splits, self._settings.other_splits)

    @property
    def _method(self) -> Method:
        return self._settings.method("auto" if self._guide is None else self._guide.load().kind)

    def check(self) -> None:
        """Checks what can be checked before any record is read."""
        self._method.check(self._policy)
        self._examples.check_splits(self._settings.splits)
        if self._others:
            self._examples.check_splits(self._others, "examples")
        if self._guide is not None:
            self._guide.load()

    def build(self, pipeline: beam.Pipeline) -> None:
        """Builds the Beam graph over all splits."""
        write_facts(self._examples.artifact, self._released, [*self._settings.splits, *self._others])
        files = [self._anonymize(pipeline, split) for split in self._settings.splits]
        for split in self._others:
            batches = self._read(pipeline, split, with_records=False)
            if self._settings.other_splits == "transform":
                batches = batches | f"Apply[{split}]" >> ApplyGeneralization(self._policy, files[0])
            else:
                batches = batches | f"Drop[{split}]" >> DropColumns(self._policy.direct_identifiers)
            self._write(batches, split)

    def finish(self) -> None:
        """Tidies up, compares the recount with the promise, then writes the report and the artifacts' facts."""
        self._tidy()
        splits = {}
        for split in self._settings.splits:
            counted = ClassCounts.from_dict(self._take_json(split, "counts"))
            summary = self._take_json(split, "summary")
            left_out = suppression_check(self._policy, summary["rows"], counted.rows)
            found = [*check_counts(self._policy, counted), *([left_out] if left_out else [])]
            failed = broken(found)
            if failed:
                raise ViolationError(
                    f"the release of split {split!r} does not keep the guarantee; nothing was released",
                    got="; ".join(failed),
                    hint="this is a defect of tfx_anonymizer, please report it",
                )
            splits[split] = {
                **summary,
                "checks": [check.to_dict() for check in found],
                "counted": counted.to_dict(),
            }
        body = {
            "policy": json.loads(self._policy.to_json()),
            "settings": self._settings.to_dict(),
            "splits": splits,
            "other_splits": dict.fromkeys(self._others, self._settings.other_splits),
        }
        reports.write_report(self._report.uri, "AGAnonymizer", body)
        self._set_properties([found["counted"] for found in splits.values()])
        self._report.set_int_custom_property("suppressed", sum(found["suppressed"] for found in splits.values()))

    def _tidy(self) -> None:
        remove_attempts(self._released, [*self._settings.splits, *self._others])

    def _set_properties(self, reached: Sequence[Mapping[str, Any]]) -> None:
        if self._others and self._settings.other_splits == "pass":
            self._released.set_int_custom_property(CONTAINS_PERSONAL_DATA, 1)
        self._generalization.set_int_custom_property(CONTAINS_PERSONAL_DATA, 1)
        self._report.set_int_custom_property("k", self._policy.k)
        self._report.set_int_custom_property("k_reached", min(found["k"] for found in reached))
        self._report.set_int_custom_property("classes", sum(found["classes"] for found in reached))
        self._report.set_int_custom_property("rows", sum(found["rows"] for found in reached))

    def _anonymize(self, pipeline: beam.Pipeline, split: str) -> beam.PCollection[Any]:
        batches = self._read(pipeline, split, with_records=self._guide is not None and self._guide.load().needs_records)
        if self._guide is not None:
            keep = self._examples.payload_format == "FORMAT_TF_SEQUENCE_EXAMPLE"
            batches = batches | f"Guide[{split}]" >> PredictWithGuide(self._guide, keep_records=keep)
        found = batches | f"Anonymize[{split}]" >> Anonymize(self._policy, self._method, split)
        self._write(found[RELEASED], split)
        self._keep(split, found[FILES], found[RELEASED] | f"Count[{split}]" >> CountClasses.of_policy(self._policy))
        _ = found[SUMMARY] | f"Summary[{split}]" >> beam.Map(write_json, self._json_path(split, "summary"))
        return found[FILES]

    def _keep(self, split: str, files: beam.PCollection[Any], counted: beam.PCollection[ClassCounts]) -> None:
        folder = posixpath.join(self._generalization.uri, f"Split-{split}")
        _ = files | f"Generalization[{split}]" >> beam.Map(_write_file, folder)
        counts = counted | f"Counts[{split}]" >> beam.Map(lambda counts: counts.to_dict())
        _ = counts | f"Counted[{split}]" >> beam.Map(write_json, self._json_path(split, "counts"))

    def _read(self, pipeline: beam.Pipeline, split: str, *, with_records: bool) -> beam.PCollection[Any]:
        source = self._examples.source(split)
        _ = pipeline | f"Whole[{split}]" >> CheckGzip(source.patterns, f"split {split!r}")
        return pipeline | f"Read[{split}]" >> ReadExamples(source, with_records=with_records)

    def _write(self, batches: beam.PCollection[Any], split: str) -> None:
        source = self._examples.source(split)
        arrow_schema = self._examples.arrow_schema(split)
        if arrow_schema is not None:
            for name in set(self._policy.direct_identifiers) & set(arrow_schema.names):
                arrow_schema = arrow_schema.remove(arrow_schema.get_field_index(name))
        writer = WriteExamples(
            self._prefix(split),
            source,
            arrow_schema=arrow_schema,
            drop_sequences=self._policy.direct_identifiers,
        )
        _ = batches | f"Write[{split}]" >> writer

    def _prefix(self, split: str) -> str:
        return split_prefix(self._released, split)

    def _json_path(self, split: str, name: str) -> str:
        return posixpath.join(self._report.uri, f"{name}-{split}.json")

    def _take_json(self, split: str, name: str) -> Any:
        return take_json(self._json_path(split, name))


def _guide(input_dict: Mapping[str, list[Any]], settings: Settings) -> GuideLocation | None:
    if not input_dict.get("model"):
        return None
    uri = artifact_utils.get_single_uri(input_dict["model"])
    return GuideLocation(uri, settings.signature_name, settings.output_key)


def _write_file(file: tuple[str, bytes], folder: str) -> None:
    name, data = file
    write_aside(posixpath.join(folder, name), data)
