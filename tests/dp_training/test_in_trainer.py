"""A Trainer's run_fn trains by dp_fit inside a pipeline; what it saves serves, with its record beside it."""

from __future__ import annotations

import json
import textwrap

import numpy as np
import pytest
import tensorflow as tf

from tests.support.examples import read_records, write_splits
from tests.support.people import make_people
from tests.support.pipelines import import_examples, run_components

# The Keras of the TFX line: 2 on TFX 1.16, 3 on TFX 1.21.
MODULE = """
import tensorflow as tf

from tfx_anonymizer.dp_training import Budget, dp_fit

SPEC = {"age": tf.io.FixedLenFeature([1], tf.int64), "person": tf.io.FixedLenFeature([], tf.int64)}


def scaled(parsed):
    # By public bounds: nobody is older than 120.
    return tf.cast(parsed["age"], tf.float32) / 60.0 - 1.0


def run_fn(fn_args):
    files = tf.io.gfile.glob(fn_args.train_files)
    records = list(tf.data.TFRecordDataset(files, compression_type="GZIP").as_numpy_iterator())
    parsed = tf.io.parse_example(records, {**SPEC, "ill": tf.io.FixedLenFeature([], tf.int64)})
    model = tf.keras.Sequential([tf.keras.Input(shape=(1,)), tf.keras.layers.Dense(1, activation="sigmoid")])
    model.compile(optimizer=tf.keras.optimizers.Adam(0.2), loss="binary_crossentropy")
    dp_fit(
        model,
        scaled(parsed).numpy(),
        parsed["ill"].numpy(),
        budget=Budget(epsilon=4.0, delta=1e-5),
        batch_size=100,
        steps=fn_args.train_steps,
        entity_ids=parsed["person"].numpy(),
        report=fn_args.serving_model_dir,
    )

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def serve(examples):
        return {"outputs": model(scaled(tf.io.parse_example(examples, SPEC)))}

    tf.saved_model.save(model, fn_args.serving_model_dir, signatures={"serving_default": serve})
"""


@pytest.mark.slow
def test_a_trainer_trains_privately(tmp_path):
    from tfx import v1 as tfx

    people = make_people(1500)
    raw = write_splits(tmp_path / "raw", train=people, eval=make_people(200, seed=1))
    module = tmp_path / "module" / "private_trainer.py"
    module.parent.mkdir()
    module.write_text(textwrap.dedent(MODULE))
    examples = import_examples(raw)
    trainer = tfx.components.Trainer(
        examples=examples.outputs["result"],
        module_file=str(module),
        train_args=tfx.proto.TrainArgs(num_steps=40),
        eval_args=tfx.proto.EvalArgs(num_steps=1),
    )
    out = run_components(tmp_path / "run", [examples, trainer])
    folder = out["Trainer", "model"] / "Format-Serving"
    record = json.loads((folder / "differential_privacy.json").read_text())
    assert record["people"] == people["person"].nunique()
    assert record["unit"] == "person"
    assert record["steps"] == 40
    assert 3.5 < record["epsilon"] <= 4.0
    served = tf.saved_model.load(str(folder)).signatures["serving_default"]
    answers = served(examples=tf.constant(read_records(raw / "Split-eval")))["outputs"].numpy()[:, 0]
    truth = make_people(200, seed=1)["ill"].to_numpy()
    assert np.mean((answers > 0.5) == (truth > 0.5)) > 0.7
