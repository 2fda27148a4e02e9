"""The Adult graph, once, for every runner. InitialModelTrainer and Trainer run the same module file.

CsvExampleGen ─► InitialModelTrainer ─► AGAnonymizer ─► KAnonymityValidator ─► Trainer ─► Evaluator ─► Pusher

PrivacyReporter makes one page of all of it.
With `epsilon`, DPSynthesizer stands in AGAnonymizer's place: KAnonymityValidator has no classes to count then, and
PrivacyReporter none to report.
"""

from __future__ import annotations

from pathlib import Path

import tensorflow_model_analysis as tfma
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

SCHEMA = Path(__file__).parents[2] / "schemas/adult.pbtxt"
# Who pays for privacy is asked of these.
SLICES = ("sex", "race", "marital-status", "workclass")
# In a folder of its own: TFX packs every Python file that lies beside a module file.
MODULE = Path(__file__).with_name("module") / "adult_trainer.py"


def create_pipeline(
    root: str,
    serving_dir: str,
    data: str,
    k: int = 100,
    *,
    epsilon: float | None = None,
    delta: float = 1e-6,
    train_steps: int = 2500,
    beam_args: tuple[str, ...] = BEAM_ARGS,
) -> tfx.dsl.Pipeline:
    """Builds the graph.

    Args:
        root: Where artifacts and metadata go.
        serving_dir: Where Pusher puts the model.
        data: Folder with `train/*.csv` and `eval/*.csv`; see `prepare`.
        k: Least number of people that share a combination of quasi-identifiers.
        epsilon: Synthesizes the training rows with differential privacy instead of making them k-anonymous.
        delta: The chance that epsilon fails.
        train_steps: Steps of 128 people for either model.
        beam_args: Beam arguments of every component.
    """
    policy = AnonymizationPolicy.from_schema(SCHEMA, k=k)
    train_args, eval_args = tfx.proto.TrainArgs(num_steps=train_steps), tfx.proto.EvalArgs(num_steps=1)
    # UCI gives a training and a test file; the split is theirs.
    splits = tfx.proto.Input(
        splits=[
            tfx.proto.Input.Split(name="train", pattern="train/*.csv"),
            tfx.proto.Input.Split(name="eval", pattern="eval/*.csv"),
        ]
    )
    example_gen = tfx.components.CsvExampleGen(input_base=data, input_config=splits)
    raw = example_gen.outputs["examples"]
    schema_gen = tfx.components.ImportSchemaGen(schema_file=str(SCHEMA))
    guide = InitialModelTrainer(
        examples=raw,
        schema=schema_gen.outputs["schema"],
        module_file=str(MODULE),
        train_args=train_args,
        eval_args=eval_args,
    )
    if epsilon is None:
        anonymizer = AGAnonymizer(examples=raw, model=guide.outputs["model"], policy=policy)
        released = anonymizer.outputs["anonymized_examples"]
        releasing = [anonymizer, KAnonymityValidator(examples=released, policy=policy)]
    else:
        synthesizer = DPSynthesizer(raw, schema_gen.outputs["schema"], epsilon=epsilon, delta=delta)
        released = synthesizer.outputs["synthetic_examples"]
        releasing = [synthesizer]
    trainer = tfx.components.Trainer(
        examples=released,
        schema=schema_gen.outputs["schema"],
        module_file=str(MODULE),
        train_args=train_args,
        eval_args=eval_args,
    )
    # Nothing reads the release before it was counted.
    trainer.add_upstream_node(releasing[-1])
    evaluator = tfx.components.Evaluator(
        examples=raw, model=trainer.outputs["model"], baseline_model=guide.outputs["model"], eval_config=eval_config()
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
            title="UCI Adult: privacy report",
        )
        reporting = [reporter]
    return tfx.dsl.Pipeline(
        pipeline_name="adult",
        pipeline_root=root,
        components=[example_gen, schema_gen, guide, *releasing, trainer, evaluator, pusher, *reporting],
        metadata_connection_config=tfx.orchestration.metadata.sqlite_metadata_connection_config(f"{root}/metadata.db"),
        beam_pipeline_args=list(beam_args),
    )


def eval_config() -> tfma.EvalConfig:
    """Both models on the same raw test rows; the anonymized one is pushed if its AUC is at most 0.03 less."""
    return tfma.EvalConfig(
        model_specs=[tfma.ModelSpec(signature_name="serving_default", label_key="income")],
        slicing_specs=[tfma.SlicingSpec(), *(tfma.SlicingSpec(feature_keys=[name]) for name in SLICES)],
        metrics_specs=metrics_specs(change_threshold(-0.03)),
    )
