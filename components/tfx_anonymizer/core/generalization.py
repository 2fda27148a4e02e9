"""The fitted generalization: which class a row belongs to, and what its class releases. Saved, loaded, re-applied.

A saved generalization is a folder of one JSON file and a few Arrow files, readable by any Arrow library and free of
code: `generalization.json` (versioned), `partition.arrow` (the assigner), `representatives.arrow` (one row a class) and
one `attribute-<i>.arrow` a quasi-identifier. It holds values of the data it was fitted on (cut points, categories), so
it is to be kept like that data.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import ipc

from tfx_anonymizer._version import __version__
from tfx_anonymizer.core.columns import TableT, kind_of, read_column, replace_columns
from tfx_anonymizer.core.encoding import Attribute, Codes
from tfx_anonymizer.core.partition import PARTITIONERS, Assigner
from tfx_anonymizer.errors import GeneralizationFormatError, PolicyError

FORMAT_VERSION = 1
_HEADER = "generalization.json"


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
        values = {
            attribute.name: attribute.values(self.representatives[:, i]) for i, attribute in enumerate(self.attributes)
        }
        released: TableT = replace_columns(table, values, self.assign(table) if labels is None else labels)
        return released

    def save(self, folder: str | Path) -> None:
        """Writes the generalization into a folder that does not exist yet, or is empty.

        Args:
            folder: Where to; made if it does not exist.

        Raises:
            PolicyError: If the folder holds something.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise PolicyError("the folder to save the generalization in is not empty", got=str(folder))
        _write(folder / "partition.arrow", self.assigner.to_arrow())
        names = [f"attribute-{i}" for i in range(len(self.attributes))]
        _write(folder / "representatives.arrow", pa.table(list(self.representatives.T), names=names))
        for name, attribute in zip(names, self.attributes, strict=True):
            _write(folder / f"{name}.arrow", pa.table({"value": attribute.domain}))
        header = {
            "format_version": FORMAT_VERSION,
            "made_by": f"tfx_anonymizer {__version__}",
            "partitioner": self.partitioner,
            "classes": self.classes,
            "attributes": [
                {"name": a.name, "kind": a.kind, "unknown_code": a.unknown_code, "file": f"{name}.arrow"}
                for name, a in zip(names, self.attributes, strict=True)
            ],
        }
        # The header comes last, so a folder that was cut short has none and is refused.
        (folder / _HEADER).write_text(json.dumps(header, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: str | Path) -> Generalization:
        """Reads what `save` wrote.

        Args:
            folder: Where it is.

        Raises:
            GeneralizationFormatError: If it is damaged, incomplete, or of a version this package does not know.
        """
        folder = Path(folder)
        try:
            header = json.loads((folder / _HEADER).read_text(encoding="utf-8"))
            _check_version(header)
            attributes = tuple(
                Attribute(
                    name=str(entry["name"]),
                    kind=entry["kind"],
                    domain=_read(folder / Path(entry["file"]).name)["value"].combine_chunks(),
                    unknown_code=int(entry["unknown_code"]),
                )
                for entry in header["attributes"]
            )
            table = _read(folder / "representatives.arrow")
            representatives = np.stack([np.asarray(column, dtype=np.int32) for column in table.columns], axis=1)
            assigner = PARTITIONERS[header["partitioner"]].load(_read(folder / "partition.arrow"))
        except (OSError, KeyError, TypeError, ValueError, pa.ArrowException) as error:
            if isinstance(error, GeneralizationFormatError):
                raise
            raise GeneralizationFormatError(
                "the saved generalization cannot be read", got=f"{type(error).__name__} in {folder}"
            ) from None
        return cls(header["partitioner"], attributes, assigner, representatives)


def compact(
    partitioner: str, attributes: Sequence[Attribute], assigner: Assigner, representatives: Codes
) -> Generalization:
    """Builds a generalization that keeps only the numbers its cuts and representatives need.

    A numeric attribute may have as many values as rows; of those between two cuts none is told from another, so only
    the cut points and the released values stay. Categories all stay: each may have a side of its own.
    """
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
    return Generalization(partitioner, tuple(kept), assigner, representatives)


def kinds(arrays: Sequence[pa.Array], names: Sequence[str], categorical: Sequence[str]) -> list[Any]:
    """Returns the kind of each quasi-identifier; `categorical` names numbers that are only codes."""
    return [kind_of(array, codes=name in categorical) for array, name in zip(arrays, names, strict=True)]


def _check_version(header: dict[str, Any]) -> None:
    if header["format_version"] != FORMAT_VERSION:
        raise GeneralizationFormatError(
            "the saved generalization is of a version that is not known",
            got=header["format_version"],
            allowed=FORMAT_VERSION,
            hint=f"it was made by {header.get('made_by', 'an unknown program')}; use that version or fit again",
        )


def _write(path: Path, table: pa.Table) -> None:
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


def _read(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as source:
        return ipc.open_file(source).read_all()
