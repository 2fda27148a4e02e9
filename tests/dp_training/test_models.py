"""Models whose training could not be accounted for are refused, by name."""

from __future__ import annotations

import numpy as np
import pytest

from tests.dp_training.models import KERAS, load, network, rows
from tfx_anonymizer.dp_training import models
from tfx_anonymizer.errors import GuaranteeError, PolicyError


@pytest.fixture(params=KERAS)
def keras(request):
    return load(request.param)


def with_layer(keras, *layers):
    model = keras.Sequential([keras.Input(shape=(3,)), *layers, keras.layers.Dense(1, activation="sigmoid")])
    model.compile(optimizer="sgd", loss="binary_crossentropy")
    return model


def check(model, **arguments):
    models.check(model, rows(2)[0], **arguments)


def test_layers_that_compute_across_rows_are_refused(keras):
    inner = keras.Sequential([keras.Input(shape=(3,)), keras.layers.BatchNormalization(name="deep")])
    with pytest.raises(GuaranteeError, match="layer 'deep' averages over the rows"):
        check(with_layer(keras, inner))
    check(with_layer(keras, keras.layers.LayerNormalization()))


def test_a_frozen_one_passes_if_its_averages_are_public(keras):
    frozen = keras.layers.BatchNormalization(name="frozen")
    frozen.trainable = False
    with pytest.raises(GuaranteeError, match="may hold what was learned from rows without noise"):
        check(with_layer(keras, frozen))
    check(with_layer(keras, frozen), public_layers=["frozen"])


def test_a_layer_that_adapts_must_be_said_to_be_public(keras):
    layer = keras.layers.Normalization(name="scale")
    layer.adapt(rows()[0])
    with pytest.raises(GuaranteeError, match="layer 'scale' may hold what was learned"):
        check(with_layer(keras, layer))
    check(with_layer(keras, layer), public_layers=["scale"])
    with pytest.raises(PolicyError, match="public_layers names 'scales', which is no layer"):
        check(with_layer(keras, layer), public_layers=["scale", "scales"])


def test_a_layer_of_ones_own_that_keeps_averages_is_caught(keras):
    class Mean(keras.layers.Layer):
        def build(self, shape):
            self.mean = self.add_weight(name="mean", shape=(shape[-1],), initializer="zeros", trainable=False)

        def call(self, inputs, training=False):
            if training:
                self.mean.assign(0.9 * self.mean + 0.1 * inputs[0])
            return inputs - self.mean

    with pytest.raises(GuaranteeError, match="changes state in training that no gradient changes"):
        check(with_layer(keras, Mean()))


def test_dropout_keeps_no_averages(keras):
    check(with_layer(keras, keras.layers.Dropout(0.5)))


def test_what_is_not_ready_is_refused(keras):
    bare = keras.Sequential([keras.Input(shape=(3,)), keras.layers.Dense(1)])
    with pytest.raises(PolicyError, match="not compiled"):
        check(bare)
    trained = network(keras)
    trained.fit(*rows(8), verbose=0)
    with pytest.raises(PolicyError, match="steps already"):
        check(trained)
    stuck = network(keras)
    stuck.trainable = False
    stuck.compile(optimizer="sgd", loss="mse")
    with pytest.raises(PolicyError, match="nothing to train"):
        check(stuck)
    without = keras.Sequential([keras.Input(shape=(3,)), keras.layers.Dense(1)])
    without.compile(optimizer="sgd")
    with pytest.raises(PolicyError, match="must have one loss"):
        models.loss_of(without)
    with pytest.raises(PolicyError, match="no Keras model; got: int"):
        models.keras_of(3)


def test_several_outputs_are_refused(keras):
    start = keras.Input(shape=(3,))
    model = keras.Model(start, [keras.layers.Dense(1, name="a")(start), keras.layers.Dense(1, name="b")(start)])
    model.compile(optimizer="sgd", loss=["mse", "mse"])
    with pytest.raises(PolicyError, match="one loss, of one output; got: 2 losses"):
        models.loss_of(model)


def test_the_loss_is_the_one_that_was_compiled(keras):
    import tensorflow as tf

    model = network(keras, loss=keras.losses.MeanSquaredError())
    found = models.loss_of(model)(tf.constant([3.0]), tf.constant([[1.0]]))
    assert float(found) == pytest.approx(4.0)
    assert np.isfinite(float(models.loss_of(network(keras))(tf.constant([1.0]), tf.constant([[0.5]]))))
