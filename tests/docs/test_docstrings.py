"""Public docstrings say what goes in and out, in what shape, what is raised, and whom a formula is from."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import griffe
import pytest

import tfx_anonymizer
import tfx_anonymizer.airflow
import tfx_anonymizer.core
import tfx_anonymizer.notebook
from tfx_anonymizer import errors

ROOT = Path(__file__).parents[2]
PACKAGES = (tfx_anonymizer, tfx_anonymizer.core, tfx_anonymizer.airflow, tfx_anonymizer.notebook)
SOURCE = griffe.load("tfx_anonymizer", search_paths=[ROOT / "components"], docstring_parser="google")
TYPED = {name for name, found in vars(errors).items() if isinstance(found, type) and issubclass(found, Exception)}
# What makes an error that it does not name.
MADE_BY = {"unknown_column": "ColumnError"}
# Formulae and definitions, and whom they are to be credited to.
CREDITED = {
    "tfx_anonymizer.core.measures.PrivacyMeasures": ("Machanavajjhala et al. 2007", "Li et al. 2007"),
    "tfx_anonymizer.core.anonymizer.AccuracyGuidedAnonymizer": (
        "Machanavajjhala",
        "Li et al. 2007",
        "Goldsteen et al.",
    ),
    "tfx_anonymizer.policy.AnonymizationPolicy": ("Machanavajjhala et al. 2007", "Li et al. 2007"),
    "tfx_anonymizer.ag_anonymizer.component.AGAnonymizer": ("Goldsteen et al.",),
}


def public() -> Iterator[griffe.Object]:
    """Yields what the packages export, and the public methods and properties of classes among it."""
    seen = set()
    for package in PACKAGES:
        for name in package.__all__:
            found = SOURCE[f"{package.__name__}.{name}".removeprefix("tfx_anonymizer.")]
            found = found.final_target if found.is_alias else found
            if found.is_attribute or found.path in seen:
                continue
            seen.add(found.path)
            yield found
            if found.is_class:
                yield from (member for member in found.members.values() if of_interest(member))


def of_interest(member: griffe.Object) -> bool:
    if member.is_alias or member.name.startswith("_"):
        return False
    return member.is_function or "property" in member.labels


def documented(found: griffe.Object, kind: str) -> set[str]:
    """Returns the names that a kind of section lists."""
    sections = found.docstring.parsed if found.docstring else []
    return {item.name for section in sections if section.kind.value == kind for item in section.value}


def raised(found: griffe.Object) -> set[str]:
    """Returns the typed errors that a body raises by itself."""
    names = set()
    for node in ast.walk(ast.parse(textwrap.dedent(found.source))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
            name = MADE_BY.get(node.exc.func.id, node.exc.func.id)
            names |= {name} & TYPED
    return names


def lacking(found: griffe.Object) -> list[str]:
    """Returns what a docstring does not say."""
    if not found.docstring:
        return ["a docstring"]
    text = found.docstring.value
    lacks = []
    function = found.is_function and "property" not in found.labels
    if function or found.is_class:
        given = [p.name for p in found.parameters if p.name not in ("self", "cls")]
        told = documented(found, "parameters") | documented(found, "attributes") | documented(found, "other parameters")
        lacks += [f"parameter {name!r}" for name in given if name not in {one.lstrip("*") for one in told}]
    if function:
        returns = str(found.returns or "None")
        says = "Returns" in text or re.match(r"(Builds|Reads|Returns) ", text)
        lacks += [] if returns in ("None", found.parent.name) or says else [f"what it returns ({returns})"]
        types = [returns, *(str(p.annotation) for p in found.parameters)]
        arrays = any(re.search(r"NDArray|ndarray|Codes|Labels", one) for one in types)
        lacks += ["the shape of an array"] if arrays and "shape (" not in text else []
        told_errors = {
            str(item.annotation) for s in found.docstring.parsed if s.kind.value == "raises" for item in s.value
        }
        lacks += [f"that it raises {name}" for name in sorted(raised(found) - told_errors)]
    return lacks


@pytest.mark.parametrize("found", list(public()), ids=lambda found: found.path.removeprefix("tfx_anonymizer."))
def test_it_says_all(found):
    assert not lacking(found), f"{found.path} does not say {lacking(found)}"


@pytest.mark.parametrize("path", CREDITED)
def test_sources_are_named(path):
    found = SOURCE[path.removeprefix("tfx_anonymizer.")]
    text = found.docstring.value
    assert [name for name in CREDITED[path] if name not in " ".join(text.split())] == []


def test_the_check_can_fail(tmp_path):
    code = 'def f(a: "npt.NDArray", b) -> int:\n    """Does it."""\n    raise PolicyError("no")\n'
    (tmp_path / "mute.py").write_text(code)
    mute = griffe.load("mute", search_paths=[tmp_path], docstring_parser="google")
    assert lacking(mute["f"]) == [
        "parameter 'a'",
        "parameter 'b'",
        "what it returns (int)",
        "the shape of an array",
        "that it raises PolicyError",
    ]
    assert len(list(public())) > 30
