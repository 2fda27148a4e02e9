"""Growing the tree that cuts a table into shards, on a sample of its rows.

The sample is of distinct rows, each with the number of rows that are just like it. It says where the same rule that
grows the guided tree would cut; how many rows are on either side is counted afterwards, of all rows (`facts`). Shards
are made half as large as they may be, so that what a sample gets wrong does not make one too large.
"""

from __future__ import annotations

import dataclasses
import math
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core import guarantees
from tfx_anonymizer.core.encoded_table import EncodedTable
from tfx_anonymizer.core.generalization import only_used
from tfx_anonymizer.core.guarantees import Guarantees
from tfx_anonymizer.core.partition.guided_tree import TreeAssigner, grow_tree
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.shards.router import Router
from tfx_anonymizer.core.targets import target_of
from tfx_anonymizer.errors import GuaranteeError
from tfx_anonymizer.policy import AnonymizationPolicy

# Fewer sampled rows than this say little of how large a shard is.
_LEAST_SAMPLED = 64
# No side of a cut is smaller than this part of a shard, or a chain of thin slices would make many.
_SLICE = 8
# Rows repeated for their number grow a sample at most so many times.
_REPEATED = 4


def grow_router(
    sample: pa.Table,
    counts: npt.NDArray[np.int64],
    guide: npt.NDArray[np.float64] | None,
    policy: AnonymizationPolicy,
    *,
    rows: int,
    shard_rows: int,
) -> Router:
    """Grows a router whose leaves are shards.

    Args:
        sample: m distinct rows with the policy's columns, single-valued.
        counts: How many of the table's rows are like each, shape (m,).
        guide: The predictions for the sampled rows, shape (m, d); None if the label guides.
        policy: Roles and guarantee.
        rows: The table's rows.
        shard_rows: The most rows of a shard. Rows that no cut divides stay together however many they are.

    Returns:
        A router with a shard for each leaf; of a single one if the table is small enough.
    """
    repeated = _repeat(counts)
    sample = sample.take(pa.array(repeated))
    target = target_of(sample, None if guide is None else guide[repeated], policy)
    bound = _bind_sample(sample, policy)
    encoded = EncodedTable.encode(sample, policy, target, bound, is_part=True)
    share = len(repeated) / max(rows, 1)
    enough = max(int(share * shard_rows / 2), 1 if share >= 1 else _LEAST_SAMPLED)
    least = max(math.ceil(1.5 * policy.k * share), enough // _SLICE, 1)
    tree = _grow(encoded.problem, bound, enough, least) if len(repeated) > enough else Router.trivial().tree
    attributes, used = only_used(encoded.attributes, tree)
    tree = cast(TreeAssigner, used)
    leaves = int(tree.code[tree.attribute < 0].max()) + 1
    return Router(attributes, tree, np.arange(leaves, dtype=np.int32))


def _repeat(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Repeats each sampled row as often as it occurs, or in proportion to that where it would be too often."""
    most = _REPEATED * len(counts)
    total = int(counts.sum())
    if total > most:
        counts = np.maximum(counts * most // total, 1)
    return np.repeat(np.arange(len(counts)), counts)


def _bind_sample(sample: pa.Table, policy: AnonymizationPolicy) -> Guarantees:
    """The guarantees of what is sensitive, as far as the sample as a whole keeps them; people are counted later."""
    counted = dataclasses.replace(policy, entity_id=None, k=2)
    try:
        return guarantees.bind(counted, sample)
    except GuaranteeError:
        return guarantees.bind(
            dataclasses.replace(counted, l=None, t=None, c=None, diversity="distinct", sensitive=()), sample
        )


def _grow(problem: Problem, bound: Guarantees, enough: int, least: int) -> TreeAssigner:
    from tfx_anonymizer.core.partition.tree_kernels import FOLLOW

    of_sample = dataclasses.replace(problem, guarantees=dataclasses.replace(bound, k=least))
    depth_limit = 8 + 2 * math.ceil(math.log2(max(len(problem.codes) / enough, 2)))
    return cast(TreeAssigner, grow_tree(of_sample, problem.target, FOLLOW, depth_limit, enough).assigner)
