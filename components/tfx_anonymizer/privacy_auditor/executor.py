"""What PrivacyAuditor does when it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils
from tfx_anonymizer.artifacts import MEMBERS_DRAWN_BY_COIN
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.verdict import Verdict
from tfx_anonymizer.component_support import reports
from tfx_anonymizer.component_support.examples import ExamplesInput
from tfx_anonymizer.component_support.handing_over import folder_beside
from tfx_anonymizer.component_support.parameters import resolve_policy
from tfx_anonymizer.component_support.sampling import categorical_features
from tfx_anonymizer.component_support.schemas import read_schema
from tfx_anonymizer.errors import PolicyError, ViolationError
from tfx_anonymizer.guides import GuideLocation
from tfx_anonymizer.policy import AnonymizationPolicy, schema_roles
from tfx_anonymizer.privacy_auditor.asking import Reading
from tfx_anonymizer.privacy_auditor.carrying_out import Inputs, carry_out
from tfx_anonymizer.privacy_auditor.options import Options


class Executor(BaseBeamExecutor):  # type: ignore[misc]
    """Executor of PrivacyAuditor."""

    def Do(
        self, input_dict: dict[str, list[Any]], output_dict: dict[str, list[Any]], exec_properties: dict[str, Any]
    ) -> None:
        """Attacks, and writes the verdict.

        Args:
            input_dict: `examples`; optional `model`, `anonymized_examples`, `schema`.
            output_dict: `blessing`, `report`.
            exec_properties: `policy`, `quasi_identifiers`, `k`, `settings`, `options`, `fail_on_violation`; see
                `component`.

        Raises:
            ViolationError: If a bound is broken and `fail_on_violation` is set.
            AnonymizerError: If the audit cannot be carried out; the verdict is then NOT_BLESSED.
        """
        self._log_startup(input_dict, output_dict, exec_properties)
        blessing = artifact_utils.get_single_instance(output_dict["blessing"])
        report = artifact_utils.get_single_instance(output_dict["report"])
        try:
            settings = AuditSettings.from_dict(json.loads(exec_properties["settings"]))
            options = Options.from_dict(json.loads(exec_properties["options"]))
            inputs = self._inputs(input_dict, exec_properties, options, settings, report.uri)
            audit = carry_out(inputs, options, settings)
            verdict = audit.verdict()
            reports.write_audit(report.uri, "PrivacyAuditor", audit.to_dict(verdict))
        except BaseException:
            reports.write_blessing(blessing, blessed=False)
            raise
        reports.write_blessing(blessing, blessed=verdict.blessed)
        report.set_int_custom_property("blessed", int(verdict.blessed))
        report.set_int_custom_property("leaks_shown", len(verdict.shown))
        if not verdict.blessed and exec_properties["fail_on_violation"]:
            raise _violation(verdict)

    def _inputs(
        self,
        input_dict: Mapping[str, list[Any]],
        properties: Mapping[str, Any],
        options: Options,
        settings: AuditSettings,
        beside: str,
    ) -> Inputs:
        schema = read_schema(input_dict)
        roles = schema_roles(schema) if schema is not None else {}
        policy = resolve_policy(properties, schema) if properties.get("policy") else None
        label = options.label_key or (policy.label if policy else None) or roles.get("label")
        examples = ExamplesInput.of(input_dict["examples"])
        examples.check_splits([options.member_split, options.non_member_split])
        location = None
        if input_dict.get("model"):
            if label is None:
                raise PolicyError("label_key was not given", hint="pass label_key=, or tag a feature 'label'")
            uri = artifact_utils.get_single_uri(input_dict["model"])
            location = GuideLocation(uri, options.signature_name, options.output_key)
            location.load()
        by_coin = bool(examples.artifact.get_int_custom_property(MEMBERS_DRAWN_BY_COIN))
        # Where a coin drew members, all that were drawn are read: cutting either side by itself would bias the coin.
        size = settings.records if not by_coin else 10**6
        released_examples = None
        if input_dict.get("anonymized_examples"):
            released_examples = ExamplesInput.of(input_dict["anonymized_examples"])
            released_examples.check_splits([options.release_split], "release_split")
        with folder_beside(beside) as folder:
            reading = Reading(self._make_beam_pipeline, folder, size, settings.seed)
            asked = reading.ask(examples, (options.member_split, options.non_member_split), location)
            released = None if released_examples is None else reading.whole(released_examples, options.release_split)
        return Inputs(
            members=asked[options.member_split],
            others=asked[options.non_member_split],
            location=location,
            release=released,
            policy=policy,
            label=label,
            left_out=_left_out(options, policy, roles),
            categorical=_categorical(options, policy, schema),
            by_coin=by_coin,
        )


def _left_out(options: Options, policy: AnonymizationPolicy | None, roles: Mapping[str, Any]) -> tuple[str, ...]:
    """Names what nobody learns from: ids and direct identifiers."""
    names = [*options.exclude_features, *roles.get("direct_identifiers", ())]
    names += list(policy.direct_identifiers) if policy else []
    names += [name for name in (options.entity_id, policy and policy.entity_id, roles.get("entity_id")) if name]
    return tuple(dict.fromkeys(names))


def _categorical(options: Options, policy: AnonymizationPolicy | None, schema: Any | None) -> tuple[str, ...]:
    names = [*options.categorical, *(policy.categorical if policy else ()), *categorical_features(schema)]
    return tuple(dict.fromkeys(names))


def _violation(verdict: Verdict) -> ViolationError:
    few = "; ".join(verdict.broken[:6]) + ("; …" if len(verdict.broken) > 6 else "")
    return ViolationError(
        "the audit reached more than is allowed, so the pipeline stops here",
        got=few + (f"; leaks shown by {', '.join(verdict.shown)}" if verdict.shown else "; no leak is shown"),
        hint="a greater k, a model that learns less by heart, or more audited records; the report says what was tried",
    )
