"""The workload-aware entropy tree, or InfoGain Mondrian: cuts that leave the least entropy of the true labels.

LeFevre, DeWitt and Ramakrishnan 2008, *Workload-Aware Anonymization Techniques for Large-Scale Datasets*, section 3. As
Mondrian, but of all admissible cuts the one is made that leaves the least entropy of the true labels, each side
weighted by its rows. Where the label is a number, the one that leaves the least squared error (their regression form).

Departures. Categories are in the order of their mean label, since there are no hierarchies. Rows whose labels all agree
are not cut again: no cut of them gains information. An attribute with more codes than a histogram has buckets is cut
between buckets first. Labels beyond the 32 most frequent count as one.

Worked example, k = 2: the cut 1 | 2 parts the labels cleanly, and then nothing is left to gain.

    >>> import numpy as np
    >>> from tfx_anonymizer.core.guarantees import Guarantees
    >>> from tfx_anonymizer.core.steering import steer
    >>> only_rows = Guarantees(2, None, np.zeros((6, 0), np.int32), np.zeros(0, bool), 0, np.inf)
    >>> codes = np.arange(6, dtype=np.int32)[:, None]
    >>> problem = Problem(codes, np.array([6]), steer(["no", "no", "yes", "yes", "yes", "yes"]), only_rows)
    >>> EntropyTree().partition(problem).labels.tolist()
    [0, 0, 1, 1, 1, 1]
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfx_anonymizer.core.encoding import Target
from tfx_anonymizer.core.partition.base import Partition
from tfx_anonymizer.core.partition.baselines.base import Follows
from tfx_anonymizer.core.partition.guided_tree import TreeAssigner, grow_tree, load_tree
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.steering import classes_of

MOST_CLASSES = 32


class EntropyTree:
    """Cuts where the true labels differ most; see the module's text."""

    name = "entropy_tree"
    needs_order = False
    follows: Follows = "label"
    representative = "median"

    def partition(self, problem: Problem) -> Partition:
        """Groups the rows by their labels, which are the problem's target; see `base.Partitioner`."""
        from tfx_anonymizer.core.partition.tree_kernels import ENTROPY, EXPLAIN

        classes = classes_of(problem.target)
        if classes is None:
            return grow_tree(problem, problem.target, EXPLAIN, depth_limit=len(problem.codes))
        return grow_tree(problem, _ones(classes), ENTROPY, depth_limit=len(problem.codes))

    def load(self, table: pa.Table) -> TreeAssigner:
        """Reads a tree that `TreeAssigner.to_arrow` wrote; see `base.Partitioner`."""
        return load_tree(table)


def _ones(classes: Target) -> Target:
    """A column of ones and zeros a class, shape (n, classes)."""
    frequent = np.argsort(-np.bincount(classes), kind="stable")
    place = np.empty(len(frequent), dtype=np.int64)
    place[frequent] = np.minimum(np.arange(len(frequent)), MOST_CLASSES)
    ones: Target = np.zeros((len(classes), min(len(frequent), MOST_CLASSES + 1)), dtype=np.int32)
    ones[np.arange(len(classes)), place[classes]] = 1
    return ones
