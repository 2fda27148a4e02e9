"""Leaves that could not be released are joined with what makes them whole, and no others are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.core.partition.guided_tree import TreeAssigner
from tfx_anonymizer.core.shards.facts import ShardFacts, keeps, merge_facts
from tfx_anonymizer.core.shards.joining import join_leaves
from tfx_anonymizer.core.whole import ValueCounts

K = AnonymizationPolicy(("age",), 10)


def tree_of(shape):
    """Builds a tree from nested pairs; anything else is a leaf."""
    nodes = []

    def add(part):
        number = len(nodes)
        nodes.append([0, 0, 0, 0])
        if isinstance(part, tuple):
            nodes[number] = [0, 0, add(part[0]), add(part[1])]
        else:
            nodes[number] = [-1, sum(node[0] == -1 for node in nodes), 0, 0]
        return number

    add(shape)
    leaves = 0
    for node in nodes:
        if node[0] == -1:
            node[1], leaves = leaves, leaves + 1
    return TreeAssigner(*np.array(nodes, dtype=np.int32).T), leaves


def test_a_small_leaf_joins_the_smallest_neighbour_under_its_cut():
    tree, _ = tree_of(((0, 0), (0, (0, 0))))
    facts = [ShardFacts(rows) for rows in (50, 30, 40, 4, 20)]
    assert join_leaves(tree, facts, K, ()).tolist() == [0, 1, 2, 3, 3]
    facts = [ShardFacts(rows) for rows in (50, 30, 40, 4, 3)]
    assert join_leaves(tree, facts, K, ()).tolist() == [0, 1, 2, 2, 2]
    facts = [ShardFacts(rows) for rows in (4, 5, 40, 30, 20)]
    assert join_leaves(tree, facts, K, ()).tolist() == [0, 0, 1, 2, 0]


def test_two_broken_halves_may_make_a_whole():
    tree, _ = tree_of(((0, 0), 0))
    assert join_leaves(tree, [ShardFacts(6), ShardFacts(5), ShardFacts(10)], K, ()).tolist() == [0, 0, 1]


def test_where_all_together_is_not_enough_there_is_one_group():
    tree, _ = tree_of((0, 0))
    assert join_leaves(tree, [ShardFacts(3), ShardFacts(4)], K, ()).tolist() == [0, 0]


def test_people_are_counted_once():
    policy = AnonymizationPolicy(("age",), 3, entity_id="person")
    same, other = np.array([1, 2], dtype=np.uint64), np.array([7, 8, 9], dtype=np.uint64)
    tree, _ = tree_of((0, (0, 0)))
    facts = [ShardFacts(90, other), ShardFacts(50, same), ShardFacts(50, same)]
    assert join_leaves(tree, facts, policy, ()).tolist() == [0, 0, 0]


SHAPES = st.recursive(st.just(0), lambda part: st.tuples(part, part), max_leaves=9)


@given(shape=SHAPES, data=st.data())
def test_every_group_keeps_everything_or_there_is_but_one(shape, data):
    tree, leaves = tree_of(shape)
    promise = data.draw(
        st.sampled_from([{}, {"l": 2}, {"t": 0.2}, {"t": 0.05, "l": 3}, {"l": 1.5, "diversity": "entropy"}])
    )
    policy = AnonymizationPolicy(("age",), 6, sensitive=("ill",) if promise else (), **promise)
    facts = []
    for _ in range(leaves):
        counts = data.draw(st.lists(st.integers(0, 9), min_size=3, max_size=3))
        values = Counter({v: n for v, n in zip("abc", counts, strict=True) if n})
        facts.append(ShardFacts(sum(counts), values=(values,) if promise else ()))
    wholes = [ValueCounts.of(merge_facts(facts).values[0])] if promise else []
    groups = join_leaves(tree, facts, policy, wholes)
    found = sorted(set(groups.tolist()))
    assert found == list(range(len(found)))
    for group in found:
        mine = merge_facts([facts[leaf] for leaf in range(leaves) if groups[leaf] == group])
        assert len(found) == 1 or keeps(mine, policy, wholes)
    if all(keeps(one, policy, wholes) for one in facts):
        assert len(found) == leaves


@pytest.mark.parametrize(
    ("promise", "values", "holds"),
    [
        ({"l": 2}, {"a": 9, None: 1}, True),
        ({"l": 3}, {"a": 9, None: 1}, False),
        ({"l": 2, "diversity": "entropy"}, {"a": 5, "b": 5}, True),
        ({"l": 2, "diversity": "entropy"}, {"a": 6, "b": 4}, False),
        ({"l": 2, "diversity": "recursive", "c": 2}, {"a": 6, "b": 4}, True),
        ({"l": 2, "diversity": "recursive", "c": 1.5}, {"a": 6, "b": 4}, False),
        ({"t": 0.11}, {"a": 6, "b": 4}, True),
        ({"t": 0.09}, {"a": 6, "b": 4}, False),
    ],
)
def test_what_a_shard_keeps(promise, values, holds):
    policy = AnonymizationPolicy(("age",), 10, sensitive=("ill",), **promise)
    whole = ValueCounts.of({"a": 50, "b": 50})
    assert keeps(ShardFacts(10, values=(values,)), policy, [whole]) is holds
