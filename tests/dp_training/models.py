"""Models of either Keras, and rows to train them on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

KERAS = ("keras", "tf_keras")


def load(name: str) -> Any:
    """Returns a Keras, or skips where the TFX line has only the other."""
    return pytest.importorskip(name, reason=f"{name} is not on this TFX line")


def network(
    keras: Any, *, width: int = 3, units: int = 4, optimizer: Any = None, loss: Any = "binary_crossentropy"
) -> Any:
    """A compiled network with one hidden layer."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input(shape=(width,)),
            keras.layers.Dense(units, activation="tanh"),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer=optimizer or keras.optimizers.SGD(1.0), loss=loss)
    return model


def rows(count: int = 600, width: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose label the first column tells, nearly."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, width)).astype(np.float32)
    return features, (features[:, 0] + 0.3 * rng.normal(size=count) > 0).astype(np.float32)


def values(model: Any) -> list[np.ndarray]:
    """The trainable variables' values."""
    return [np.array(variable) for variable in model.trainable_variables]
