"""The guided tree: what it cuts, that it stops only when it must, and that it keeps every guarantee."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.core.guarantees import Guarantees
from tfx_anonymizer.core.partition import PARTITIONERS, check_partitioner
from tfx_anonymizer.core.partition.guided_tree import GuidedTree
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.steering import steer, unguided
from tfx_anonymizer.errors import GeneralizationFormatError, PolicyError


def guarantees(k, rows, *, people=None, sensitive=(), ordered=(), l=0, t=np.inf):
    columns = np.array(sensitive, dtype=np.int32).T if len(sensitive) else np.zeros((rows, 0), dtype=np.int32)
    people = None if people is None else np.asarray(people, dtype=np.int32)
    return Guarantees(k, people, columns.reshape(rows, -1), np.array(ordered, dtype=bool), l, t)


def grow(codes, target, bound):
    codes = np.asarray(codes, dtype=np.int32)
    codes = codes.reshape(len(codes), -1)
    return GuidedTree().partition(Problem(codes, codes.max(axis=0).astype(np.int64) + 1, target, bound))


def sizes(partition):
    return np.bincount(partition.labels)


def test_the_cut_that_explains_the_guide_comes_first():
    # Two attributes; only the second has to do with the guide.
    rng = np.random.default_rng(0)
    codes = np.stack([rng.permutation(40), np.arange(40)], axis=1)
    partition = grow(codes, steer(np.r_[np.zeros(13), np.ones(27)]), guarantees(13, 40))
    assert (partition.labels[:13] == 0).all()
    assert (partition.labels[13:] != 0).all()


def test_a_guide_that_says_nothing_halves_the_widest_attribute():
    codes = np.stack([np.arange(64) % 2, np.arange(64)], axis=1)
    partition = grow(codes, unguided(64), guarantees(8, 64))
    assert sizes(partition).tolist() == [8] * 8


def test_rows_alike_in_every_attribute_stay_together():
    codes = np.repeat([[3, 1], [4, 1], [9, 9]], [30, 5, 7], axis=0)
    partition = grow(codes, steer(np.linspace(0, 1, 42)), guarantees(5, 42))
    assert sizes(partition).tolist() == [30, 5, 7]


def test_fewer_than_2k_rows_are_one_class():
    assert sizes(grow(np.arange(9), steer(np.arange(9.0)), guarantees(5, 9))).tolist() == [9]


def test_exact_cuts_where_buckets_are_too_coarse():
    # 100 distinct values far apart: only the cut in the very middle leaves 50 on both sides.
    codes = np.sort(np.random.default_rng(1).choice(100_000, 100, replace=False))
    assert sizes(grow(codes, steer(np.arange(100.0)), guarantees(50, 100))).tolist() == [50, 50]


def test_one_attribute_of_many_values_is_cut_down_to_k():
    rng = np.random.default_rng(2)
    codes = rng.permutation(20_000)
    found = sizes(grow(codes, steer(rng.random(20_000)), guarantees(10, 20_000)))
    assert found.min() >= 10
    assert found.max() < 20


def test_a_chain_of_thin_slices_ends():
    # The best cut always peels off the last k rows; the depth limit turns to halving.
    guide = np.repeat(4.0 ** np.arange(500), 2)
    found = sizes(grow(np.arange(1000), steer(guide / guide.max()), guarantees(2, 1000)))
    assert found.min() >= 2
    assert found.max() < 4


def test_people_are_counted_not_rows():
    people = np.repeat(np.arange(10), 10)
    rng = np.random.default_rng(3)
    partition = grow(rng.permutation(100), steer(rng.random(100)), guarantees(4, 100, people=people))
    for label in range(partition.classes):
        assert len(set(people[partition.labels == label])) >= 4
    assert partition.classes > 1


def test_one_person_with_every_row_of_a_region_blocks_the_cut():
    people = np.r_[np.zeros(50, dtype=int), np.arange(1, 51)]
    halves = np.r_[np.zeros(50, dtype=int), np.ones(50, dtype=int)]
    partition = grow(halves, unguided(100), guarantees(5, 100, people=people))
    assert partition.classes == 1


def test_l_diversity_and_closeness_hold_in_every_class():
    rng = np.random.default_rng(4)
    ill = rng.integers(0, 3, 600)
    age = rng.integers(0, 40, 600)
    target = steer((ill == 2) * 1.0 + rng.random(600) / 10)
    bound = guarantees(5, 600, sensitive=[ill, age], ordered=[False, True], l=2, t=0.35)
    partition = grow(np.stack([rng.integers(0, 50, 600), ill * 10 + rng.integers(0, 5, 600)], axis=1), target, bound)
    assert partition.classes > 3
    for label in range(partition.classes):
        inside = partition.labels == label
        assert len(set(ill[inside])) >= 2
        difference = np.bincount(ill[inside], minlength=3) / inside.sum() - np.bincount(ill) / 600
        assert np.abs(difference).sum() / 2 <= 0.35
        ranks = np.bincount(age[inside], minlength=40) / inside.sum() - np.bincount(age, minlength=40) / 600
        assert np.abs(np.cumsum(ranks)).sum() / 39 <= 0.35


small = st.integers(0, 6)


@st.composite
def problems(draw):
    rows = draw(st.integers(4, 60))
    k = draw(st.integers(2, max(2, rows // 2)))
    width = draw(st.integers(1, 3))
    codes = np.array(draw(st.lists(st.lists(small, min_size=width, max_size=width), min_size=rows, max_size=rows)))
    guide = np.array(draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=rows, max_size=rows)))
    people = np.array(draw(st.lists(st.integers(0, 8), min_size=rows, max_size=rows)))
    ill = np.array(draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)))
    return rows, k, codes, guide, people, ill


@given(problems())
def test_no_admissible_cut_is_left(problem):
    rows, k, codes, guide, _, _ = problem
    partition = grow(codes, steer(guide), guarantees(k, rows))
    assert sizes(partition).min() >= k
    for label in range(partition.classes):
        inside = codes[partition.labels == label]
        for column in inside.T:
            left = np.array([(column <= value).sum() for value in np.unique(column)])
            assert not ((left >= k) & (len(inside) - left >= k)).any()


@given(problems(), st.integers(2, 3), st.sampled_from([0.2, 0.5, 0.9]))
def test_every_guarantee_holds_in_every_class(problem, l, t):
    rows, k, codes, guide, people, ill = problem
    k = min(k, len(set(people)))
    _, ill = np.unique(ill, return_inverse=True)
    _, people = np.unique(people, return_inverse=True)
    l = min(l, len(set(ill)))
    bound = guarantees(k, rows, people=people, sensitive=[ill], ordered=[False], l=l, t=t)
    partition = grow(codes, steer(guide), bound)
    overall = np.bincount(ill) / rows
    for label in range(partition.classes):
        inside = partition.labels == label
        assert len(set(people[inside])) >= k
        assert len(set(ill[inside])) >= l
        shares = np.bincount(ill[inside], minlength=len(overall)) / inside.sum()
        assert np.abs(shares - overall).sum() / 2 <= t + 1e-9


@given(problems(), st.randoms(use_true_random=False))
def test_row_order_does_not_matter(problem, random):
    rows, k, codes, guide, _, _ = problem
    order = list(range(rows))
    random.shuffle(order)
    first = grow(codes, steer(guide), guarantees(k, rows)).labels
    second = grow(codes[order], steer(guide[order]), guarantees(k, rows)).labels
    assert (first[order] == second).all()


@given(problems())
def test_the_assigner_places_rows_where_growth_did(problem):
    rows, k, codes, guide, _, _ = problem
    partition = grow(codes, steer(guide), guarantees(k, rows))
    encoded = np.ascontiguousarray(codes, dtype=np.int32)
    assert (partition.assigner.assign(encoded) == partition.labels).all()
    loaded = GuidedTree().load(partition.assigner.to_arrow())
    assert (loaded.assign(encoded) == partition.labels).all()


def test_new_codes_find_a_class():
    partition = grow(np.arange(20), steer(np.arange(20.0)), guarantees(5, 20))
    found = partition.assigner.assign(np.array([[-5], [0], [19], [1000]], dtype=np.int32))
    assert found.tolist() == [0, 0, partition.classes - 1, partition.classes - 1]


@pytest.mark.parametrize(
    "columns",
    [
        {"attribute": [0], "code": [0], "left": [0], "right": [0]},
        {"attribute": [0, -1], "code": [0, 0], "left": [1, 0], "right": [7, 0]},
        {"attribute": [], "code": [], "left": [], "right": []},
        {"attribute": [-1], "code": [0]},
    ],
    ids=["points at itself", "points outside", "empty", "columns missing"],
)
def test_damaged_trees_are_refused(columns):
    table = pa.table({name: pa.array(values, pa.int32()) for name, values in columns.items()})
    with pytest.raises(GeneralizationFormatError):
        GuidedTree().load(table)


def test_partitioners_by_name():
    assert all(partitioner.name == name for name, partitioner in PARTITIONERS.items())
    check_partitioner("auto")
    with pytest.raises(PolicyError, match="got: 'kd'; allowed: auto or guided_tree or"):
        check_partitioner("kd")
