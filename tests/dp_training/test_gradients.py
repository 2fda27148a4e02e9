"""A step: each row's gradient by itself, clipped, with noise of the right size; and checks that see it where not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

from tests.dp_training.models import KERAS, load, network, rows, values
from tfx_anonymizer.differential_privacy.coins import Coins
from tfx_anonymizer.differential_privacy.noise import standard_gaussian
from tfx_anonymizer.dp_training import gradients
from tfx_anonymizer.dp_training.gradients import PrivateStep


@pytest.fixture(params=KERAS)
def keras(request):
    return load(request.param)


def step_of(model: Any, features: Any, labels: Any, **changes: Any) -> PrivateStep:
    parameters = {"clip_norm": 0.5, "noise_multiplier": 1.0, "batch_size": 10, "coins": Coins(1), "chunk": 8}
    return PrivateStep(model, features, labels, **{**parameters, **changes})


def by_loop(model: Any, loss: Any, features: Any, labels: Any, clip_norm: float) -> list[np.ndarray]:
    """The same sum by the definition: one row after the other."""
    totals = [np.zeros(variable.shape) for variable in model.trainable_variables]
    for row in range(len(labels)):
        with tf.GradientTape() as tape:
            one = tf.nest.map_structure(lambda part, row=row: tf.constant(part[row : row + 1]), features)
            value = loss(labels[row : row + 1, None], model(one, training=False))
        found = [np.asarray(tf.convert_to_tensor(g)) for g in tape.gradient(value, model.trainable_variables)]
        norm = np.sqrt(sum((part**2).sum() for part in found))
        for total, part in zip(totals, found, strict=True):
            np.add(total, part * min(1.0, clip_norm / norm), out=total)
    return totals


def norm(parts: list[np.ndarray]) -> float:
    return float(np.sqrt(sum((part**2).sum() for part in parts)))


def influence(step: PrivateStep, count: int) -> float:
    """The most that one row more or less changes in the sum before noise."""
    whole = step.clipped_sum(np.arange(count))
    apart = [step.clipped_sum(np.delete(np.arange(count), row)) for row in range(count)]
    return max(norm([a - b for a, b in zip(whole, without, strict=True)]) for without in apart)


def spread(step: PrivateStep, draws: int) -> float:
    """A p-value for noise of the size that was promised."""
    drawn = np.concatenate([part.ravel() for _ in range(draws) for part in step.noise()])
    squares = float((drawn**2).sum()) / (step._noise_multiplier * step._clip_norm) ** 2
    tail = stats.chi2.cdf(squares, len(drawn))
    return 2 * min(tail, 1 - tail)


def test_the_sum_is_that_of_a_loop(keras):
    features, labels = rows(19)
    model = network(keras)
    found = step_of(model, features, labels).clipped_sum(np.arange(19))
    expected = by_loop(model, keras.losses.BinaryCrossentropy(), features, labels, 0.5)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


def test_inputs_by_name_with_an_embedding(keras):
    rng = np.random.default_rng(2)
    features = {"city": rng.integers(0, 5, (11, 1)), "size": rng.normal(size=(11, 2)).astype(np.float32)}
    labels = rng.integers(0, 2, 11).astype(np.float32)
    city, size = keras.Input(shape=(1,), name="city", dtype="int64"), keras.Input(shape=(2,), name="size")
    embedded = keras.layers.Flatten()(keras.layers.Embedding(5, 3)(city))
    answer = keras.layers.Dense(1, activation="sigmoid")(keras.layers.Concatenate()([embedded, size]))
    model = keras.Model({"city": city, "size": size}, answer)
    model.compile(optimizer="sgd", loss=keras.losses.BinaryCrossentropy())
    found = step_of(model, features, labels).clipped_sum(np.arange(11))
    for one, other in zip(found, by_loop(model, model.loss, features, labels, 0.5), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


def test_dropout_and_several_classes(keras):
    features, _ = rows(20)
    labels = np.arange(20) % 3
    model = keras.Sequential(
        [keras.Input(shape=(3,)), keras.layers.Dense(8), keras.layers.Dropout(0.5), keras.layers.Dense(3)]
    )
    model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    step = step_of(model, features, labels)
    before = values(model)
    step.take(np.arange(20))
    assert all(np.isfinite(part).all() for part in values(model))
    assert not np.array_equal(before[0], values(model)[0])
    assert norm(step.clipped_sum(np.arange(1))) <= 0.5


def test_no_row_adds_more_than_the_bound(keras, monkeypatch):
    features, labels = rows(12)
    features[3] *= 1000.0
    assert influence(step_of(network(keras), features, labels, clip_norm=0.01), 12) <= 0.01
    # The check sees a step that does not clip.
    monkeypatch.setattr(gradients, "clip", lambda parts, clip_norm: list(parts))
    assert influence(step_of(network(keras), features, labels, clip_norm=0.01), 12) > 0.1


def test_a_row_that_is_no_number_counts_for_nothing(keras):
    features, labels = rows(12)
    features[3, 0] = np.nan
    features[4, 0] = np.inf
    step = step_of(network(keras), features, labels)
    whole = step.clipped_sum(np.arange(12))
    assert all(np.isfinite(part).all() for part in whole)
    without = step.clipped_sum(np.delete(np.arange(12), 3))
    for one, other in zip(whole, without, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_penalty_is_part_of_what_is_clipped(keras):
    features, labels = rows(6)
    model = keras.Sequential([keras.Input(shape=(3,)), keras.layers.Dense(1, "sigmoid", kernel_regularizer="l2")])
    model.compile(optimizer="sgd", loss="binary_crossentropy")
    plain = keras.Sequential([keras.Input(shape=(3,)), keras.layers.Dense(1, "sigmoid")])
    plain.compile(optimizer="sgd", loss="binary_crossentropy")
    plain.set_weights(model.get_weights())
    found, bare = (step_of(one, features, labels, clip_norm=100.0).clipped_sum(np.arange(6)) for one in (model, plain))
    kernel = model.get_weights()[0]
    np.testing.assert_allclose(found[0] - bare[0], 6 * 2 * 0.01 * kernel, rtol=1e-3, atol=1e-5)


def test_noise_has_the_size_that_is_accounted_for(keras, monkeypatch):
    features, labels = rows(4)
    step = step_of(network(keras, units=100), features, labels, clip_norm=2.0, noise_multiplier=1.5)
    assert spread(step, draws=40) > 1e-6
    # The check sees noise that is a tenth too small.
    monkeypatch.setattr(gradients, "standard_gaussian", lambda coins, count: 0.9 * standard_gaussian(coins, count))
    assert spread(step, draws=40) < 1e-6


def test_an_empty_sample_is_a_step_of_noise_alone(keras):
    features, labels = rows(4)
    model = network(keras, units=400)
    before = values(model)
    step = step_of(model, features, labels, clip_norm=2.0, noise_multiplier=3.0, batch_size=5)
    step.take(np.zeros(0, dtype=np.int64))
    # Gradient descent at rate 1: weights moved by the noise over the expected number of rows.
    moved = np.concatenate([(a - b).ravel() for a, b in zip(before, values(model), strict=True)])
    assert stats.kstest(moved / (2.0 * 3.0 / 5), "norm").pvalue > 1e-4


def test_a_step_is_divided_by_the_expected_number(keras):
    features, labels = rows(16)
    model = network(keras)
    step = step_of(model, features, labels, noise_multiplier=1e-9, batch_size=10)
    before, total = values(model), step.clipped_sum(np.arange(16))
    step.take(np.arange(16))
    for old, new, part in zip(before, values(model), total, strict=True):
        np.testing.assert_allclose(old - new, part / 10, rtol=1e-3, atol=1e-6)


def test_the_size_of_chunks_changes_nothing(keras):
    features, labels = rows(21)
    model = network(keras)
    sums = [step_of(model, features, labels, chunk=chunk).clipped_sum(np.arange(21)) for chunk in (1, 7, 64)]
    for parts in zip(*sums, strict=True):
        for part in parts[1:]:
            np.testing.assert_allclose(part, parts[0], rtol=1e-4, atol=1e-6)
