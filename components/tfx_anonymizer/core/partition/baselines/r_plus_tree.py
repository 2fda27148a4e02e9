"""R+-tree: the leaves of a spatial index as classes.

Iwuchukwu and Naughton 2007, *K-Anonymization as Spatial Indexing: Toward Scalable and Incremental Anonymization*.
Leaves are boxes that do not overlap, hold k or more, and are split as long as they can be. A leaf is split by the plane
across one attribute that leaves the two tightest bounding boxes: the least certainty penalty, the sum over rows and
attributes of the width of the row's box as a share of the domain, which is the quality the paper reports. No model and
no label has a say.

Departures. The index is built at once from the root down, as the rows are all known, where the paper loads a buffer
tree and splits leaves as they overflow; only the leaves are kept. Widths are counted in codes: ranks, not values, and
categories are in the order of their values.

Worked example, k = 2: cutting 1 | 7 leaves boxes of widths 1 and 2, and no other cut boxes so tight.

    >>> import numpy as np
    >>> from tfx_anonymizer.core.guarantees import Guarantees
    >>> only_rows = Guarantees(2, None, np.zeros((5, 0), np.int32), np.zeros(0, bool), 0, np.inf)
    >>> codes = np.array([[0], [1], [7], [8], [9]], dtype=np.int32)
    >>> RPlusTree().partition(Problem(codes, np.array([10]), np.zeros((5, 1), np.int32), only_rows)).labels.tolist()
    [0, 0, 1, 1, 1]
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfx_anonymizer.core.partition.base import Partition
from tfx_anonymizer.core.partition.baselines.base import Follows
from tfx_anonymizer.core.partition.guided_tree import TreeAssigner, guards_of, load_tree
from tfx_anonymizer.core.problem import Problem


class RPlusTree:
    """Cuts where the tightest boxes remain; see the module's text."""

    name = "r_plus_tree"
    needs_order = False
    follows: Follows = "values"
    representative = "median"

    def partition(self, problem: Problem) -> Partition:
        """Groups the rows; see `base.Partitioner`."""
        from tfx_anonymizer.core.partition.baselines.box_kernels import grow_boxes

        guarantees = problem.guarantees
        *nodes, labels = grow_boxes(
            np.ascontiguousarray(problem.codes),
            problem.cardinality.astype(np.int64),
            guarantees.k,
            not guarantees.counts_rows_only,
            guards_of(guarantees),
        )
        return Partition(labels=labels, assigner=TreeAssigner(*nodes))

    def load(self, table: pa.Table) -> TreeAssigner:
        """Reads a tree that `TreeAssigner.to_arrow` wrote; see `base.Partitioner`."""
        return load_tree(table)
