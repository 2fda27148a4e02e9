"""A saved generalization as file contents by name, which is how it travels between stages.

Beside what the core saves stands `examples.json`: which features say missing by an empty list.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from tfx_anonymizer.core.shards import release
from tfx_anonymizer.core.shards.release import AnyGeneralization
from tfx_anonymizer.core.shards.router import Router

Files = Mapping[str, bytes]
_EXAMPLES = "examples.json"


def to_files(generalization: AnyGeneralization, empty: Collection[str]) -> dict[str, bytes]:
    """Returns a saved generalization as file contents by name.

    Args:
        generalization: What was fitted.
        empty: Features in which missing is an empty list.
    """
    return {**release.to_files(generalization), **_examples(empty)}


def router_files(router: Router, classes: int, empty: Collection[str]) -> dict[str, bytes]:
    """Returns the files of a generalization made in shards, all but the shards' own."""
    with tempfile.TemporaryDirectory() as folder:
        release.save_router(Path(folder), router, classes)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
    return {**files, **_examples(empty)}


def from_files(files: Files) -> tuple[AnyGeneralization, frozenset[str]]:
    """Reads what `to_files` returned."""
    saved = {name: data for name, data in files.items() if name != _EXAMPLES}
    return release.from_files(saved), frozenset(json.loads(files[_EXAMPLES])["missing_is_empty_list"])


def router_of(files: Files) -> tuple[Router, frozenset[str]] | None:
    """Reads what `router_files` returned; None if the generalization was not made in shards."""
    if "shards.arrow" not in files:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / Path(name).name).write_bytes(data)
        router = release.load_router(Path(folder))
    return router, frozenset(json.loads(files[_EXAMPLES])["missing_is_empty_list"])


def _examples(empty: Collection[str]) -> dict[str, bytes]:
    return {_EXAMPLES: json.dumps({"missing_is_empty_list": sorted(empty)}).encode()}
