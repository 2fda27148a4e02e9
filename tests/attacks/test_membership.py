"""Scores of membership: worked examples, and that each attack finds the leak it is made for and none where none is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.attacks import figures, lira, neural, quantile, rmia, roc, scores
from tfx_anonymizer.attacks.references import ReferenceConfidences, random_halves, train_references
from tfx_anonymizer.errors import InputDataError, PolicyError


def logistic(x):
    return 1 / (1 + np.exp(-x))


@pytest.fixture(scope="module")
def world():
    """A target and 8 references on 4,000 records: some are hard, and a member's log-odds are 1.5 higher."""
    rng = np.random.default_rng(0)
    hardness = rng.normal(0, 2, 4000)
    members = rng.random(4000) < 0.5

    def model(inside):
        return logistic(2 - hardness + 1.5 * inside + rng.normal(0, 0.5, 4000))

    def replica(rows, seed):
        inside = np.zeros(4000, dtype=bool)
        inside[rows] = True
        return model(inside)

    return hardness, members, model(members), train_references(replica, 4000, 8, seed=1)


def test_each_attack_finds_the_leak_and_references_find_more(world):
    hardness, members, target, references = world
    loss = roc.auc(scores.loss_score(target), members)
    found = {
        "rmia": rmia.rmia_offline(target, references.outside_mean()),
        "rmia online": rmia.rmia_online(target, references),
        "lira": lira.lira_offline(target, references),
        "lira online": lira.lira_online(target, references),
        "quantile": quantile.quantile_score(target, members, hardness[:, None]),
    }
    aucs = {name: roc.auc(score, members) for name, score in found.items()}
    assert 0.55 < loss < 0.75
    assert all(value > loss + 0.05 for value in aucs.values()), (loss, aucs)
    # A normal shift of 1.5 against a spread of 0.5 on either side: Phi(1.5 / sqrt(0.5)) is the best there is.
    assert aucs["lira online"] > 0.9


def test_no_attack_finds_what_is_not_there():
    rng = np.random.default_rng(5)
    members = np.arange(3000) < 1500
    hardness = rng.normal(size=3000)
    models = logistic(hardness + rng.normal(0, 0.5, (9, 3000)))
    inside = np.stack(list(random_halves(3000, 8, 2)))
    references = ReferenceConfidences(models[1:], inside)
    judged = [
        scores.loss_score(models[0]),
        rmia.rmia_offline(models[0], references.outside_mean()),
        rmia.rmia_online(models[0], references),
        lira.lira_offline(models[0], references),
        lira.lira_online(models[0], references),
        quantile.quantile_score(models[0], members, hardness[:, None]),
    ]
    for score in judged:
        found = roc.auc_interval(score, members, 0.999)
        assert found.low < 0.5 < found.high


def test_rmia_by_hand():
    # Px = 0.65 * 0.4 + 0.35 = 0.61 offline; online (0.4 + 0.8) / 2.
    assert rmia.rmia_offline(np.array([0.9]), np.array([0.4])) == pytest.approx(0.9 / 0.61)
    references = ReferenceConfidences(np.array([[0.4], [0.8]]), np.array([[False], [True]]))
    assert rmia.rmia_online(np.array([0.9]), references) == pytest.approx(0.9 / 0.6)


def test_a_population_leaves_the_order(world):
    _, members, target, references = world
    outside = references.outside_mean()
    population = (target[~members], outside[~members])
    share = rmia.rmia_offline(target, outside, population)
    ratio = rmia.rmia_offline(target, outside)
    assert ((share >= 0) & (share <= 1)).all()
    assert (np.diff(share[np.argsort(ratio)]) >= 0).all()


def test_a_is_chosen_without_looking_at_the_target(world):
    *_, references = world
    assert rmia.choose_a(references) in (0.0, 0.2, 0.3, 0.5, 0.8, 1.0)
    two = references.first(2)
    assert rmia.choose_a(two) in (0.0, 0.2, 0.3, 0.5, 0.8, 1.0)


def test_lira_by_hand():
    odds = np.array([[0.0], [1.0], [2.0], [3.0]])
    inside = np.array([[False], [True], [False], [True]])
    references = ReferenceConfidences(logistic(odds), inside)
    # Outside: mean 1, squares 2; one spread over 1 record and 2 - 1 degrees of freedom.
    assert lira.lira_offline(logistic(np.array([2.5])), references) == pytest.approx(1.5 / math.sqrt(2))
    # Inside: mean 2, the same spread: ((2.5 - 1)^2 - (2.5 - 2)^2) / (2 * 2).
    assert lira.lira_online(logistic(np.array([2.5])), references) == pytest.approx(0.5)


