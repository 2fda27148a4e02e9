"""A step of DP-SGD (Abadi et al. 2016): each row's gradient clipped, their sum with noise, one update of the model.

Rows are looked at one by one, as batches of one (vectorized, not in a loop): whatever a layer computes, a row's
gradient is a function of that row and the model alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfx_anonymizer.differential_privacy.coins import Coins, Ints
from tfx_anonymizer.differential_privacy.noise import standard_gaussian
from tfx_anonymizer.dp_training.models import loss_of

# Rounding in float32 may leave a clipped gradient a little longer than the bound; it is clipped that much shorter.
_ROUNDING = 1e-5


class PrivateStep:
    """Takes steps of DP-SGD on a model.

    Args:
        model: A compiled Keras model that `models.check` has let pass.
        features: An array or a structure of arrays of n rows each.
        labels: n rows.
        clip_norm: Greatest L2 norm of a row's gradient, over all variables together.
        noise_multiplier: Standard deviation of the noise, in units of `clip_norm`.
        batch_size: The expected number of rows in a step, by which sums are divided. The number that happened to be
            drawn would tell of people.
        coins: Where noise comes from.
        chunk: How many rows' gradients are held at a time; more is faster and takes more memory.
    """

    def __init__(
        self,
        model: Any,
        features: Any,
        labels: Any,
        *,
        clip_norm: float,
        noise_multiplier: float,
        batch_size: int,
        coins: Coins,
        chunk: int = 64,
    ) -> None:
        self._model = model
        self._features = features
        self._labels = labels
        self._clip_norm = clip_norm
        self._noise_multiplier = noise_multiplier
        self._batch_size = batch_size
        self._coins = coins
        self._chunk = chunk
        self._sum_of_chunk = _make_sum(model, clip_norm)
        self._update = _make_update(model)

    def clipped_sum(self, rows: Ints) -> list[Any]:
        """Returns the sum of rows' clipped gradients, without noise; not to be shown to anyone.

        Args:
            rows: Which, int64, shape (drawn,); may be empty.

        Returns:
            One float64 array a trainable variable, in its shape.
        """
        import tensorflow as tf

        totals = [np.zeros(variable.shape) for variable in self._model.trainable_variables]
        for start in range(0, len(rows), self._chunk):
            part = rows[start : start + self._chunk]
            # Every chunk has the same shape, so that one graph does for all; what fills up the last does not count.
            filled = np.concatenate([part, np.repeat(part[:1], self._chunk - len(part))])
            real = np.arange(self._chunk) < len(part)
            features, labels = tf.nest.map_structure(lambda a, rows=filled: a[rows], (self._features, self._labels))
            for total, found in zip(totals, self._sum_of_chunk(features, labels, real), strict=True):
                np.add(total, found.numpy(), out=total)
        return totals

    def noise(self) -> list[Any]:
        """Draws the noise of one step: one float64 array a trainable variable, in its shape."""
        shapes = [tuple(variable.shape) for variable in self._model.trainable_variables]
        sizes = [int(np.prod(shape)) for shape in shapes]
        drawn = standard_gaussian(self._coins, sum(sizes)) * (self._noise_multiplier * self._clip_norm)
        parts = np.split(drawn, np.cumsum(sizes)[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    def take(self, rows: Ints) -> None:
        """Updates the model once by a sample of rows, which may be empty: noise is added all the same."""
        sums = zip(self.clipped_sum(rows), self.noise(), strict=True)
        self._update([((total + noise) / self._batch_size).astype(np.float32) for total, noise in sums])


def clip(gradients: Sequence[Any], clip_norm: float) -> list[Any]:
    """Shortens a row's gradient to a norm, if it is longer; one that is not finite counts for nothing.

    Args:
        gradients: One tensor a variable.
        clip_norm: Greatest L2 norm of all together.

    Returns:
        The same, of a norm up to `clip_norm`.
    """
    import tensorflow as tf

    norm = tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(part)) for part in gradients]))
    factor = tf.minimum(1.0, clip_norm * (1 - _ROUNDING) / tf.maximum(norm, 1e-30))
    # Multiplying by 0 would leave NaN as it is; a single row must not be able to spoil a model visibly.
    return [tf.where(tf.math.is_finite(norm), part * factor, tf.zeros_like(part)) for part in gradients]


def _make_sum(model: Any, clip_norm: float) -> Callable[..., Any]:
    import tensorflow as tf

    loss = loss_of(model)
    variables = list(model.trainable_variables)

    def of_one(row: Any) -> list[Any]:
        features, label, real = row
        with tf.GradientTape() as tape:
            answer = model(tf.nest.map_structure(lambda part: part[None], features), training=True)
            value = loss(label[None], answer)
        found = tape.gradient(value, variables)
        parts = [
            tf.zeros(variable.shape) if part is None else tf.cast(tf.convert_to_tensor(part), tf.float32)
            for variable, part in zip(variables, found, strict=True)
        ]
        return [tf.where(real, part, tf.zeros_like(part)) for part in clip(parts, clip_norm)]

    def of_chunk(features: Any, labels: Any, real: Any) -> list[Any]:
        clipped = tf.vectorized_map(of_one, (features, labels, real))
        return [tf.reduce_sum(part, axis=0) for part in clipped]

    return tf.function(of_chunk)  # type: ignore[no-any-return]


def _make_update(model: Any) -> Callable[[Any], None]:
    import tensorflow as tf

    variables = list(model.trainable_variables)
    if hasattr(model.optimizer, "build"):
        # Its own variables cannot be made inside a graph.
        model.optimizer.build(variables)

    def update(gradients: list[Any]) -> None:
        model.optimizer.apply_gradients(zip(gradients, variables, strict=True))

    return tf.function(update)  # type: ignore[no-any-return]
