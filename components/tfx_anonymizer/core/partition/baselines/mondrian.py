"""Median Mondrian: halve the widest attribute, with no regard to any model.

LeFevre, DeWitt and Ramakrishnan 2006, *Mondrian Multidimensional k-Anonymity*, section 4.1, strict form. The widest
attribute is cut at its median, and both halves again, until no cut leaves k on both sides.

Departures. An attribute's width is its range in codes, as a share of all its codes: ranks, not values. Categories are
in the order of their values, since there are no hierarchies. Where the median itself leaves fewer than k on a side (or
breaks another guarantee), the admissible cut nearest to it is made, and only if there is none the next widest attribute
is tried. An attribute with more codes than a histogram has buckets is cut at the bucket's edge nearest the median.

Worked example, k = 2: the first attribute spans five of five codes and the second one of two, so the first is cut, at
its median 2 | 3.

    >>> import numpy as np
    >>> from tfx_anonymizer.core.guarantees import Guarantees
    >>> only_rows = Guarantees(2, None, np.zeros((5, 0), np.int32), np.zeros(0, bool), 0, np.inf)
    >>> codes = np.array([[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]], dtype=np.int32)
    >>> Mondrian().partition(Problem(codes, np.array([5, 2]), np.zeros((5, 1), np.int32), only_rows)).labels.tolist()
    [0, 0, 0, 1, 1]
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfx_anonymizer.core.partition.base import Partition
from tfx_anonymizer.core.partition.baselines.base import Follows
from tfx_anonymizer.core.partition.guided_tree import TreeAssigner, grow_tree, load_tree
from tfx_anonymizer.core.problem import Problem


class Mondrian:
    """Halves the widest attribute; see the module's text."""

    name = "mondrian"
    needs_order = False
    follows: Follows = "values"
    representative = "median"

    def partition(self, problem: Problem) -> Partition:
        """Groups the rows; see `base.Partitioner`."""
        from tfx_anonymizer.core.partition.tree_kernels import MEDIAN

        nothing = np.zeros((len(problem.codes), 1), dtype=np.int32)
        return grow_tree(problem, nothing, MEDIAN, depth_limit=len(problem.codes))

    def load(self, table: pa.Table) -> TreeAssigner:
        """Reads a tree that `TreeAssigner.to_arrow` wrote; see `base.Partitioner`."""
        return load_tree(table)
