"""What becomes of leaves that cannot be released: they join a neighbour, and never stay alone.

A sample said where to cut; only the exact counts say what is on either side. From the bottom of the tree up, a leaf
that does not keep the guarantee is joined with what also does not keep it under the same cut, and then with the
smallest group on either side with which it does. So groups grow as little as they can, and where even all leaves
together break the guarantee there is one group of all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.partition.guided_tree import TreeAssigner
from tfx_anonymizer.core.shards.facts import ShardFacts, keeps, merge_facts
from tfx_anonymizer.core.whole import ValueCounts
from tfx_anonymizer.policy import AnonymizationPolicy

_LEAF = -1


@dataclasses.dataclass(frozen=True)
class _Group:
    leaves: tuple[int, ...]
    facts: ShardFacts

    @property
    def rank(self) -> tuple[int, int]:
        """The smallest comes first."""
        return self.facts.rows, min(self.leaves)


def join_leaves(
    tree: TreeAssigner, facts: Sequence[ShardFacts], policy: AnonymizationPolicy, wholes: Sequence[ValueCounts]
) -> npt.NDArray[np.int32]:
    """Puts leaves into groups that keep everything promised.

    Args:
        tree: The tree.
        facts: The exact counts of each leaf; those of a leaf without rows are empty.
        policy: What is promised.
        wholes: Each protected column's values in the whole table.

    Returns:
        The group of each leaf, from 0 without gaps in the order of the leaves, int32, shape (leaves,).
    """
    joiner = _Joiner(policy, wholes)
    kept, pending = joiner.join(tree, 0, facts)
    if pending is not None:
        kept.append(pending)
    group_of = np.zeros(len(facts), dtype=np.int32)
    for number, group in enumerate(sorted(kept, key=lambda group: min(group.leaves))):
        group_of[list(group.leaves)] = number
    return group_of


class _Joiner:
    def __init__(self, policy: AnonymizationPolicy, wholes: Sequence[ValueCounts]) -> None:
        self._policy = policy
        self._wholes = wholes

    def join(self, tree: TreeAssigner, node: int, facts: Sequence[ShardFacts]) -> tuple[list[_Group], _Group | None]:
        """Returns the groups below a node that keep the guarantee, and what is left over."""
        if tree.attribute[node] == _LEAF:
            leaf = int(tree.code[node])
            return self._settle([], _Group((leaf,), facts[leaf]))
        left, left_over = self.join(tree, int(tree.left[node]), facts)
        right, right_over = self.join(tree, int(tree.right[node]), facts)
        kept = [*left, *right]
        if left_over is None or right_over is None:
            pending = left_over or right_over
        else:
            pending = self._union(left_over, right_over)
        return (kept, None) if pending is None else self._settle(kept, pending)

    def _settle(self, kept: list[_Group], pending: _Group) -> tuple[list[_Group], _Group | None]:
        while not self._keeps(pending):
            if not kept:
                return [], pending
            kept.sort(key=lambda group: group.rank)
            unions = ((i, self._union(pending, group)) for i, group in enumerate(kept))
            found = next(((i, union) for i, union in unions if self._keeps(union)), None)
            i, pending = found if found is not None else (0, self._union(pending, kept[0]))
            del kept[i]
        return [*kept, pending], None

    def _keeps(self, group: _Group) -> bool:
        return keeps(group.facts, self._policy, self._wholes)

    def _union(self, first: _Group, second: _Group) -> _Group:
        return _Group(first.leaves + second.leaves, merge_facts([first.facts, second.facts], self._policy.k))
