"""What is trained on, as arrays: a Poisson sample needs every row within reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfx_anonymizer.errors import InputDataError

_MOST_ROWS = 50_000_000


def collect(dataset: Any, *, most_rows: int = _MOST_ROWS) -> tuple[Any, Any]:
    """Reads a `tf.data.Dataset` once, from end to end, into arrays.

    Args:
        dataset: Batches of (features, labels). Features are a tensor, or a dictionary, tuple or list of tensors; their
            first axis is the batch. It must end: without `repeat()`, or with `num_epochs=1`.
        most_rows: More rows than this are refused.

    Returns:
        Features, in the same structure, and labels, as arrays of n rows each.

    Raises:
        InputDataError: If it is endless, empty, too large, not batched, or does not hold such pairs.
    """
    import tensorflow as tf

    if dataset.cardinality() == tf.data.INFINITE_CARDINALITY:
        raise InputDataError(
            "the dataset never ends", hint="leave out repeat(), or say num_epochs=1: steps are drawn here, not there"
        )
    spec = dataset.element_spec
    if not isinstance(spec, tuple) or len(spec) != 2:
        raise InputDataError("the dataset does not hold pairs of features and labels", got=type(spec).__name__)
    for part in tf.nest.flatten(spec):
        if not isinstance(part, tf.TensorSpec):
            raise InputDataError(
                "the dataset holds tensors that are not dense",
                got=type(part).__name__,
                hint="to_dense() or to_tensor()",
            )
        if part.shape.rank == 0:
            raise InputDataError("the dataset is not batched", hint="dataset.batch(1024)")
    batches, rows = [], 0
    for features, labels in dataset:
        batches.append(tf.nest.map_structure(lambda tensor: tensor.numpy(), (features, labels)))
        rows += int(tf.nest.flatten(labels)[0].shape[0])
        if rows > most_rows:
            raise InputDataError("the dataset is too large to be held", got=f"more than {most_rows} rows")
    if not rows:
        raise InputDataError("the dataset is empty", got="0 rows")
    whole: tuple[Any, Any] = tf.nest.map_structure(lambda *parts: np.concatenate(parts), *batches)
    return whole


def as_arrays(features: Any, labels: Any) -> tuple[Any, Any, int]:
    """Brings what a user trains on into the form of arrays.

    Args:
        features: An array, a dictionary, tuple or list of arrays of n rows each, or a dataset as `collect` takes it.
        labels: An array of n rows; None with a dataset.

    Returns:
        Features, labels, and how many rows they have.

    Raises:
        InputDataError: If the parts differ in their number of rows, or one is of a kind that is no array.
    """
    import tensorflow as tf

    if isinstance(features, tf.data.Dataset):
        if labels is not None:
            raise InputDataError("a dataset holds its labels itself", hint="leave the argument labels out")
        features, labels = collect(features)
    elif labels is None:
        raise InputDataError("the labels are missing", hint="dp_fit(model, features, labels, …), or a dataset of both")
    features = tf.nest.map_structure(_array, features)
    labels = _array(labels)
    sizes = {len(part) for part in tf.nest.flatten((features, labels))}
    if len(sizes) != 1:
        raise InputDataError("features and labels differ in length", got=", ".join(map(str, sorted(sizes))) + " rows")
    return features, labels, sizes.pop()


def _array(part: Any) -> Any:
    values = np.asarray(part)
    if values.ndim == 0:
        raise InputDataError("features and labels must be arrays of rows", got=type(part).__name__)
    if values.dtype.kind == "f" and values.dtype.itemsize > 4:
        # Models compute in float32; said here once rather than at every step.
        return values.astype(np.float32)
    return values
