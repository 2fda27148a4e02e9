"""Leaving out the few rows that fit into no class, instead of releasing them as what they are not (suppression).

The rule: the table is grouped once; a row's blur is the share of its own combination of quasi-identifiers that it would
lose to its class's; the most blurred rows, as many as allowed, are left out; and the rest is grouped afresh, as if the
others had never been there. So every guarantee is one of the rows that are released, and nothing of a row that was left
out stays in the generalization. A row that would be released as it is, is never left out.

Example:
    >>> import pyarrow as pa
    >>> before = pa.table({"age": [30, 31, 32, 90], "city": ["Ulm", "Ulm", "Ulm", "Bonn"]})
    >>> after = pa.table({"age": [31, 31, 31, 31], "city": ["Ulm"] * 4})
    >>> blur(before, after, ["age", "city"]).round(2).tolist()
    [0.17, 0.0, 0.17, 0.83]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.core.columns import Table, TableT, kind_of, read_column
from tfx_anonymizer.core.generalization import Generalization
from tfx_anonymizer.core.row_order import content_hashes
from tfx_anonymizer.core.steering import steer, unguided
from tfx_anonymizer.errors import ColumnError, GuaranteeError
from tfx_anonymizer.policy import AnonymizationPolicy

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]
Truths = npt.NDArray[np.bool_]


def blur(before: Table, after: Table, names: Sequence[str], categorical: Sequence[str] = ()) -> Floats:
    """Measures how much of its combination each row lost.

    Args:
        before: n rows.
        after: The same rows, generalized to values that occur in `before`.
        names: The quasi-identifiers.
        categorical: Those whose numbers are only codes.

    Returns:
        The mean over the quasi-identifiers of: for a number how many distinct values lie between the two, as a share of
        all there are; for a category, or where one of the two is missing, 1 if they differ. 0 to 1, float64, shape
        (n,).
    """
    total = np.zeros(len(before))
    for name in names:
        raw, released = (read_column(table, name, "quasi_identifiers") for table in (before, after))
        together = pa.concat_arrays([raw, released.cast(raw.type)])
        encoded = together.dictionary_encode()
        rank = np.argsort(np.asarray(pc.sort_indices(encoded.dictionary)))
        missing = len(rank)
        ranks = np.append(rank, missing)[np.asarray(encoded.indices.fill_null(missing), dtype=np.int64)]
        first, second = np.split(ranks, 2)
        differ = (first != second).astype(np.float64)
        if kind_of(raw, codes=name in categorical) == "numeric":
            between = np.abs(first - second) / max(missing - 1, 1)
            differ = np.where((first == missing) | (second == missing), differ, between)
        total += differ
    return total / len(names)


def outliers(before: Table, after: Table, guide: Any, policy: AnonymizationPolicy, most: int) -> Truths:
    """Chooses the rows to leave out.

    Args:
        before: n rows.
        after: The same rows, generalized.
        guide: The predictions that guided the generalization, or None. Of rows equally blurred, these and the rows'
            content decide, so that the choice does not depend on the order of rows.
        policy: Says which columns are quasi-identifiers.
        most: No more rows than this.

    Returns:
        Whether each row is left out, shape (n,).
    """
    blurred = blur(before, after, policy.quasi_identifiers, policy.categorical)
    target = unguided(len(before)) if guide is None else steer(guide)
    order = np.lexsort((content_hashes(before), *target.T[::-1], -blurred))
    left_out = np.zeros(len(blurred), dtype=np.bool_)
    left_out[order[:most]] = blurred[order[:most]] > 0
    return left_out


def leave_out(
    table: TableT,
    released: TableT,
    guide: Any,
    policy: AnonymizationPolicy,
    labels: Labels,
    group: Callable[[TableT, Any], Labels],
) -> Labels:
    """Groups a table afresh without its outliers.

    Args:
        table: n rows.
        released: The same rows, generalized by a first grouping.
        guide: What guided it.
        policy: Says how many rows may be left out.
        labels: The class of each row in the first grouping, int32, shape (n,).
        group: Groups some of the rows, given them and what guides them.

    Returns:
        The class of each row in the second grouping, -1 for those that are left out. Where the rest alone does not
        reach the guarantee, or lacks every value of a column, nobody is left out.
    """
    kept = ~outliers(table, released, guide, policy, policy.most_suppressed(len(labels)))
    if kept.all():
        return labels
    try:
        found = group(take(table, kept), take_guide(guide, kept))
    except (ColumnError, GuaranteeError):
        return labels
    regrouped = np.full(len(kept), -1, dtype=np.int32)
    regrouped[kept] = found
    return regrouped


def release(generalization: Generalization, table: TableT, labels: Labels | None) -> TableT:
    """Gives every row its class's quasi-identifiers.

    Args:
        generalization: What was fitted.
        table: n rows.
        labels: The class of each row, -1 for those to leave out, shape (n,); None if the rows were not fitted.

    Returns:
        The rows that are not left out.
    """
    if labels is not None and labels.min() < 0:
        kept = labels >= 0
        table, labels = take(table, kept), labels[kept]
    released: TableT = generalization.apply(table, labels)
    return released


def take(table: TableT, rows: Truths) -> TableT:
    """Returns some of a table's rows; a pandas table keeps their index."""
    kept: TableT = table[rows] if isinstance(table, pd.DataFrame) else table.filter(pa.array(rows))
    return kept


def take_guide(guide: Any, rows: Truths) -> Any:
    """Returns the guide's predictions for some of the rows."""
    if guide is None or isinstance(guide, (pd.Series, pd.DataFrame)):
        return None if guide is None else guide[rows]
    if isinstance(guide, (pa.Array, pa.ChunkedArray)):
        return guide.filter(pa.array(rows))
    return np.asarray(guide)[rows]
