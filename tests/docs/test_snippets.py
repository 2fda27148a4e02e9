"""What the README and the how-tos show is run as it stands there."""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.support.people import make_people

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / name
    for name in (
        *("README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
        *(f"docs/{page}.md" for page in ("airflow", "command_line", "embed", "kubeflow", "method", "runners")),
    )
]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def people_csv() -> None:
    """Writes the `people.csv` that the pages speak of."""
    people = make_people(600)
    people = people.rename(columns={"city": "sex", "ill": "income", "income": "hours"})
    people.drop(columns=["person", "height"]).to_csv("people.csv", index=False)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people_csv()
    return tmp_path


@pytest.mark.parametrize("name", ["README.md", "docs/command_line.md"])
def test_commands_run(name, here):
    tool = Path(sys.executable).with_name("tfx-anonymizer")
    ran = 0
    for block in blocks(ROOT / name, "sh"):
        for line in block.splitlines():
            program, *arguments = shlex.split(line)
            assert program == "tfx-anonymizer"
            result = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
            assert result.returncode == 0, (line, result.stderr)
            ran += 1
    assert ran >= 2
    assert len(pd.read_csv("release.csv")) == 600


def test_python_api(here, capsys):
    (snippet,) = [block for block in blocks(ROOT / "README.md", "python") if "AccuracyGuidedAnonymizer" in block]
    exec(compile(snippet, "README.md", "exec"), {})
    assert int(capsys.readouterr().out) >= 50


def test_policy_in_python_and_schema():
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2

    from tfx_anonymizer import AnonymizationPolicy

    names: dict = {}
    (snippet,) = blocks(ROOT / "docs/embed.md", "python")
    exec(compile(snippet, "embed.md", "exec"), names)
    assert names["policy"].k == 50
    (proto,) = blocks(ROOT / "docs/embed.md", "proto")
    schema = text_format.Parse(proto, schema_pb2.Schema())
    policy = AnonymizationPolicy.from_schema(schema, k=2)
    assert policy.quasi_identifiers == ("zip",)
    assert policy.categorical == ("zip",)


def test_ten_lines_join_a_pipeline():
    from tfx import v1 as tfx
    from tfx.v1.types import standard_artifacts

    module = "tfx.examples.chicago_taxi_pipeline.taxi_utils_native_keras"
    example_gen = tfx.components.CsvExampleGen(input_base="anywhere")
    schema_gen = tfx.components.ImportSchemaGen(schema_file="any.pbtxt")
    raw, schema = example_gen.outputs["examples"], schema_gen.outputs["schema"]
    preprocessing_fn = f"{module}.preprocessing_fn"
    raw_transform = tfx.components.Transform(examples=raw, schema=schema, preprocessing_fn=preprocessing_fn)
    names = {
        "Transform": tfx.components.Transform,
        "preprocessing_fn": preprocessing_fn,
        "raw": raw,
        "raw_transform": raw_transform.with_id("RawTransform"),
        "run_fn": f"{module}.run_fn",
        "schema": schema,
    }
    (snippet,) = [block for block in blocks(ROOT / "README.md", "python") if "AGAnonymizer(" in block]
    assert len([line for line in snippet.splitlines() if line and "import" not in line]) <= 10
    exec(compile(snippet, "README.md", "exec"), names)
    nodes = [names[name] for name in ("transform", "validator", "anonymizer", "guide")]
    pipeline = tfx.dsl.Pipeline("joined", "anywhere", components=[example_gen, schema_gen, raw_transform, *nodes])
    order = [component.id for component in pipeline.components]
    assert order.index("KAnonymityValidator") < order.index("Transform")
    assert order.index("InitialModelTrainer") < order.index("AGAnonymizer") < order.index("KAnonymityValidator")
    assert nodes[0].inputs["examples"].type is standard_artifacts.Examples


def test_kubeflow(tmp_path, monkeypatch):
    kfp = pytest.importorskip("kfp", reason="kfp is not installed: its SDK needs Python 3.10 or 3.11 here")
    from kfp import compiler

    start, table = blocks(ROOT / "docs/kubeflow.md", "python")
    names: dict = {"__name__": "page"}
    exec(compile(table, "kubeflow.md", "exec", dont_inherit=True), names)
    compiler.Compiler().compile(names["my_pipeline"], str(tmp_path / "mine.yaml"))
    assert "exec-validate" in (tmp_path / "mine.yaml").read_text()

    asked = {}

    class Client:
        def __init__(self, **place):
            asked.update(place)

        def create_run_from_pipeline_package(self, pipeline_file, arguments, pipeline_root, enable_caching):
            asked.update(arguments, package=pipeline_file, root=pipeline_root, caching=enable_caching)
            return type("Run", (), {"run_id": "1"})

    # What the real one is asked must be what it takes.
    taken = inspect.signature(kfp.Client.create_run_from_pipeline_package).parameters
    assert set(inspect.signature(Client.create_run_from_pipeline_package).parameters) <= set(taken)
    monkeypatch.setattr(kfp, "Client", Client)
    exec(compile(start, "kubeflow.md", "exec", dont_inherit=True), names)
    assert names["start"]("https://kubeflow.example", "team") == "1"
    assert asked["k"] == 100
    assert asked["package"] == "build/kubeflow/taxi.yaml"
    assert asked["caching"] is False


def test_beam_arguments_are_ones_that_beam_knows():
    from apache_beam.options.pipeline_options import PipelineOptions

    names: dict = {}
    for snippet in blocks(ROOT / "docs/runners.md", "python"):
        exec(compile(snippet, "runners.md", "exec"), names)
    listed = {name: args for name, args in names.items() if isinstance(args, list)}
    assert len(listed) >= 4
    for name, args in listed.items():
        known = PipelineOptions(args).get_all_options(drop_default=True)
        assert len(known) == len(args), (name, known)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_points_to_is_there(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for command in re.findall(r"(?:`|^)make ([a-z-]+(?: [a-z]+)*)", text, flags=re.MULTILINE):
        for target in command.split():
            assert f"make {target} " in listed, target


@pytest.mark.parametrize("page", [ROOT / "docs/embed.md"], ids=lambda page: page.name)
def test_the_errors_it_names_exist(page):
    from tfx_anonymizer import errors

    named = set(re.findall(r"`(\w+Error)`", page.read_text(encoding="utf-8")))
    assert len(named) >= 5
    assert all(issubclass(getattr(errors, name), errors.AnonymizerError) for name in named)
