"""What the README and the how-tos show is run as it stands there."""

from __future__ import annotations

import inspect
import json
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
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
]
# Pages whose Python is run from top to bottom, beside a table `people.csv`.
RUN_THROUGH = ("docs/choose-k.md", "docs/choose-quasi-identifiers.md", "docs/faq.md")
SETUP = (ROOT / "setup.py").read_text(encoding="utf-8")
# Pages whose commands are run, line by line.
COMMANDS = ("README.md", "docs/audit.md", "docs/command_line.md", "docs/faq.md")
# Who else runs what a page shows, or why nobody can. Whatever is neither run here nor named here fails.
ELSEWHERE = {
    ("docs/airflow.md", "python"): "tests/airflow/test_dags.py, inside Airflow",
    ("docs/audit.md", "python"): "test_an_audit_joins_a_pipeline",
    ("docs/dp.md", "python"): "test_differential_privacy",
    ("docs/dp.md", "proto"): "test_differential_privacy",
    ("docs/audit.md", "text"): "tests/privacy_auditor and tests/cli/test_audit.py, with a model and a release",
    ("docs/airflow.md", "console"): "tests/airflow: the same commands with the paths of real environments",
    ("docs/dp-training.md", "python"): "test_private_training_and_a_safe_release",
    ("docs/dp-training.md", "json"): "test_private_training_and_a_safe_release, but for the numbers",
    ("docs/embed.md", "python"): "test_policy_in_python_and_schema and test_readers_wait",
    ("docs/embed.md", "proto"): "test_policy_in_python_and_schema",
    ("docs/kubeflow.md", "python"): "test_kubeflow",
    ("docs/kubeflow.md", "console"): "tests/pipelines/test_kubeflow.py and tests/kfp, without a registry",
    ("docs/kubeflow.md", "dockerfile"): "somebody else's code on top of what make image-test builds",
    ("docs/report.md", "python"): "test_a_report_joins_a_pipeline",
    ("docs/runners.md", "python"): "test_beam_arguments_are_ones_that_beam_knows",
    ("docs/runners.md", "console"): "tests/runners: the same arguments, by make flink-test",
    ("docs/runners.md", "dockerfile"): "on top of an image from a registry; the page says that it was not built",
    ("docs/versions.md", "console"): "test_versions; installing takes a package index",
    ("README.md", "python"): "test_python_api and test_ten_lines_join_a_pipeline",
    ("README.md", "mermaid"): "a drawing",
    ("README.md", ""): "make demo and make test, which CI runs; make kubeflow-compile and make image",
}


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


@pytest.mark.parametrize("name", COMMANDS)
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
    assert ran >= 1
    assert name in ("docs/audit.md", "docs/faq.md") or len(pd.read_csv("release.csv")) == 600


@pytest.mark.parametrize("name", RUN_THROUGH)
def test_a_page_runs_from_top_to_bottom(name, here):
    names: dict = {}
    for number, block in enumerate(blocks(ROOT / name, "python"), start=1):
        exec(compile(block, f"{name}, block {number}", "exec", dont_inherit=True), names)
    assert names
    if name == "docs/faq.md":
        from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions

        arguments = names["anonymizer"].executor_spec.beam_pipeline_args
        assert len(arguments) == 2
        assert PipelineOptions(arguments).view_as(DirectOptions).direct_num_workers == 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_block_is_run_by_nobody(page):
    name = page.relative_to(ROOT).as_posix()
    fences = re.findall(r"^ *```(.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(fences) % 2 == 0
    run = {(page, "python") for page in RUN_THROUGH} | {(page, "sh") for page in COMMANDS}
    for language in fences[::2]:
        assert (name, language) in run | set(ELSEWHERE), f"{name} shows a block of {language!r} that nothing runs"


def test_python_api(here, capsys):
    (snippet,) = [block for block in blocks(ROOT / "README.md", "python") if "AccuracyGuidedAnonymizer" in block]
    exec(compile(snippet, "README.md", "exec"), {})
    assert int(capsys.readouterr().out) >= 50


def test_policy_in_python_and_schema():
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2

    from tfx_anonymizer import AnonymizationPolicy

    names: dict = {}
    snippet, _ = blocks(ROOT / "docs/embed.md", "python")
    exec(compile(snippet, "embed.md", "exec"), names)
    assert names["policy"].k == 50
    (proto,) = blocks(ROOT / "docs/embed.md", "proto")
    schema = text_format.Parse(proto, schema_pb2.Schema())
    policy = AnonymizationPolicy.from_schema(schema, k=2)
    assert policy.quasi_identifiers == ("zip",)
    assert policy.categorical == ("zip",)


def test_an_audit_joins_a_pipeline():
    from tfx import v1 as tfx

    raw = tfx.components.CsvExampleGen(input_base="anywhere").outputs["examples"]
    names: dict = {"raw": raw}
    (snippet,) = blocks(ROOT / "docs/audit.md", "python")
    exec(compile(snippet, "audit.md", "exec"), names)
    trainer = tfx.components.Trainer(
        examples=names["training"], run_fn="a.f", train_args=tfx.proto.TrainArgs(), eval_args=tfx.proto.EvalArgs()
    )
    auditor = names["audited"](trainer.outputs["model"], names["training"])
    options = json.loads(auditor.exec_properties["options"])
    assert (options["member_split"], options["non_member_split"]) == ("member", "non_member")


def test_a_report_joins_a_pipeline():
    from tfx import v1 as tfx

    from tfx_anonymizer import AGAnonymizer, KAnonymityValidator

    names: dict = {}
    for snippet in blocks(ROOT / "docs/report.md", "python"):
        exec(compile(snippet, "report.md", "exec"), names)
    raw = tfx.components.CsvExampleGen(input_base="anywhere").outputs["examples"]
    roles = {"quasi_identifiers": ["age"], "k": 2}
    anonymizer = AGAnonymizer(raw, **roles)
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], **roles)
    evaluator = tfx.components.Evaluator(
        examples=raw, eval_config=names["tfma"].EvalConfig(slicing_specs=names["slicing_specs"])
    )
    reporter = names["reported"](raw, anonymizer, validator, evaluator)
    assert sorted(reporter.inputs) == ["anonymized_examples", "evaluation", "examples", "report", "validation"]


