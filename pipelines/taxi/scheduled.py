"""The taxi pipeline as a scheduler starts it: by name, with arguments that JSON can hold."""

from __future__ import annotations

from typing import Any

from pipelines.common.local_run import prepare_environment


def create_pipeline(
    root: str, serving_dir: str, k: int = 50, *, train_steps: int = 2000, data: str | None = None
) -> Any:
    """Sets what TensorFlow must find when it is imported, then builds the graph; see `pipeline.create_pipeline`."""
    prepare_environment()
    from pipelines.taxi import pipeline

    return pipeline.create_pipeline(root, serving_dir, int(k), train_steps=int(train_steps), data=data)
