"""The wheel, built as a release is, in an environment that holds nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: object, cwd: Path = ROOT) -> str:
    result = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return result.stdout


@pytest.mark.slow
def test_a_wheel_installs_and_works(tmp_path):
    run(sys.executable, "-m", "build", "--outdir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    templates = {path.relative_to(ROOT / "components").as_posix() for path in (ROOT / "components").rglob("*.j2")}
    assert len(templates) >= 5
    assert {"tfx_anonymizer/py.typed", *templates} <= held
    assert not {name.split("/")[0] for name in held} - {"tfx_anonymizer", wheel.name.split("-py3")[0] + ".dist-info"}

    line = ".".join(metadata.version("tfx").split(".")[:2])
    run(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    constraints = ("--constraint", ROOT / "constraints" / f"tfx-{line}.txt")
    run(python, "-m", "pip", "install", "--quiet", *constraints, "pip", "setuptools", "wheel")
    run(python, "-m", "pip", "install", "--quiet", *constraints, wheel)
    run(python, "-m", "pip", "check")
    assert "smoke test passed" in run(python, Path(__file__).with_name("smoke.py"), tmp_path / "work", cwd=tmp_path)
