"""The taxi graph, once, for every runner.

Data and Trainer module are TFX's own, as they lie in the installed package. The raw half trains the guide; the other
half is the pipeline a taxi team already has, fed with the released examples instead of the raw ones:

    CsvExampleGen ─► RawTransform ─► InitialModelTrainer ─► AGAnonymizer ─► KAnonymityValidator
                                                                   └─► Transform ─► Trainer ─► Evaluator ─► Pusher

PrivacyReporter makes one page of all of it.
With `epsilon`, DPSynthesizer stands in AGAnonymizer's place: KAnonymityValidator has no classes to count then, and
PrivacyReporter none to report.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tensorflow_model_analysis as tfma
import tfx as tfx_package
from tfx import v1 as tfx

from pipelines.common.graph import BEAM_ARGS, change_threshold, metrics_specs
from tfx_anonymizer import (
    AGAnonymizer,
    AnonymizationPolicy,
    DPSynthesizer,
    InitialModelTrainer,
    KAnonymityValidator,
    PrivacyReporter,
)

TAXI = Path(tfx_package.__file__).parent / "examples/chicago_taxi_pipeline"
TAXI_MODULE = "tfx.examples.chicago_taxi_pipeline.taxi_utils_native_keras"
SCHEMA = Path(__file__).parents[2] / "schemas/taxi.pbtxt"
SLICES = ("trip_start_hour", "payment_type")
# Some 2,000 codes in a range of 17 thousand million, and missing in most trips.
UNLISTED = ("pickup_census_tract", "dropoff_census_tract")


def create_pipeline(
    root: str,
    serving_dir: str,
    k: int = 50,
    *,
    data: Any | None = None,
    schema_file: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    epsilon: float | None = None,
    delta: float = 1e-6,
    train_steps: int = 2000,
    eval_steps: int = 100,
    beam_args: tuple[str, ...] = BEAM_ARGS,
) -> tfx.dsl.Pipeline:
    """Builds the graph.

    Args:
        root: Where artifacts and metadata go.
        serving_dir: Where Pusher puts the model.
        k: Least number of trips that share a combination of quasi-identifiers.
        data: Folder of the trips as CSV, or a run-time parameter that will name it; TFX's own by default.
        schema_file: Where the pipeline finds the schema when it runs; where it lies now by default.
        overrides: Arguments of AGAnonymizer and KAnonymityValidator that win over the schema's roles and over `k`;
            run-time parameters, say.
        epsilon: Synthesizes the training trips with differential privacy instead of making them k-anonymous.
        delta: The chance that epsilon fails.
        train_steps: Steps of 40 trips for either model.
        eval_steps: Validation steps in training.
        beam_args: Beam arguments of every component.
    """
    policy = AnonymizationPolicy.from_schema(SCHEMA, k=k)
    train_args = tfx.proto.TrainArgs(num_steps=train_steps)
    eval_args = tfx.proto.EvalArgs(num_steps=eval_steps)

    example_gen = tfx.components.CsvExampleGen(input_base=data or str(TAXI / "data/simple"))
    raw = example_gen.outputs["examples"]
    schema_gen = tfx.components.ImportSchemaGen(schema_file=schema_file or str(SCHEMA))
    schema = schema_gen.outputs["schema"]

    raw_transform = tfx.components.Transform(
        examples=raw, schema=schema, preprocessing_fn=f"{TAXI_MODULE}.preprocessing_fn", disable_statistics=True
    ).with_id("RawTransform")
    guide = InitialModelTrainer(
        examples=raw_transform.outputs["transformed_examples"],
        transform_graph=raw_transform.outputs["transform_graph"],
        schema=schema,
        run_fn=f"{TAXI_MODULE}.run_fn",
        train_args=train_args,
        eval_args=eval_args,
    )
    if epsilon is None:
        anonymizer = AGAnonymizer(examples=raw, model=guide.outputs["model"], policy=policy, **(overrides or {}))
        released = anonymizer.outputs["anonymized_examples"]
        releasing = [anonymizer, KAnonymityValidator(examples=released, policy=policy, **(overrides or {}))]
    else:
        # Without a column of weights, which the schema does not have.
        synthesizer = DPSynthesizer(raw, schema, epsilon=epsilon, delta=delta, leave_out=UNLISTED, weight_key=None)
        released = synthesizer.outputs["synthetic_examples"]
        releasing = [synthesizer]
    # The release still looks like the raw data: it passes the raw data's own schema.
    statistics = tfx.components.StatisticsGen(examples=released)
    example_validator = tfx.components.ExampleValidator(statistics=statistics.outputs["statistics"], schema=schema)

    # From here on nothing knows of anonymization.
    transform = tfx.components.Transform(
        examples=released, schema=schema, preprocessing_fn=f"{TAXI_MODULE}.preprocessing_fn"
    )
    trainer = tfx.components.Trainer(
        examples=transform.outputs["transformed_examples"],
        transform_graph=transform.outputs["transform_graph"],
        schema=schema,
        run_fn=f"{TAXI_MODULE}.run_fn",
        train_args=train_args,
        eval_args=eval_args,
    )
    evaluator = tfx.components.Evaluator(
        examples=raw,
        model=trainer.outputs["model"],
        baseline_model=guide.outputs["model"],
        eval_config=eval_config(),
    )
    pusher = tfx.components.Pusher(
        model=trainer.outputs["model"],
        model_blessing=evaluator.outputs["blessing"],
        push_destination=tfx.proto.PushDestination(
            filesystem=tfx.proto.PushDestination.Filesystem(base_directory=serving_dir)
        ),
    )
    reporting = []
    if epsilon is None:
        # The evaluation knows both models, and the slices who pays.
        reporter = PrivacyReporter(
            examples=raw,
            anonymized_examples=released,
            report=releasing[0].outputs["report"],
            validation=releasing[1].outputs["report"],
            evaluation=evaluator.outputs["evaluation"],
            title="Chicago taxi trips: privacy report",
        )
        reporting = [reporter]
    # Nothing reads the release before it was counted.
    for reader in (statistics, transform):
        reader.add_upstream_node(releasing[-1])
    return tfx.dsl.Pipeline(
        pipeline_name="taxi",
        pipeline_root=root,
        components=[
            example_gen,
            schema_gen,
            raw_transform,
            guide,
            *releasing,
            statistics,
            example_validator,
            transform,
            trainer,
            evaluator,
            pusher,
            *reporting,
        ],
        metadata_connection_config=tfx.orchestration.metadata.sqlite_metadata_connection_config(f"{root}/metadata.db"),
        beam_pipeline_args=list(beam_args),
    )


def eval_config() -> tfma.EvalConfig:
    """Both models on the same held-out raw trips; the anonymized one is pushed if its AUC is at most 0.03 less."""
    return tfma.EvalConfig(
        model_specs=[
            tfma.ModelSpec(
                signature_name="serving_default",
                label_key="tips_xf",
                preprocessing_function_names=["transform_features"],
            )
        ],
        # Who pays for privacy, by what the release hides and by what it leaves as it is.
        slicing_specs=[tfma.SlicingSpec(), *(tfma.SlicingSpec(feature_keys=[name]) for name in SLICES)],
        metrics_specs=metrics_specs(change_threshold(-0.03)),
    )
