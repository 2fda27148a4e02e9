"""What AnonymizationTuner does when it runs."""

from __future__ import annotations

import dataclasses
import json
import posixpath
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils
from tfx_anonymizer.comparison import Comparison, Plan, Point, compare
from tfx_anonymizer.component_support.choices import write_choice
from tfx_anonymizer.component_support.examples import ExamplesInput, clear
from tfx_anonymizer.component_support.parameters import resolve_policy
from tfx_anonymizer.component_support.sampling import sample_split
from tfx_anonymizer.component_support.schemas import read_schema
from tfx_anonymizer.component_support.writing import write_aside
from tfx_anonymizer.errors import GuaranteeError
from tfx_anonymizer.report.comparison import write_comparison
from tfx_anonymizer.transforms.columns import require_columns, single_valued_columns


class Executor(BaseBeamExecutor):  # type: ignore[misc]
    """Executor of AnonymizationTuner."""

    def Do(
        self, input_dict: dict[str, list[Any]], output_dict: dict[str, list[Any]], exec_properties: dict[str, Any]
    ) -> None:
        """Compares values of k and writes the one to take.

        Args:
            input_dict: `examples`; optional `schema`.
            output_dict: `choice`, `report`.
            exec_properties: `policy`, `quasi_identifiers`, `settings`; see `component`.

        Raises:
            GuaranteeError: If no k loses little enough; the report stays, for it says what each would lose.
            AnonymizerError: If the examples cannot be read or compared.
        """
        self._log_startup(input_dict, output_dict, exec_properties)
        choice = artifact_utils.get_single_instance(output_dict["choice"])
        report = artifact_utils.get_single_instance(output_dict["report"])
        settings = json.loads(exec_properties["settings"])
        try:
            plan = _plan(input_dict, exec_properties, settings["plan"])
            found = self._compare(input_dict, plan, settings, report.uri)
            best = found.recommended(settings["at_most"])
            _write_report(report.uri, found, best, plan, settings)
        except BaseException:
            clear(report)
            raise
        if best is None:
            least = max((point.change for point in found.points if point.reached), default=None)
            raise GuaranteeError(
                f"no k that was tried loses at most {settings['at_most']:g} points",
                got="none could be reached" if least is None else f"the least loss is {-least:.2f} points",
                hint=f"try smaller values of k, allow a greater loss, or see {report.uri}",
            )
        write_choice(choice.uri, k=best.k, partitioner=best.partitioner)
        choice.set_int_custom_property("k", best.k)
        choice.set_string_custom_property("partitioner", best.partitioner)

    def _compare(
        self, input_dict: Mapping[str, list[Any]], plan: Plan, settings: Mapping[str, Any], uri: str
    ) -> Comparison:
        examples = ExamplesInput.of(input_dict["examples"])
        split = settings["split"]
        examples.check_splits([split], "split")
        sample = sample_split(
            self._make_beam_pipeline(),
            examples,
            split,
            uri,
            size=settings["sample_size"],
            seed=plan.seed,
            leave_out=plan.policy.direct_identifiers,
        )
        policy = dataclasses.replace(plan.policy, direct_identifiers=())
        require_columns(policy.columns, sample.column_names, "the policy")
        with tempfile.TemporaryDirectory() as folder:
            # One process: those of a pipeline file would run the pipeline again when they start.
            return compare(single_valued_columns(sample), dataclasses.replace(plan, policy=policy), Path(folder))


def _plan(input_dict: Mapping[str, list[Any]], properties: Mapping[str, Any], fields: Mapping[str, Any]) -> Plan:
    # Its own k is not used, and must be something.
    policy = resolve_policy(properties, read_schema(input_dict), {"k": 2})
    return Plan(policy, **{**fields, "ks": tuple(fields["ks"]), "partitioners": tuple(fields["partitioners"])})


def _write_report(uri: str, found: Comparison, best: Point | None, plan: Plan, settings: Mapping[str, Any]) -> None:
    facts = found.to_dict()
    chosen = None if best is None else facts["points"][found.points.index(best)]
    with tempfile.TemporaryDirectory() as folder:
        write_comparison(
            Path(folder), "AnonymizationTuner", facts, chosen, at_most=settings["at_most"], method=plan.describe()
        )
        for path in sorted(Path(folder).iterdir()):
            write_aside(posixpath.join(uri, path.name), path.read_bytes())
