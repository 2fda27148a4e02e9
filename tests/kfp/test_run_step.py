"""What is set right in a step's arguments before TFX's own entry point sees them."""

from __future__ import annotations

import json

import pytest

from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.kfp import run_step

pytest.importorskip("kfp", reason="kfp is not installed: TFX's Kubeflow parts need Python 3.10 or 3.11")

SCHEMA = {"instanceSchema": "title: tfx.Examples\ntype: object\n"}
SPEC = {"artifacts": {"examples": {"artifactType": SCHEMA}}}


def executor_input(**artifact: object) -> dict:
    given = {"uri": "minio://b/v2/examples", **artifact}
    return {
        "inputs": {"artifacts": {"examples": {"artifacts": [given]}}, "parameterValues": {"k": 50}},
        "outputs": {"artifacts": {"report": {"artifacts": [{"uri": "minio://b/v2/report"}]}}, "outputFile": "x.json"},
    }


@pytest.mark.parametrize(
    "given",
    [{}, {"type": {}}, {"type": {"instanceSchema": ""}}, {"type": {"schemaTitle": "system.Dataset"}}],
    ids=["absent", "empty", "empty schema", "of the system"],
)
def test_inputs_get_the_declared_type(given):
    before = executor_input(**given)
    after = run_step.with_types(before, SPEC)
    assert after["inputs"]["artifacts"]["examples"]["artifacts"][0]["type"] == SCHEMA
    assert before == executor_input(**given)


def test_an_input_that_is_not_connected_stays_away():
    given = {"inputs": {}, "outputs": {}}
    assert run_step.with_types(given, SPEC) == given


@pytest.mark.parametrize("scheme", ["minio", "s3", "gs"])
def test_a_uri_becomes_a_folder_and_back(scheme, monkeypatch):
    for root in ("", "/pod"):
        monkeypatch.setenv(run_step.LOCAL_ROOT, root)
        folder = run_step.local_path(f"{scheme}://bucket/a b/ü")
        assert folder == f"{root}/{'gcs' if scheme == 'gs' else scheme}/bucket/a b/ü"
        assert run_step.artifact_uri(folder) == f"{scheme}://bucket/a b/ü"


@pytest.mark.parametrize("place", ["/mnt/minio/x", "hdfs://x", "", "relative/minio/x"])
def test_other_places_stay_as_they_are(place):
    assert run_step.local_path(place) == place
    assert run_step.artifact_uri(place) == place


def test_metadata_that_names_an_artifact_follows_it():
    before = executor_input(metadata={"baseline_model": "s3://b/model", "k": 50.0, "note": "s3 is a store"})
    after = run_step.with_uris(before, run_step.local_path)
    (artifact,) = after["inputs"]["artifacts"]["examples"]["artifacts"]
    assert artifact["uri"] == "/minio/b/v2/examples"
    assert artifact["metadata"] == {"baseline_model": "/s3/b/model", "k": 50.0, "note": "s3 is a store"}
    assert after["outputs"]["artifacts"]["report"]["artifacts"] == [{"uri": "/minio/b/v2/report"}]
    assert run_step.with_uris(after, run_step.artifact_uri) == before


def arguments(invocation: str, spec: str = "{}") -> list[str]:
    return [
        "--executor_class_path=tfx.components.schema_gen.import_schema_gen.executor.Executor",
        f"--json_serialized_invocation_args={invocation}",
        f"--json_serialized_inputs_spec_args={spec}",
    ]


@pytest.mark.parametrize(
    ("invocation", "spec", "said"),
    [
        ("{{$}}", "{}", "--json_serialized_invocation_args is not a JSON object"),
        ("[]", "{}", "--json_serialized_invocation_args is not a JSON object"),
        ("{}", "none", "--json_serialized_inputs_spec_args is not a JSON object"),
        ("{}", "{}", "the ExecutorInput names no outputs.outputFile"),
    ],
)
def test_what_is_no_step_is_refused(invocation, spec, said):
    with pytest.raises(PolicyError, match=said):
        run_step.main(arguments(invocation, spec))


@pytest.mark.parametrize("artifacts", ["local", "direct"])
def test_a_step_runs(artifacts, tmp_path, monkeypatch):
    monkeypatch.setenv(run_step.LOCAL_ROOT, str(tmp_path))
    (tmp_path / "my.pbtxt").write_text('feature { name: "age" type: INT }\n')
    uri = "minio://bucket/schema" if artifacts == "local" else str(tmp_path / "direct/schema")
    kind = {"instanceSchema": "title: tfx.Schema\ntype: object\n"}
    given = {
        "inputs": {"parameterValues": {"schema_file": str(tmp_path / "my.pbtxt")}},
        "outputs": {
            "artifacts": {"schema": {"artifacts": [{"name": "schema", "uri": uri, "type": kind}]}},
            "outputFile": str(tmp_path / "out/metadata.json"),
        },
    }
    spec = json.dumps({"parameters": {"schema_file": {"parameterType": "STRING"}}})
    run_step.main([f"--artifacts={artifacts}", *arguments(json.dumps(given), spec), "--runner=DirectRunner"])
    reported = json.loads((tmp_path / "out/metadata.json").read_text())
    assert reported["artifacts"]["schema"]["artifacts"][0]["uri"] == uri
    folder = tmp_path / ("minio/bucket/schema" if artifacts == "local" else "direct/schema")
    assert "age" in (folder / "schema.pbtxt").read_text()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["metadata.json"]
