"""The AnonymizationTuner component: raw examples in, the k to take out."""

from __future__ import annotations

import json
import numbers
from collections.abc import Sequence
from typing import Any

from tfx import v1 as tfx
from tfx.v1.types import BaseBeamComponent, standard_artifacts

from tfx_anonymizer import artifacts
from tfx_anonymizer._tfx_compat import BeamExecutorSpec, ChannelParameter, ComponentSpec, ExecutionParameter
from tfx_anonymizer.anonymization_tuner.executor import Executor
from tfx_anonymizer.comparison import Plan
from tfx_anonymizer.component_support.parameters import policy_properties
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy


class AnonymizationTunerSpec(ComponentSpec):  # type: ignore[misc]
    """Channels and properties of AnonymizationTuner."""

    PARAMETERS = {
        "policy": ExecutionParameter(type=str, optional=True),
        "quasi_identifiers": ExecutionParameter(type=str, optional=True),
        "k": ExecutionParameter(type=int, optional=True),
        "settings": ExecutionParameter(type=str),
    }
    INPUTS = {
        "examples": ChannelParameter(type=standard_artifacts.Examples),
        "schema": ChannelParameter(type=standard_artifacts.Schema, optional=True),
    }
    OUTPUTS = {
        "choice": ChannelParameter(type=artifacts.AnonymizationChoice),
        "report": ChannelParameter(type=artifacts.ComparisonReport),
    }


class AnonymizationTuner(BaseBeamComponent):  # type: ignore[misc]
    """Finds the greatest k whose releases cost a model little enough.

    A bounded sample of the raw examples is dealt into folds. For every k a release is made of all folds but one, a
    built-in estimator learns from it, and is scored on the fold that was kept aside, beside the same estimator trained
    on the raw rows. Connect `choice` to AGAnonymizer and to KAnonymityValidator.

    On a sample a class of k is harder to make without loss than on all the rows, so the loss is rather too high than
    too low where the sample is smaller than the split.

    Args:
        examples: A channel of raw `Examples`.
        schema: A channel with a `Schema` whose features may be tagged with privacy roles.
        quasi_identifiers: Features an outsider may know.
        label_key: The feature the model predicts.
        ks: Values of k to try, at least 2 each.
        at_most: The loss that is acceptable, in points: hundredths of the metric.
        entity_id: The feature that says whose row it is; k then counts distinct people.
        sensitive: Features that `l` and `t` protect; the label may be one of them.
        l: How diverse every sensitive feature is in a class, in the sense of `diversity`.
        t: Greatest distance of a class's sensitive distribution from the sample's, 0 to 1.
        diversity: `distinct` (the default: l values or more), `entropy` or `recursive`; see `AnonymizationPolicy`.
        c: The factor of `recursive` diversity.
        max_suppressed: Share of a release's rows, outliers, that may be left out.
        direct_identifiers: Features that are dropped first, such as names.
        categorical: Quasi-identifiers whose numbers are only codes.
        allow_label_as_quasi_identifier: Says that a label which is also a quasi-identifier is meant.
        policy: All of the roles and bounds above in one; single arguments win over it, and its k is not used.
        partitioners: Ways of grouping to compare; see `AccuracyGuidedAnonymizer`.
        model: The built-in estimator that guides and is retrained: `gradient_boosting`, `random_forest`,
            `logistic_regression` or `mlp`; best of the kind that your Trainer trains.
        effort: How many ways of grouping `auto` tries; see `AccuracyGuidedAnonymizer`.
        metric: `accuracy`, `balanced_accuracy`, `roc_auc`, `r2`, or `auto`: accuracy for classes, R² for numbers.
        folds: Parts that are kept aside in turn; at least 2.
        seed: Seed of the sample, the folds and the estimator.
        sample_size: Most rows that are compared on.
        split: The split to sample.

    Outputs:
        choice: `AnonymizationChoice`: k and partitioner.
        report: What each k cost, as a page, a table and JSON; no value of any record.

    Raises:
        PolicyError: If an argument is wrong. What comes from a schema is checked when the component starts.

    Example:
        >>> example_gen = tfx.components.CsvExampleGen(input_base="people/")
        >>> tuner = AnonymizationTuner(
        ...     examples=example_gen.outputs["examples"],
        ...     quasi_identifiers=["age", "sex", "zip"],
        ...     label_key="income",
        ...     ks=[10, 25, 50, 100],
        ...     at_most=1.0,
        ... )
        >>> sorted(tuner.outputs)
        ['choice', 'report']
    """

    SPEC_CLASS = AnonymizationTunerSpec
    EXECUTOR_SPEC = BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: tfx.types.BaseChannel,
        schema: tfx.types.BaseChannel | None = None,
        *,
        quasi_identifiers: Sequence[str] | Any | None = None,
        label_key: str | None = None,
        ks: Sequence[int] = (5, 10, 25, 50, 100, 250),
        at_most: float = 1.0,
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
        partitioners: Sequence[str] = ("auto",),
        model: str = "gradient_boosting",
        effort: str = "auto",
        metric: str = "auto",
        folds: int = 3,
        seed: int = 0,
        sample_size: int = 50_000,
        split: str = "train",
    ) -> None:
        roles = {
            "quasi_identifiers": quasi_identifiers,
            "label": label_key,
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
        plan = {
            "ks": list(ks),
            "partitioners": list(partitioners),
            "model": model,
            "effort": effort,
            "metric": metric,
            "folds": folds,
            "seed": seed,
        }
        _check(plan, at_most, sample_size)
        spec = AnonymizationTunerSpec(
            examples=examples,
            schema=schema,
            settings=json.dumps(
                {"plan": plan, "at_most": float(at_most), "sample_size": int(sample_size), "split": split},
                sort_keys=True,
            ),
            choice=tfx.dsl.Channel(type=artifacts.AnonymizationChoice),
            report=tfx.dsl.Channel(type=artifacts.ComparisonReport),
            **policy_properties(policy, roles, schema_given=schema is not None, k_chosen=True),
        )
        super().__init__(spec=spec)


def _check(plan: dict[str, Any], at_most: float, sample_size: int) -> None:
    """Checks what can be checked before the roles are known."""
    stand_in = AnonymizationPolicy(("##not known yet##",), 2, label="##not known yet either##")
    Plan(stand_in, **{**plan, "ks": tuple(plan["ks"]), "partitioners": tuple(plan["partitioners"])})
    if isinstance(at_most, bool) or not isinstance(at_most, numbers.Real) or not 0 <= at_most < float("inf"):
        raise PolicyError("at_most is out of range", got=repr(at_most), allowed="points, 0 or more")
    if not isinstance(sample_size, numbers.Integral) or sample_size < 2:
        raise PolicyError("sample_size is out of range", got=repr(sample_size), allowed="an integer of 2 or more")
