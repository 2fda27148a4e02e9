"""What there is to group: integers alone, so that a partition is a function of them and of nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.encoding import Codes, Target
from tfx_anonymizer.core.guarantees import Guarantees
from tfx_anonymizer.core.space.effects import Effects

Space = Callable[[Codes, npt.NDArray[np.int64], Target], Effects]


@dataclasses.dataclass(frozen=True)
class Problem:
    """Rows to group, as arrays over the same rows, and what each class of them must hold.

    Attributes:
        codes: Quasi-identifiers as codes, int32, shape (n, attributes).
        cardinality: The number of codes of each attribute, int64, shape (attributes,).
        target: The guide in fixed point, int32, shape (n, d).
        guarantees: Known to hold for all rows as one class.
        numeric: Whether each attribute is numeric, shape (attributes,); None if all are.
    """

    codes: Codes
    cardinality: npt.NDArray[np.int64]
    target: Target
    guarantees: Guarantees
    numeric: npt.NDArray[np.bool_] | None = None
    _measured: dict[Space, Effects] = dataclasses.field(default_factory=dict, init=False, repr=False, compare=False)

    def effects(self, space: Space) -> Effects:
        """Measures what each attribute of each row adds to the guide; once, however often it is asked for.

        Args:
            space: `core.space.responses` or `core.space.contributions`.
        """
        if space not in self._measured:
            self._measured[space] = space(self.codes, self.cardinality, self.target)
        return self._measured[space]

    def take(self, rows: npt.NDArray[np.int64]) -> Problem:
        """Returns the problem of some of the rows, or of all of them in another order."""
        return Problem(self.codes[rows], self.cardinality, self.target[rows], self.guarantees.take(rows), self.numeric)
