"""The Kubeflow package: what the newest SDK makes of it, and what is refused when it is compiled."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("kfp", reason="kfp is not installed: compiling needs Python 3.10 or 3.11")

from pipelines.common.kubeflow import Size, compile_pipeline, parse_beam_args, parse_sizes
from pipelines.taxi import kubeflow as taxi
from tfx_anonymizer.errors import PolicyError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    out = tmp_path_factory.mktemp("kubeflow") / "taxi.yaml"
    chosen = ["--pipeline-root", "s3://bucket/runs", "--size", "AGAnonymizer=4,16", "--size", "=1,3"]
    beam = ["--beam", "AGAnonymizer=--direct_num_workers=4"]
    assert taxi.main(["--image", "registry.example:5000/team/anonymizer:1", "--out", str(out), *chosen, *beam]) == 0
    return out


@pytest.fixture(scope="module")
def spec(package):
    return yaml.safe_load(package.read_text())


def container(spec, node: str) -> dict:
    return spec["deploymentSpec"]["executors"][f"{node}_executor"]["container"]


def test_the_newest_sdk_takes_it(package):
    command = ["sh", "scripts/newest_kfp.sh", "tests/support/load_package.py", str(package)]
    environment = {**os.environ, "PYTHON": sys.executable}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert tuple(map(int, found["kfp"].split("."))) >= (2, 17)
    assert found["name"] == "taxi"
    assert found["schema"] == "2.1.0"
    assert found["inputs"] == found["optional"] == ["data", "k", "quasi_identifiers"]
    assert len(found["tasks"]) == 13
    # CsvExampleGen's too, which TFX leaves out.
    assert found["memory"]["AGAnonymizer"] == 16
    assert found["memory"]["CsvExampleGen"] == 3


def test_what_a_run_may_choose(spec):
    parameters = spec["root"]["inputDefinitions"]["parameters"]
    assert parameters["k"] == {"parameterType": "NUMBER_INTEGER", "defaultValue": 50, "isOptional": True}
    assert "trip_seconds" in parameters["quasi_identifiers"]["defaultValue"].split(",")
    for node in ("AGAnonymizer", "KAnonymityValidator"):
        given = spec["root"]["dag"]["tasks"][node]["inputs"]["parameters"]
        assert given["k"] == {"componentInputParameter": "k"}
        assert given["quasi_identifiers"] == {"componentInputParameter": "quasi_identifiers"}
    assert spec["defaultPipelineRoot"] == "s3://bucket/runs"


def test_every_step_has_image_entry_point_and_beam_arguments(spec):
    for node in spec["components"]:
        found = container(spec, node)
        assert found["image"] == "registry.example:5000/team/anonymizer:1"
        assert found["command"] == ["python3", "-m", "tfx_anonymizer.kfp.run_step", "--artifacts=local"]
    assert container(spec, "AGAnonymizer")["args"][-1] == "--direct_num_workers=4"
    assert "--direct_num_workers=4" not in container(spec, "Transform")["args"]


def test_nothing_reads_the_release_before_it_was_counted(spec):
    tasks = spec["root"]["dag"]["tasks"]
    readers = [
        name
        for name, task in tasks.items()
        for given in task.get("inputs", {}).get("artifacts", {}).values()
        if given["taskOutputArtifact"]["outputArtifactKey"] == "anonymized_examples"
    ]
    assert sorted(readers) == ["KAnonymityValidator", "PrivacyReporter", "StatisticsGen", "Transform"]
    for name in set(readers) - {"KAnonymityValidator"}:
        assert "KAnonymityValidator" in tasks[name]["dependentTasks"]


def test_artifact_types_resolve_by_the_path_in_the_package(spec):
    from tfx.orchestration.kubeflow.v2.compiler_utils import TITLE_TO_CLASS_PATH
    from tfx.utils.import_utils import import_class_by_path

    titles = set()
    for component in spec["components"].values():
        for side in ("inputDefinitions", "outputDefinitions"):
            for artifact in component.get(side, {}).get("artifacts", {}).values():
                titles.add(yaml.safe_load(artifact["artifactType"]["instanceSchema"])["title"])
    ours = {title for title in titles if title.startswith("tfx_anonymizer.")}
    assert {title.split(".")[1] for title in ours} == {
        "Generalization", "AnonymizationReport", "PrivacyBlessing", "PrivacyReport", "ValidationReport",
    }  # fmt: skip
    for title in titles:
        assert import_class_by_path(TITLE_TO_CLASS_PATH.get(title, title)).TYPE_NAME


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (["--k", "1"], "error: k "),
        (["--quasi-identifiers", "fare,company_name"], "quasi_identifiers names a column 'company_name'"),
        (["--quasi-identifiers", " , "], "quasi_identifiers is empty"),
        (["--image", "no such image"], "image is not the name of a container image"),
        (["--image", ""], "image is not the name of a container image"),
        (["--pipeline-root", "/mnt/runs"], "pipeline root is in no object store"),
        (["--out", "package.json"], "suffix is not known"),
        (["--size", "AGAnonymizer=4"], "a size is not NODE=CORES,GB"),
        (["--size", "AGAnonymizer=4,0"], "a pod's size must be positive"),
        (["--size", "Anonymizer=4,16"], "the pipeline has no such component"),
        (["--beam", "AGAnonymizer"], "a Beam argument is not NODE=--name=value"),
        (["--beam", "Pusher=--runner=x"], "Pusher does not run on Beam"),
    ],
)
def test_what_is_wrong_is_said_when_it_is_compiled(chosen, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert taxi.main(chosen) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert re.search(said, error), error
    assert not list(tmp_path.rglob("*.yaml"))


def test_sizes_and_beam_arguments_are_read():
    assert parse_sizes(["A=2,4.5", "=1,2"]) == {"A": Size(2, 4.5), "": Size(1, 2)}
    assert parse_beam_args(["A=--x=1", "A=--y", "B=--z=a=b"]) == {"A": ["--x=1", "--y"], "B": ["--z=a=b"]}


SCRIPT = """
import pathlib, sys
from tfx import v1 as tfx
from pipelines.common.kubeflow import compile_pipeline

