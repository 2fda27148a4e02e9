"""The container image: `make image-test` builds it, and runs in it every step of a package compiled inside it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.kubeflow import Cluster
from tests.support.kubeflow_runs import check_both_releases, run_parameters

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("IMAGE_TEST"), reason="no image was built; make image-test builds and tests it"
    ),
]


def in_image(argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a command in the image, with the folder that holds its own mounted at its own path."""
    pod = folder.parent
    # The image's user is nobody here.
    subprocess.run(["chmod", "-R", "a+rwX", str(pod)], check=True)
    set_here = [f"{name}={value}" for name, value in environment.items()]
    return subprocess.run(
        ["sh", "scripts/image.sh", "run", str(pod), "env", *set_here, *argv],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def run(tmp_path):
    def run(*argv: str, **environment: str) -> str:
        (tmp_path / "pod/work").mkdir(parents=True, exist_ok=True)
        ran = in_image(argv, tmp_path / "pod/work", environment)
        assert ran.returncode == 0, ran.stdout[-4000:]
        return ran.stdout

    return run


def test_it_is_healthy_and_nobody_in_particular(run):
    assert "healthy: tfx-anonymizer " in run("python3", "-m", "tfx_anonymizer.kfp.health")
    assert run("id", "-u").strip() == "10001"
    # Installed as a wheel, by nobody's checkout; nothing to compile with.
    assert run("python3", "-c", "import tfx_anonymizer; print(tfx_anonymizer.__file__)").startswith("/opt/venv/lib/")
    assert run("sh", "-c", "command -v g++ make || echo none").strip() == "none"
    assert run("sh", "-c", "touch /opt/venv/x 2>/dev/null || echo refused").strip() == "refused"


def test_the_command_line_works(run, tmp_path):
    (tmp_path / "pod").mkdir()
    (tmp_path / "pod/people.csv").write_text("age,ill\n" + "".join(f"{i * 7 % 60},{i % 2}\n" for i in range(120)))
    place = str(tmp_path / "pod")
    said = run("tfx-anonymizer", "anonymize", f"{place}/people.csv", "-o", f"{place}/release.csv", "--label", "ill",
               "--quasi-identifiers", "age", "--k", "5")  # fmt: skip
    assert "reached (asked 5)" in said


def test_every_step_of_a_package_runs_in_it(run, tmp_path):
    pod = tmp_path / "pod"
    for part in ("pipelines", "schemas"):
        shutil.copytree(ROOT / part, pod / part, ignore=shutil.ignore_patterns("__pycache__"))
    steps = ["--train-steps", "20", "--eval-steps", "2"]
    run("python3", "-m", "pipelines.taxi.kubeflow", "--out", str(pod / "taxi.yaml"), *steps, PYTHONPATH=str(pod))
    # The data and the schema are the image's own.
    parameters = run_parameters("/opt/tfx_anonymizer/data/taxi")
    cluster = Cluster(pod / "taxi.yaml", tmp_path, parameters, start=in_image)
    check_both_releases(cluster)
    print({name: round(step.seconds, 1) for name, step in cluster.steps.items()})  # noqa: T201
