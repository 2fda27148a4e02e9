"""Files of what places rows: attributes, an assigner, and a header that says what they are."""

from __future__ import annotations

import contextlib
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from tfx_anonymizer._version import __version__
from tfx_anonymizer.core.encoding import Attribute
from tfx_anonymizer.core.partition import PARTITIONERS, Assigner
from tfx_anonymizer.errors import GeneralizationFormatError

HEADER = "generalization.json"


def save_placing(folder: Path, attributes: Sequence[Attribute], assigner: Assigner, facts: Mapping[str, Any]) -> None:
    """Writes `partition.arrow`, one `attribute-<i>.arrow` an attribute, and last the header.

    Args:
        folder: Where to.
        attributes: The quasi-identifiers.
        assigner: Places their codes.
        facts: What else the header says; `format_version` is among it.
    """
    write_arrow(folder / "partition.arrow", assigner.to_arrow())
    entries = []
    for i, attribute in enumerate(attributes):
        file = f"attribute-{i}.arrow"
        write_arrow(folder / file, pa.table({"value": attribute.domain}))
        known = {"name": attribute.name, "kind": attribute.kind, "unknown_code": attribute.unknown_code}
        entries.append({**known, "file": file})
    version = facts["format_version"]
    header = {"format_version": version, "made_by": f"tfx_anonymizer {__version__}", **facts, "attributes": entries}
    # The header comes last, so a folder that was cut short has none and is refused.
    (folder / HEADER).write_text(json.dumps(header, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load_placing(folder: Path, header: Mapping[str, Any]) -> tuple[tuple[Attribute, ...], Any]:
    """Reads the attributes and the assigner that a header tells of."""
    attributes = tuple(
        Attribute(
            name=str(entry["name"]),
            kind=entry["kind"],
            domain=read_arrow(folder / Path(entry["file"]).name)["value"].combine_chunks(),
            unknown_code=int(entry["unknown_code"]),
        )
        for entry in header["attributes"]
    )
    return attributes, PARTITIONERS[header["partitioner"]].load(read_arrow(folder / "partition.arrow"))


def read_header(folder: Path, *versions: int) -> dict[str, Any]:
    """Reads a header.

    Raises:
        GeneralizationFormatError: If its version is none of these.
    """
    header: dict[str, Any] = json.loads((folder / HEADER).read_text(encoding="utf-8"))
    if header["format_version"] not in versions:
        raise GeneralizationFormatError(
            "the saved generalization is of a version that is not known",
            got=header["format_version"],
            allowed=" or ".join(map(str, versions)),
            hint=f"it was made by {header.get('made_by', 'an unknown program')}; use that version or fit again",
        )
    return header


@contextlib.contextmanager
def readable(folder: Path) -> Iterator[None]:
    """Turns what goes wrong in reading a folder into a typed error.

    Raises:
        GeneralizationFormatError: If a file is absent or damaged.
    """
    try:
        yield
    except GeneralizationFormatError:
        raise
    except (OSError, KeyError, TypeError, ValueError, pa.ArrowException, zipfile.BadZipFile) as error:
        raise GeneralizationFormatError(
            "the saved generalization cannot be read", got=f"{type(error).__name__} in {folder}"
        ) from None


def write_arrow(path: Path, table: pa.Table) -> None:
    """Writes a table as an Arrow file."""
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


def read_arrow(path: Path) -> pa.Table:
    """Reads an Arrow file."""
    with pa.memory_map(str(path)) as source:
        return ipc.open_file(source).read_all()
