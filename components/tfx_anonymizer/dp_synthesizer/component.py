"""The DPSynthesizer component: examples in, synthetic examples of the same schema out, with differential privacy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfx import v1 as tfx
from tfx.v1.types import BaseBeamComponent, standard_artifacts

from tfx_anonymizer import artifacts
from tfx_anonymizer._tfx_compat import BeamExecutorSpec, ChannelParameter, ComponentSpec, ExecutionParameter
from tfx_anonymizer.component_support.parameters import is_placeholder
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.plan import CLUSTER_MEANS, Design
from tfx_anonymizer.dp_synthesizer.executor import Executor
from tfx_anonymizer.dp_synthesizer.settings import Settings
from tfx_anonymizer.errors import PolicyError


class DPSynthesizerSpec(ComponentSpec):  # type: ignore[misc]
    """Channels and properties of DPSynthesizer."""

    PARAMETERS = {
        "epsilon": ExecutionParameter(type=float),
        "delta": ExecutionParameter(type=float),
        "settings": ExecutionParameter(type=str),
    }
    INPUTS = {
        "examples": ChannelParameter(type=standard_artifacts.Examples),
        "schema": ChannelParameter(type=standard_artifacts.Schema),
    }
    OUTPUTS = {
        "synthetic_examples": ChannelParameter(type=standard_artifacts.Examples),
        "report": ChannelParameter(type=artifacts.SynthesisReport),
    }


class DPSynthesizer(BaseBeamComponent):  # type: ignore[misc]
    """Makes synthetic examples from noisy sums of the real ones, with (epsilon, delta)-differential privacy.

    Whatever is computed from the output, models too, tells next to nothing that it would not tell without any one
    person: each answer is at most e^epsilon times likelier with that person, but for a chance of delta. The people are
    encoded by the schema's bounds and vocabularies alone, so those must be public: a schema that SchemaGen inferred is
    refused. The output has the same splits, span, version, payload and file format as the input.

    Args:
        examples: A channel of raw `Examples`.
        schema: A channel with a `Schema` that says between which bounds every number lies and which values every text
            may have; what lies outside is clipped, or falls to a value `other`, or is counted nowhere. Features may be
            tagged `label`, `entity_id` and `direct_identifier`.
        epsilon: The privacy budget of each split; above 0, at most 20.
        delta: The chance that the bound fails; at most 1 / (10 x people), held against their noisy number.
        label_key: The feature the model predicts; classes are synthesized apart.
        mechanism: `cluster_means`, `clust_mix`, `class_wise_mixing` or `random_mixing`; `docs/dp.md` says when which.
        entity_id: The feature that says whose row it is. Without it a person is one row. It is not released.
        max_rows_per_entity: The most rows that are used of a person; noise grows with it.
        direct_identifiers: Features to drop, such as names.
        leave_out: Features to write as missing in every row, such as free text.
        clusters: Number of clusters; None: what is usual for the mechanism.
        iterations: Of the k-means that finds them.
        mixtures: Samples of each cell; None: what is usual.
        sampling_probability: With which a person is in a sample; None: what is usual.
        points: Reduce the mixtures to so many kernel inducing points.
        bins: Into how many ranges numbers are cut.
        label_bins: Into how many a label is cut that is a number.
        rows: How many rows to make; None: the noisy number of rows.
        weight_key: A feature to add that says how many real rows a row stands for; None: none. Rows are drawn as often
            as they should be, so a Trainer may ignore it.
        splits: The splits to synthesize, each from its own people.
        other_splits: What becomes of the others: `pass` (released raw, for evaluation) or `drop`.
        source: A name that all releases about the same people share, for `differential_privacy.ledger`.
        seed: Makes the release repeatable, and NOT private: noise that can be drawn again can be taken off. For tests.

    Outputs:
        synthetic_examples: `Examples`, with the properties `epsilon`, `delta`, `mechanism`, `dp_source` and
            `dp_spending`. Marked `contains_personal_data` if some split was passed through raw, or there is a seed.
        report: What was spent on what, what it promises and what not; no value of any record.

    Raises:
        PolicyError: If an argument is wrong, or the schema comes from SchemaGen.

    Example:
        >>> example_gen = tfx.components.CsvExampleGen(input_base="people/")
        >>> schema_gen = tfx.components.ImportSchemaGen(schema_file="public.pbtxt")
        >>> synthesizer = DPSynthesizer(
        ...     examples=example_gen.outputs["examples"],
        ...     schema=schema_gen.outputs["schema"],
        ...     epsilon=1.0,
        ...     delta=1e-6,
        ...     label_key="income",
        ... )
        >>> sorted(synthesizer.outputs)
        ['report', 'synthetic_examples']
    """

    SPEC_CLASS = DPSynthesizerSpec
    EXECUTOR_SPEC = BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: tfx.types.BaseChannel,
        schema: tfx.types.BaseChannel,
        *,
        epsilon: float | Any,
        delta: float | Any,
        label_key: str | None = None,
        mechanism: str = CLUSTER_MEANS,
        entity_id: str | None = None,
        max_rows_per_entity: int = 1,
        direct_identifiers: Sequence[str] | None = None,
        leave_out: Sequence[str] = (),
        clusters: int | None = None,
        iterations: int = 2,
        mixtures: int | None = None,
        sampling_probability: float | None = None,
        points: int | None = None,
        bins: int = 16,
        label_bins: int = 8,
        rows: int | None = None,
        weight_key: str | None = "example_weight",
        splits: Sequence[str] = ("train",),
        other_splits: str = "pass",
        source: str = "default",
        seed: int | None = None,
    ) -> None:
        known = {name: v for name, v in (("epsilon", epsilon), ("delta", delta)) if not is_placeholder(v)}
        # What comes when the pipeline runs is checked then; a stand-in lets the other be checked now.
        Budget(**{"epsilon": 1.0, "delta": 1e-9, **known})
        _check_public(schema)
        settings = Settings(
            design=Design(mechanism, clusters, iterations, mixtures, sampling_probability, max_rows_per_entity),
            label=label_key,
            entity_id=entity_id,
            direct_identifiers=None if direct_identifiers is None else _names(direct_identifiers),
            leave_out=_names(leave_out),
            bins=bins,
            label_bins=label_bins,
            rows=rows,
            weight_key=weight_key,
            points=points,
            splits=_names(splits),
            other_splits=other_splits,
            source=source,
            seed=seed,
        )
        spec = DPSynthesizerSpec(
            examples=examples,
            schema=schema,
            epsilon=epsilon if is_placeholder(epsilon) else float(epsilon),
            delta=delta if is_placeholder(delta) else float(delta),
            settings=settings.to_json(),
            synthetic_examples=tfx.dsl.Channel(type=standard_artifacts.Examples),
            report=tfx.dsl.Channel(type=artifacts.SynthesisReport),
        )
        super().__init__(spec=spec)


def _names(names: Sequence[str]) -> tuple[str, ...]:
    # Text is a sequence too; the settings refuse it.
    return names if isinstance(names, str) else tuple(names)  # type: ignore[return-value]


def _check_public(schema: Any) -> None:
    """Refuses a schema that was inferred from the data."""
    if schema is None:
        raise PolicyError("DPSynthesizer needs a schema", hint="ImportSchemaGen brings in one that was written by hand")
    producer = getattr(schema, "producer_component", None)
    if isinstance(producer, tfx.components.SchemaGen):
        raise PolicyError(
            "the schema was inferred from the data, so its bounds and vocabularies are not public",
            hint="write down what is known without the data, and bring it in with ImportSchemaGen",
        )
