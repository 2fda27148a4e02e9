"""Placing new rows into classes that are no boxes: into the class whose centre is nearest.

A row's coordinates are its bins' mean effects (`core.space`), so what is saved is a table of effects and the centres of
the classes, and no row.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.encoding import Codes
from tfx_anonymizer.core.space import Bins
from tfx_anonymizer.errors import GeneralizationFormatError

_COLUMNS = ("attribute", "code", "place")
_CENTRE = -1
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class NearestClass:
    """Centres of classes, and how rows get coordinates.

    Attributes:
        bins: The bins of each attribute's codes.
        by_bin: By attribute the coordinates of each bin, float64, shape (bins, d).
        centres: float64, shape (classes, attributes * d).
    """

    bins: Bins
    by_bin: tuple[Floats, ...]
    centres: Floats

    def assign(self, codes: Codes) -> npt.NDArray[np.int32]:
        """Returns the class of each row; see `base.Assigner`."""
        from scipy.spatial import cKDTree

        # Rows that share all bins share a class: each combination is looked up once.
        binned, which = np.unique(self.bins.of(codes), axis=0, return_inverse=True)
        places = np.concatenate([table[binned[:, i]] for i, table in enumerate(self.by_bin)], axis=1)
        nearest = cKDTree(self.centres).query(places)[1].astype(np.int32)
        labels: npt.NDArray[np.int32] = nearest[which.reshape(-1)]
        return labels

    def used_codes(self, attribute: int) -> npt.NDArray[np.int32]:
        """Returns the codes of one attribute at which a bin ends."""
        return self.bins.last[attribute]

    def recode(self, attribute: int, new_codes: Codes) -> NearestClass:
        """Returns the same for renumbered codes: code c of `attribute` has become new_codes[c]."""
        return dataclasses.replace(self, bins=self.bins.recode(attribute, new_codes))

    def to_arrow(self) -> pa.Table:
        """Returns bins, each with its attribute and last code, then centres, as one table."""
        attribute = np.concatenate([np.full(len(last), i) for i, last in enumerate(self.bins.last)])
        attribute = np.append(attribute, np.full(len(self.centres), _CENTRE))
        code = np.append(np.concatenate(self.bins.last), np.zeros(len(self.centres)))
        place = [row.tolist() for table in (*self.by_bin, self.centres) for row in table]
        columns = [pa.array(attribute, pa.int32()), pa.array(code, pa.int32()), pa.array(place, pa.list_(pa.float64()))]
        return pa.table(columns, names=list(_COLUMNS))


def load_nearest_class(table: pa.Table) -> NearestClass:
    """Reads what `NearestClass.to_arrow` wrote.

    Raises:
        GeneralizationFormatError: If the table is not such.
    """
    if tuple(table.column_names) != _COLUMNS:
        raise GeneralizationFormatError("the saved classes have the wrong columns", got=table.column_names)
    attribute, code = (np.asarray(table[name].combine_chunks(), dtype=np.int32) for name in _COLUMNS[:2])
    places = table["place"].to_pylist()
    attributes = int(attribute.max(initial=_CENTRE)) + 1
    blocks = [np.array([places[r] for r in np.flatnonzero(attribute == i)]) for i in (*range(attributes), _CENTRE)]
    last = tuple(code[attribute == i] for i in range(attributes))
    *by_bin, centres = blocks
    width = {block.shape[1] if block.ndim == 2 else -1 for block in by_bin}
    whole = attributes > 0 and len(width) == 1 and centres.ndim == 2 and centres.shape[1] == attributes * min(width)
    if not whole or any((np.diff(ends) <= 0).any() for ends in last) or not all(np.isfinite(b).all() for b in blocks):
        raise GeneralizationFormatError("the saved classes do not fit together")
    return NearestClass(Bins(last), tuple(by_bin), centres)
