"""Classes that are no boxes: groups of points by MDAV and by principal directions."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.partition.test_guided_tree import guarantees, problems
from tfx_anonymizer.core.partition import PARTITIONERS
from tfx_anonymizer.core.partition.merging import merge_until_kept
from tfx_anonymizer.core.partition.point_groups import POINT_GROUPS, group_by_directions, group_by_mdav
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.steering import steer
from tfx_anonymizer.errors import GeneralizationFormatError

every_partitioner = pytest.mark.parametrize("name", [p.name for p in POINT_GROUPS])
both_groupings = pytest.mark.parametrize("group", [group_by_mdav, group_by_directions])


def partition(name, codes, guide, bound):
    codes = np.asarray(codes, dtype=np.int32).reshape(len(codes), -1)
    problem = Problem(codes, codes.max(axis=0).astype(np.int64) + 1, steer(guide), bound)
    return PARTITIONERS[name].partition(problem)


def test_mdav_takes_the_farthest_and_its_neighbours_first():
    points = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1], [9.3]])
    # Centre 4.7: the farthest is 0.0 with 0.1 and 0.2; five are left, fewer than 2k.
    assert group_by_mdav(points, 3).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]


def test_directions_cut_across_the_longest_spread():
    points = np.array([[0.0, 0.0], [10.0, 0.1], [0.2, 0.1], [10.3, 0.0], [0.1, 0.2], [10.1, 0.3], [9.9, 0.0]])
    assert group_by_directions(points, 3).tolist() == [0, 1, 0, 1, 0, 1, 1]


@both_groupings
@given(
    points=st.lists(st.tuples(st.floats(-5, 5), st.sampled_from([0.0, 1.0])), min_size=2, max_size=90),
    k=st.integers(2, 20),
)
def test_groups_hold_k_to_2k_less_one(group, points, k):
    k = min(k, len(points))
    size = np.bincount(group(np.array(points), k))
    assert size.min() >= k
    assert size.max() < 2 * k
    assert size.sum() == len(points)


@both_groupings
def test_all_alike(group):
    assert sorted(np.bincount(group(np.zeros((17, 3)), 5))) == [5, 5, 7]


def test_many_rows_are_grouped_in_blocks():
    points = np.random.default_rng(1).normal(size=(9000, 3))
    size = np.bincount(group_by_mdav(points, 4))
    assert size.min() >= 4
    assert size.max() < 8


@every_partitioner
@given(problem=problems(), l=st.integers(2, 3), t=st.sampled_from([0.2, 0.5, 0.9]))
def test_every_guarantee_holds_in_every_class(name, problem, l, t):
    rows, k, codes, guide, people, ill = problem
    k = min(k, len(set(people)))
    _, ill = np.unique(ill, return_inverse=True)
    _, people = np.unique(people, return_inverse=True)
    l = min(l, len(set(ill)))
    found = partition(name, codes, guide, guarantees(k, rows, people=people, sensitive=[ill], ordered=[True], l=l, t=t))
    overall = np.bincount(ill) / rows
    assert sorted(set(found.labels)) == list(range(found.classes))
    for label in range(found.classes):
        inside = found.labels == label
        assert len(set(people[inside])) >= k
        assert len(set(ill[inside])) >= l
        shares = np.bincount(ill[inside], minlength=len(overall)) / inside.sum()
        assert np.abs(np.cumsum(shares - overall)).sum() / max(len(overall) - 1, 1) <= t + 1e-9


@every_partitioner
def test_saved_and_loaded_it_places_rows_alike(name):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 90, (400, 3)).astype(np.int32)
    found = partition(name, codes, 1 / (1 + np.exp(-(codes[:, 0] - 45) / 9)), guarantees(10, 400))
    placed = found.assigner.assign(codes)
    # Most of those who were fitted are nearest to their own class, or one quite like it.
    assert (placed == found.labels).mean() > 0.2
    assert placed.max() < found.classes
    loaded = PARTITIONERS[name].load(found.assigner.to_arrow())
    assert np.array_equal(loaded.assign(codes), placed)
    # Codes renumbered with gaps closed, as a saved generalization has them.
    for attribute in range(3):
        used = found.assigner.used_codes(attribute)
        renumbered = np.searchsorted(used, np.arange(90)).astype(np.int32)
        other = codes.copy()
        other[:, attribute] = renumbered[codes[:, attribute]]
        assert np.array_equal(found.assigner.recode(attribute, renumbered).assign(other), placed)


@every_partitioner
def test_people_treated_alike_share_a_class(name):
    # Attribute 0 means everything to the guide, attribute 1 nothing.
    rng = np.random.default_rng(4)
    codes = np.stack([rng.integers(0, 12, 600), rng.integers(0, 50, 600)], axis=1)
    found = partition(name, codes, (codes[:, 0] - 0.0) / 11, guarantees(20, 600))
    within = [np.ptp(codes[found.labels == label, 0]) for label in range(found.classes)]
    assert np.median(within) <= 2


def test_merging_joins_neighbours_until_all_is_kept():
    labels = np.repeat(np.arange(4, dtype=np.int32), 5)
    points = np.repeat([[0.0], [1.0], [7.0], [9.0]], 5, axis=0)
    ill = np.array([0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1])
    bound = guarantees(5, 20, sensitive=[ill], ordered=[False], l=2)
    assert merge_until_kept(labels, points, bound).tolist() == [0] * 10 + [1] * 10


def test_those_alike_are_merged_with_those_who_are_not():
    # Twelve classes far on one side where nobody is ill, four far on the other where everybody is; whoever merged with
    # the nearest would end with one class of all.
    labels = np.repeat(np.arange(16, dtype=np.int32), 5)
    points = np.r_[np.arange(60.0) / 100, 100 + np.arange(20.0) / 100][:, None]
    ill = np.repeat([0, 1], [60, 20])
    for fields in ({"t": 0.2}, {"l": 2, "diversity": "recursive", "c": 4.0}, {"l": 1.6, "diversity": "entropy"}):
        bound = dataclasses.replace(guarantees(5, 80, sensitive=[ill], ordered=[False]), **fields)
        merged = merge_until_kept(labels, points, bound)
        assert merged.max() == 3, fields
        assert all(ill[merged == label].sum() == 5 for label in range(4))


def test_too_few_people_are_merged_with_the_nearest_whoever_is_ill():
    labels = np.repeat(np.arange(4, dtype=np.int32), 3)
    points = np.repeat([[0.0], [5.0], [6.0], [9.0]], 3, axis=0)
    people = np.array([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 8])
    ill = np.array([0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1])
    bound = guarantees(3, 12, people=people, sensitive=[ill], ordered=[False], l=2)
    assert merge_until_kept(labels, points, bound).tolist() == [0] * 6 + [1] * 6


def test_merging_ends_with_the_whole_table():
    labels = np.arange(6, dtype=np.int32)
    bound = guarantees(2, 6, sensitive=[np.arange(6)], ordered=[True], t=0.0)
    assert merge_until_kept(labels, np.arange(6.0)[:, None], bound).tolist() == [0] * 6


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.drop(["place"]),
        lambda t: t.slice(0, 0),
        lambda t: t.filter(pc.greater(t["attribute"], -1)),
        lambda t: t.set_column(1, "code", pa.array([0] * t.num_rows, pa.int32())),
        lambda t: t.set_column(2, "place", pa.array([[0.5]] * t.num_rows)),
        lambda t: t.set_column(2, "place", pa.array([[float("nan")] * len(p) for p in t["place"].to_pylist()])),
    ],
    ids=["column missing", "empty", "no centres", "codes not ascending", "centres too short", "not numbers"],
)
def test_damaged_classes_are_refused(change):
    codes = np.array(list(itertools.product(range(4), range(3))) * 2, dtype=np.int32)
    whole = partition("mdav", codes, np.linspace(0, 1, 24), guarantees(4, 24)).assigner.to_arrow()
    PARTITIONERS["mdav"].load(whole)
    with pytest.raises(GeneralizationFormatError):
        PARTITIONERS["mdav"].load(change(whole))
