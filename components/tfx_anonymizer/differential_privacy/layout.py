"""What a design means on a domain: where each code stands, and which cells people fall into."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pyarrow as pa

from tfx_anonymizer.differential_privacy.attributes import Floats
from tfx_anonymizer.differential_privacy.clusters import nearest
from tfx_anonymizer.differential_privacy.domain import Domain
from tfx_anonymizer.differential_privacy.encoding import Encoding, Sums, codes_of, sums_by_group
from tfx_anonymizer.differential_privacy.mixing import Cells, cell_counts, mixture_sums
from tfx_anonymizer.differential_privacy.people import Coded
from tfx_anonymizer.differential_privacy.plan import Design
from tfx_anonymizer.errors import ColumnError
from tfx_anonymizer.hashing import Hashes, row_hashes


@dataclasses.dataclass(frozen=True)
class Layout:
    """A design on a domain; public.

    Attributes:
        domain: What may be in the table.
        design: What is released of it.
        entity_id: The column that says whose row it is.

    Raises:
        PolicyError: If what would be released is too large to hold.
    """

    domain: Domain
    design: Design
    entity_id: str | None = None

    def __post_init__(self) -> None:
        self.design.check_size(self.cells, self.encoding.width)

    @functools.cached_property
    def encoding(self) -> Encoding:
        """Where codes stand; the label's too, where classes are not cells."""
        label = self.domain.label
        if label is None or self.design.by_class:
            return Encoding(self.domain.attributes)
        return Encoding((*self.domain.attributes, label))

    @property
    def classes(self) -> int:
        """Number of classes that are cells."""
        return self.domain.classes if self.design.by_class else 1

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return self.design.clusters or 1

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.clusters * self.classes

    def code(self, table: pa.Table) -> Coded:
        """Returns the records of a table as codes.

        Args:
            table: n rows; columns of the domain are single-valued.

        Raises:
            ColumnError: If a column does not hold what its domain says, or `entity_id` is not there.
        """
        label = self.domain.label
        if label is None or not self.design.by_class:
            classes = np.zeros(table.num_rows, dtype=np.int64)
        else:
            classes = codes_of(table, label).astype(np.int64)
        known = table.select([name for name in self.domain.columns if name in table.column_names])
        return Coded(self.encoding.places(table), classes, row_hashes(known), self._owners(table))

    def cells_of(self, coded: Coded, centres: Floats) -> Cells:
        """Returns the cell of each record, negative for one without a class, shape (n,)."""
        cells = nearest(coded.places, centres) * self.classes + coded.classes
        return np.where(coded.classes < 0, -1, cells)

    def cluster_sums(self, coded: Coded, centres: Floats) -> Sums:
        """Adds up records by nearest centre, shape (clusters, width)."""
        groups = nearest(coded.places, centres)
        return sums_by_group(coded.places, groups, len(centres), self.encoding.width)

    def cell_sums(self, coded: Coded, centres: Floats, seed: int | None) -> tuple[Sums, Sums]:
        """Counts cells and adds up their samples.

        Returns:
            Shapes (cells,) and (cells, mixtures, width).
        """
        cells = self.cells_of(coded, centres)
        drawn = coded.draw(self.design.samples(seed))
        sums = mixture_sums(coded.places, cells, drawn, self.cells, self.encoding.width)
        return cell_counts(cells, self.cells), sums

    def _owners(self, table: pa.Table) -> Hashes | None:
        if self.entity_id is None:
            return None
        if self.entity_id not in table.column_names:
            raise ColumnError(f"the column {self.entity_id!r} that says whose row it is is not in the examples")
        # Rows of nobody in particular are taken for one person's.
        return row_hashes(table.select([self.entity_id]))
