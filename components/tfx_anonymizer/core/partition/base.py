"""What a partitioner is: it groups rows into equivalence classes that all keep the guarantees.

A partitioner sees a `Problem`'s integers alone, so its result is a function of them and of nothing else; and it gives
back both the class of each row and a way to place rows it has never seen. A tree places the rows it was fitted on where
they were; a grouping of points may not, since it saw the guide's answer for them.
"""

from __future__ import annotations

import dataclasses
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.encoding import Codes
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.space.effects import Effects


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
        needs_order: Whether its result depends on the order of rows, which must then depend on their content alone.
    """

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def needs_order(self) -> bool:
        """Whether rows must come in an order of their content."""

    def partition(self, problem: Problem) -> Partition:
        """Groups a problem's rows.

        Returns:
            A partition every class of which keeps the guarantees.
        """

    def load(self, table: pa.Table) -> Assigner:
        """Reads an assigner that `Assigner.to_arrow` wrote.

        Raises:
            GeneralizationFormatError: If the table is not such an assigner.
        """
