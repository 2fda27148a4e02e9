"""Running single nodes: order, attempts, replacement, conditions and what the exit code says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tfx_anonymizer.airflow import exit_codes, run_node
from tfx_anonymizer.airflow.__main__ import KWARGS_VARIABLE, main
from tfx_anonymizer.airflow.description import describe
from tfx_anonymizer.errors import OrchestrationError, ViolationError

ROOT = Path(__file__).parents[2]
TINY = "tests.support.tiny_pipeline:create_pipeline"


@pytest.fixture
def tiny(tmp_path):
    """Runs a node of the tiny pipeline; arguments of the pipeline by name."""

    def run(node: str, run_id: str = "dag.night", **kwargs: object) -> bool:
        return run_node(TINY, {"root": str(tmp_path), **kwargs}, node, run_id)

    run.root = tmp_path
    run.fault = tmp_path / "fault"
    return run


def texts(root: Path, node: str, key: str) -> list[str]:
    """What the attempts of a node wrote, the oldest first."""
    folders = sorted((root / node / key).iterdir(), key=lambda path: int(path.name))
    return [(folder / "text").read_text() for folder in folders]


def live(root: Path) -> int:
    from ml_metadata import metadata_store
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(root / "metadata.db")
    return sum(artifact.state == artifact.LIVE for artifact in metadata_store.MetadataStore(config).get_artifacts())


def test_a_node_finds_what_the_one_before_it_made(tiny):
    assert tiny("Make", text="größe")
    assert tiny("Use", text="größe")
    assert texts(tiny.root, "Use", "model") == ["größe"]


def test_another_attempt_takes_the_place_of_the_first(tiny):
    tiny("Make", text="one")
    tiny("Use")
    tiny("Make", text="two")
    tiny("Use")
    assert texts(tiny.root, "Make", "examples") == ["one", "two"]
    assert texts(tiny.root, "Use", "model") == ["one", "two"]
    assert live(tiny.root) == 2


def test_runs_do_not_see_each_other(tiny):
    tiny("Make", run_id="dag.one", text="one")
    with pytest.raises(OrchestrationError, match="node 'Make' has not succeeded in this run"):
        tiny("Use", run_id="dag.two")
    tiny("Make", run_id="dag.two", text="two")
    tiny("Use", run_id="dag.one")
    assert texts(tiny.root, "Use", "model") == ["one"]


def test_a_failed_node_is_tried_again(tiny):
    tiny.fault.write_text("ViolationError")
    with pytest.raises(ViolationError):
        tiny("Make", fault=str(tiny.fault))
    with pytest.raises(OrchestrationError, match="has not succeeded"):
        tiny("Use")
    tiny.fault.unlink()
    tiny("Make", fault=str(tiny.fault))
    tiny("Use")
    assert texts(tiny.root, "Use", "model") == ["hello"]


def test_a_success_that_failed_later_is_none(tiny):
    tiny("Make")
    tiny.fault.write_text("ViolationError")
    with pytest.raises(ViolationError):
        tiny("Make", fault=str(tiny.fault))
    with pytest.raises(OrchestrationError, match="has not succeeded"):
        tiny("Use")


def test_a_killed_process_leaves_nothing_that_counts(tiny):
    tiny.fault.write_text("die")
    assert node_process(tiny, "Make", fault=str(tiny.fault)) == -9
    assert texts(tiny.root, "Make", "examples") == ["hello"]
    with pytest.raises(OrchestrationError, match="has not succeeded"):
        tiny("Use")
    tiny.fault.unlink()
    tiny("Make", text="again", fault=str(tiny.fault))
    tiny("Use")
    assert texts(tiny.root, "Use", "model") == ["again"]


def test_a_condition_is_kept(tiny):
    tiny("Make", text="stop", gate=True)
    assert tiny("Use", text="stop", gate=True) is False
    tiny("Make", text="go", gate=True)
    assert tiny("Use", text="go", gate=True) is True


def test_an_importer_keeps_its_answer(tiny):
    (tiny.root / "there").mkdir()
    (tiny.root / "there" / "text").write_text("imported")
    for _ in range(2):
        assert tiny("Import", importer=str(tiny.root / "there"))
    assert tiny("UseImported", importer=str(tiny.root / "there"))
    assert live(tiny.root) == 2


def test_a_stale_graph_runs_nothing(tiny):
    fingerprint = describe(TINY, {"root": "any", "gate": True}).fingerprint
    with pytest.raises(OrchestrationError, match="not the one that the DAG was made from"):
        run_node(TINY, {"root": str(tiny.root)}, "Make", "dag.night", fingerprint)
    assert not list(tiny.root.iterdir())
    assert run_node(TINY, {"root": str(tiny.root), "gate": True}, "Make", "dag.night", fingerprint)


def test_no_such_node(tiny):
    with pytest.raises(OrchestrationError, match="no such node; got: 'Trainer'; allowed: Make, Use"):
        tiny("Trainer")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("no colon", "not named by an import path"),
        ("os:system; rm", "not named by an import path"),
        ("not_there_at_all:f", "cannot be found"),
        ("tests.support.not_there:f", "cannot be found"),
        ("tests.support.tiny_pipeline:nothing", "has no function 'nothing'"),
        ("tests.support.tiny_pipeline:not_a_function", "has no function"),
        ("tests.support.tiny_pipeline:not_a_pipeline", "does not return a pipeline; got: int"),
    ],
)
def test_a_pipeline_that_is_not_there(path, text):
    with pytest.raises(OrchestrationError, match=text):
        describe(path, {})


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("ViolationError", exit_codes.PROMISE_BROKEN),
        ("GuaranteeError", exit_codes.PROMISE_BROKEN),
        ("PolicyError", exit_codes.WRONG),
        ("InputDataError", exit_codes.FAILED),
        ("RuntimeError", exit_codes.FAILED),
    ],
)
def test_the_exit_code_says_what_kind_of_failure(tiny, fault, code, monkeypatch, capsys):
    tiny.fault.write_text(fault)
    monkeypatch.setenv(KWARGS_VARIABLE, json.dumps({"root": str(tiny.root), "fault": str(tiny.fault)}))
    monkeypatch.setattr("tfx_anonymizer.airflow.__main__.end_with_parent", lambda: None)
    assert main(["run-node", TINY, "--node", "Make", "--run-id", "dag.night"]) == code
    assert capsys.readouterr().out.splitlines()[-1].startswith(fault)


@pytest.mark.parametrize("kwargs", ["{", "[]", "3"])
def test_arguments_that_are_not_json(kwargs, monkeypatch, capsys):
    monkeypatch.setenv(KWARGS_VARIABLE, kwargs)
    monkeypatch.setattr("tfx_anonymizer.airflow.__main__.end_with_parent", lambda: None)
    assert main(["run-node", TINY, "--node", "Make", "--run-id", "r"]) == exit_codes.WRONG
    assert capsys.readouterr().out.startswith("PolicyError: TFX_ANONYMIZER_KWARGS is not")


def node_process(tiny, node: str, **kwargs: object) -> int:
    command = [
        sys.executable,
        "-m",
        "tfx_anonymizer.airflow",
        "run-node",
        TINY,
        "--node",
        node,
        "--run-id",
        "dag.night",
    ]
    environment = {**os.environ, KWARGS_VARIABLE: json.dumps({"root": str(tiny.root), **kwargs})}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False).returncode
