"""The generalizations of all shards as one: a row goes to its shard, and there to its class.

Saved, it is a folder of the router's files (`generalization.json` of format version 2, `partition.arrow`,
`attribute-<i>.arrow`, `shards.arrow` with the shard of each leaf) and one `shard-<number>.zip` a shard, which holds the
folder that the shard's own generalization is saved as. A shard that had to be cut again holds such a folder in turn.
"""

from __future__ import annotations

import dataclasses
import io
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.columns import TableT, replace_columns
from tfx_anonymizer.core.generalization import SHARDED_VERSION, Generalization, empty_folder
from tfx_anonymizer.core.partition.guided_tree import GuidedTree
from tfx_anonymizer.core.shards.router import Router
from tfx_anonymizer.core.stored_placing import (
    load_placing,
    read_arrow,
    read_header,
    readable,
    save_placing,
    write_arrow,
)

# One moment for all, so that the same generalization is the same bytes.
_MOMENT = (1980, 1, 1, 0, 0, 0)


@dataclasses.dataclass(frozen=True)
class ShardedGeneralization:
    """Re-applicable result of fitting a table shard by shard; see `Generalization`, which it can stand for.

    Attributes:
        router: Places rows into shards.
        shards: The generalization of each.
    """

    router: Router
    shards: Sequence[AnyGeneralization]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The names of the columns it rewrites."""
        return tuple(attribute.name for attribute in self.router.attributes)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return sum(shard.classes for shard in self.shards)

    def types(self) -> Sequence[tuple[str, pa.DataType]]:
        """Returns the quasi-identifiers' names and types."""
        return self.router.types()

    def values(self) -> dict[str, pa.Array]:
        """Returns what each class releases, by quasi-identifier; shape (classes,) each."""
        found = [shard.values() for shard in self.shards]
        types = dict(self.types())
        return {name: pa.concat_arrays([f[name].cast(types[name]) for f in found]) for name in self.quasi_identifiers}

    def assign(self, table: Any) -> npt.NDArray[np.int32]:
        """Returns the class of each row of a table, int32, shape (n,); see `Generalization.assign`."""
        shard_of = self.router.assign(table)
        first = np.cumsum([0, *(shard.classes for shard in self.shards)])
        labels = np.empty(len(shard_of), dtype=np.int32)
        for number in np.unique(shard_of):
            rows = np.flatnonzero(shard_of == number)
            part = table.take(pa.array(rows)) if isinstance(table, pa.Table) else table.iloc[rows]
            labels[rows] = self.shards[number].assign(part) + first[number]
        return labels

    def apply(self, table: TableT, labels: npt.NDArray[np.int32] | None = None) -> TableT:
        """Gives every row its class's quasi-identifiers; see `Generalization.apply`."""
        released: TableT = replace_columns(table, self.values(), self.assign(table) if labels is None else labels)
        return released

    def save(self, folder: str | Path) -> None:
        """Writes it into a folder that does not exist yet, or is empty.

        Raises:
            PolicyError: If the folder holds something.
        """
        folder = empty_folder(folder)
        for i, shard in enumerate(self.shards):
            (folder / shard_file(i)).write_bytes(to_zip(shard))
        save_router(folder, self.router, self.classes)

    @classmethod
    def load(cls, folder: str | Path) -> ShardedGeneralization:
        """Reads what `save` wrote.

        Raises:
            GeneralizationFormatError: If it is damaged, incomplete, or of a version this package does not know.
        """
        folder = Path(folder)
        with readable(folder):
            router = load_router(folder)
            shards = [from_zip((folder / shard_file(i)).read_bytes()) for i in range(router.shards)]
        return cls(router, tuple(shards))


AnyGeneralization: TypeAlias = Generalization | ShardedGeneralization


def shard_file(number: int) -> str:
    """Returns the name of a shard's file."""
    return f"shard-{number:05d}.zip"


def save_router(folder: Path, router: Router, classes: int) -> None:
    """Writes a router's files into a folder, the header last."""
    write_arrow(folder / "shards.arrow", pa.table({"shard": router.shard_of_leaf}))
    facts = {
        "format_version": SHARDED_VERSION,
        "partitioner": GuidedTree.name,
        "classes": classes,
        "shards": router.shards,
    }
    save_placing(folder, router.attributes, router.tree, facts)


def load_router(folder: Path) -> Router:
    """Reads a router's files."""
    header = read_header(folder, SHARDED_VERSION)
    attributes, tree = load_placing(folder, header)
    shard_of_leaf = np.array(read_arrow(folder / "shards.arrow")["shard"].combine_chunks(), dtype=np.int32)
    return Router(attributes, tree, shard_of_leaf)


def to_files(generalization: AnyGeneralization) -> dict[str, bytes]:
    """Returns a saved generalization as file contents by name."""
    with tempfile.TemporaryDirectory() as folder:
        generalization.save(folder)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def from_files(files: Mapping[str, bytes]) -> AnyGeneralization:
    """Reads what `to_files` returned."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / Path(name).name).write_bytes(data)
        return Generalization.load(folder)


def to_zip(generalization: AnyGeneralization) -> bytes:
    """Returns a saved generalization as one zip archive."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in to_files(generalization).items():
            written.writestr(zipfile.ZipInfo(name, _MOMENT), data, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def from_zip(data: bytes) -> AnyGeneralization:
    """Reads what `to_zip` returned.

    Raises:
        GeneralizationFormatError: If it is damaged.
    """
    with readable(Path("a shard")), zipfile.ZipFile(io.BytesIO(data)) as archive:
        return from_files({name: archive.read(name) for name in archive.namelist()})
