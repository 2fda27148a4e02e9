"""The ledger of releases: one line for each time that people were anonymized, beside the releases themselves.

Each release keeps its k. Two releases of the same people, grouped differently, may be intersected, and what is left of
a class may be smaller than k. Nobody can count that from one release alone; the ledger says how many there are. It
holds digests, counts and names of columns, never a value of a record.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import logging
import posixpath
from collections.abc import Sequence
from typing import Any

from tfx_anonymizer.errors import InputDataError

FILE = "releases.jsonl"
_REPORT, _GENERALIZATION = "tfx_anonymizer.AnonymizationReport", "tfx_anonymizer.Generalization"
_LOG = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Release:
    """One line of the ledger.

    Attributes:
        time: When it was recorded, UTC.
        run: The run it belongs to.
        node: The component that made it.
        execution: Its execution in ML Metadata.
        source: Digest of ExampleGen's fingerprint of the raw files; empty if there is none.
        span: The raw data's span.
        generalization: Digest of the fitted generalization. Releases by equal ones cannot be intersected for more.
        quasi_identifiers: Names of the columns that were rewritten.
        rows: Released rows, over all anonymized splits.
        k: The guarantee.
    """

    time: str
    run: str
    node: str
    execution: int
    source: str
    span: int
    generalization: str
    quasi_identifiers: tuple[str, ...]
    rows: int
    k: int


def record(root: str, release: Release) -> str:
    """Appends a release to the ledger of a pipeline and says what those before it mean for it.

    Args:
        root: The pipeline root; the ledger is `releases.jsonl` in it.
        release: The release.

    Returns:
        One sentence, which is logged too, as a warning if the release can be intersected with an earlier one.

    Raises:
        InputDataError: If the ledger is damaged.
    """
    from tfx.v1.dsl.io import fileio

    earlier = read(root)
    with fileio.open(posixpath.join(root, FILE), "a") as file:
        file.write(json.dumps(dataclasses.asdict(release), ensure_ascii=False) + "\n")
    sentence, warn = judge(earlier, release)
    _LOG.log(logging.WARNING if warn else logging.INFO, "%s", sentence)
    return sentence


def read(root: str) -> list[Release]:
    """Returns the releases in a ledger, the oldest first; none if there is no ledger.

    Raises:
        InputDataError: If the ledger is damaged.
    """
    from tfx.v1.dsl.io import fileio

    path = posixpath.join(root, FILE)
    if not fileio.exists(path):
        return []
    with fileio.open(path, "r") as file:
        lines = file.read().splitlines()
    return [_parse(number, line) for number, line in enumerate(lines, start=1)]


def _parse(number: int, line: str) -> Release:
    try:
        fields = json.loads(line)
        return Release(**{**fields, "quasi_identifiers": tuple(fields["quasi_identifiers"])})
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise InputDataError(
            f"line {number} of the ledger of releases is damaged",
            got=type(error).__name__,
            hint=f"restore {FILE}; without it nobody knows how often these people were released",
        ) from None


def judge(earlier: Sequence[Release], release: Release) -> tuple[str, bool]:
    """Says what earlier releases mean for a new one.

    Args:
        earlier: Releases before it, of the same pipeline.
        release: The new one.

    Returns:
        One sentence, and whether it is a warning.
    """
    others = [old for old in earlier if old.generalization != release.generalization]
    number = f"release {len(earlier) + 1} of {release.node}"
    if not others:
        return f"{number}: no earlier one was grouped differently", False
    same = sum(bool(old.source) and old.source == release.source for old in others)
    told = f"{number}: {len(others)} earlier ones were grouped differently"
    told += f", {same} of them from the very same data" if same else ""
    return f"{told}; whoever holds two of them can intersect the classes of people who are in both", True


def release_of(store: Any, execution: Any, node_id: str, run_id: str) -> Release | None:
    """Reads a release off ML Metadata and the report that AGAnonymizer wrote; None if the execution made none.

    Args:
        store: ML Metadata's store.
        execution: A successful execution.
        node_id: Its node.
        run_id: Its run.
    """
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    from tfx_anonymizer._tfx_compat import io_utils

    events = store.get_events_by_execution_ids([execution.id])

    def artifacts(kind: int) -> list[Any]:
        found = sorted({event.artifact_id for event in events if event.type == kind})
        return list(store.get_artifacts_by_id(found)) if found else []

    made = {artifact.type: artifact.uri for artifact in artifacts(mlmd.Event.OUTPUT)}
    if _REPORT not in made:
        return None
    report = json.loads(io_utils.read_string_file(posixpath.join(made[_REPORT], "report.json")))
    raw = [artifact for artifact in artifacts(mlmd.Event.INPUT) if artifact.type == "Examples"]
    facts = "".join(a.custom_properties["input_fingerprint"].string_value for a in raw)
    return Release(
        time=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        run=run_id,
        node=node_id,
        execution=execution.id,
        source=hashlib.sha256(facts.encode()).hexdigest() if facts else "",
        span=max((int(artifact.custom_properties["span"].int_value) for artifact in raw), default=0),
        generalization=_digest(made[_GENERALIZATION]),
        quasi_identifiers=tuple(report["policy"]["quasi_identifiers"]),
        rows=sum(split["counted"]["rows"] for split in report["splits"].values()),
        k=report["policy"]["k"],
    )


def _digest(folder: str) -> str:
    """A digest of a folder's files, names and contents."""
    from tfx.v1.dsl.io import fileio

    digest = hashlib.sha256()
    for parent, _, names in sorted(fileio.walk(folder)):
        for name in sorted(names):
            path = posixpath.join(parent, name)
            with fileio.open(path, "rb") as file:
                content = file.read()
            digest.update(f"{posixpath.relpath(path, folder)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
