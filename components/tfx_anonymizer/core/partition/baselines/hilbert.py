"""Hilbert curve (Ghinita, Karras, Kalnis and Mamoulis 2007, *Fast Data Anonymization with Low Information Loss*).

Rows are put in order along a Hilbert curve through the space of the quasi-identifiers, which keeps neighbours together,
and the order is cut into groups of k to 2k - 1 by dynamic programming (their section 4: one dimension is solved
exactly), such that the certainty penalty is least: the sum over rows and attributes of the width of the group's box as
a share of the domain. No model and no label has a say.

Departures. The curve runs through at most 64 bins an attribute, of about equally many rows each; widths are counted in
codes: ranks, not values, and categories are in the order of their values. Groups that break another guarantee
than k rows are joined with a neighbour on the curve, where the paper has a heuristic for l-diversity of its own.

Rows that share a bin in every attribute may fall into different groups, as in the paper. New rows go to the group
whose stretch of the curve they lie on.

Worked example, k = 2: of five people on a line the groups 0, 1 and 7, 8, 9 are the tightest.

    >>> import numpy as np
    >>> cut_curve(np.array([[0], [1], [7], [8], [9]], dtype=np.int32), np.array([10]), 2).tolist()
    [0, 0, 1, 1, 1]
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.encoding import Codes
from tfx_anonymizer.core.partition.base import Partition
from tfx_anonymizer.core.partition.baselines.base import Follows
from tfx_anonymizer.core.partition.merging import merge_until_kept
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.space import Bins, bin_codes
from tfx_anonymizer.errors import GeneralizationFormatError

BITS = 6
_COLUMNS = ("attribute", "code", "key")
_GROUP = -1
Keys = npt.NDArray[np.bytes_]


def curve_keys(bins: Bins, codes: Codes) -> Keys:
    """Returns each row's place on the Hilbert curve as bytes that compare as it does, shape (n,).

    Example:
        >>> keys = curve_keys(Bins((np.arange(64), np.arange(64))), np.array([[0, 0], [63, 0], [0, 1]], dtype=np.int32))
        >>> keys.argsort().tolist()
        [0, 2, 1]
    """
    from tfx_anonymizer.core.partition.baselines.curve_kernels import walk

    sizes = np.array([len(last) for last in bins.last])
    cells = bins.of(codes).astype(np.int64) * (1 << BITS) // sizes
    bits = walk(np.ascontiguousarray(cells), BITS)
    packed = np.packbits(bits, axis=1)
    keys: Keys = np.ascontiguousarray(packed).view(f"S{packed.shape[1]}").reshape(-1)
    return keys


def cut_curve(codes: Codes, cardinality: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int32]:
    """Groups rows that are in order, k to 2k - 1 neighbours to a group, with the least certainty penalty.

    Args:
        codes: int32, shape (n, attributes), n at least k.
        cardinality: The number of codes of each attribute, shape (attributes,).
        k: Least size of a group.

    Returns:
        Groups from 0, int32, shape (n,).
    """
    from tfx_anonymizer.core.partition.baselines.curve_kernels import tightest_groups

    first = tightest_groups(np.ascontiguousarray(codes), 1.0 / np.maximum(cardinality - 1, 1), k)
    return np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))


@dataclasses.dataclass(frozen=True)
class CurveAssigner:
    """Stretches of the curve.

    Attributes:
        bins: The bins of each attribute's codes.
        first: Where each stretch begins, ascending, fixed-width bytes, shape (stretches,).
        label: The class of each stretch, int32, shape (stretches,).
    """

    bins: Bins
    first: Keys
    label: npt.NDArray[np.int32]

    def assign(self, codes: Codes) -> npt.NDArray[np.int32]:
        """Returns the class of each row; see `base.Assigner`."""
        stretch = np.searchsorted(self.first, curve_keys(self.bins, codes), side="right") - 1
        labels: npt.NDArray[np.int32] = self.label[np.maximum(stretch, 0)]
        return labels

    def used_codes(self, attribute: int) -> npt.NDArray[np.int32]:
        """Returns the codes of one attribute at which a bin ends."""
        return self.bins.last[attribute]

    def recode(self, attribute: int, new_codes: Codes) -> CurveAssigner:
        """Returns the same for renumbered codes: code c of `attribute` has become new_codes[c]."""
        return dataclasses.replace(self, bins=self.bins.recode(attribute, new_codes))

    def to_arrow(self) -> pa.Table:
        """Returns bins, each with its attribute and last code, then stretches with class and key, as one table."""
        ends = [np.full(len(last), i) for i, last in enumerate(self.bins.last)]
        attribute = np.concatenate([*ends, np.full(len(self.first), _GROUP)])
        code = np.concatenate([*self.bins.last, self.label])
        width = self.first.dtype.itemsize
        # Trailing zero bytes are the key's too; NumPy's own conversion drops them.
        keys = [key.ljust(width, b"\0") for key in self.first.tolist()]
        key = [b""] * (len(attribute) - len(keys)) + keys
        columns = [pa.array(attribute, pa.int32()), pa.array(code, pa.int32()), pa.array(key, pa.binary())]
        return pa.table(columns, names=list(_COLUMNS))


class Hilbert:
    """Groups neighbours on a Hilbert curve; see the module's text."""

    name = "hilbert"
    needs_order = True
    follows: Follows = "values"
    representative = "median"

    def partition(self, problem: Problem) -> Partition:
        """Groups the rows; see `base.Partitioner`."""
        bins = bin_codes(problem.codes, problem.cardinality)
        keys = curve_keys(bins, problem.codes)
        order = np.argsort(keys, kind="stable")
        group = cut_curve(problem.codes[order], problem.cardinality, problem.guarantees.k)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        labels = np.empty(len(keys), dtype=np.int32)
        labels[order] = group
        labels = merge_until_kept(labels, labels[:, None].astype(np.float64), problem.guarantees)
        return Partition(labels, CurveAssigner(bins, keys[order[starts]], labels[order[starts]]))

    def load(self, table: pa.Table) -> CurveAssigner:
        """Reads what `CurveAssigner.to_arrow` wrote; see `base.Partitioner`."""
        if tuple(table.column_names) != _COLUMNS:
            raise GeneralizationFormatError("the saved curve has the wrong columns", got=table.column_names)
        attribute, code = (np.asarray(table[name].combine_chunks(), dtype=np.int32) for name in _COLUMNS[:2])
        groups = attribute == _GROUP
        last = tuple(code[attribute == i] for i in range(int(attribute.max(initial=_GROUP)) + 1))
        width = -(-len(last) * BITS // 8)
        keys = [key for key, is_group in zip(table["key"].to_pylist(), groups, strict=True) if is_group]
        whole = bool(last) and bool(keys) and all(len(ends) and (np.diff(ends) > 0).all() for ends in last)
        if not whole or any(len(key) != width for key in keys) or keys != sorted(keys) or code[groups].min() < 0:
            raise GeneralizationFormatError("the saved curve does not fit together")
        return CurveAssigner(Bins(last), np.array(keys, dtype=f"S{width}"), code[groups])