def test_private_training_and_a_safe_release(tmp_path):
    import numpy as np

    names: dict = {}
    for snippet in blocks(ROOT / "docs/dp-training.md", "python"):
        exec(compile(snippet, "dp-training.md", "exec", dont_inherit=True), names)
    people = make_people(5000)
    rows = (people[["age"]] / 60 - 1).to_numpy(np.float32)
    names["train"](rows, people["ill"].to_numpy(), people["person"].to_numpy(), str(tmp_path / "model"))
    assert (tmp_path / "model" / "saved_model.pb").is_file()
    record = json.loads((tmp_path / "model" / "differential_privacy.json").read_text())
    (shown,) = [json.loads(block) for block in blocks(ROOT / "docs/dp-training.md", "json")]
    assert set(shown) <= set(record)
    assert record["epsilon"] <= 2.0
    from tfx import v1 as tfx

    made = names["safely"](tfx.components.CsvExampleGen(input_base="anywhere").outputs["examples"])
    assert json.loads(made.exec_properties["settings"])["safety"]["design_split"] == "design"
    release = names["publish"](people.drop(columns="person"))
    assert release.table.groupby(["age", "city", "ill"], dropna=False).size().min() >= release.k >= 74


def test_differential_privacy(here, capsys):
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2
    from tfx import v1 as tfx

    from tfx_anonymizer.differential_privacy.domain import Domain

    page = ROOT / "docs/dp.md"
    names: dict = {"raw": tfx.components.CsvExampleGen(input_base="anywhere").outputs["examples"]}
    for number, block in enumerate(blocks(page, "python"), start=1):
        exec(compile(block, f"dp.md, block {number}", "exec", dont_inherit=True), names)
    assert names["synthesizer"].exec_properties["epsilon"] == 1.0
    assert capsys.readouterr().out.startswith("0.0\n")
    assert names["found"].spending.epsilon <= 8.0
    assert names["response"].truth > 0.7
    (proto,) = blocks(page, "proto")
    domain = Domain.from_schema(text_format.Parse(proto, schema_pb2.Schema()), bins=12)
    assert [attribute.size for attribute in domain.attributes] == [12, 4, 100]


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


def test_readers_wait():
    from tfx import v1 as tfx

    from tfx_anonymizer import KAnonymityValidator

    examples = tfx.components.CsvExampleGen(input_base="anywhere").outputs["examples"]
    validator = KAnonymityValidator(examples=examples, quasi_identifiers=["age"], k=2)
    transform = tfx.components.StatisticsGen(examples=examples)
    _, snippet = blocks(ROOT / "docs/embed.md", "python")
    exec(compile(snippet, "embed.md", "exec"), {"transform": transform, "validator": validator})
    assert transform.upstream_nodes == {validator}


def test_versions():
    text = (ROOT / "docs/versions.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)`[^|]* \| (\S+) \| (\S+) \|$", text, flags=re.MULTILINE)
    assert len(rows) >= 10
    for column, line in enumerate(("1.16", "1.21"), start=1):
        pins = (ROOT / f"constraints/tfx-{line}.txt").read_text().split()
        for row in rows:
            assert f"{row[0]}=={row[column]}" in pins, (line, row[0])


def test_a_table_needs_no_more_than_the_page_says(here):
    """The command line works where of what setup.py asks for only the packages are there that the page installs."""
    (command,) = [line for line in (ROOT / "docs/versions.md").read_text().splitlines() if " numpy pandas " in line]
    told = set(command.split("install ")[1].split())
    asked = set(re.findall(r'^        "([a-z-]+)[^"]*",', SETUP, flags=re.MULTILINE))
    assert {"tfx", "tensorflow", "numpy"} <= asked
    # threadpoolctl comes along with scikit-learn.
    told |= {"pip", "setuptools", "wheel", "threadpoolctl"}
    absent = {name.replace("-", "_") for name in asked - told}
    program = f"""
import importlib.abc, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {absent!r}:
            raise ImportError(f"{{name}} is not installed")
sys.meta_path.insert(0, Absent())
from tfx_anonymizer.cli import main
main()
"""
    arguments = "anonymize people.csv -o release.csv --label income --quasi-identifiers age,sex --k 50 --report r.html"
    command = [sys.executable, "-c", program, *arguments.split()]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert len(pd.read_csv("release.csv")) == 600


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
