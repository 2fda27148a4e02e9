"""A Trainer module for UCI Adult as a user might write it: a network of one hidden layer of 100, as in the paper.

It knows nothing of anonymization. InitialModelTrainer and Trainer run the same `run_fn`. It packs its preprocessing
into the saved model and does without Transform, so the module stands alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

LABEL = "income"
NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
CATEGORIES = ("workclass", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
BATCH = 128

_SPEC = {
    **{name: tf.io.RaggedFeature(tf.int64) for name in NUMBERS},
    **{name: tf.io.RaggedFeature(tf.string) for name in CATEGORIES},
}


class Preprocessing:
    """Standardizes numbers and one-hot encodes categories by what the training rows hold.

    Args:
        features: The training rows, one array of shape (n,) a feature.
    """

    def __init__(self, features: Mapping[str, np.ndarray]) -> None:
        numbers = np.stack([features[name] for name in NUMBERS], axis=1).astype(np.float32)
        self._mean = numbers.mean(axis=0)
        self._scale = numbers.std(axis=0) + 1e-6
        self._vocabularies = {name: np.unique(features[name]) for name in CATEGORIES}
        self.width = len(NUMBERS) + sum(map(len, self._vocabularies.values()))

    def __call__(self, features: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Returns float32, shape (n, width)."""
        numbers = tf.stack([tf.cast(features[name], tf.float32) for name in NUMBERS], axis=1)
        columns = [(numbers - self._mean) / self._scale]
        for name, vocabulary in self._vocabularies.items():
            columns.append(tf.cast(tf.equal(features[name][:, None], vocabulary[None, :]), tf.float32))
        return tf.concat(columns, axis=1)


def run_fn(fn_args: Any) -> None:
    """Trains and saves; see TFX's guide to the Trainer component."""
    tf.keras.utils.set_random_seed(0)
    features, labels = read_examples(fn_args.train_files)
    preprocessing = Preprocessing(features)
    rows = preprocessing({name: tf.constant(values) for name, values in features.items()}).numpy()
    model = tf.keras.Sequential(
        [
            tf.keras.Input(shape=(preprocessing.width,)),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss="binary_crossentropy", metrics=["accuracy"])
    epochs = max(1, round(fn_args.train_steps * BATCH / len(rows)))
    model.fit(rows, labels, batch_size=BATCH, epochs=epochs, verbose=2)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def serve(examples: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"outputs": model(preprocessing(parse(examples, _SPEC)))}

    tf.saved_model.save(model, fn_args.serving_model_dir, signatures={"serving_default": serve})


def parse(examples: tf.Tensor, spec: Mapping[str, Any]) -> dict[str, tf.Tensor]:
    """Parses serialized tf.Examples into one tensor of shape (n,) a feature; missing is 0 or nothing."""
    parsed = tf.io.parse_example(examples, spec)
    return {name: ragged.to_tensor(shape=[None, 1])[:, 0] for name, ragged in parsed.items()}


def read_examples(patterns: Sequence[str]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Reads TFRecord files of tf.Examples.

    Args:
        patterns: File patterns.

    Returns:
        The features, one array of shape (n,) each, and the labels, float32, shape (n,).
    """
    spec = {**_SPEC, LABEL: tf.io.RaggedFeature(tf.int64)}
    # Sorted, so that the same files always give the same batches.
    files = sorted(file for pattern in patterns for file in tf.io.gfile.glob(pattern))
    dataset = tf.data.TFRecordDataset(files, compression_type="GZIP").batch(4096)
    parsed = [parse(batch, spec) for batch in dataset]
    features = {name: np.concatenate([part[name].numpy() for part in parsed]) for name in spec}
    return features, features.pop(LABEL).astype(np.float32)
