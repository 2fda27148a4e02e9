"""The compiled tree is the plain one, node by node, whatever way histograms come about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.partition.reference_tree import grow_reference
from tests.core.partition.test_guided_tree import guarantees, problems
from tfx_anonymizer.core.columns import kind_of, read_column
from tfx_anonymizer.core.encoding import fit_attribute
from tfx_anonymizer.core.partition import histogram_kernels, tree_kernels
from tfx_anonymizer.core.partition.guided_tree import guards_of
from tfx_anonymizer.core.partition.tree_kernels import FOLLOW
from tfx_anonymizer.core.steering import steer
from tfx_anonymizer.datasets import read_adult


def both(codes, target, bound, depth_limit=40, cardinality=None):
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    cardinality = codes.max(axis=0).astype(np.int64) + 1 if cardinality is None else cardinality
    expected = grow_reference(codes, cardinality, target, bound, depth_limit)
    guarded = not bound.counts_rows_only
    found = tree_kernels.grow(codes, cardinality, target, bound.k, depth_limit, FOLLOW, guarded, guards_of(bound))
    return expected, found


def assert_same(expected, found):
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)


# Codes far apart, so that buckets hold several; 256 is the last cardinality that is counted code by code.
spread = st.sampled_from([1, 7, 42, 43, 1000])


@given(problems(), st.lists(spread, min_size=3, max_size=3), st.sampled_from([1, 40]))
def test_the_same_tree_as_in_plain_numpy(problem, factors, depth_limit):
    rows, k, codes, guide, _, _ = problem
    codes = codes * np.array(factors[: codes.shape[1]])
    assert_same(*both(codes, steer(guide), guarantees(k, rows), depth_limit))


@given(problems(), st.lists(spread, min_size=3, max_size=3), st.integers(2, 3), st.sampled_from([0.3, 0.6, np.inf]))
def test_the_same_tree_under_every_guarantee(problem, factors, l, t):
    rows, k, codes, guide, people, ill = problem
    k = min(k, len(set(people)))
    _, ill = np.unique(ill, return_inverse=True)
    l = min(l, len(set(ill)))
    bound = guarantees(k, rows, people=people, sensitive=[ill], ordered=[True], l=l, t=t)
    assert_same(*both(codes * np.array(factors[: codes.shape[1]]), steer(guide), bound))


@pytest.mark.parametrize("dimensions", [1, 3])
@pytest.mark.parametrize("slots", [1, 2, 60], ids=lambda s: f"room for {s} histograms")
def test_the_same_tree_when_memory_for_histograms_is_short(monkeypatch, slots, dimensions):
    rng = np.random.default_rng(slots)
    codes = np.minimum(rng.exponential(30, (3000, 5)), 250).astype(np.int32)
    codes[:, 4] = rng.integers(0, 3000, 3000)
    target = rng.integers(-1000, 1000, (3000, dimensions)).astype(np.int32) + codes[:, :1]
    whole = histogram_kernels.make_slots

    def fewer(*arguments):
        made = whole(*arguments)
        return histogram_kernels.Slots(*(array[: slots + 1] for array in made))

    monkeypatch.setattr(tree_kernels, "make_slots", fewer)
    assert_same(*both(codes, target, guarantees(20, 3000)))


def test_the_same_tree_on_adult(uci):
    table = read_adult(uci).head(6000)
    rng = np.random.default_rng(0)
    target = steer(np.clip(0.7 * table["income"] + 0.3 * rng.random(len(table)), 0, 1))
    columns = []
    for name in table.columns.drop("income"):
        array = read_column(table, name, "quasi_identifiers")
        columns.append(fit_attribute(name, array, kind_of(array, codes=False), target))
    cardinality = np.array([len(attribute.domain) for attribute, _ in columns])
    # fnlwgt has thousands of values, the others at most 256.
    assert cardinality.max() > 256
    codes = np.stack([codes for _, codes in columns], axis=1)
    expected, found = both(codes, target, guarantees(25, len(table)), cardinality=cardinality)
    assert found[4].max() > 100
    assert_same(expected, found)
