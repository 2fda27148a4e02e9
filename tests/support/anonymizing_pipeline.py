"""A pipeline of an Importer and AGAnonymizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def create_pipeline(root: str, examples: str) -> Any:
    """Builds it."""
    from tfx import v1 as tfx

    from pipelines.common.graph import BEAM_ARGS
    from tests.support.pipelines import import_examples
    from tfx_anonymizer import AGAnonymizer

    raw = import_examples(Path(examples))
    anonymizer = AGAnonymizer(examples=raw.outputs["result"], quasi_identifiers=["age", "zip"], label_key="ill", k=5)
    return tfx.dsl.Pipeline(
        pipeline_name="anonymizing",
        pipeline_root=root,
        components=[raw, anonymizer],
        metadata_connection_config=tfx.orchestration.metadata.sqlite_metadata_connection_config(f"{root}/metadata.db"),
        beam_pipeline_args=list(BEAM_ARGS),
    )
