"""The Adult pipeline as a scheduler starts it: by name, with arguments that JSON can hold."""

from __future__ import annotations

from typing import Any

from pipelines.common.local_run import prepare_environment


def create_pipeline(root: str, serving_dir: str, data: str, k: int = 100, *, train_steps: int = 2500) -> Any:
    """Sets what TensorFlow must find when it is imported, then builds the graph; see `pipeline.create_pipeline`."""
    prepare_environment()
    from pipelines.adult import pipeline

    return pipeline.create_pipeline(root, serving_dir, data, int(k), train_steps=int(train_steps))
