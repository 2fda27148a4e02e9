"""Attribute inference: only what the model adds counts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from tfx_anonymizer.attacks.attribute.advantage import compare
from tfx_anonymizer.attacks.attribute.black_box import guess_attribute
from tfx_anonymizer.attacks.attribute.white_box import leaf_support, likeliest


@pytest.fixture(scope="module")
def world():
    """A secret that the other attribute hardly tells, and a label that only people themselves know."""
    rng = np.random.default_rng(0)
    known = np.round(rng.normal(size=(2000, 1)), 3)
    secret = (rng.random(2000) < 0.5 + 0.1 * np.sign(known[:, 0])).astype(np.int64)
    label = rng.integers(0, 2, 2000)
    return known, secret, label


def candidates(known):
    return [np.column_stack([known, np.full(len(known), value)]) for value in (0.0, 1.0)]


@pytest.mark.parametrize("white", [False, True])
def test_a_model_that_knows_people_by_heart_tells_their_secret(world, white):
    known, secret, label = world
    model = RandomForestClassifier(30, random_state=0).fit(np.column_stack([known, secret]), label)
    if white:
        answers = leaf_support(model.estimators_, candidates(known), label)
        assert answers.shape == (2000, 2)
        assert ((answers >= 0) & (answers <= 1)).all()
        guess = likeliest(answers, np.bincount(secret) / 2000)
        assert (guess == secret).mean() > 0.6
    else:
        answers = np.concatenate([model.predict_proba(rows) for rows in candidates(known)], axis=1)
        # The model's answer for the true label is what tells: put it first.
        answers = np.stack([answers[np.arange(2000), label], answers[np.arange(2000), 2 + label]], axis=1)
    learn = np.arange(2000) < 1000
    context = np.column_stack([known, label])
    right = guess_attribute(context, secret, learn, answers) == secret[~learn]
    without = guess_attribute(context, secret, learn) == secret[~learn]
    found = compare(right, without)
    assert found.advantage.low > 0.05
    assert 0.5 < found.without_model < 0.68


def test_a_model_that_does_not_know_the_secret_adds_nothing(world):
    known, secret, label = world
    model = DecisionTreeClassifier(min_samples_leaf=50, random_state=0).fit(known, label)
    answers = model.predict_proba(known)
    learn = np.arange(2000) < 1000
    right = guess_attribute(known, secret, learn, answers) == secret[~learn]
    without = guess_attribute(known, secret, learn) == secret[~learn]
    found = compare(right, without).advantage
    assert found.low < 0.02
    assert abs(found.value) < 0.06


def test_nobody_is_guessed_from_their_own_secret(world):
    known, secret, _ = world
    learn = np.arange(2000) < 1000
    other = np.where(learn, secret, 1 - secret)
    np.testing.assert_array_equal(guess_attribute(known, secret, learn), guess_attribute(known, other, learn))


def test_leaf_support_by_hand():
    # One split on the secret: two with 0, three with 1; labels 0, 0 | 1, 1, 0.
    tree = DecisionTreeClassifier(max_depth=1).fit([[0], [0], [1], [1], [1]], [0, 0, 1, 1, 0])
    found = leaf_support([tree], [np.array([[0.0]]), np.array([[1.0]])], np.array([0]))
    np.testing.assert_allclose(found, [[2 / 5, 1 / 5]])
    assert likeliest(found, np.array([0.4, 0.6])).tolist() == [0]
    assert likeliest(np.array([[0.2, 0.2]]), np.array([0.4, 0.6])).tolist() == [1]


def test_pairs_that_never_differ_leave_a_narrow_interval_about_nothing():
    found = compare(np.ones(500, dtype=bool), np.ones(500, dtype=bool)).advantage
    assert found.value == 0.0
    assert -0.01 < found.low < 0 < found.high < 0.01


def test_the_interval_holds_the_truth_as_often_as_it_says():
    held = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        outcome = rng.choice(4, 300, p=[0.4, 0.2, 0.1, 0.3])
        found = compare(np.isin(outcome, [0, 1]), np.isin(outcome, [0, 2]), 0.9).advantage
        held += found.low <= 0.1 <= found.high
    assert held >= 168
