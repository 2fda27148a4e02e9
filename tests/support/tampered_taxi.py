"""The taxi pipeline with a fault that can be switched on: a file `tamper` in the pipeline root breaks the release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipelines.taxi import scheduled

FLAG = "tamper"


def create_pipeline(root: str, serving_dir: str, k: int = 50, *, train_steps: int = 500) -> Any:
    """Builds the taxi graph; between AGAnonymizer and KAnonymityValidator a row may change."""
    pipeline = scheduled.create_pipeline(root, serving_dir, k, train_steps=train_steps)
    from tests.support.tampering_executor import TamperingExecutor

    (anonymizer,) = [component for component in pipeline.components if component.id == "AGAnonymizer"]
    anonymizer.executor_spec.executor_class = TamperingExecutor
    return pipeline


def flag_of(output: Path) -> Path:
    """Where the flag is, seen from the folder of an output: `<root>/<node>/<key>/<execution>`."""
    return output.parents[2] / FLAG
