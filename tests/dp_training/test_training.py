"""dp_fit: it learns, keeps its budget, says what it did, and leaves an ordinary model."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tensorflow as tf

from tests.dp_training.models import KERAS, load, network, rows, values
from tfx_anonymizer.differential_privacy.accounting import sampled_gaussian, spent_epsilon
from tfx_anonymizer.dp_training import Budget, dp_fit
from tfx_anonymizer.errors import ColumnError, GuaranteeError, InputDataError, PolicyError

BUDGET = Budget(epsilon=4.0, delta=1e-5)
# Its account is quick, and one serves most of the tests.
STRICT = Budget(epsilon=1.0, delta=1e-5)


@pytest.fixture(params=KERAS)
def keras(request):
    return load(request.param)


def right(model, features, labels):
    return float(((np.asarray(model(features))[:, 0] > 0.5) == (labels > 0.5)).mean())


def test_it_learns_within_its_budget(keras, tmp_path):
    features, labels = rows(2000)
    model = network(keras)
    done = dp_fit(model, features, labels, budget=BUDGET, batch_size=200, epochs=10, report=str(tmp_path / "model"))
    assert right(model, *rows(1000, seed=1)) > 0.85
    assert (done.steps, done.sampling_probability, done.people, done.unit) == (100, 0.1, 2000, "row")
    event = sampled_gaussian(0.1, done.noise_multiplier, times=100)
    assert done.epsilon == spent_epsilon(event, delta=1e-5)
    assert 3.9 < done.epsilon <= 4.0
    kept = json.loads((tmp_path / "model" / "differential_privacy.json").read_text())
    assert kept["epsilon"] == done.epsilon
    assert kept["sampling"] == "poisson"
    assert any("preprocessing" in line for line in kept["does_not_cover"])
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["differential_privacy.json"]


def test_the_model_is_saved_and_served_as_any_other(keras, tmp_path):
    features, labels = rows(200)
    model = network(keras)
    folder = str(tmp_path / "saved")
    dp_fit(model, features, labels, budget=STRICT, batch_size=40, steps=2, report=folder)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="rows")])
    def serve(given):
        return {"outputs": model(given)}

    tf.saved_model.save(model, folder, signatures={"serving_default": serve})
    served = tf.saved_model.load(folder).signatures["serving_default"](rows=tf.constant(features[:5]))["outputs"]
    np.testing.assert_allclose(served, np.asarray(model(features[:5])), rtol=1e-5)
    assert json.loads((tmp_path / "saved" / "differential_privacy.json").read_text())["steps"] == 2


def test_a_seed_repeats_and_promises_nothing(keras):
    features, labels = rows(200)

    def trained(seed):
        model = network(keras)
        done = dp_fit(model, features, labels, budget=STRICT, batch_size=40, steps=2, seed=seed)
        return done, values(model)

    (first, one), (_, two) = trained(7), trained(7)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert first.epsilon is None
    (secret, one), (_, two) = trained(None), trained(None)
    assert not all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert secret.epsilon is not None


def test_a_dataset_and_people_with_several_rows(keras):
    features, labels = rows(600)
    dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(64)
    done = dp_fit(
        network(keras), dataset, budget=STRICT, batch_size=40, steps=2, entity_ids=np.arange(600) // 3, people=200
    )
    assert (done.people, done.unit, done.sampling_probability) == (200, "person", 0.2)


def test_stricter_budgets_take_more_noise(keras):
    features, labels = rows(200)
    noise = [
        dp_fit(network(keras), features, labels, budget=Budget(epsilon, 1e-5), batch_size=40, steps=2).noise_multiplier
        for epsilon in (0.5, 1.0)
    ]
    assert noise == sorted(noise, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"batch_size": 0}, PolicyError, "batch_size is out of range"),
        ({"batch_size": 101}, PolicyError, "batch_size is more than there are people"),
        ({"batch_size": True}, PolicyError, "batch_size is out of range"),
        ({"clip_norm": 0.0}, PolicyError, "clip_norm is out of range"),
        ({"clip_norm": float("inf")}, PolicyError, "clip_norm is out of range"),
        ({"chunk": 1.5}, PolicyError, "chunk is out of range"),
        ({"people": 0}, PolicyError, "people is out of range"),
        ({"epochs": 0}, PolicyError, "epochs is out of range"),
        ({"epochs": 1, "steps": 1}, PolicyError, "say the same in two ways"),
        ({"steps": 0}, PolicyError, "steps is out of range"),
        ({"seed": "x"}, PolicyError, "seed is no seed"),
        ({"budget": Budget(1.0, 1e-2)}, GuaranteeError, "delta is too large for so many people"),
        ({"entity_ids": [None] * 100}, ColumnError, "100 rows without an id"),
        ({"entity_ids": [1] * 99}, InputDataError, "not one id a row"),
    ],
)
def test_what_cannot_be_kept_is_refused_before_a_step(arguments, error, says):
    features, labels = rows(100)
    model = network(load("keras"))
    before = values(model)
    with pytest.raises(error, match=says):
        dp_fit(model, features, labels, **{"budget": STRICT, "batch_size": 10, **arguments})
    assert all(np.array_equal(a, b) for a, b in zip(before, values(model), strict=True))


def test_nothing_of_the_rows_is_told(keras, capfd, caplog):
    features, labels = rows(200)
    with caplog.at_level("DEBUG", logger="tfx_anonymizer"):
        dp_fit(network(keras), features, labels, budget=STRICT, batch_size=40, steps=2)
    assert capfd.readouterr().out == ""
    assert not caplog.records
