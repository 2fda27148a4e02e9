"""The KAnonymityValidator component."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tfx import v1 as tfx
from tfx.v1.types import BaseBeamComponent, standard_artifacts

from tfx_anonymizer import artifacts
from tfx_anonymizer._tfx_compat import BeamExecutorSpec, ChannelParameter, ComponentSpec, ExecutionParameter
from tfx_anonymizer.component_support.parameters import policy_properties
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.k_anonymity_validator.executor import Executor
from tfx_anonymizer.policy import AnonymizationPolicy


class KAnonymityValidatorSpec(ComponentSpec):  # type: ignore[misc]
    """Channels and properties of KAnonymityValidator."""

    PARAMETERS = {
        "policy": ExecutionParameter(type=str, optional=True),
        "quasi_identifiers": ExecutionParameter(type=str, optional=True),
        "k": ExecutionParameter(type=int, optional=True),
        "splits": ExecutionParameter(type=str),
        "fail_on_violation": ExecutionParameter(type=int),
    }
    INPUTS = {
        "examples": ChannelParameter(type=standard_artifacts.Examples),
        "schema": ChannelParameter(type=standard_artifacts.Schema, optional=True),
        "choice": ChannelParameter(type=artifacts.AnonymizationChoice, optional=True),
    }
    OUTPUTS = {
        "blessing": ChannelParameter(type=artifacts.PrivacyBlessing),
        "report": ChannelParameter(type=artifacts.ValidationReport),
    }


class KAnonymityValidator(BaseBeamComponent):  # type: ignore[misc]
    """Counts the equivalence classes of a release, knowing nothing of how they were made.

    Values are compared as they are, and missing is a value. If a promise is broken the run fails, so make whatever
    reads the release run after this component: `transform.add_upstream_node(validator)`.

    Args:
        examples: A channel of released `Examples`.
        schema: A channel with a `Schema` whose features may be tagged with privacy roles.
        choice: A channel with the `AnonymizationChoice` of an AnonymizationTuner, which then says k.
        quasi_identifiers: Features an outsider may know.
        k: Least size of a class; at least 2.
        entity_id: The feature that says whose row it is; k then counts distinct people.
        sensitive: Features that `l` and `t` protect; the label may be one of them.
        l: How diverse every sensitive feature is in a class, in the sense of `diversity`.
        t: Greatest distance of a class's sensitive distribution from the split's, 0 to 1.
        diversity: `distinct` (the default: l values or more), `entropy` or `recursive`; see `AnonymizationPolicy`.
        c: The factor of `recursive` diversity.
        max_suppressed: Accepted so that the arguments of AGAnonymizer can be passed on; what was left out of a release
            stands in the report of AGAnonymizer, and the release itself does not tell.
        direct_identifiers: Features that must not be in the release.
        label_key: The feature the model predicts.
        categorical: Accepted so that the arguments of AGAnonymizer can be passed on; values are compared as they are.
        allow_label_as_quasi_identifier: Says that a label which is also a quasi-identifier is meant.
        policy: All of the roles and bounds above in one; single arguments win over it.
        splits: The splits to count, each by itself.
        fail_on_violation: Whether a broken promise raises. If not, gate on the blessing yourself.

    Outputs:
        blessing: `PrivacyBlessing` with the custom property `blessed`, 1 or 0.
        report: The counts, by split; no value of any record.

    Raises:
        PolicyError: If an argument is wrong.

    Example:
        >>> release = tfx.components.ImportExampleGen(input_base="release/")
        >>> validator = KAnonymityValidator(
        ...     examples=release.outputs["examples"], quasi_identifiers=["age", "sex", "zip"], k=50
        ... )
        >>> sorted(validator.outputs)
        ['blessing', 'report']
    """

    SPEC_CLASS = KAnonymityValidatorSpec
    EXECUTOR_SPEC = BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: tfx.types.BaseChannel,
        schema: tfx.types.BaseChannel | None = None,
        choice: tfx.types.BaseChannel | None = None,
        *,
        quasi_identifiers: Sequence[str] | Any | None = None,
        k: int | Any | None = None,
        entity_id: str | None = None,
        sensitive: Sequence[str] | None = None,
        l: float | None = None,
        t: float | None = None,
        diversity: str | None = None,
        c: float | None = None,
        max_suppressed: float | None = None,
        direct_identifiers: Sequence[str] | None = None,
        label_key: str | None = None,
        categorical: Sequence[str] | None = None,
        allow_label_as_quasi_identifier: bool | None = None,
        policy: AnonymizationPolicy | None = None,
        splits: Sequence[str] = ("train",),
        fail_on_violation: bool = True,
    ) -> None:
        roles = {
            "quasi_identifiers": quasi_identifiers,
            "label": label_key,
            "k": k,
            "entity_id": entity_id,
            "sensitive": sensitive,
            "l": l,
            "t": t,
            "diversity": diversity,
            "c": c,
            "max_suppressed": max_suppressed,
            "direct_identifiers": direct_identifiers,
            "categorical": categorical,
            "allow_label_as_quasi_identifier": allow_label_as_quasi_identifier,
        }
        if isinstance(splits, str) or not splits:
            raise PolicyError("splits is not a list of split names", got=repr(splits), hint="splits=['train']")
        spec = KAnonymityValidatorSpec(
            examples=examples,
            schema=schema,
            choice=choice,
            splits=json.dumps(list(splits)),
            fail_on_violation=int(fail_on_violation),
            blessing=tfx.dsl.Channel(type=artifacts.PrivacyBlessing),
            report=tfx.dsl.Channel(type=artifacts.ValidationReport),
            **policy_properties(policy, roles, schema_given=schema is not None, k_chosen=choice is not None),
        )
        super().__init__(spec=spec)
