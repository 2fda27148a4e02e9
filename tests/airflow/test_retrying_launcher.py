"""AirflowDagRunner's launcher, mended: attempts in one run replace each other, and output names may repeat."""

from __future__ import annotations

from pathlib import Path

import pytest
from tfx.orchestration import data_types

from tests.support.tiny_pipeline import create_pipeline
from tfx_anonymizer._tfx_compat import InProcessComponentLauncher, Metadata
from tfx_anonymizer.airflow.retrying_launcher import RetryingLauncher
from tfx_anonymizer.errors import ViolationError


@pytest.fixture
def launch(tmp_path):
    """Launches a node of the tiny pipeline as AirflowDagRunner does."""

    def run(node: str, launcher: type = RetryingLauncher, run_id: str = "night", **kwargs: object) -> None:
        pipeline = create_pipeline(str(tmp_path), fault=str(tmp_path / "fault"), **kwargs)
        (component,) = [found for found in pipeline.components if found.id == node]
        launcher.create(
            component=component,
            pipeline_info=data_types.PipelineInfo("tiny", str(tmp_path), run_id),
            driver_args=data_types.DriverArgs(enable_cache=False),
            metadata_connection=Metadata(pipeline.metadata_connection_config),
            beam_pipeline_args=[],
            additional_pipeline_args={},
        ).launch()

    run.root, run.fault = tmp_path, tmp_path / "fault"
    return run


def texts(root: Path, node: str, key: str) -> list[str]:
    """What the attempts of a node wrote, the oldest first."""
    folders = sorted((root / node / key).iterdir(), key=lambda path: int(path.name))
    return [(folder / "text").read_text() for folder in folders]


def test_a_failed_attempt_is_replaced(launch):
    launch("Make")
    launch.fault.write_text("ViolationError")
    with pytest.raises(ViolationError):
        launch("Make", text="broken")
    launch.fault.unlink()
    launch("Make", text="mended")
    launch("Use")
    assert texts(launch.root, "Use", "model") == ["mended"]


def test_a_node_with_inputs_is_tried_again(launch):
    launch("Make", text="one")
    launch("Use")
    launch("Make", text="two")
    launch("Use")
    launch("Use")
    assert texts(launch.root, "Use", "model") == ["one", "two", "two"]


def test_an_importer_is_tried_again(launch):
    (launch.root / "there").mkdir()
    (launch.root / "there" / "text").write_text("imported")
    for _ in range(2):
        launch("Import", importer=str(launch.root / "there"))
    launch("UseImported", importer=str(launch.root / "there"))
    assert texts(launch.root, "UseImported", "model") == ["imported"]


def test_two_nodes_may_have_an_output_of_the_same_name(launch):
    there = launch.root / "there"
    there.mkdir()
    (there / "text").write_text("imported")
    for node in ("Make", "Use", "Import", "UseImported"):
        launch(node, importer=str(there))
    assert texts(launch.root, "UseImported", "model") == ["imported"]


def test_what_was_wrong_before(launch):
    launch("Make", InProcessComponentLauncher)
    with pytest.raises(Exception, match=r"[Aa]lready|UNIQUE"):
        launch("Make", InProcessComponentLauncher)