def test_many_models_give_each_record_a_spread_of_its_own():
    rng = np.random.default_rng(0)
    width = np.array([0.1, 3.0])
    odds = rng.normal(0, 1, (64, 2)) * width
    inside = np.arange(64)[:, None] % 2 == np.array([[0, 0]])
    score = lira.lira_offline(logistic(np.array([0.5, 0.5])), ReferenceConfidences(logistic(odds), inside))
    assert score[0] > 3 > 1 > score[1]


def test_too_few_models_are_refused(world):
    *_, target, references = world
    with pytest.raises(PolicyError, match="LiRA needs more reference models; got: 2; allowed: 4 or more"):
        lira.lira_offline(target, references.first(2))
    with pytest.raises(PolicyError, match="an even number"):
        list(random_halves(10, 3))
    with pytest.raises(InputDataError, match="outside of no reference model"):
        ReferenceConfidences(np.ones((2, 3)), np.ones((2, 3), dtype=bool)).outside_mean()
    with pytest.raises(InputDataError, match="differ in shape"):
        ReferenceConfidences(np.ones((2, 3)), np.ones((3, 2), dtype=bool))


@given(st.integers(2, 50), st.sampled_from([2, 4, 8]), st.integers(0, 5))
def test_each_record_is_inside_half_of_the_models(records, models, seed):
    halves = np.stack(list(random_halves(records, models, seed)))
    assert (halves.sum(axis=0) == models // 2).all()
    assert (abs(halves.sum(axis=1) - records / 2) <= 0.5).all()


def test_replicas_are_given_rows_and_seeds_of_their_own():
    seen = []
    train_references(lambda rows, seed: seen.append((len(rows), seed)) or np.zeros(10), 10, 4, seed=3)
    assert [rows for rows, _ in seen] == [5] * 4
    assert len({seed for _, seed in seen}) == 4


def test_confidences():
    assert scores.confidence_of_classes(np.array([[0.2, 0.8]]), np.array([-1])).tolist() == [0.0]
    with pytest.raises(InputDataError, match="no class of the model"):
        scores.confidence_of_classes(np.array([[0.2, 0.8]]), np.array([2]))
    assert np.isfinite(scores.log_odds(np.array([0.0, 1.0]))).all()
    assert np.isfinite(scores.loss_score(np.array([0.0, 1.0]))).all()
    assert scores.gap_score(np.array([True, False])).tolist() == [1.0, 0.0]


def test_the_neural_attack_learns_what_members_look_like():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 1200)
    members = np.arange(1200) < 600
    own = np.where(members, 0.97, 0.7) + rng.uniform(-0.02, 0.02, 1200)
    probabilities = np.where(np.eye(2)[labels] == 1, own[:, None], 1 - own[:, None])
    known = neural.known_half(members, 1)
    assert known[members].sum() == known[~members].sum() == 300
    first = neural.neural_score(probabilities, labels, members, known, epochs=15, seed=4)
    assert roc.auc(first, members[~known]) > 0.95
    again = neural.neural_score(probabilities, labels, members, known, epochs=15, seed=4)
    np.testing.assert_allclose(first, again, atol=1e-5)


def test_the_neural_attack_is_told_nothing_of_whom_it_judges():
    rng = np.random.default_rng(3)
    members = np.arange(400) < 200
    probabilities = rng.dirichlet([1, 1], 400)
    known = neural.known_half(members)
    other = np.where(known, members, ~members)
    labels = rng.integers(-1, 2, 400)
    found = [neural.neural_score(probabilities, labels, truth, known, epochs=2) for truth in (members, other)]
    np.testing.assert_array_equal(*found)


def test_figures_of_a_rate_that_is_too_few_people_are_left_out():
    rng = np.random.default_rng(0)
    for others, rates in [(500, [0.01]), (10_000, [0.01, 0.001])]:
        members = np.arange(others + 300) < 300
        found = figures.measure(rng.normal(size=len(members)), members, by_coin=others == 500)
        assert list(found.caught_at) == rates
        assert (found.epsilon_one_run is None) == (others != 500)
    assert set(found.to_dict()["tpr_at_fpr"]) == {"0.01", "0.001"}


def test_small_groups_make_no_figure():
    members = np.arange(400) % 2 == 0
    groups = {"few": np.arange(400) < 60, "many": np.arange(400) < 300}
    found = figures.measure_groups(np.arange(400.0), members, groups)
    assert found["few"] is None
    assert found["many"].members == 150
