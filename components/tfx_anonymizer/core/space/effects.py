"""What each attribute of each row adds to the guide's answer, and what it adds on average by bin.

Coordinates of a row are its attributes' effects side by side; a row that was never seen takes its bins' mean effects.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.space.bins import Bins

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Effects:
    """Effects of attributes on the guide.

    Attributes:
        of_rows: Effect of each attribute of each row, float64, shape (n, attributes, d).
        bins: The bins that `by_bin` speaks of.
        by_bin: By attribute the mean effect of each bin, float64, shape (bins, d).
    """

    of_rows: Floats
    bins: Bins
    by_bin: tuple[Floats, ...]

    @property
    def coordinates(self) -> Floats:
        """Rows as points, float64, shape (n, attributes * d)."""
        return self.of_rows.reshape(len(self.of_rows), -1)
