"""What can be said of the Dockerfile without building it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def stages():
    """The instructions of each stage, continuation lines joined."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = [line for line in re.sub(r"\\\n", " ", text).splitlines() if line.strip()]
    found: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("FROM "):
            found.append([])
        found[-1].append(line)
    return found


def ignored() -> list[str]:
    return [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]


def test_the_base_can_be_chosen_and_has_a_tag(stages):
    (argument,) = [line for line in stages[0] if line.startswith("ARG BASE=")]
    assert re.fullmatch(r"ARG BASE=\S+/python:3\.11-slim-trixie", argument)
    assert [stage[0] for stage in stages[1:]] == ["FROM ${BASE} AS build", "FROM ${BASE}"]


def test_what_runs_is_nobody_and_holds_no_compiler(stages):
    last = stages[-1]
    (user,) = [line for line in last if line.startswith("USER ")]
    assert user == "USER 10001"
    assert last.index(user) < last.index(next(line for line in last if line.startswith("HEALTHCHECK ")))
    assert not any(re.search(r"\bg\+\+|\bmake\b|pip install", line) for line in last)
    assert not any(line.startswith("COPY components") for line in last)


def test_everything_is_pinned(stages):
    build = " ".join(stages[1])
    assert "PIP_CONSTRAINT=/src/constraints.txt" in build
    assert "pip check" in build
    assert "COPY constraints/tfx-1.21.txt constraints.txt" in stages[1]


def test_what_it_copies_is_there_and_is_sent(stages):
    assert ignored()[0] == "*"
    sent = [line[1:] for line in ignored() if line.startswith("!")]
    for line in stages[1] + stages[2]:
        if not line.startswith("COPY ") or "--from=" in line:
            continue
        for source in line.split()[1:-1]:
            assert (ROOT / source).exists(), source
            assert any(f"{source}/".startswith(f"{name}/") or name.startswith(source) for name in sent), source
    for name in sent:
        assert (ROOT / name).exists(), name


def test_the_script_says_what_is_missing(tmp_path):
    for arguments, said in (
        (["build"], "no engine is there to build an image"),
        (["push"], "no engine"),
        ([], "no engine"),
    ):
        ran = subprocess.run(
            ["/bin/sh", "scripts/image.sh", *arguments], cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 1
        assert ran.stderr.splitlines()[-1].startswith(f"image: {said}"), ran.stderr


def test_the_script_knows_its_commands():
    ran = subprocess.run(
        ["sh", "scripts/image.sh", "push"], cwd=ROOT, env={"PATH": "/usr/bin:/bin", "ENGINE": "docker"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr == "image: the first argument is build, run or remove\n"
