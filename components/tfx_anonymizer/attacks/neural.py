"""The neural attack of the paper (Goldsteen et al., appendix B, after Nasr, Shokri and Houmansadr 2019).

A strong attacker knows whether half of the records were trained on, learns from them how the model's answers to members
look, and is asked about the other half. The figure of the paper that shows the network cannot be read; this is the
network of the Adversarial Robustness Toolbox, from the same group: answers 512-100-64, one-hot label 256-64, joined to
one output; Adam with 1e-4, batches of 100, 100 epochs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks.roc import Bools, Floats, check_scores

EPOCHS, BATCH, LEARNING_RATE = 100, 100, 1e-4


def known_half(members: Bools, seed: int = 0) -> Bools:
    """Draws whom the attacker knows: half of the members and half of the others, bool, shape (n,)."""
    rng = np.random.default_rng(seed)
    known = np.zeros(len(members), dtype=bool)
    for side in (members, ~members):
        rows = rng.permutation(np.flatnonzero(side))
        known[rows[: len(rows) // 2]] = True
    return known


def neural_score(
    probabilities: Floats,
    labels: npt.NDArray[np.int64],
    members: Bools,
    known: Bools,
    *,
    epochs: int = EPOCHS,
    seed: int = 0,
) -> Floats:
    """Trains the attack on the known records and scores the rest.

    Args:
        probabilities: The target's answers, float64, shape (n, classes); one column for numbers.
        labels: The true class of each record, int64, shape (n,); -1 for one that the model does not know.
        members: Who is a member, bool, shape (n,); looked at for known records only.
        known: Whom the attacker knows, bool, shape (n,).
        epochs: Passes over the known records.
        seed: Of the training.

    Returns:
        Scores of the records that are not known, in their order, float64, shape (number of them,).
    """
    import tensorflow as tf

    check_scores(probabilities[known, 0], members[known])
    classes = max(probabilities.shape[1], int(labels.max(initial=0)) + 1)
    # A label of -1 is a row of zeros.
    one_hot = np.eye(classes + 1)[labels][:, :classes]
    network = _network(probabilities.shape[1], classes, seed)
    lesson = ((probabilities[known], one_hot[known]), members[known].astype(np.float32))
    # The order is the seed's, and no global state is touched.
    rows = tf.data.Dataset.from_tensor_slices(lesson).shuffle(int(known.sum()), seed=seed)
    network.fit(rows.batch(BATCH), epochs=epochs, shuffle=False, verbose=0)
    asked = [probabilities[~known].astype(np.float32), one_hot[~known].astype(np.float32)]
    return np.asarray(network(asked, training=False), dtype=np.float64).reshape(-1)


def _network(answers: int, classes: int, seed: int) -> Any:
    import tensorflow as tf

    keras = tf.keras
    seeds = iter(range(seed, seed + 100))

    def dense(units: int, before: Any, activation: str = "relu") -> Any:
        start = keras.initializers.GlorotUniform(seed=next(seeds))
        return keras.layers.Dense(units, activation=activation, kernel_initializer=start)(before)

    said, true = keras.Input((answers,)), keras.Input((classes,))
    left = dense(64, dense(100, dense(512, said)))
    right = dense(64, dense(256, true))
    joined = dense(1, keras.layers.Concatenate()([left, right]), "sigmoid")
    network = keras.Model([said, true], joined)
    network.compile(optimizer=keras.optimizers.Adam(LEARNING_RATE), loss="binary_crossentropy")
    return network
