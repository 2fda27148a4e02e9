"""What the set-up scripts choose and say, on systems that stubs in front of PATH pretend to be."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def system(tmp_path):
    """Runs a script with some programs replaced by ones that print a text and fail with a code."""

    def run(
        script: str | Path, *arguments: str, programs: dict[str, str], **settings: str
    ) -> subprocess.CompletedProcess[str]:
        for name, body in programs.items():
            stub = tmp_path / name
            stub.write_text(f"#!/bin/sh\n{body}\n")
            stub.chmod(0o755)
        environment = {k: v for k, v in os.environ.items() if k not in {"TFX_LINE", "PYTHON"}}
        environment.update(PATH=f"{tmp_path}:/usr/bin:/bin", **settings)
        command = ["sh", str(Path("scripts") / script), *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    return run


def python(version: str) -> str:
    """A Python that knows its version and cannot make environments."""
    return f'[ "$1" = -c ] && echo {version} || exit 1'


OLD, NEW = "echo glibc 2.36", "echo glibc 2.41"
NO_PYTHONS = {f"python3.{minor}": "exit 127" for minor in range(10, 14)}


@pytest.mark.parametrize(
    ("glibc", "found", "said"),
    [
        (OLD, "3.12", "setup: TFX 1.16 (glibc 2.36 is older than the 2.39 that TFX 1.21 needs) needs Python 3.10, but"),
        (NEW, "3.9", "setup: TFX 1.21 (glibc 2.41 is 2.39 or newer) needs Python 3.11, 3.10, 3.12, 3.13, but python3"),
    ],
)
def test_a_wrong_python_gets_one_sentence(system, glibc, found, said):
    result = system("setup.sh", programs={**NO_PYTHONS, "getconf": glibc, "python3": python(found)})
    assert result.returncode == 1
    assert result.stderr.startswith(said)
    assert f"is {found}; install one of them" in result.stderr
    assert result.stderr.count("\n") == 1


def test_no_python_at_all(system):
    result = system("setup.sh", programs={**NO_PYTHONS, "getconf": OLD, "python3": "exit 127"})
    assert result.returncode == 1
    assert "but python3 is missing; install one of them, or name one with PYTHON=." in result.stderr


def test_an_unknown_line(system):
    result = system("setup.sh", programs={}, TFX_LINE="1.15")
    assert result.returncode == 1
    assert result.stderr == "setup: TFX_LINE is '1.15'; allowed: 1.16 or 1.21.\n"


def test_a_named_python_is_the_only_one_asked(system, tmp_path):
    named = {"mine": python("3.8"), "python3": python("3.10"), "getconf": OLD}
    result = system("setup.sh", programs=named, PYTHON=str(tmp_path / "mine"))
    assert result.returncode == 1
    assert f"needs Python 3.10, but {tmp_path}/mine is 3.8" in result.stderr


def test_a_new_system_runs_the_current_line_as_it_is(system):
    result = system("current_line.sh", "sh", "-c", 'echo "line $TFX_LINE"', programs={"getconf": NEW})
    assert (result.returncode, result.stdout) == (0, "line 1.21\n")


def test_an_old_system_needs_root(system):
    result = system("current_line.sh", "make", "test", programs={"getconf": OLD, "id": "echo 1000"})
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "only root can make a Debian 13 root to run it in" in result.stderr


def test_the_current_line_needs_a_command(system):
    result = system("current_line.sh", programs={})
    assert result.returncode == 1
    assert "give a command" in result.stderr


def test_both_lines_are_pinned_whole():
    for line, tfx in (("1.16", "tfx==1.16."), ("1.21", "tfx==1.21.")):
        pins = (ROOT / "constraints" / f"tfx-{line}.txt").read_text().splitlines()
        assert [pin for pin in pins if pin.startswith(tfx)]
        assert all(pin.count("==") == 1 for pin in pins)
        for name in ("apache-airflow", "kfp", "pytest", "mypy", "ruff"):
            assert [pin for pin in pins if pin.startswith(f"{name}==")], name


def test_both_airflows_are_pinned_whole():
    for name, version in (("2", "2.11."), ("3", "3.")):
        pins = (ROOT / "constraints" / f"airflow-{name}.txt").read_text().splitlines()
        assert [pin for pin in pins if pin.startswith(f"apache-airflow=={version}")]
        assert all(pin.count("==") == 1 for pin in pins)


@pytest.mark.parametrize(
    ("arguments", "version", "said"),
    [
        ((), "3.10", "airflow: say which: 3, 2 or 2-tfx; got ''."),
        (("4",), "3.10", "airflow: say which: 3, 2 or 2-tfx; got '4'."),
        (("3",), "3.13", "airflow: Airflow is pinned for Python 3.10 to 3.12, but"),
        (("2-tfx",), "3.11", "airflow: TFX 1.16 needs Python 3.10, but"),
    ],
)
def test_an_airflow_that_cannot_be_made_gets_one_sentence(system, tmp_path, arguments, version, said):
    # A checkout in which nothing was made yet.
    checkout = tmp_path / "checkout"
    (checkout / "scripts").mkdir(parents=True)
    for name in ("scripts/airflow.sh", "setup.py"):
        (checkout / name).write_bytes((ROOT / name).read_bytes())
    (checkout / "constraints").symlink_to(ROOT / "constraints")
    result = system(checkout / "scripts/airflow.sh", *arguments, programs={"python3": python(version)})
    assert result.returncode == 1
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1


def flink_checkout(tmp_path):
    """A checkout in which nothing was fetched yet."""
    checkout = tmp_path / "checkout"
    (checkout / "scripts").mkdir(parents=True)
    (checkout / "scripts/flink.sh").write_bytes((ROOT / "scripts/flink.sh").read_bytes())
    return checkout


@pytest.mark.parametrize(
    ("arguments", "programs", "said"),
    [
        ((), {}, "flink: say which: cluster or job-server; got ''."),
        (("dashboard",), {}, "flink: say which: cluster or job-server; got 'dashboard'."),
        (
            ("cluster",),
            {"mvn": "exit 1"},
            "flink: Maven could not fetch org.apache.flink:flink-clients:1.19.1 and what",
        ),
        (
            ("job-server",),
            {"mvn": "exit 1", "python": "echo 2.61.0"},
            "flink: Maven could not fetch org.apache.beam:beam-runners-flink-1.19-job-server:2.61.0 from where",
        ),
        (("job-server",), {"mvn": "exit 0", "python": "exit 1"}, "flink: python has no apache-beam; run make setup"),
    ],
)
def test_a_flink_that_cannot_be_had_gets_one_sentence(system, tmp_path, arguments, programs, said):
    programs = {"java": "exit 0", "mvn": "exit 0", **programs}
    result = system(flink_checkout(tmp_path) / "scripts/flink.sh", *arguments, programs=programs, PYTHON="python")
    assert result.returncode == 1
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("missing", "package"), [("java", "openjdk-17-jre-headless"), ("mvn", "maven")])
def test_flink_says_what_is_missing(tmp_path, missing, package):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in {"sh", "dirname", "java", "mvn"} - {missing}:
        (tools / name).symlink_to(shutil.which(name) or "/bin/true")
    command = ["sh", str(flink_checkout(tmp_path) / "scripts/flink.sh"), "cluster"]
    result = subprocess.run(command, env={"PATH": str(tools)}, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (
        1,
        f"flink: {missing} is missing; on Debian: apt-get install {package}.\n",
    )


@pytest.mark.parametrize(
    ("programs", "version", "said"),
    [
        ({"python": "exit 1"}, {}, "prism: no apache-beam is installed to take the version of; run make setup"),
        (
            {"python": "echo 2.61.0", "go": "exit 1"},
            {},
            "prism: Go could not build Prism 2.61.0; see .prism/build.log.",
        ),
        ({}, {"PRISM_VERSION": "newest"}, "prism: the version is 'newest'; allowed: one such as 2.61.0."),
    ],
)
def test_a_prism_that_cannot_be_had_gets_one_sentence(system, tmp_path, programs, version, said):
    programs = {"go": "exit 0", **programs}
    result = system(prism_checkout(tmp_path) / "scripts/prism.sh", programs=programs, PYTHON="python", **version)
    assert result.returncode == 1
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1


def test_prism_is_built_once_for_a_version(system, tmp_path):
    """Go by a stand-in that builds what it was asked for, and counts."""
    fake = 'echo "$*" >>"$HOME/asked"; touch "$GOBIN/prism"; chmod +x "$GOBIN/prism"'
    checkout = prism_checkout(tmp_path)
    for _ in range(2):
        result = system(
            checkout / "scripts/prism.sh", programs={"go": fake}, PRISM_VERSION="2.70.0", HOME=str(tmp_path)
        )
        assert (result.returncode, result.stdout) == (0, f"{checkout}/.prism/prism-2.70.0\n")
    asked = (tmp_path / "asked").read_text()
    assert asked == "install github.com/apache/beam/sdks/v2/go/cmd/prism@v2.70.0\n"


def prism_checkout(tmp_path):
    """A checkout in which nothing was built yet."""
    checkout = tmp_path / "checkout"
    (checkout / "scripts").mkdir(parents=True)
    (checkout / "scripts/prism.sh").write_bytes((ROOT / "scripts/prism.sh").read_bytes())
    return checkout


def test_what_flink_needs_is_fetched_once(system, tmp_path):
    """Maven by a stand-in that puts down what it was asked for, and counts."""
    fake = """
echo asked >>"$HOME/asked"
for argument; do case $argument in
    -DoutputDirectory=*) mkdir -p "${argument#*=}"; folder=${argument#*=} ;;
    -Dartifact=*) name=$(printf %s "${argument#*=}" | cut -d: -f2)-$(printf %s "${argument#*=}" | cut -d: -f3).jar ;;
esac; done
[ -z "${name:-}" ] || echo jar >"$folder/$name"
"""
    checkout = flink_checkout(tmp_path)
    programs = {"java": "exit 0", "mvn": fake, "python": "echo 2.77.0"}
    expected = {
        "cluster": checkout / ".flink/flink-1.20.1",
        "job-server": checkout / ".flink/beam-runners-flink-1.20-job-server-2.77.0.jar",
    }
    for what, path in expected.items():
        for _ in range(2):
            result = system(
                checkout / "scripts/flink.sh",
                what,
                programs=programs,
                PYTHON="python",
                FLINK_VERSION="1.20.1",
                HOME=str(tmp_path),
            )
            assert (result.returncode, result.stdout) == (0, f"{path}\n"), result.stderr
            assert path.exists()
    assert (tmp_path / "asked").read_text().count("asked") == 2
