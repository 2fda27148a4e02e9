"""What PrivacyReporter does when it runs."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

import apache_beam as beam
from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils, io_utils
from tfx_anonymizer.component_support import reports
from tfx_anonymizer.component_support.evaluations import read_evaluation
from tfx_anonymizer.component_support.examples import ExamplesInput, clear
from tfx_anonymizer.component_support.handing_over import take_json, write_json
from tfx_anonymizer.component_support.running import cancelled_on_failure
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.privacy_reporter.lineage import artifacts_read, run_facts
from tfx_anonymizer.report.pipeline import Sources, put_together
from tfx_anonymizer.report.price import price
from tfx_anonymizer.transforms.distributions import AFTER, BEFORE, CompareDistributions, MostRowsOfOne
from tfx_anonymizer.transforms.examples_io import ReadExamples
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip


class Executor(BaseBeamExecutor):  # type: ignore[misc]
    """Executor of PrivacyReporter."""

    def Do(
        self, input_dict: dict[str, list[Any]], output_dict: dict[str, list[Any]], exec_properties: dict[str, Any]
    ) -> None:
        """Writes the report.

        Args:
            input_dict: `examples`, `anonymized_examples`, `report`, `validation`; optional `audit`, `evaluation`,
                `baseline_evaluation`.
            output_dict: `privacy_report`.
            exec_properties: `title`, `metric`; see `component`.

        Raises:
            AnonymizerError: If an input cannot be read; the output is then left empty.
        """
        self._log_startup(input_dict, output_dict, exec_properties)
        report = artifact_utils.get_single_instance(output_dict["privacy_report"])
        try:
            anonymization = _read_report(input_dict, "report", "splits")
            if "safe" in anonymization:
                raise InputDataError(
                    "the release was made in mode='safe', and what a page tells of raw rows would void its theorem",
                    hint="AGAnonymizer's own report says all that may be said",
                )
            policy = AnonymizationPolicy.from_json(json.dumps(anonymization["policy"]))
            least, distributions = self._compare(input_dict, policy, list(anonymization["splits"]), report.uri)
            run = {"title": exec_properties.get("title") or None, **run_facts(self._context)}
            body = put_together(
                Sources(
                    anonymization=anonymization,
                    validation=_read_report(input_dict, "validation", "splits"),
                    audit=_read_report(input_dict, "audit", "checks") if input_dict.get("audit") else None,
                    price=_price(input_dict, least, exec_properties.get("metric")),
                    distributions=distributions,
                    least=least,
                    lineage=artifacts_read(input_dict, self._context),
                    run=run,
                )
            )
            reports.write_pipeline_report(report.uri, "PrivacyReporter", body)
        except BaseException:
            clear(report)
            raise
        report.set_int_custom_property("success", int(body["success"]))
        report.set_int_custom_property("k", policy.k)

    def _compare(
        self, input_dict: Mapping[str, list[Any]], policy: AnonymizationPolicy, splits: Sequence[str], scratch: str
    ) -> tuple[int, dict[str, dict[str, Any]]]:
        """Returns the rows that share whatever is told, and by split and column what may be told."""
        raw, released = (ExamplesInput.of(input_dict[name]) for name in ("examples", "anonymized_examples"))
        raw.check_splits(splits, "the report's splits")
        released.check_splits(splits, "the report's splits")
        names = ("least", *splits)
        paths = {name: posixpath.join(scratch, f"part-{number}.json") for number, name in enumerate(names)}
        with (
            typed_errors(f"a split ({', '.join(splits)})"),
            cancelled_on_failure(self._make_beam_pipeline()) as pipeline,
        ):
            before = {split: _read(pipeline, raw, split, BEFORE) for split in _counted(raw, policy, splits)}
            least = _least(pipeline, before.values(), policy)
            _ = least | "Write[least]" >> beam.Map(write_json, paths["least"])
            for split in splits:
                sides = {BEFORE: before[split], AFTER: _read(pipeline, released, split, AFTER)}
                compare = CompareDistributions(policy.quasi_identifiers, least, policy.categorical)
                found = sides | f"Compare[{split}]" >> compare
                _ = found | f"Write[{split}]" >> beam.Map(write_json, paths[split])
        read = {name: take_json(path) for name, path in paths.items()}
        return read.pop("least"), read


def _counted(raw: ExamplesInput, policy: AnonymizationPolicy, splits: Sequence[str]) -> Sequence[str]:
    """All splits where people are counted: what an evaluation looked at may be in any of them."""
    return raw.splits if policy.entity_id else splits


def _read(pipeline: beam.Pipeline, examples: ExamplesInput, split: str, side: str) -> beam.PCollection[Any]:
    source = examples.source(split)
    _ = pipeline | f"Whole[{side}, {split}]" >> CheckGzip(source.patterns, f"split {split!r}")
    return pipeline | f"Read[{side}, {split}]" >> ReadExamples(source)


def _least(pipeline: beam.Pipeline, batches: Any, policy: AnonymizationPolicy) -> beam.PCollection[int]:
    """So many rows are k people at least."""
    if policy.entity_id is None:
        return pipeline | "Least" >> beam.Create([policy.k])
    together = list(batches) | "AllRaw" >> beam.Flatten()
    return together | "MostRows" >> MostRowsOfOne(policy.entity_id) | "Least" >> beam.Map(lambda n, k: n * k, policy.k)


def _price(input_dict: Mapping[str, list[Any]], least: int, metric: str | None) -> dict[str, Any]:
    if not input_dict.get("evaluation"):
        return {"missing": "no evaluation of the retrained model was connected"}
    retrained, raw = read_evaluation(artifact_utils.get_single_uri(input_dict["evaluation"]))
    if input_dict.get("baseline_evaluation"):
        raw, _ = read_evaluation(artifact_utils.get_single_uri(input_dict["baseline_evaluation"]))
    return price(retrained, raw, least, metric or None)


def _read_report(input_dict: Mapping[str, list[Any]], name: str, needed: str) -> dict[str, Any]:
    path = posixpath.join(artifact_utils.get_single_uri(input_dict[name]), reports.REPORT_FILE)
    if not fileio.exists(path):
        raise InputDataError(f"{name} holds no report.json", hint="the component that makes it has not succeeded")
    try:
        found: dict[str, Any] = json.loads(io_utils.read_string_file(path))
    except json.JSONDecodeError as error:
        raise InputDataError(f"report.json of {name} is damaged", got=f"an error at character {error.pos}") from None
    if not isinstance(found, dict) or needed not in found:
        raise InputDataError(f"report.json of {name} is not such a report", allowed=f"an object with {needed!r}")
    return found
