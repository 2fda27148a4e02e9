"""Running components through LocalDagRunner on examples that a test wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfx import v1 as tfx
from tfx.v1.types import standard_artifacts

from pipelines.common.graph import BEAM_ARGS
from pipelines.common.results import latest_outputs
from tfx_anonymizer._tfx_compat import artifact_utils


def import_examples(
    uri: Path,
    splits: Sequence[str] = ("train", "eval"),
    payload_format: str = "FORMAT_TF_EXAMPLE",
    span: int | None = 7,
    node: str = "Examples",
) -> Any:
    """Brings a folder with `Split-<name>` folders into a pipeline as an Examples artifact."""
    declared: dict[str, Any] = {"split_names": artifact_utils.encode_split_names(list(splits))}
    if span is not None:
        declared.update(span=span, version=2)
    return tfx.dsl.Importer(
        source_uri=str(uri),
        artifact_type=standard_artifacts.Examples,
        properties=declared,
        custom_properties={"payload_format": payload_format, "file_format": "tfrecords_gzip"},
    ).with_id(node)


def run_components(root: Path, components: Sequence[Any], beam_args: Sequence[str] = BEAM_ARGS) -> dict[Any, Path]:
    """Runs components with LocalDagRunner and returns the folder of each (component, output)."""
    pipeline = tfx.dsl.Pipeline(
        pipeline_name="test",
        pipeline_root=str(root),
        components=list(components),
        enable_cache=False,
        metadata_connection_config=tfx.orchestration.metadata.sqlite_metadata_connection_config(
            str(root / "metadata.db")
        ),
        beam_pipeline_args=list(beam_args),
    )
    tfx.orchestration.LocalDagRunner().run(pipeline)
    return {key: Path(uri) for key, uri in latest_outputs(root / "metadata.db").items()}


def artifact_facts(root: Path, node: str, output: str) -> dict[str, Any]:
    """Returns the custom and declared properties of a component's latest output."""
    from ml_metadata import metadata_store
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    uri = latest_outputs(root / "metadata.db")[node, output]
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(root / "metadata.db")
    store = metadata_store.MetadataStore(config)
    (artifact,) = [a for a in store.get_artifacts() if a.uri == uri]
    found = {}
    for properties in (artifact.properties, artifact.custom_properties):
        for name, value in properties.items():
            found[name] = getattr(value, value.WhichOneof("value"))
    return found
