"""What KAnonymityValidator does when it runs."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from typing import Any

import apache_beam as beam
from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils, io_utils
from tfx_anonymizer.component_support import reports
from tfx_anonymizer.component_support.choices import read_choice
from tfx_anonymizer.component_support.counts import check_counts
from tfx_anonymizer.component_support.examples import ExamplesInput, clear
from tfx_anonymizer.component_support.parameters import resolve_policy
from tfx_anonymizer.component_support.running import cancelled_on_failure
from tfx_anonymizer.component_support.schemas import read_schema
from tfx_anonymizer.component_support.writing import write_aside
from tfx_anonymizer.errors import InputDataError, ViolationError
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.promises import Check, broken
from tfx_anonymizer.transforms.columns import require_columns
from tfx_anonymizer.transforms.count_classes import ClassCounts, CountClasses
from tfx_anonymizer.transforms.examples_io import ReadExamples
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip


class Executor(BaseBeamExecutor):  # type: ignore[misc]
    """Executor of KAnonymityValidator."""

    def Do(
        self, input_dict: dict[str, list[Any]], output_dict: dict[str, list[Any]], exec_properties: dict[str, Any]
    ) -> None:
        """Counts the release and writes the verdict.

        Args:
            input_dict: `examples`; optional `schema`, `choice`.
            output_dict: `blessing`, `report`.
            exec_properties: `policy`, `quasi_identifiers`, `k`, `splits`, `fail_on_violation`; see `component`.

        Raises:
            ViolationError: If a promise is broken and `fail_on_violation` is set.
            AnonymizerError: If the release cannot be counted; the verdict is then NOT_BLESSED.
        """
        self._log_startup(input_dict, output_dict, exec_properties)
        blessing = artifact_utils.get_single_instance(output_dict["blessing"])
        report = artifact_utils.get_single_instance(output_dict["report"])
        try:
            policy = resolve_policy(exec_properties, read_schema(input_dict), read_choice(input_dict))
            counted = self._count(input_dict, policy, json.loads(exec_properties["splits"]), report.uri)
            found = {split: check_counts(policy, counts) for split, counts in counted.items()}
            blessed = all(check.holds for of_split in found.values() for check in of_split)
            reports.write_report(report.uri, "KAnonymityValidator", _body(policy, counted, found, blessed=blessed))
        except BaseException:
            # Counts of single splits are no report.
            clear(report)
            reports.write_blessing(blessing, blessed=False)
            raise
        reports.write_blessing(blessing, blessed=blessed)
        report.set_int_custom_property("k", policy.k)
        report.set_int_custom_property("k_reached", min(counts.k for counts in counted.values()))
        if not blessed and exec_properties["fail_on_violation"]:
            raise _violation(policy, counted, found)

    def _count(
        self, input_dict: Mapping[str, list[Any]], policy: AnonymizationPolicy, splits: list[str], scratch: str
    ) -> dict[str, ClassCounts]:
        examples = ExamplesInput.of(input_dict["examples"])
        examples.check_splits(splits)
        paths = {split: posixpath.join(scratch, f"counts-{split}.json") for split in splits}
        with (
            typed_errors(f"a split ({', '.join(splits)})"),
            cancelled_on_failure(self._make_beam_pipeline()) as pipeline,
        ):
            for split in splits:
                source = examples.source(split)
                _ = pipeline | f"Whole[{split}]" >> CheckGzip(source.patterns, f"split {split!r}")
                _ = (
                    pipeline
                    | f"Read[{split}]" >> ReadExamples(source)
                    | f"Count[{split}]" >> CountClasses.of_policy(policy)
                    | f"Counted[{split}]" >> beam.Map(_write_counts, paths[split])
                )
        counted = {}
        for split, path in paths.items():
            counts = ClassCounts.from_dict(json.loads(io_utils.read_string_file(path)))
            fileio.remove(path)
            if not counts.rows:
                raise InputDataError(f"split {split!r} holds no examples")
            require_columns(policy.quasi_identifiers, counts.columns, "quasi_identifiers")
            require_columns(policy.sensitive, counts.columns, "sensitive")
            counted[split] = counts
        return counted


def _body(
    policy: AnonymizationPolicy, counted: Mapping[str, ClassCounts], found: Mapping[str, list[Check]], *, blessed: bool
) -> dict[str, Any]:
    return {
        "success": blessed,
        "policy": json.loads(policy.to_json()),
        "splits": {
            split: {
                "checks": [check.to_dict() for check in found[split]],
                "counted": counts.to_dict(),
                "risks": _risks(counts),
                "rows_in_classes_below_k": _people_below(counts, policy.k),
            }
            for split, counts in counted.items()
        },
    }


def _risks(counts: ClassCounts) -> dict[str, float]:
    """Chances of picking out a person; see `core.measures.PrivacyMeasures` for the definitions."""
    members = sum(size * classes for size, classes in counts.class_sizes.items())
    return {"prosecutor": 1 / counts.k, "journalist": 1 / counts.k, "marketer": counts.classes / members}


def _people_below(counts: ClassCounts, k: int) -> int:
    return sum(size * classes for size, classes in counts.class_sizes.items() if size < k)


def _violation(
    policy: AnonymizationPolicy, counted: Mapping[str, ClassCounts], found: Mapping[str, list[Check]]
) -> ViolationError:
    texts = []
    for split, of_split in found.items():
        failed = broken(of_split)
        if failed:
            sizes = counted[split].class_sizes
            small = sum(classes for size, classes in sizes.items() if size < policy.k)
            texts.append(f"split {split!r}: {', '.join(failed)} ({small} of {counted[split].classes} classes below k)")
    return ViolationError(
        "the release does not keep its promise, so the pipeline stops here",
        got="; ".join(texts),
        hint="nothing may read these examples; find out what changed them after they were anonymized",
    )


def _write_counts(counts: ClassCounts, path: str) -> None:
    write_aside(path, json.dumps(counts.to_dict()))
