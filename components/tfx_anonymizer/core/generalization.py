"""The fitted generalization: which class a row belongs to, and what its class releases. Saved, loaded, re-applied.

A saved generalization is a folder of one JSON file and a few Arrow files, readable by any Arrow library and free of
code: `generalization.json` (versioned), `partition.arrow` (the assigner), `representatives.arrow` (one row a class) and
one `attribute-<i>.arrow` a quasi-identifier. It holds values of the data it was fitted on (cut points, categories), so
it is to be kept like that data.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.columns import TableT, read_column, replace_columns
from tfx_anonymizer.core.encoding import Attribute, Codes
from tfx_anonymizer.core.partition import Assigner
from tfx_anonymizer.core.stored_placing import (
    load_placing,
    read_arrow,
    read_header,
    readable,
    save_placing,
    write_arrow,
)
from tfx_anonymizer.errors import PolicyError

if TYPE_CHECKING:
    from tfx_anonymizer.core.shards.release import ShardedGeneralization

FORMAT_VERSION = 1
SHARDED_VERSION = 2


@dataclasses.dataclass(frozen=True)
class Generalization:
    """Re-applicable result of fitting.

    Attributes:
        partitioner: The name of the partitioner that made it.
        attributes: The quasi-identifiers, compacted to the values the generalization needs.
        assigner: Places an encoded row into a class.
        representatives: The codes each class releases, int32, shape (classes, attributes).
    """

    partitioner: str
    attributes: tuple[Attribute, ...]
    assigner: Assigner
    representatives: Codes

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The names of the columns it rewrites."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.representatives)

    def types(self) -> Sequence[tuple[str, pa.DataType]]:
        """Returns the quasi-identifiers' names and types."""
        return [(attribute.name, attribute.domain.type) for attribute in self.attributes]

    def assign(self, table: Any) -> npt.NDArray[np.int32]:
        """Returns the class of each row of a table, int32, shape (n,).

        Args:
            table: A pandas DataFrame or Arrow Table that has the quasi-identifiers; other columns are ignored.

        Raises:
            ColumnError: If a quasi-identifier is absent or of another type than in fitting.
        """
        arrays = [read_column(table, name, "quasi_identifiers") for name in self.quasi_identifiers]
        codes = [attribute.encode(array) for attribute, array in zip(self.attributes, arrays, strict=True)]
        return self.assigner.assign(np.stack(codes, axis=1))

    def apply(self, table: TableT, labels: npt.NDArray[np.int32] | None = None) -> TableT:
        """Gives every row its class's quasi-identifiers.

        Rows that were not in the fitted table are placed too, but k is only known to hold for those that were.

        Args:
            table: A pandas DataFrame or Arrow Table of n rows; not changed.
            labels: The class of each row, if known already, shape (n,).

        Returns:
            A table of the same type; every other column, and the order of rows, as they were.

        Raises:
            ColumnError: If a quasi-identifier is absent or of another type than in fitting.
        """
        released: TableT = replace_columns(table, self.values(), self.assign(table) if labels is None else labels)
        return released

    def values(self) -> dict[str, pa.Array]:
        """Returns what each class releases, by quasi-identifier; shape (classes,) each."""
        return {
            attribute.name: attribute.values(self.representatives[:, i]) for i, attribute in enumerate(self.attributes)
        }

    def save(self, folder: str | Path) -> None:
        """Writes the generalization into a folder that does not exist yet, or is empty.

        Args:
            folder: Where to; made if it does not exist.

        Raises:
            PolicyError: If the folder holds something.
        """
        folder = empty_folder(folder)
        names = [f"attribute-{i}" for i in range(len(self.attributes))]
        write_arrow(folder / "representatives.arrow", pa.table(list(self.representatives.T), names=names))
        facts = {"format_version": FORMAT_VERSION, "partitioner": self.partitioner, "classes": self.classes}
        save_placing(folder, self.attributes, self.assigner, facts)

    @classmethod
    def load(cls, folder: str | Path) -> Generalization | ShardedGeneralization:
        """Reads what `save` wrote; what was made in shards comes back as a `ShardedGeneralization`, used likewise.

        Args:
            folder: Where it is.

        Raises:
            GeneralizationFormatError: If it is damaged, incomplete, or of a version this package does not know.
        """
        folder = Path(folder)
        with readable(folder):
            header = read_header(folder, FORMAT_VERSION, SHARDED_VERSION)
            if header["format_version"] == SHARDED_VERSION:
                from tfx_anonymizer.core.shards.release import ShardedGeneralization

                return ShardedGeneralization.load(folder)
            attributes, assigner = load_placing(folder, header)
            table = read_arrow(folder / "representatives.arrow")
            representatives = np.stack([np.asarray(column, dtype=np.int32) for column in table.columns], axis=1)
        return cls(header["partitioner"], attributes, assigner, representatives)


def empty_folder(folder: str | Path) -> Path:
    """Makes a folder if it does not exist.

    Raises:
        PolicyError: If it holds something.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise PolicyError("the folder to save the generalization in is not empty", got=str(folder))
    return folder


def compact(
    partitioner: str, attributes: Sequence[Attribute], assigner: Assigner, representatives: Codes
) -> Generalization:
    """Builds a generalization that keeps only the numbers its cuts and representatives need.

    A numeric attribute may have as many values as rows; of those between two cuts none is told from another, so only
    the cut points and the released values stay. Categories all stay: each may have a side of its own.
    """
    kept, assigner, renumbered = _compact(attributes, assigner, representatives)
    return Generalization(partitioner, kept, assigner, renumbered)


def only_used(attributes: Sequence[Attribute], assigner: Assigner) -> tuple[tuple[Attribute, ...], Assigner]:
    """Returns attributes and assigner with only the numbers that some cut needs; see `compact`."""
    kept, assigner, _ = _compact(attributes, assigner, np.zeros((0, len(attributes)), dtype=np.int32))
    return kept, assigner


def _compact(
    attributes: Sequence[Attribute], assigner: Assigner, representatives: Codes
) -> tuple[tuple[Attribute, ...], Assigner, Codes]:
    kept: list[Attribute] = []
    representatives = representatives.copy()
    for i, whole in enumerate(attributes):
        attribute = whole
        if attribute.kind == "numeric":
            used = np.union1d(assigner.used_codes(i), np.append(representatives[:, i], 0)).astype(np.int32)
            renumbered = np.searchsorted(used, np.arange(len(attribute.domain))).astype(np.int32)
            assigner = assigner.recode(i, renumbered)
            representatives[:, i] = renumbered[representatives[:, i]]
            attribute = dataclasses.replace(attribute, domain=attribute.values(used))
        kept.append(attribute)
    return tuple(kept), assigner, representatives
