"""What may be trained on: arrays, and datasets that end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

from tfx_anonymizer.dp_training.arrays import as_arrays, collect
from tfx_anonymizer.errors import InputDataError


def test_a_dataset_is_read_once_in_its_structure():
    features = {"a": np.arange(10), "b": np.ones((10, 2), np.float32)}
    dataset = tf.data.Dataset.from_tensor_slices((features, np.arange(10) % 2)).batch(4)
    found, labels = collect(dataset)
    assert found["a"].tolist() == list(range(10))
    assert found["b"].shape == (10, 2)
    assert labels.shape == (10,)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda d: d.batch(2).repeat(), "never ends"),
        (lambda d: d, "not batched"),
        (lambda d: d.batch(2).take(0), "empty"),
        (lambda d: d.map(lambda _, y: y).batch(2), "pairs of features and labels"),
        (lambda d: d.map(lambda x, y: (tf.RaggedTensor.from_row_lengths(x[None], [1]), y)).batch(2), "not dense"),
    ],
)
def test_datasets_that_cannot_be_sampled_are_refused(spoil, says):
    dataset = tf.data.Dataset.from_tensor_slices((np.arange(6.0), np.arange(6)))
    with pytest.raises(InputDataError, match=says):
        collect(spoil(dataset))


def test_a_dataset_too_large_is_refused():
    dataset = tf.data.Dataset.from_tensor_slices((np.arange(6.0), np.arange(6))).batch(2)
    with pytest.raises(InputDataError, match="more than 3 rows"):
        collect(dataset, most_rows=3)


def test_arrays_tables_and_lists():
    features, labels, count = as_arrays(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}), pd.Series([0, 1]))
    assert features.shape == (2, 2)
    assert features.dtype == np.float32
    assert (labels.tolist(), count) == ([0, 1], 2)
    features, _, _ = as_arrays({"a": np.array([1, 2]), "b": np.array(["x", "y"])}, [0.0, 1.0])
    assert set(features) == {"a", "b"}


@pytest.mark.parametrize(
    ("features", "labels", "says"),
    [
        (np.ones((3, 2)), None, "labels are missing"),
        (np.ones((3, 2)), np.ones(4), "differ in length; got: 3, 4 rows"),
        ({"a": np.ones(3), "b": np.ones(2)}, np.ones(3), "differ in length"),
        (np.float32(1.0), np.ones(1), "must be arrays of rows"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(features, labels, says):
    with pytest.raises(InputDataError, match=says):
        as_arrays(features, labels)


def test_labels_beside_a_dataset_are_refused():
    dataset = tf.data.Dataset.from_tensor_slices((np.arange(6.0), np.arange(6))).batch(2)
    with pytest.raises(InputDataError, match="holds its labels itself"):
        as_arrays(dataset, np.arange(6))
