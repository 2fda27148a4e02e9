"""The guided tree: cut people apart where the model treats them differently, until no admissible cut is left.

The paper (Goldsteen et al., *Anonymizing Machine Learning Models*, section 4.1) fits a classification tree to the
model's predicted labels, with at least k people in a leaf; such a tree stops as soon as a leaf is pure, and leaves
classes of thousands. This tree departs from it in three ways. It follows the model's probabilities, so a leaf in which
all predicted labels agree is still cut where the model is more or less sure. Where the model says exactly the same of
all, the widest attribute is halved (LeFevre et al. 2006, *Mondrian Multidimensional k-Anonymity*). And it cuts on
quasi-identifiers alone, each an ordered code, so people who share all of them are never told apart.

The work is linear in the rows for each level of the tree; below a depth that balanced growth would not reach every
cut halves its rows, which bounds the levels.

Worked example, k = 2: six people of ages 20, 25, 30, 35, 40, 45 with probabilities 0.1, 0.1, 0.2, 0.8, 0.9, 0.9. The
first cut, 30 | 35, explains most; each half of three people cannot be cut with two on both sides, so two classes
remain.

    >>> import numpy as np
    >>> from tfx_anonymizer.core.guarantees import Guarantees
    >>> from tfx_anonymizer.core.steering import steer
    >>> ages = np.arange(1, 7, dtype=np.int32).reshape(-1, 1)
    >>> only_rows = Guarantees(2, None, np.zeros((6, 0), np.int32), np.zeros(0, bool), 0, np.inf)
    >>> people = Problem(ages, np.array([7]), steer([0.1, 0.1, 0.2, 0.8, 0.9, 0.9]), only_rows)
    >>> GuidedTree().partition(people).labels.tolist()
    [0, 0, 0, 1, 1, 1]
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.bounds import DIVERSITIES
from tfx_anonymizer.core.encoding import Codes, Target
from tfx_anonymizer.core.guarantees import Guarantees
from tfx_anonymizer.core.partition.base import Partition
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.errors import GeneralizationFormatError

_COLUMNS = ("attribute", "code", "left", "right")
_LEAF = -1


@dataclasses.dataclass(frozen=True)
class TreeAssigner:
    """A grown tree as four arrays over its nodes, int32, shape (nodes,); node 0 is the root.

    Attributes:
        attribute: The attribute a node cuts, or -1 in a leaf.
        code: The greatest code that goes left; in a leaf its class.
        left: The left child.
        right: The right child.
    """

    attribute: npt.NDArray[np.int32]
    code: npt.NDArray[np.int32]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]

    def assign(self, codes: Codes) -> npt.NDArray[np.int32]:
        """Returns the class of each row; see `base.Assigner`."""
        from tfx_anonymizer.core.partition.tree_kernels import route

        labels: npt.NDArray[np.int32] = route(codes, self.attribute, self.code, self.left, self.right)
        return labels

    def used_codes(self, attribute: int) -> npt.NDArray[np.int32]:
        """Returns the codes of one attribute at which some node cuts."""
        return np.asarray(np.unique(self.code[self.attribute == attribute]))

    def recode(self, attribute: int, new_codes: Codes) -> TreeAssigner:
        """Returns the tree for renumbered codes: code c of `attribute` has become new_codes[c]."""
        cuts = self.attribute == attribute
        code = self.code.copy()
        code[cuts] = new_codes[code[cuts]]
        return dataclasses.replace(self, code=code)

    def to_arrow(self) -> pa.Table:
        """Returns the nodes as a table of four columns."""
        return pa.table({name: getattr(self, name) for name in _COLUMNS})


class GuidedTree:
    """Grows a tree over the quasi-identifiers that follows the guide; see the module's text."""

    name = "guided_tree"
    needs_order = False

    def partition(self, problem: Problem) -> Partition:
        """Groups the rows; see `base.Partitioner`."""
        from tfx_anonymizer.core.partition.tree_kernels import FOLLOW

        # Twice the depth of a balanced tree, and a start for small ones.
        depth_limit = 16 + 2 * math.ceil(math.log2(max(len(problem.codes) / problem.guarantees.k, 2)))
        return grow_tree(problem, problem.target, FOLLOW, depth_limit)

    def load(self, table: pa.Table) -> TreeAssigner:
        """Reads a tree that `TreeAssigner.to_arrow` wrote; see `base.Partitioner`."""
        return load_tree(table)


def load_tree(table: pa.Table) -> TreeAssigner:
    """Reads what `TreeAssigner.to_arrow` wrote.

    Raises:
        GeneralizationFormatError: If the table is not such.
    """
    if set(table.column_names) != set(_COLUMNS):
        raise GeneralizationFormatError("the saved tree has the wrong columns", got=table.column_names)
    nodes = [np.asarray(table[name].combine_chunks(), dtype=np.int32) for name in _COLUMNS]
    tree = TreeAssigner(*(np.array(column) for column in nodes))
    inner = tree.attribute != _LEAF
    numbers = np.arange(len(tree.attribute))
    # Children come after their parent, so a damaged file can never send a row round in circles.
    ordered = (tree.left[inner] > numbers[inner]) & (tree.right[inner] > numbers[inner])
    inside = (tree.left[inner] < len(numbers)) & (tree.right[inner] < len(numbers))
    if not len(numbers) or not bool(np.all(ordered & inside)):
        raise GeneralizationFormatError("the saved tree's nodes do not form a tree")
    return tree


def grow_tree(problem: Problem, target: Target, rule: int, depth_limit: int, enough: int = 0) -> Partition:
    """Grows a tree over a problem's rows.

    Args:
        problem: What is to be grouped.
        target: What it is to follow, int32, shape (n, d).
        rule: What it grows by; see `tree_kernels`.
        depth_limit: See `tree_kernels.grow`.
        enough: See there.
    """
    from tfx_anonymizer.core.partition.tree_kernels import grow

    guarantees = problem.guarantees
    *nodes, labels = grow(
        np.ascontiguousarray(problem.codes),
        problem.cardinality.astype(np.int64),
        np.ascontiguousarray(target),
        guarantees.k,
        depth_limit,
        rule,
        not guarantees.counts_rows_only,
        guards_of(guarantees),
        enough,
    )
    return Partition(labels=labels, assigner=TreeAssigner(*nodes))


def guards_of(guarantees: Guarantees) -> tuple[Any, ...]:
    """Returns what `guarantee_kernels.cuts_that_keep` needs to know of the guarantees."""
    people = guarantees.people if guarantees.people is not None else np.zeros(0, dtype=np.int32)
    sensitive = np.ascontiguousarray(guarantees.sensitive)
    shares = guarantees.shares() if sensitive.size else []
    sizes = np.array(list(map(len, shares)), dtype=np.int64)
    overall = np.zeros((len(sizes), int(sizes.max(initial=1))), dtype=np.float64)
    for s, size in enumerate(sizes):
        overall[s, :size] = shares[s]
    return (
        np.ascontiguousarray(people),
        np.zeros(int(people.max(initial=-1)) + 1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        sensitive,
        sizes,
        overall,
        guarantees.ordered,
        (DIVERSITIES.index(guarantees.diversity), float(guarantees.l), float(guarantees.c)),
        float(min(guarantees.t, 1.0)),
    )
