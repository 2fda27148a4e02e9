"""The graph file: what it takes, what it refuses, and that the example pipelines' files are up to date."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tfx_anonymizer.airflow import GraphNode, PipelineGraph
from tfx_anonymizer.errors import OrchestrationError

ROOT = Path(__file__).parents[2]
GRAPH = PipelineGraph(
    "mod:fn", "größe", (GraphNode("A"), GraphNode("B", ("A",)), GraphNode("C", ("A", "B"), conditional=True))
)


def test_it_reads_what_it_wrote(tmp_path):
    GRAPH.save(tmp_path / "graph.json")
    assert PipelineGraph.load(tmp_path / "graph.json") == GRAPH
    assert [path.name for path in tmp_path.iterdir()] == ["graph.json"]


@pytest.mark.parametrize("node", ["", "a b", "a/b", "größe", "x" * 251, "a\n"])
def test_an_id_that_airflow_would_refuse(node):
    with pytest.raises(OrchestrationError, match="cannot be a task's id"):
        PipelineGraph("mod:fn", "p", (GraphNode(node),))


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ((), "has no nodes"),
        ((GraphNode("A"), GraphNode("A")), "same id"),
        ((GraphNode("A", ("B",)), GraphNode("B")), "does not stand before it"),
        ((GraphNode("A", ("A",)),), "does not stand before it"),
    ],
)
def test_a_graph_that_cannot_run(nodes, text):
    with pytest.raises(OrchestrationError, match=text):
        PipelineGraph("mod:fn", "p", nodes)


def test_the_fingerprint_knows_the_shape_and_nothing_else():
    moved = PipelineGraph("else:where", "größe", GRAPH.nodes)
    assert moved.fingerprint == GRAPH.fingerprint
    for nodes in (GRAPH.nodes[:2], (*GRAPH.nodes[:2], GraphNode("C", ("A",), conditional=True))):
        assert PipelineGraph("mod:fn", "größe", nodes).fingerprint != GRAPH.fingerprint
    assert PipelineGraph("mod:fn", "other", GRAPH.nodes).fingerprint != GRAPH.fingerprint


def edited(**changes):
    return json.dumps({**json.loads(GRAPH.to_json()), **changes})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "damaged"),
        ("[]", "damaged"),
        ("{}", "damaged"),
        (GRAPH.to_json()[:-20], "damaged"),
        (edited(format=2), "another version"),
        (edited(nodes=[{"id": "A", "upstream": []}]), "changed after it was written"),
    ],
)
def test_a_damaged_file(text, said, tmp_path):
    (tmp_path / "graph.json").write_text(text)
    with pytest.raises(OrchestrationError, match=said) as caught:
        PipelineGraph.load(tmp_path / "graph.json")
    assert "describe" in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(OrchestrationError, match=r"cannot be read; got: .*graph.json \(FileNotFoundError\)"):
        PipelineGraph.load(tmp_path / "graph.json")


def test_differences_are_named():
    other = PipelineGraph("mod:fn", "p", (GraphNode("A"), GraphNode("C", ("A",)), GraphNode("D")))
    assert GRAPH.differences(other) == [
        "'C' became unconditional",
        "'C' waits for others",
        "a new node 'D'",
        "no node 'B' any more",
        "the pipeline's name is 'p'",
    ]
    assert GRAPH.differences(GRAPH) == []


def describe(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tfx_anonymizer.airflow", "describe", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("case", ["taxi", "adult"])
def test_the_example_pipelines_files_are_up_to_date(case):
    kwargs = {"root": "any", "serving_dir": "any", **({"data": "any"} if case == "adult" else {})}
    result = describe(
        f"pipelines.{case}.scheduled:create_pipeline", "--kwargs", json.dumps(kwargs), "--check",
        "-o", f"pipelines/{case}/graph.json",
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert "up to date" in result.stdout


def test_a_file_that_is_not_up_to_date(tmp_path):
    path = tmp_path / "graph.json"
    tiny = "tests.support.tiny_pipeline:create_pipeline"
    assert describe(tiny, "--kwargs", '{"root": "any"}', "-o", path).returncode == 0
    assert [node.id for node in PipelineGraph.load(path).nodes] == ["Make", "Use"]
    written = path.read_bytes()
    result = describe(tiny, "--kwargs", '{"root": "any", "gate": true}', "-o", path, "--check")
    assert result.returncode == 1
    assert "'Use' became conditional" in result.stdout
    assert path.read_bytes() == written
