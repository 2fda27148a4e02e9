"""The PrivacyAuditor component."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tfx import v1 as tfx
from tfx.v1.types import BaseBeamComponent, standard_artifacts

from tfx_anonymizer import artifacts
from tfx_anonymizer._tfx_compat import BeamExecutorSpec, ChannelParameter, ComponentSpec, ExecutionParameter
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.component_support.parameters import policy_properties
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.privacy_auditor.executor import Executor
from tfx_anonymizer.privacy_auditor.options import Options


class PrivacyAuditorSpec(ComponentSpec):  # type: ignore[misc]
    """Channels and properties of PrivacyAuditor."""

    PARAMETERS = {
        "policy": ExecutionParameter(type=str, optional=True),
        "quasi_identifiers": ExecutionParameter(type=str, optional=True),
        "k": ExecutionParameter(type=int, optional=True),
        "settings": ExecutionParameter(type=str),
        "options": ExecutionParameter(type=str),
        "fail_on_violation": ExecutionParameter(type=int),
    }
    INPUTS = {
        "examples": ChannelParameter(type=standard_artifacts.Examples),
        "model": ChannelParameter(type=standard_artifacts.Model, optional=True),
        "anonymized_examples": ChannelParameter(type=standard_artifacts.Examples, optional=True),
        "schema": ChannelParameter(type=standard_artifacts.Schema, optional=True),
    }
    OUTPUTS = {
        "blessing": ChannelParameter(type=artifacts.PrivacyBlessing),
        "report": ChannelParameter(type=artifacts.AuditReport),
    }


class PrivacyAuditor(BaseBeamComponent):  # type: ignore[misc]
    """Attacks a model, a release, or both, and compares what was reached with bounds.

    The raw examples of people who were trained on (members) and of others of the same population (non-members) are
    looked at; the model is asked about them by Beam, and everything after that is one worker's. If a bound is broken
    the run fails, so make what publishes the model run after this: `pusher.add_upstream_node(auditor)`.

    Reference models, in the modes `standard` and `deep`, are trained on random halves of the audited records, the
    whole way: anonymized by the policy, if there is one, with a guide of their own, and then trained. They are
    built-in estimators of the target's kind, which is a stand-in for a SavedModel; `reference_fn` trains exact ones.

    Args:
        examples: A channel of raw `Examples` with members and non-members; best that of `AuditSplit`.
        model: A channel with the `Model` to attack: a SavedModel with a signature of serialized tf.Examples, or a
            built-in estimator of InitialModelTrainer.
        anonymized_examples: A channel with the release to attack; needs roles and `k`.
        schema: A channel with a `Schema` whose features may be tagged with privacy roles.
        quasi_identifiers: Features an outsider may know.
        k: What was promised of the release.
        label_key: The feature the model predicts.
        sensitive: Features whose inference is attacked.
        policy: All roles and bounds in one; single arguments win over it. Without any, references are trained on raw
            rows.
        mode: `quick` (no training), `standard` (RMIA, 4 references) or `deep` (RMIA and LiRA, 64 references, and the
            paper's neural attack).
        references: Another number of references, even.
        max_auc: Bound on the upper confidence limit of every AUC.
        max_tpr: Likewise on the share of members caught at 1 % false alarms.
        max_risk: Likewise on the risks of the release to whoever knows the quasi-identifiers.
        max_advantage: Likewise on what the model adds to guessing a sensitive feature.
        records: Most members, and most non-members, that are judged.
        confidence: Of all intervals.
        delta: Of the lower bounds on epsilon.
        seed: Of everything that is drawn.
        member_split: The split of members; `member` where a coin drew them.
        non_member_split: The split of non-members; `non_member` where a coin drew them.
        release_split: The split of `anonymized_examples` that members were released in.
        attributes: Features whose inference from the model is attacked; default: the sensitive ones.
        exclude_features: Features that neither attacks nor references look at, such as ids.
        categorical: Features whose numbers are only codes.
        entity_id: The feature that says whose row it is; one row a person is then judged.
        label_fn: Import path of a function from a table of raw features (Arrow) to the labels the model was trained
            on, where those are made of several features.
        label_classes: The label's values in the order of the model's outputs; default: sorted.
        estimator: The kind of built-in reference; default: the target's.
        reference_fn: Import path of a function `train(table, seed)` that returns a function from such a table to
            predictions; see `auditing.replicas.load_function`.
        partitioner: How references are anonymized; as AGAnonymizer was told.
        representative: Likewise.
        effort: Likewise.
        signature_name: The SavedModel's signature.
        output_key: The signature's output, if it must be named.
        fail_on_violation: Whether a broken bound raises. If not, gate on the blessing yourself.

    Outputs:
        blessing: `PrivacyBlessing` with the custom property `blessed`, 1 or 0.
        report: `report.json` and `report.html`; no value of any record.

    Raises:
        PolicyError: If an argument is wrong.

    Example:
        >>> example_gen = tfx.components.CsvExampleGen(input_base="people/")
        >>> trainer = tfx.components.Trainer(
        ...     examples=example_gen.outputs["examples"], run_fn="my.trainer.run_fn",
        ...     train_args=tfx.proto.TrainArgs(), eval_args=tfx.proto.EvalArgs(),
        ... )
        >>> auditor = PrivacyAuditor(
        ...     example_gen.outputs["examples"], trainer.outputs["model"], label_key="income", mode="quick"
        ... )
        >>> sorted(auditor.outputs)
        ['blessing', 'report']
    """

    SPEC_CLASS = PrivacyAuditorSpec
    EXECUTOR_SPEC = BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: tfx.types.BaseChannel,
        model: tfx.types.BaseChannel | None = None,
        anonymized_examples: tfx.types.BaseChannel | None = None,
        schema: tfx.types.BaseChannel | None = None,
        *,
        quasi_identifiers: Sequence[str] | Any | None = None,
        k: int | Any | None = None,
        label_key: str | None = None,
        sensitive: Sequence[str] | None = None,
        policy: AnonymizationPolicy | None = None,
        mode: str = "standard",
        references: int | None = None,
        max_auc: float = 0.6,
        max_tpr: float = 0.05,
        max_risk: float = 0.1,
        max_advantage: float = 0.1,
        records: int = 10_000,
        confidence: float = 0.95,
        delta: float = 0.0,
        seed: int = 0,
        member_split: str | None = None,
        non_member_split: str | None = None,
        release_split: str = "train",
        attributes: Sequence[str] = (),
        exclude_features: Sequence[str] = (),
        categorical: Sequence[str] = (),
        entity_id: str | None = None,
        label_fn: str | None = None,
        label_classes: Sequence[str] = (),
        estimator: str | None = None,
        reference_fn: str | None = None,
        partitioner: str = "auto",
        representative: str = "auto",
        effort: str = "auto",
        signature_name: str = "serving_default",
        output_key: str | None = None,
        fail_on_violation: bool = True,
    ) -> None:
        roles = {"quasi_identifiers": quasi_identifiers, "k": k, "sensitive": sensitive, "policy": policy}
        promised = any(value is not None for value in roles.values())
        _check_targets(model, anonymized_examples, promised=promised)
        if model is not None and label_key is None and schema is None and (policy is None or policy.label is None):
            raise PolicyError("label_key was not given", hint="pass label_key=, or a policy or schema that names it")
        settings = AuditSettings(
            mode=mode,
            references=references,
            max_auc=max_auc,
            max_tpr=max_tpr,
            max_risk=max_risk,
            max_advantage=max_advantage,
            records=records,
            confidence=confidence,
            delta=delta,
            seed=seed,
        )
        by_coin = _comes_of_audit_split(examples)
        options = Options(
            label_key=label_key,
            member_split=member_split or ("member" if by_coin else "train"),
            non_member_split=non_member_split or ("non_member" if by_coin else "eval"),
            release_split=release_split,
            attributes=attributes,  # type: ignore[arg-type]
            exclude_features=exclude_features,  # type: ignore[arg-type]
            categorical=categorical,  # type: ignore[arg-type]
            entity_id=entity_id,
            label_fn=label_fn,
            label_classes=label_classes,  # type: ignore[arg-type]
            estimator=estimator,
            reference_fn=reference_fn,
            partitioner=partitioner,
            representative=representative,
            effort=effort,
            signature_name=signature_name,
            output_key=output_key,
        )
        del roles["policy"]
        properties = {}
        if promised:
            roles.update(label=label_key, entity_id=entity_id)
            properties = policy_properties(policy, roles, schema_given=schema is not None)
        spec = PrivacyAuditorSpec(
            examples=examples,
            model=model,
            anonymized_examples=anonymized_examples,
            schema=schema,
            settings=json.dumps(settings.to_dict(), sort_keys=True),
            options=json.dumps(options.to_dict(), sort_keys=True),
            fail_on_violation=int(fail_on_violation),
            blessing=tfx.dsl.Channel(type=artifacts.PrivacyBlessing),
            report=tfx.dsl.Channel(type=artifacts.AuditReport),
            **properties,
        )
        super().__init__(spec=spec)


def _check_targets(model: object, release: object, *, promised: bool) -> None:
    if model is None and release is None:
        raise PolicyError("there is nothing to audit", allowed="model, anonymized_examples, or both")
    if release is not None and not promised:
        raise PolicyError(
            "a release can only be attacked by whoever knows the quasi-identifiers",
            hint="pass policy=, or quasi_identifiers= and k=",
        )


def _comes_of_audit_split(examples: tfx.types.BaseChannel) -> bool:
    """Its two splits have names of their own."""
    return getattr(examples, "output_key", None) == "audit_examples"
