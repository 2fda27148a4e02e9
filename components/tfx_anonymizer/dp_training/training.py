"""`dp_fit`: what a Trainer module calls in place of `model.fit`.

Example:
    ```python
    def run_fn(fn_args):
        model = build_model()
        model.compile(optimizer="adam", loss="binary_crossentropy")
        budget = Budget(epsilon=2.0, delta=1e-6)
        dp_fit(model, rows, labels, budget=budget, epochs=20, report=fn_args.serving_model_dir)
        tf.saved_model.save(model, fn_args.serving_model_dir, signatures=...)
    ```
"""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Iterable
from functools import partial
from typing import Any

from tfx_anonymizer.differential_privacy.accounting import least_noise, sampled_gaussian, spent_epsilon
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.coins import Coins
from tfx_anonymizer.dp_training.arrays import as_arrays
from tfx_anonymizer.dp_training.record import PrivateTraining
from tfx_anonymizer.dp_training.sampling import People
from tfx_anonymizer.errors import PolicyError

_EPOCHS = 10.0


def dp_fit(
    model: Any,
    features: Any,
    labels: Any = None,
    *,
    budget: Budget,
    batch_size: int = 256,
    epochs: float | None = None,
    steps: int | None = None,
    clip_norm: float = 1.0,
    entity_ids: Any = None,
    people: int | None = None,
    public_layers: Iterable[str] = (),
    chunk: int = 64,
    seed: int | None = None,
    report: str | None = None,
) -> PrivateTraining:
    """Trains a Keras model by DP-SGD (Abadi et al. 2016), with just the noise that keeps a budget.

    The model is trained in place and stays what it was: it is saved, exported and served as any other. Nothing of the
    training is printed or returned, not the loss either: all that is computed from rows without noise stays inside.

    Args:
        model: A compiled Keras 2 or Keras 3 model of one output and one loss. Its optimizer, loss and penalties are
            used; metrics and callbacks are not.
        features: An array of n rows, a dictionary, tuple or list of such arrays, or a finite `tf.data.Dataset` of
            batches of (features, labels), which is read once and held: steps draw rows from anywhere in it.
        labels: An array of n rows, shape (n,) or (n, outputs); None with a dataset.
        budget: What the whole training may spend.
        batch_size: The expected number of people in a step. Larger ones lose less to noise.
        epochs: How often everyone is expected to take part; 10 if neither this nor `steps` is given.
        steps: How many steps to take, instead of `epochs`.
        clip_norm: Greatest L2 norm of one person's gradient.
        entity_ids: Whose row each is, shape (n,). Then the guarantee is for people: in a step, a person drawn gives one
            of their rows. None: it is for rows, which is the same where nobody has two.
        people: How many people there are, as a public figure to derive sampling from; default: as many as are there,
            a number that is public then.
        public_layers: Names of layers whose fixed state (`adapt`, or a frozen normalization) is from public data only.
        chunk: How many rows' gradients are held at a time.
        seed: For rehearsals: the same samples and noise each time, and no guarantee. None: nobody can guess them.
        report: A folder to write `differential_privacy.json` to; the model's own will do.

    Returns:
        What was spent, and how.

    Raises:
        PolicyError: If a parameter or the model cannot be used.
        InputDataError: If features and labels do not fit, or a dataset does not end.
        ColumnError: If a row has no entity id.
        GuaranteeError: If delta is too large for so many people, no noise keeps the budget, or a layer breaks it.
    """
    from tfx_anonymizer.dp_training import models
    from tfx_anonymizer.dp_training.gradients import PrivateStep

    coins = Coins(seed)
    models.keras_of(model)
    features, labels, rows = as_arrays(features, labels)
    group = People.of_rows(rows, entity_ids)
    count = len(group) if people is None else people
    _check(batch_size=batch_size, clip_norm=clip_norm, chunk=chunk, people=count)
    if batch_size > count:
        raise PolicyError("batch_size is more than there are people", got=batch_size, allowed=f"up to {count}")
    budget.check_for(count)
    taken = _steps(epochs, steps, count, batch_size)
    models.check(model, _two(features), public_layers)
    probability = batch_size / count
    noise_multiplier, epsilon = _calibrate(probability, taken, budget)
    step = PrivateStep(
        model,
        features,
        labels,
        clip_norm=float(clip_norm),
        noise_multiplier=noise_multiplier,
        batch_size=batch_size,
        coins=coins,
        chunk=chunk,
    )
    for _ in range(taken):
        step.take(group.draw(probability, coins))
    found = PrivateTraining(
        epsilon=epsilon if coins.secret else None,
        delta=budget.delta,
        noise_multiplier=noise_multiplier,
        sampling_probability=probability,
        steps=taken,
        batch_size=batch_size,
        clip_norm=float(clip_norm),
        people=count,
        unit="row" if entity_ids is None else "person",
    )
    if report is not None:
        found.save(report)
    return found


@functools.lru_cache(maxsize=256)
def _calibrate(probability: float, steps: int, budget: Budget) -> tuple[float, float]:
    """Returns noise and what is spent with it; seconds of work, and in a run_fn that is tuned the same each time."""
    describe = partial(sampled_gaussian, probability, times=steps)
    noise_multiplier = least_noise(describe, budget)
    return noise_multiplier, spent_epsilon(describe(noise_multiplier), delta=budget.delta)


def _steps(epochs: float | None, steps: int | None, people: int, batch_size: int) -> int:
    if epochs is not None and steps is not None:
        raise PolicyError("epochs and steps say the same in two ways", hint="give one of them")
    if steps is not None:
        _check(steps=steps)
        return steps
    wanted = _EPOCHS if epochs is None else epochs
    if isinstance(wanted, bool) or not isinstance(wanted, numbers.Real) or not 0 < wanted < math.inf:
        raise PolicyError("epochs is out of range", got=repr(epochs), allowed="a number above 0")
    return max(1, round(float(wanted) * people / batch_size))


def _check(**parameters: object) -> None:
    for name, value in parameters.items():
        whole = name != "clip_norm"
        kind = numbers.Integral if whole else numbers.Real
        if isinstance(value, bool) or not isinstance(value, kind) or not 0 < value < math.inf:  # type: ignore[operator]
            allowed = "an integer of 1 or more" if whole else "a number above 0"
            raise PolicyError(f"{name} is out of range", got=repr(value), allowed=allowed)


def _two(features: Any) -> Any:
    import tensorflow as tf

    return tf.nest.map_structure(lambda part: tf.constant(part[:2]), features)
