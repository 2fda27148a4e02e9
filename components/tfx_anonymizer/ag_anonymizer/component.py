"""The AGAnonymizer component: examples in, k-anonymous examples out, in the same form."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tfx import v1 as tfx
from tfx.v1.types import BaseBeamComponent, standard_artifacts

from tfx_anonymizer import artifacts
from tfx_anonymizer._tfx_compat import BeamExecutorSpec, ChannelParameter, ComponentSpec, ExecutionParameter
from tfx_anonymizer.ag_anonymizer.executor import Executor
from tfx_anonymizer.ag_anonymizer.safety import Safety, make_safety, refuse
from tfx_anonymizer.ag_anonymizer.settings import Settings
from tfx_anonymizer.component_support.parameters import policy_properties
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.method import MAX_ROWS_PER_SHARD


class AGAnonymizerSpec(ComponentSpec):  # type: ignore[misc]
    """Channels and properties of AGAnonymizer."""

    PARAMETERS = {
        "policy": ExecutionParameter(type=str, optional=True),
        "quasi_identifiers": ExecutionParameter(type=str, optional=True),
        "k": ExecutionParameter(type=int, optional=True),
        "settings": ExecutionParameter(type=str),
    }
    INPUTS = {
        "examples": ChannelParameter(type=standard_artifacts.Examples),
        "model": ChannelParameter(type=standard_artifacts.Model, optional=True),
        "schema": ChannelParameter(type=standard_artifacts.Schema, optional=True),
        "choice": ChannelParameter(type=artifacts.AnonymizationChoice, optional=True),
    }
    OUTPUTS = {
        "anonymized_examples": ChannelParameter(type=standard_artifacts.Examples),
        "generalization": ChannelParameter(type=artifacts.Generalization),
        "report": ChannelParameter(type=artifacts.AnonymizationReport),
    }


class AGAnonymizer(BaseBeamComponent):  # type: ignore[misc]
    """Rewrites the quasi-identifiers of examples so that at least k rows (or people) share each combination.

    Groups are made where the model treats people alike, so that a model retrained on the result loses little (Goldsteen
    et al., *Anonymizing Machine Learning Models*). All other features, labels too, stay as they are, except direct
    identifiers, which are dropped from every split. The output has the same splits, span, version, payload and file
    format as the input; rows come in another order.

    Args:
        examples: A channel of raw `Examples`.
        model: A channel with the guide: the `Model` of InitialModelTrainer or of any Trainer whose signature takes
            serialized tf.Examples. Absent: the true labels guide.
        schema: A channel with a `Schema` whose features may be tagged with privacy roles.
        choice: A channel with the `AnonymizationChoice` of an AnonymizationTuner, which then says k and, where
            `partitioner` is `auto`, how rows are grouped.
        quasi_identifiers: Features an outsider may know.
        label_key: The feature the model predicts.
        k: Least size of a class; at least 2.
        entity_id: The feature that says whose row it is; k then counts distinct people.
        sensitive: Features that `l` and `t` protect; the label may be one of them.
        l: How diverse every sensitive feature is in a class, in the sense of `diversity`.
        t: Greatest distance of a class's sensitive distribution from the split's, 0 to 1.
        diversity: `distinct` (the default: l values or more), `entropy` or `recursive`; see `AnonymizationPolicy`.
        c: The factor of `recursive` diversity.
        max_suppressed: Share of a split's rows, outliers, that may be left out; counted in the report.
        direct_identifiers: Features to drop, such as names.
        categorical: Quasi-identifiers whose numbers are only codes.
        allow_label_as_quasi_identifier: Says that a label which is also a quasi-identifier is meant.
        mode: `k_anonymity`, or `safe`: a release that is also (epsilon, delta)-differentially private for the people of
            the one split in `splits` (Li, Qardaji and Su 2012). It holds quasi-identifiers and label only, and of each
            person at most one row, drawn by a coin; k counts rows that are alike in all of it. The model that guides
            is made from the design split, so none may be connected. See `docs/dp-training.md`.
        epsilon: Of the safe mode.
        delta: Of the safe mode; at most 1 / (10 * people).
        sampling: Probability with which a person is drawn; by default the greatest there may be, 1 - exp(-epsilon).
        design_split: Split of other people, from whom the safe mode makes the generalization; it is not released, and
            its people are not covered.
        policy: All of the roles and bounds above in one; single arguments win over it.
        partitioner: How rows are grouped; see `AccuracyGuidedAnonymizer`.
        representative: What a class releases; see there.
        effort: How many ways of grouping `auto` tries; see there.
        student: What tries them; see there. `auto` is the guide's own kind, and a network for a SavedModel.
        seed: Seed of the student, and of the sample that shards are cut by.
        splits: The splits to make k-anonymous, each by itself.
        other_splits: What becomes of the others: `pass` (released raw, as in the paper, where models are tested on raw
            data), `transform` (by the generalization fitted on the first of `splits`; k is not controlled there), or
            `drop`.
        signature_name: The model's signature to ask.
        output_key: Which of its outputs to follow, where it has several.
        max_rows_per_shard: The most rows that a worker holds at a time. A split of more is cut into shards first, which
            workers group side by side; see `docs/scale.md`.

    Outputs:
        anonymized_examples: `Examples`. Marked `contains_personal_data` if some split was passed through raw.
        generalization: The fitted generalization; holds values of the raw data.
        report: What was done; no value of any record.

    Raises:
        PolicyError: If an argument is wrong. What comes from a schema or at run time is checked when the component
            starts.

    Example:
        >>> example_gen = tfx.components.CsvExampleGen(input_base="people/")
        >>> anonymizer = AGAnonymizer(
        ...     examples=example_gen.outputs["examples"],
        ...     quasi_identifiers=["age", "sex", "zip"],
        ...     label_key="income",
        ...     k=50,
        ... )
        >>> sorted(anonymizer.outputs)
        ['anonymized_examples', 'generalization', 'report']
    """

    SPEC_CLASS = AGAnonymizerSpec
    EXECUTOR_SPEC = BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: tfx.types.BaseChannel,
        model: tfx.types.BaseChannel | None = None,
        schema: tfx.types.BaseChannel | None = None,
        choice: tfx.types.BaseChannel | None = None,
        *,
        quasi_identifiers: Sequence[str] | Any | None = None,
        label_key: str | None = None,
        k: int | Any | None = None,
        entity_id: str | None = None,
        sensitive: Sequence[str] | None = None,
        l: float | None = None,
        t: float | None = None,
        diversity: str | None = None,
        c: float | None = None,
        max_suppressed: float | None = None,
        direct_identifiers: Sequence[str] | None = None,
        categorical: Sequence[str] | None = None,
        allow_label_as_quasi_identifier: bool | None = None,
        policy: AnonymizationPolicy | None = None,
        partitioner: str = "auto",
        representative: str = "auto",
        effort: str = "auto",
        student: str = "auto",
        seed: int = 0,
        splits: Sequence[str] = ("train",),
        other_splits: str = "pass",
        signature_name: str = "serving_default",
        output_key: str | None = None,
        max_rows_per_shard: int = MAX_ROWS_PER_SHARD,
        mode: str = "k_anonymity",
        epsilon: float | None = None,
        delta: float | None = None,
        sampling: float | None = None,
        design_split: str | None = None,
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
        settings = Settings(
            partitioner=partitioner,
            representative=representative,
            effort=effort,
            student=student,
            seed=seed,
            splits=splits,  # type: ignore[arg-type]
            other_splits=other_splits,
            signature_name=signature_name,
            output_key=output_key,
            max_rows_per_shard=max_rows_per_shard,
        )
        safety = make_safety(
            mode,
            epsilon=epsilon,
            delta=delta,
            sampling=sampling,
            design_split=design_split,
            splits=settings.splits,
            other_splits=other_splits,
        )
        properties = policy_properties(policy, roles, schema_given=schema is not None, k_chosen=choice is not None)
        if safety is not None:
            settings = dataclasses.replace(settings, safety=safety)
            _check_safe(safety, {"model": model, "choice": choice}, roles, properties["k"])
        spec = AGAnonymizerSpec(
            examples=examples,
            model=model,
            schema=schema,
            choice=choice,
            settings=json.dumps(settings.to_dict(), sort_keys=True),
            anonymized_examples=tfx.dsl.Channel(type=standard_artifacts.Examples),
            generalization=tfx.dsl.Channel(type=artifacts.Generalization),
            report=tfx.dsl.Channel(type=artifacts.AnonymizationReport),
            **properties,
        )
        super().__init__(spec=spec)


def _check_safe(safety: Safety, channels: Mapping[str, Any], roles: Mapping[str, Any], k: Any) -> None:
    for name, channel in channels.items():
        if channel is not None:
            raise PolicyError(
                f"{name} cannot be connected in mode='safe'", hint="what it is made from may be people to be released"
            )
    refuse(roles)
    if isinstance(k, int):
        safety.check_k(k)
