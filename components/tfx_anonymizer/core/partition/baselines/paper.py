"""The paper's Algorithm 1 to the letter, from which the method here departs.

Goldsteen, Ezov, Shmelkin, Moffie and Farkash, *Anonymizing Machine Learning Models*, section 4.1. A decision tree
(scikit-learn's `DecisionTreeClassifier`, Gini, at least k rows in a leaf) learns the labels that the model predicts
from the one-hot encoded quasi-identifiers, and each leaf is a class. It releases its medoid, a real member's record, of
which you are warned.

Where it cannot be to the letter: numbers are given to the tree as ranks, which changes no split of the rows it is
fitted on and places new rows between two known values with the greater one; a guide of many numbers, which the paper
leaves to future work, is learned by `DecisionTreeRegressor`, as the authors' toolkit does; and leaves that hold k rows
but break another guarantee are joined with the nearest. A guide of numbers that all lie between 0 and 1 is taken for
the probability of the positive class. Without a guide the true labels stand in.

Worked example, k = 2: the model predicts the label 1 from the third person on.

    >>> import numpy as np
    >>> from tfx_anonymizer.core.guarantees import Guarantees
    >>> from tfx_anonymizer.core.steering import predictions, steer
    >>> only_rows = Guarantees(2, None, np.zeros((6, 0), np.int32), np.zeros(0, bool), 0, np.inf)
    >>> codes = np.array([[0], [1], [2], [3], [4], [5]], dtype=np.int32)
    >>> target = steer(predictions([0.1, 0.4, 0.7, 0.8, 0.9, 0.9]))
    >>> PaperTree().partition(Problem(codes, np.array([6]), target, only_rows)).labels.tolist()
    [0, 0, 1, 1, 1, 1]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.partition.base import Partition
from tfx_anonymizer.core.partition.baselines.base import Follows
from tfx_anonymizer.core.partition.guided_tree import TreeAssigner, load_tree
from tfx_anonymizer.core.partition.merging import merge_until_kept
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.steering import FULL_SCALE, classes_of

_LEAF = -1
_NUMBER = -1
# One-hot columns of a byte each; beyond this many bytes they are kept sparse.
MOST_DENSE = 1 << 28


class PaperTree:
    """Cuts where the model's predicted labels differ; see the module's text."""

    name = "paper"
    # Sums of squares, in regression, are of floats.
    needs_order = True
    follows: Follows = "predictions"
    representative = "medoid"

    def partition(self, problem: Problem) -> Partition:
        """Groups the rows by the predicted labels, which are the problem's target; see `base.Partitioner`."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        columns = _columns(problem)
        features = _one_hot(problem, columns)
        classes = classes_of(problem.target)
        k = problem.guarantees.k
        if classes is not None:
            tree = DecisionTreeClassifier(min_samples_leaf=k, random_state=0).fit(features, classes)
        else:
            tree = DecisionTreeRegressor(min_samples_leaf=k, random_state=0).fit(features, problem.target / FULL_SCALE)
        leaves = tree.apply(features)
        _, labels = np.unique(leaves, return_inverse=True)
        labels = labels.reshape(-1).astype(np.int32)
        places = problem.codes / np.maximum(problem.cardinality - 1, 1)
        merged = merge_until_kept(labels, places, problem.guarantees)
        of_leaf = np.zeros(tree.tree_.node_count, dtype=np.int32)
        of_leaf[leaves] = merged
        return Partition(merged, _assigner(tree.tree_, columns, problem.cardinality, of_leaf))

    def load(self, table: pa.Table) -> TreeAssigner:
        """Reads a tree that `TreeAssigner.to_arrow` wrote; see `base.Partitioner`."""
        return load_tree(table)


def _columns(problem: Problem) -> list[tuple[int, int]]:
    """The tree's features: by attribute one for its number, or one for each of its categories."""
    columns = []
    for f, size in enumerate(problem.cardinality):
        numeric = problem.numeric is None or problem.numeric[f]
        columns += [(f, _NUMBER)] if numeric else [(f, code) for code in range(int(size))]
    return columns


def _one_hot(problem: Problem, columns: list[tuple[int, int]]) -> Any:
    from scipy import sparse

    parts = [problem.codes[:, f, None] if code == _NUMBER else problem.codes[:, f, None] == code for f, code in columns]
    if 4 * len(problem.codes) * len(columns) <= MOST_DENSE:
        return np.concatenate(parts, axis=1).astype(np.float32)
    return sparse.hstack([sparse.csc_matrix(part, dtype=np.float32) for part in parts], format="csc")


def _assigner(
    tree: Any, columns: list[tuple[int, int]], cardinality: npt.NDArray[np.int64], of_leaf: npt.NDArray[np.int32]
) -> TreeAssigner:
    """Writes scikit-learn's tree as cuts between codes.

    "Is it category c?" takes two of them, both of which lead to the one child where it is not; that child comes after
    both, so the nodes still come parents first.
    """
    asks = [columns[f] if f >= 0 else (_LEAF, 0) for f in tree.feature]
    double = np.array([f != _LEAF and 0 < code < cardinality[f] - 1 for f, code in asks])
    number = np.arange(len(asks)) + np.cumsum(double) - double
    nodes = []
    for i, (f, code) in enumerate(asks):
        below, above = int(number[tree.children_left[i]]), int(number[tree.children_right[i]])
        if f == _LEAF:
            nodes.append((_LEAF, int(of_leaf[i]), 0, 0))
        elif code == _NUMBER:
            nodes.append((f, int(np.floor(tree.threshold[i])), below, above))
        elif code == 0:
            nodes.append((f, 0, above, below))
        else:
            # Not the category goes left in scikit-learn's tree, the category right.
            here = int(number[i])
            last = code == cardinality[f] - 1
            nodes.append((f, code - 1, below, above if last else here + 1))
            if not last:
                nodes.append((f, code, above, below))
    return TreeAssigner(*np.array(nodes, dtype=np.int32).T.copy())