@tfx.dsl.components.component
def Mine(n: tfx.dsl.components.Parameter[int]):
    print(n)

pipeline = tfx.dsl.Pipeline("small", "", components=[Mine(n=1)])
compile_pipeline(pipeline, pathlib.Path(sys.argv[1]), "image", defaults={}, sizes={})
"""


def test_an_executor_of_the_started_script_is_refused(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "x.yaml")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "PolicyError: the executor of Mine is defined in the script that was started" in ran.stderr
    assert not (tmp_path / "x.yaml").exists()


def test_a_module_file_is_refused(tmp_path):
    from tfx import v1 as tfx

    from tfx_anonymizer import InitialModelTrainer

    (tmp_path / "user").mkdir()
    (tmp_path / "user/trainer.py").write_text("def run_fn(args): pass\n")
    raw = tfx.components.CsvExampleGen(input_base="x")
    trainer = InitialModelTrainer(raw.outputs["examples"], module_file=str(tmp_path / "user/trainer.py"))
    pipeline = tfx.dsl.Pipeline("small", str(tmp_path / "root"), components=[raw, trainer])
    with pytest.raises(PolicyError, match="InitialModelTrainer has a module_file"):
        compile_pipeline(pipeline, tmp_path / "x.yaml", "image", defaults={}, sizes={})


def test_a_default_for_no_parameter_is_refused(tmp_path):
    from tfx import v1 as tfx

    raw = tfx.components.CsvExampleGen(input_base="x")
    with pytest.raises(PolicyError, match="run-time parameters and their defaults differ"):
        compile_pipeline(
            tfx.dsl.Pipeline("small", "", components=[raw]), tmp_path / "x.yaml", "image", defaults={"k": 5}, sizes={}
        )
