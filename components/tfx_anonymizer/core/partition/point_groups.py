"""Grouping people as points in the guide's space, so that a class holds people treated alike for the same reasons.

Two spaces (`core.space`: mean responses, contributions) and two ways to group. `mdav` is MDAV micro-aggregation
(Domingo-Ferrer and Torra 2005, *Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation*, section
3.2): the person farthest from the centre and the k - 1 nearest to them make a class, then those around the person
farthest from the first, and again. It is quadratic, so it works inside blocks that principal-direction cuts made, which
departs from the paper. `principal_directions` cuts at the middle across the direction in which people differ most, down
to classes of k to 2k - 1 (Boley 1998, *Principal Direction Divisive Partitioning*, cut here at a multiple of k).

Unlike a tree's, these classes are no boxes in the quasi-identifiers: people who share all of them but whom the guide
tells apart may fall into different classes. That breaks no promise, since every member of a class releases the same.

Worked example, k = 2: of five people, MDAV takes the farthest and its neighbour first, and the rest is a class.

    >>> import numpy as np
    >>> group_by_mdav(np.array([[0.0], [1.0], [5.0], [5.5], [20.0]]), 2).tolist()
    [1, 1, 1, 0, 0]
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.encoding import Target
from tfx_anonymizer.core.means import group_means
from tfx_anonymizer.core.partition.base import Partition
from tfx_anonymizer.core.partition.merging import merge_until_kept
from tfx_anonymizer.core.partition.nearest_class import NearestClass, load_nearest_class
from tfx_anonymizer.core.problem import Problem, Space
from tfx_anonymizer.core.space import Effects, contributions, responses
from tfx_anonymizer.core.steering import FULL_SCALE, shares

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]

# MDAV's work in a block grows with its rows squared over k.
BLOCK_CLASSES, BLOCK_ROWS = 200, 20_000


def group_by_mdav(points: Floats, k: int) -> Labels:
    """Groups points by MDAV, k to 2k - 1 in a group.

    Args:
        points: float64, shape (n, d), n at least k.
        k: Least size of a group.

    Returns:
        Groups from 0, int32, shape (n,).
    """
    from tfx_anonymizer.core.partition.point_kernels import halve, mdav

    order, first = halve(points, k, max(2 * k - 1, min(BLOCK_CLASSES * k, BLOCK_ROWS)))
    labels = np.full(len(points), -1, dtype=np.int32)
    groups = 0
    for start, stop in itertools.pairwise(first):
        groups = mdav(points, np.sort(order[start:stop]), k, labels, groups)
    return labels


def group_by_directions(points: Floats, k: int) -> Labels:
    """Groups points by cuts across principal directions, k to 2k - 1 in a group; see `group_by_mdav`."""
    from tfx_anonymizer.core.partition.point_kernels import halve

    order, first = halve(points, k, 2 * k - 1)
    labels = np.empty(len(points), dtype=np.int32)
    labels[order] = np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))
    return labels


def response_points(effects: Effects, target: Target) -> Floats:
    """Mean responses with the guide's answer itself beside them, centred; shape (n, (attributes + 1) * d)."""
    answer = target - target.mean(axis=0)
    return np.ascontiguousarray(np.concatenate([effects.coordinates, answer], axis=1) / FULL_SCALE)


def contribution_points(effects: Effects, target: Target) -> Floats:
    """Contributions, in log-odds, with three times the guide's share beside them; shape (n, (attributes + 1) * d)."""
    return np.ascontiguousarray(np.concatenate([effects.coordinates, 3.0 * shares(target)], axis=1))


@dataclasses.dataclass(frozen=True)
class PointGroups:
    """A partitioner that groups rows as points; see the module's text.

    Attributes:
        name: The partitioner's name.
        space: Measures effects.
        points: Makes points of them.
        group: Groups points.
    """

    name: str
    space: Space
    points: Callable[[Effects, Target], Floats]
    group: Callable[[Floats, int], Labels]
    needs_order = True

    def partition(self, problem: Problem) -> Partition:
        """Groups the rows; see `base.Partitioner`."""
        effects = problem.effects(self.space)
        points = self.points(effects, problem.target)
        labels = merge_until_kept(self.group(points, problem.guarantees.k), points, problem.guarantees)
        centres = group_means(effects.coordinates, labels, int(labels.max()) + 1)
        return Partition(labels, NearestClass(effects.bins, effects.by_bin, centres), effects)

    def load(self, table: pa.Table) -> NearestClass:
        """Reads what `NearestClass.to_arrow` wrote; see `base.Partitioner`."""
        return load_nearest_class(table)


POINT_GROUPS = (
    PointGroups("principal_directions", responses, response_points, group_by_directions),
    PointGroups("mdav", responses, response_points, group_by_mdav),
    PointGroups("contribution_directions", contributions, contribution_points, group_by_directions),
    PointGroups("contribution_mdav", contributions, contribution_points, group_by_mdav),
)
