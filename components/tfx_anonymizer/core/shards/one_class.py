"""Releasing rows that no cut divides as one class, without holding them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.encoded_table import EncodedTable
from tfx_anonymizer.core.generalization import Generalization, compact
from tfx_anonymizer.core.guarantees import Guarantees
from tfx_anonymizer.core.partition import Partition
from tfx_anonymizer.core.partition.guided_tree import GuidedTree
from tfx_anonymizer.core.shards.router import Router
from tfx_anonymizer.core.steering import unguided
from tfx_anonymizer.policy import AnonymizationPolicy


def one_class(sample: pa.Table, counts: npt.NDArray[np.int64], policy: AnonymizationPolicy) -> Generalization:
    """Generalizes a table to one combination: the median or mode of a sample, attribute by attribute.

    Args:
        sample: m distinct rows with the quasi-identifiers, single-valued.
        counts: How many of the table's rows are like each, shape (m,).
        policy: Says which columns are quasi-identifiers.

    Example:
        >>> sample = pa.table({"age": [30, 31, 60]})
        >>> found = one_class(sample, np.array([1, 9, 2]), AnonymizationPolicy(("age",), 2))
        >>> found.apply(pa.table({"age": [30, 99]}))["age"].to_pylist()
        [31, 31]
    """
    most = 1 << 20
    total = int(counts.sum())
    weights = np.maximum(counts * most // total, 1) if total > most else counts
    rows = sample.take(pa.array(np.repeat(np.arange(len(weights)), weights)))
    nothing = np.zeros((len(rows), 0), dtype=np.int32)
    kept = Guarantees(policy.k, None, nothing, np.zeros(0, dtype=np.bool_), 0, np.inf)
    encoded = EncodedTable.encode(rows, policy, unguided(len(rows)), kept, is_part=True)
    partition = Partition(np.zeros(len(rows), dtype=np.int32), Router.trivial().tree)
    released = encoded.represent("median", partition)
    return compact(GuidedTree.name, encoded.attributes, partition.assigner, released)
