"""The documentation site builds without a warning, needs nothing from elsewhere, and leaves nothing public out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import tfx_anonymizer
import tfx_anonymizer.airflow
import tfx_anonymizer.core

ROOT = Path(__file__).parents[2]


def build(project: Path, out: Path) -> subprocess.CompletedProcess:
    command = [Path(sys.executable).with_name("mkdocs"), "build", "--strict", "--site-dir", out]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "yes"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    built = build(ROOT, out)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stdout + built.stderr
    return out


@pytest.fixture
def project(tmp_path):
    """A copy of what the site is made of, to be spoilt."""
    for entry in ROOT.iterdir():
        if not entry.name.startswith(".") and entry.name not in ("docs", "build", "runs"):
            (tmp_path / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    return tmp_path


class Loaded(HTMLParser):
    """Collects what a browser fetches by itself to show a page, and the ids of its places."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.fetched: set[str] = set()
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.add(values.get("id") or "")
        if tag == "link" and values.get("rel") not in ("canonical", "prev", "next"):
            self.fetched.add(values.get("href") or "")
        elif tag in ("script", "img", "iframe", "source", "video"):
            self.fetched.add(values.get("src") or "")


def test_nothing_comes_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        for address in Loaded(page).fetched:
            assert not re.match(r"(https?:)?//", address), (page.name, address)
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def test_every_page_is_in_the_navigation(site):
    home = (site / "index.html").read_text(encoding="utf-8")
    for source in (ROOT / "docs").rglob("*.md"):
        page = source.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert (site / page).is_file()
        assert page == "index.html" or f'href="{page}"' in home, f"no way leads to {page}"


@pytest.mark.parametrize(
    "package", [tfx_anonymizer, tfx_anonymizer.core, tfx_anonymizer.airflow], ids=lambda package: package.__name__
)
def test_every_public_name_is_in_the_reference(site, package):
    ids = set().union(*(Loaded(page).ids for page in (site / "reference").glob("*.html")))
    documented = {place.rsplit(".", 1)[-1] for place in ids if place.startswith(f"{package.__name__}.")}
    missing = set(package.__all__) - documented - {"__version__"}
    assert not missing, f"name them in docs/reference/*.md: {missing}"


def test_every_error_is_in_the_reference(site):
    from tfx_anonymizer import errors

    ids = Loaded(site / "reference/errors.html").ids
    named = [name for name, found in vars(errors).items() if isinstance(found, type) and issubclass(found, Exception)]
    assert len(named) >= 9
    assert not [name for name in named if f"tfx_anonymizer.errors.{name}" not in ids]


def test_the_tutorial_is_a_page(site):
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    assert "AGAnonymizer" in page
    assert (site / "tutorial.ipynb").is_file()


def test_links_to_the_repository_lead_to_its_text(site):
    embed = (site / "embed.html").read_text(encoding="utf-8")
    assert 'href="source/pipelines/taxi/pipeline.py.html"' in embed
    assert "create_pipeline" in (site / "source/pipelines/taxi/pipeline.py.html").read_text(encoding="utf-8")


def test_a_page_that_nobody_named_is_found_all_the_same(project, tmp_path):
    (project / "docs/zebra.md").write_text("# About zebras\n\n[How](embed.md)\n")
    built = build(project, tmp_path / "out")
    assert built.returncode == 0, built.stdout + built.stderr
    assert 'href="zebra.html"' in (tmp_path / "out/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "spoilt",
    [
        {"[gone](gone.md)": "'gone.md'", "[gone](../pipelines/gone.py)": "gone.py", "[gone](embed.md#gone)": "'#gone'"},
        {"::: tfx_anonymizer.Gone": "tfx_anonymizer.Gone"},
    ],
    ids=["links", "names"],
)
def test_the_build_fails_where_something_is_wrong(project, tmp_path, spoilt):
    with (project / "docs/choose-k.md").open("a") as page:
        page.write("\n" + "\n\n".join(spoilt) + "\n")
    built = build(project, tmp_path / "out")
    assert built.returncode != 0
    for complaint in spoilt.values():
        assert complaint in built.stdout + built.stderr
