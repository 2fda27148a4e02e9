"""ROC figures against scikit-learn, worked examples, and the promises of their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from tfx_anonymizer.attacks import roc
from tfx_anonymizer.errors import InputDataError


@st.composite
def judged(draw):
    """Scores with many ties, and at least one member and one other."""
    members = draw(st.lists(st.integers(0, 6), min_size=1, max_size=40))
    others = draw(st.lists(st.integers(0, 6), min_size=1, max_size=40))
    scores = np.array([*members, *others], dtype=float)
    return scores, np.arange(len(scores)) < len(members)


@given(judged())
def test_as_scikit_learn_counts(data):
    scores, members = data
    assert roc.auc(scores, members) == pytest.approx(roc_auc_score(members, scores))
    alarmed, caught, _ = roc_curve(members, scores)
    assert roc.balanced_accuracy(scores, members) == pytest.approx(0.5 + (caught - alarmed).max() / 2)


@given(judged(), st.sampled_from([0.0, 0.05, 0.2, 0.5]))
def test_no_more_false_alarms_than_allowed_and_none_to_spare(data, allowed):
    scores, members = data
    found = roc.caught_at(scores, members, allowed)
    alarmed, caught, _ = roc_curve(members, scores, drop_intermediate=False)
    assert found.value == pytest.approx(caught[alarmed <= allowed + 1e-9].max())
    assert 0 <= found.low <= found.value <= found.high <= 1


@given(judged(), st.floats(-3, 3), st.floats(0.1, 10))
def test_only_the_order_of_scores_counts(data, shift, scale):
    scores, members = data
    assert roc.auc(scores * scale + shift, members) == pytest.approx(roc.auc(scores, members))
    assert roc.auc(-scores, members) == pytest.approx(1 - roc.auc(scores, members))


def test_the_curve_begins_at_none_and_ends_at_all():
    caught, alarmed = roc.curve(np.array([3.0, 1.0, 2.0, 1.0]), np.array([True, True, False, False]))
    assert caught.tolist() == [0.0, 0.5, 0.5, 1.0]
    assert alarmed.tolist() == [0.0, 0.0, 0.5, 1.0]


def test_the_interval_holds_the_truth_as_often_as_it_says():
    # Normal scores half a standard deviation apart: AUC = Phi(0.5 / sqrt 2).
    truth, held = 0.63816, 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        members = np.arange(300) < 150
        found = roc.auc_interval(rng.normal(size=300) + 0.5 * members, members, 0.9, replicates=300, seed=seed)
        held += found.low <= truth <= found.high
    # 180 are expected; fewer than 168 would happen once in a hundred.
    assert held >= 168


def test_the_same_seed_gives_the_same_interval():
    members = np.arange(60) < 30
    scores = np.arange(60.0) % 7
    assert roc.auc_interval(scores, members, seed=3) == roc.auc_interval(scores, members, seed=3)
    assert roc.auc_interval(scores, members, seed=3) != roc.auc_interval(scores, members, seed=4)


def test_scores_that_are_all_alike_accuse_nobody():
    members = np.arange(60) < 30
    assert roc.p_value(np.zeros(60), members) == 1.0
    assert roc.auc_interval(np.zeros(60), members).value == 0.5


def test_chance_is_accused_as_often_as_it_says():
    members = np.arange(200) < 100
    found = [roc.p_value(np.random.default_rng(seed).normal(size=200), members) < 0.05 for seed in range(400)]
    # 20 are expected; more than 32 would happen once in two hundred and fifty.
    assert sum(found) <= 32


@pytest.mark.parametrize(
    ("scores", "members", "says"),
    [
        ([1.0, 2.0], [True, True], "members and non-members; got: 2 of 2"),
        ([1.0, 2.0], [False, False], "members and non-members; got: 0 of 2"),
        ([1.0, float("nan")], [True, False], "no number; got: 1 NaN"),
        ([1.0], [True, False], "differ in shape"),
        ([], [], "members and non-members"),
    ],
)
def test_what_cannot_be_compared_is_refused(scores, members, says):
    with pytest.raises(InputDataError, match=says):
        roc.auc_interval(np.array(scores, dtype=float), np.array(members, dtype=bool))
