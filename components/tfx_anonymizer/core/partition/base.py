"""What a partitioner is: it groups rows into equivalence classes that all keep the guarantees.

A partitioner sees integers alone (codes, the guide in fixed point, guarantees), so its result is a function of them and
of nothing else; and it gives back both the class of each row and a way to place rows it has never seen. A tree places
the rows it was fitted on where they were; a grouping of points may not, since it saw the guide's answer for them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.encoding import Codes, Target
from tfx_anonymizer.core.guarantees import Guarantees
from tfx_anonymizer.core.space.effects import Effects

Space = Callable[[Codes, npt.NDArray[np.int64], Target], Effects]


class Assigner(Protocol):
    """Places any encoded row into a class; can be saved."""

    def assign(self, codes: Codes) -> npt.NDArray[np.int32]:
        """Returns the class of each row.

        Args:
            codes: int32, shape (n, attributes).

        Returns:
            Classes from 0, int32, shape (n,).
        """

    def recode(self, attribute: int, new_codes: Codes) -> Assigner:
        """Returns the same assigner for codes of one attribute that were renumbered, keeping their order."""

    def used_codes(self, attribute: int) -> npt.NDArray[np.int32]:
        """Returns the codes of one attribute that the assigner compares with, int32."""

    def to_arrow(self) -> pa.Table:
        """Returns the assigner as a table; the partitioner's `load` reads it back."""


@dataclasses.dataclass(frozen=True)
class Partition:
    """Equivalence classes over the rows that a partitioner was fitted on.

    Attributes:
        labels: The class of each row, from 0, int32, shape (n,).
        assigner: Places new rows.
        effects: What each attribute of each row adds to the guide, if the partitioner measured it.
    """

    labels: npt.NDArray[np.int32]
    assigner: Assigner
    effects: Effects | None = None

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.labels.max()) + 1


class Partitioner(Protocol):
    """Groups encoded rows into classes.

    Attributes:
        name: What it is called in parameters and saved generalizations.
        space: What measures the effects it groups by; None if it groups by codes.
        needs_order: Whether its result depends on the order of rows, which must then depend on their content alone.
    """

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def needs_order(self) -> bool:
        """Whether rows must come in an order of their content."""

    @property
    def space(self) -> Space | None:
        """What measures the effects that it groups by, if it groups by effects."""

    def partition(
        self,
        codes: Codes,
        cardinality: npt.NDArray[np.int64],
        target: Target,
        guarantees: Guarantees,
        effects: Effects | None = None,
    ) -> Partition:
        """Groups the rows.

        Args:
            codes: Quasi-identifiers as codes, int32, shape (n, attributes).
            cardinality: The number of codes of each attribute, int64, shape (attributes,).
            target: The guide in fixed point, int32, shape (n, d).
            guarantees: What each class must hold; known to hold for the table as one class.
            effects: What `space` gives for these arrays, if that is known already.

        Returns:
            A partition every class of which keeps the guarantees.
        """

    def load(self, table: pa.Table) -> Assigner:
        """Reads an assigner that `Assigner.to_arrow` wrote.

        Raises:
            GeneralizationFormatError: If the table is not such an assigner.
        """
