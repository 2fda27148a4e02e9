"""What a model must be so that its training can be made private; Keras 2 and Keras 3 alike."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tfx_anonymizer.errors import GuaranteeError, PolicyError

# They mix what the rows of a batch have in common into each row, and keep averages of the rows themselves.
_ACROSS_ROWS = {"BatchNormalization", "BatchNormalizationBase"}
# They hold what `adapt` learned from rows without noise: means, quantiles, vocabularies.
_ADAPTED = {"Normalization", "Discretization", "IndexLookup", "TextVectorization", "FeatureSpace"}


def keras_of(model: Any) -> Any:
    """Returns the Keras that a model is of: the module `keras` or `tf_keras`.

    Raises:
        PolicyError: If it is no Keras model, or one whose Keras does not run on TensorFlow.
    """
    roots = [kind.__module__.split(".")[0] for kind in type(model).__mro__ if kind.__name__ == "Model"]
    found = [root for root in roots if root in ("keras", "tf_keras")]
    if not found:
        raise PolicyError("the model is no Keras model", got=type(model).__name__, allowed="a compiled keras.Model")
    keras = importlib.import_module(found[0])
    if keras.backend.backend() != "tensorflow":
        raise PolicyError("Keras runs on another backend", got=keras.backend.backend(), allowed="tensorflow")
    return keras


def check(model: Any, rows: Any, public_layers: Iterable[str] = ()) -> None:
    """Refuses models for which the account would not hold.

    Args:
        model: Compiled.
        rows: Two rows of features, in the structure the model takes.
        public_layers: Names of layers whose fixed state was learned from public data only.

    Raises:
        PolicyError: If it is not compiled, was trained before, has nothing to train, or a name is of no layer.
        GuaranteeError: If a layer computes across rows, holds adapted state, or changes state that no gradient does.
    """
    if getattr(model, "optimizer", None) is None:
        raise PolicyError("the model is not compiled", hint="model.compile(optimizer=…, loss=…) before dp_fit")
    if "LossScale" in type(model.optimizer).__name__:
        raise PolicyError("the optimizer scales the loss, which clipping would undo", hint="train in float32")
    if int(model.optimizer.iterations.numpy()) > 0:
        raise PolicyError(
            "the optimizer has taken steps already, which no account knows",
            got=f"{int(model.optimizer.iterations.numpy())} steps",
            hint="build and compile the model afresh; a model of public data may be compiled again",
        )
    _check_layers(model, set(public_layers))
    _check_state(model, rows)
    if not model.trainable_variables:
        raise PolicyError("the model has nothing to train", got="no trainable variable")


def loss_of(model: Any) -> Callable[[Any, Any], Any]:
    """Returns what the model was compiled to minimize, for a batch of one row: (label, answer) to a number.

    Raises:
        PolicyError: If it has no loss, or one for each of several outputs.
    """
    loss = model.loss
    if loss is None or isinstance(loss, (dict, list, tuple)):
        raise PolicyError(
            "the model must have one loss, of one output",
            got="none" if not loss else f"{len(loss)} losses",
            hint="model.compile(loss='binary_crossentropy')",
        )
    function = keras_of(model).losses.get(loss)

    def of_one(label: Any, answer: Any) -> Any:
        import tensorflow as tf

        if answer.shape.rank == label.shape.rank + 1 and answer.shape[-1] == 1:
            # Keras, too, takes labels of shape (n,) for answers of shape (n, 1).
            label = label[..., None]
        value = tf.reduce_mean(tf.cast(function(label, answer), tf.float32))
        for penalty in model.losses:
            value += tf.cast(penalty, tf.float32)
        return value

    return of_one


def _layers(model: Any) -> Iterator[Any]:
    yield from model._flatten_layers(include_self=False, recursive=True)


def _check_layers(model: Any, public: set[str]) -> None:
    known = set()
    for layer in _layers(model):
        known.add(layer.name)
        kinds = {kind.__name__ for kind in type(layer).__mro__}
        across = kinds & _ACROSS_ROWS and layer.trainable
        if across:
            raise GuaranteeError(
                f"layer {layer.name!r} averages over the rows of a batch, so that no row's part can be bounded",
                got=type(layer).__name__,
                hint="LayerNormalization or GroupNormalization instead; or freeze it with trainable = False",
            )
        if kinds & (_ADAPTED | _ACROSS_ROWS) and layer.name not in public:
            raise GuaranteeError(
                f"layer {layer.name!r} may hold what was learned from rows without noise",
                got=type(layer).__name__,
                hint=f"public_layers=[{layer.name!r}] if its state is from public data, never from these rows",
            )
    for name in sorted(public - known):
        raise PolicyError(
            f"public_layers names {name!r}, which is no layer of the model", allowed=", ".join(sorted(known))
        )


def _check_state(model: Any, rows: Any) -> None:
    """Runs the model once as in training: what then changes without a gradient would change without noise."""
    model(rows, training=True)
    # Integers are the states of generators, for dropout.
    state = [variable for variable in model.non_trainable_variables if "float" in str(variable.dtype)]
    before = [variable.numpy().copy() for variable in state]
    model(rows, training=True)
    for variable, value in zip(state, before, strict=True):
        if not np.array_equal(variable.numpy(), value):
            raise GuaranteeError(
                "the model changes state in training that no gradient changes, so no noise would reach it",
                got=str(getattr(variable, "path", variable.name)),
                hint="take the layer out, or freeze it",
            )
