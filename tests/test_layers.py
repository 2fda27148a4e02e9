"""A room stands above all that it imports; the contracts are in pyproject.toml."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lint_imports(*arguments: str) -> subprocess.CompletedProcess:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_contracts_are_kept():
    result = lint_imports()
    assert result.returncode == 0, result.stdout
    assert "5 kept, 0 broken" in result.stdout


def test_the_check_can_fail(tmp_path):
    config = tmp_path / "contracts.toml"
    config.write_text(
        '[tool.importlinter]\nroot_package = "tfx_anonymizer"\n'
        '[[tool.importlinter.contracts]]\nname = "upside down"\ntype = "layers"\n'
        'layers = ["tfx_anonymizer.core", "tfx_anonymizer.transforms"]\n'
    )
    result = lint_imports("--config", str(config))
    assert result.returncode == 1
    assert "transforms.group_table -> tfx_anonymizer.core" in result.stdout.replace("\n", " ")


def test_only_the_compat_module_reaches_into_tfx():
    for path in (ROOT / "components").rglob("*.py"):
        if path.name == "_tfx_compat.py":
            continue
        for line in path.read_text().splitlines():
            words = line.split()
            if words[:1] in (["from"], ["import"]) and words[1].split(".")[0] == "tfx":
                assert words[1] == "tfx" or words[1].startswith("tfx.v1"), f"{path.name}: {line}"
