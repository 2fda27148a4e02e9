"""Each baseline on rows small enough to group by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.core.partition.baselines.test_baselines import partition
from tests.core.partition.test_guided_tree import guarantees
from tfx_anonymizer.core.partition.baselines.curve_kernels import tightest_groups, walk
from tfx_anonymizer.core.steering import classes_of, predictions, steer


def test_mondrian_halves_the_widest_attribute_first():
    # Attribute 0 spans its whole domain, attribute 1 too; the first of two as wide is cut, at its median.
    codes = list(itertools.product(range(4), range(2)))
    assert partition("mondrian", codes, None, guarantees(4, 8)).labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert partition("mondrian", codes, None, guarantees(2, 8)).labels.tolist() == [0, 1, 0, 1, 2, 3, 2, 3]


def test_mondrian_puts_the_median_itself_on_the_left():
    # The median is 2; the cut before it would be nearer to half of the rows.
    codes = [1] * 4 + [2] * 3 + [3] * 2
    assert partition("mondrian", codes, None, guarantees(2, 9)).labels.tolist() == [0] * 4 + [1] * 3 + [2] * 2
    assert partition("mondrian", codes, None, guarantees(2, 9)).assigner.code[0] == 2


def test_mondrian_cuts_next_to_a_median_that_cannot_be():
    # The median is 5, and nobody is above it; below are four.
    codes = [1, 2, 3, 4, 5, 5, 5, 5, 5, 5]
    assert partition("mondrian", codes, None, guarantees(4, 10)).labels.tolist() == [0] * 4 + [1] * 6


def test_mondrian_takes_the_next_attribute_where_the_widest_cannot_be_cut():
    codes = np.stack([[0, 9, 9, 9, 9, 9], [0, 0, 0, 1, 1, 1]], axis=1)
    assert partition("mondrian", codes, None, guarantees(3, 6)).labels.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("k", [2, 3])
def test_the_entropy_tree_minimizes_weighted_entropy(k):
    rng = np.random.default_rng(k)
    codes = rng.integers(0, 5, (14, 2))
    label = rng.integers(0, 3, 14)
    found = partition("entropy_tree", codes, label, guarantees(k, 14))
    best = np.inf
    for f, value in itertools.product(range(2), range(5)):
        below = codes[:, f] <= value
        if min(below.sum(), (~below).sum()) >= k:
            best = min(best, sum(_entropy(label[side]) * side.sum() for side in (below, ~below)))
    root = found.assigner.attribute[0], found.assigner.code[0]
    below = codes[:, root[0]] <= root[1]
    assert sum(_entropy(label[side]) * side.sum() for side in (below, ~below)) == pytest.approx(best)


def _entropy(labels):
    share = np.bincount(labels) / len(labels)
    share = share[share > 0]
    return -(share * np.log(share)).sum()


def test_the_entropy_tree_leaves_alone_what_agrees():
    found = partition("entropy_tree", np.arange(12), np.array(["a"] * 6 + ["b"] * 6), guarantees(2, 12))
    assert found.labels.tolist() == [0] * 6 + [1] * 6


def test_the_entropy_tree_explains_numbers():
    # Of the cuts that leave two on both sides, 3 | 4 leaves the least squared error.
    number = np.array([0.0, 1.0, 2.0, 1.5, 50.0, 51.0, 49.0])
    found = partition("entropy_tree", np.arange(7), number, guarantees(3, 7))
    assert found.labels.tolist() == [0, 0, 0, 0, 1, 1, 1]


def test_many_labels_are_counted():
    label = np.array([f"label {i % 50}" for i in range(500)])
    found = partition("entropy_tree", np.arange(500) % 50, label, guarantees(10, 500))
    assert found.classes > 30


def test_the_r_plus_tree_boxes_tightly():
    # Two clumps in the plane, one of three and one of five; attribute 1 parts them with the tighter boxes.
    codes = np.array([[0, 0], [9, 1], [4, 1], [1, 8], [9, 8], [5, 9], [3, 9], [7, 8]])
    found = partition("r_plus_tree", codes, None, guarantees(3, 8))
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(("axes", "bits"), [(2, 3), (3, 2)])
def test_the_curve_visits_every_cell_and_steps_to_a_neighbour(axes, bits):
    cells = np.array(list(itertools.product(range(1 << bits), repeat=axes)))
    distance = walk(cells, bits).astype(int) @ (1 << np.arange(axes * bits)[::-1])
    assert sorted(distance) == list(range(len(cells)))
    steps = np.abs(np.diff(cells[np.argsort(distance)], axis=0)).sum(axis=1)
    assert (steps == 1).all()


def test_groups_on_the_curve_are_the_tightest_there_are():
    rng = np.random.default_rng(3)
    codes = np.sort(rng.integers(0, 30, (13, 2)), axis=0).astype(np.int32)
    k = 3

    def penalty(first):
        return sum(
            (b - a) * (codes[a:b].max(axis=0) - codes[a:b].min(axis=0)).sum() / 29 for a, b in itertools.pairwise(first)
        )

    every = [
        (0, *cuts, 13)
        for parts in range(4)
        for cuts in itertools.combinations(range(1, 13), parts)
        if all(k <= b - a < 2 * k for a, b in itertools.pairwise((0, *cuts, 13)))
    ]
    found = tightest_groups(codes, np.full(2, 1 / 29), k)
    assert penalty(found) == pytest.approx(min(map(penalty, every)))


def test_the_paper_is_scikit_learns_tree_on_one_hot_columns():
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 40, 400), rng.integers(0, 5, 400), rng.integers(0, 3, 400)], axis=1)
    guide = 1 / (1 + np.exp(-(codes[:, 0] - 20) / 5 - 2.0 * (codes[:, 1] == 2) + 3.0 * (codes[:, 2] == 2)))
    found = partition("paper", codes, guide, guarantees(20, 400), numeric=np.array([True, False, False]))
    one_hot = np.concatenate([codes[:, :1], np.eye(5)[codes[:, 1]], np.eye(3)[codes[:, 2]]], axis=1)
    leaves = DecisionTreeClassifier(min_samples_leaf=20, random_state=0).fit(one_hot, guide > 0.5).apply(one_hot)
    together = leaves[:, None] == leaves
    assert ((found.labels[:, None] == found.labels) == together).all()
    assert found.classes > 4


def test_predicted_labels():
    assert predictions([[0.2, 0.8], [0.9, 0.1]]).tolist() == [1, 0]
    assert predictions(["no", "yes"]).tolist() == ["no", "yes"]
    assert predictions([3.5, -1.0, 0.2]).tolist() == [3.5, -1.0, 0.2]
    assert predictions(np.array([[0.2], [0.9]])).tolist() == [False, True]
    assert classes_of(steer(["b", "a", "c", "a"])).tolist() in ([1, 0, 2, 0], [1, 2, 0, 2], [2, 1, 0, 1])
    assert classes_of(steer([0.5, 0.1, 0.7])) is None
    assert classes_of(steer(["x", "x"])).tolist() == [0, 0]
