"""A pipeline's shape: its nodes and who waits for whom, in a JSON file that is read without TFX."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfx_anonymizer.errors import OrchestrationError

FORMAT = 1
_TASK_ID = re.compile(r"[A-Za-z0-9_.-]{1,250}")
_AGAIN = "write the file anew: python -m tfx_anonymizer.airflow describe"


@dataclasses.dataclass(frozen=True)
class GraphNode:
    """One node of a pipeline.

    Attributes:
        id: The node's id in TFX, and the task's in Airflow.
        upstream: Ids of the nodes it waits for, sorted.
        conditional: Whether it runs only if a `tfx.dsl.Cond` around it says so.
    """

    id: str
    upstream: tuple[str, ...] = ()
    conditional: bool = False


@dataclasses.dataclass(frozen=True)
class PipelineGraph:
    """The nodes of one pipeline, in an order in which they can run.

    Attributes:
        pipeline: Where the function is that builds the pipeline, as `package.module:function`.
        name: The pipeline's name.
        nodes: Its nodes; each stands behind all that it waits for.

    Raises:
        OrchestrationError: If an id is not one that Airflow takes, or a node waits for one that is not before it.

    Example:
        >>> nodes = GraphNode("CsvExampleGen"), GraphNode("Trainer", upstream=("CsvExampleGen",))
        >>> graph = PipelineGraph("team.credit:create_pipeline", "credit", nodes)
        >>> PipelineGraph.from_json(graph.to_json()) == graph
        True
    """

    pipeline: str
    name: str
    nodes: tuple[GraphNode, ...]

    def __post_init__(self) -> None:
        if not self.nodes:
            raise OrchestrationError(f"the pipeline {self.name!r} has no nodes")
        before: set[str] = set()
        for node in self.nodes:
            if not _TASK_ID.fullmatch(node.id):
                raise OrchestrationError(
                    "a node's id cannot be a task's id in Airflow",
                    got=repr(node.id),
                    allowed="letters, digits, '_', '.' and '-', at most 250",
                    hint="give the component another id: component.with_id(...)",
                )
            if node.id in before:
                raise OrchestrationError("two nodes have the same id", got=repr(node.id))
            for other in node.upstream:
                if other not in before:
                    raise OrchestrationError(
                        f"node {node.id!r} waits for a node that does not stand before it", got=repr(other), hint=_AGAIN
                    )
            before.add(node.id)

    @property
    def fingerprint(self) -> str:
        """A digest of nodes and edges; a DAG and the pipeline it runs must agree on it. 64 hexadecimal digits."""
        shape = [[node.id, sorted(node.upstream), node.conditional] for node in self.nodes]
        text = json.dumps([self.name, sorted(shape)], ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> str:
        """Returns the file's text."""
        body = {
            "format": FORMAT,
            "pipeline": self.pipeline,
            "name": self.name,
            "fingerprint": self.fingerprint,
            "nodes": [
                {"id": node.id, "upstream": list(node.upstream), **({"conditional": True} if node.conditional else {})}
                for node in self.nodes
            ],
        }
        return json.dumps(body, indent=2, ensure_ascii=False) + "\n"

    def save(self, path: Path) -> None:
        """Writes the file, aside first and then in place.

        Args:
            path: Where to; its folder exists.
        """
        aside = path.with_name(f".{path.name}.tmp")
        aside.write_text(self.to_json(), encoding="utf-8")
        aside.replace(path)

    @classmethod
    def from_json(cls, text: str) -> PipelineGraph:
        """Reads what `to_json` returned.

        Args:
            text: The file's text.

        Raises:
            OrchestrationError: If the text is not such a file, or was changed by hand.
        """
        try:
            body = json.loads(text)
            form = body["format"]
            if form != FORMAT:
                raise OrchestrationError("the graph file is of another version", got=form, allowed=FORMAT, hint=_AGAIN)
            graph = cls(body["pipeline"], body["name"], tuple(_node(node) for node in body["nodes"]))
            written = body["fingerprint"]
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise OrchestrationError("the graph file is damaged", got=type(error).__name__, hint=_AGAIN) from None
        if written != graph.fingerprint:
            raise OrchestrationError("the graph file was changed after it was written", hint=_AGAIN)
        return graph

    @classmethod
    def load(cls, path: Path) -> PipelineGraph:
        """Reads the file.

        Args:
            path: Where it is.

        Raises:
            OrchestrationError: If it is not there or is damaged.
        """
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except (FileNotFoundError, IsADirectoryError, UnicodeDecodeError) as error:
            raise OrchestrationError(
                "the graph file cannot be read", got=f"{path} ({type(error).__name__})", hint=_AGAIN
            ) from None

    def differences(self, other: PipelineGraph) -> list[str]:
        """Says in what another graph differs from this one.

        Args:
            other: The other graph.

        Returns:
            One short sentence for each difference, sorted; none if the two are alike.
        """
        ours, theirs = ({node.id: node for node in graph.nodes} for graph in (self, other))
        found = [f"no node {name!r} any more" for name in ours if name not in theirs]
        found += [f"a new node {name!r}" for name in theirs if name not in ours]
        for name in ours.keys() & theirs.keys():
            if sorted(ours[name].upstream) != sorted(theirs[name].upstream):
                found.append(f"{name!r} waits for others")
            if ours[name].conditional != theirs[name].conditional:
                found.append(f"{name!r} became {'un' if ours[name].conditional else ''}conditional")
        if self.name != other.name:
            found.append(f"the pipeline's name is {other.name!r}")
        return sorted(found)


def _node(fields: Mapping[str, Any]) -> GraphNode:
    return GraphNode(str(fields["id"]), tuple(map(str, fields["upstream"])), bool(fields.get("conditional", False)))
