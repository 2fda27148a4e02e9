"""A saved generalization as file contents by name, which is how it travels between stages.

Beside what `core.Generalization.save` writes stands `examples.json`: which features say missing by an empty list.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection
from pathlib import Path

from tfx_anonymizer.core import Generalization

Files = dict[str, bytes]
_EXAMPLES = "examples.json"


def to_files(generalization: Generalization, empty: Collection[str]) -> Files:
    """Returns a saved generalization as file contents by name.

    Args:
        generalization: What was fitted.
        empty: Features in which missing is an empty list.
    """
    with tempfile.TemporaryDirectory() as folder:
        generalization.save(folder)
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    return {**files, _EXAMPLES: json.dumps({"missing_is_empty_list": sorted(empty)}).encode()}


def from_files(files: Files) -> tuple[Generalization, frozenset[str]]:
    """Reads what `to_files` returned."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / Path(name).name).write_bytes(data)
        generalization = Generalization.load(folder)
    return generalization, frozenset(json.loads(files[_EXAMPLES])["missing_is_empty_list"])
