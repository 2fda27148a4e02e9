"""What the documentation site takes from outside `docs/`: hooks of MkDocs, named in `mkdocs.yml`.

* The tutorial is a notebook; its cells become a page.
* CHANGELOG.md and CONTRIBUTING.md become pages, and so does what README.md says of the price of privacy.
* A file of the repository that a page links to (`../pipelines/taxi/pipeline.py`) becomes a page with its text, so that
  links work alike on a code host and on a site without one.
* A page that the navigation does not name comes last among the how-to guides.
* What docstrings call an example is shown as one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe
import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
REST = "How-to guides"
# Pages by the file they are made of, both relative: to docs/ and to the repository.
MADE_PAGES = {
    "README.md": "costs.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "docs/tutorial.ipynb": "tutorial.md",
}
# The section of README.md that is a page.
COSTS = "What privacy costs"
FULL_WIDTH = ("index.md", "tutorial.md")
LANGUAGES = {".py": "python", ".json": "json", ".sh": "sh", ".pbtxt": "text", ".txt": "text", ".toml": "toml"}
_OUTPUTS = re.compile(r"^Outputs:\n((?: {4}.*\n?)+)", flags=re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Completes the navigation."""
    named = set(_pages(config.nav))
    rest = sorted(path.name for path in Path(config.docs_dir).glob("*.md") if path.name not in named)
    for section in config.nav or ():
        if isinstance(section, dict) and REST in section:
            section[REST].extend(rest)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made of other files."""
    sources = [f"docs/{file.src_uri}" for file in files.documentation_pages()] + list(MADE_PAGES)
    for source, uri in MADE_PAGES.items():
        files.append(File.generated(config, uri, content=page_text(ROOT / source)))
    for source in sources:
        for link in _LINK.findall(page_text(ROOT / source)):
            target = _resolve(source, link)
            uri = _page_of(target)
            if uri.startswith("source/") and files.get_file_from_path(uri) is None and (ROOT / target).is_file():
                files.append(File.generated(config, uri, content=_source_page(target)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Points links to other files of the repository at the pages made of them."""
    uri = page.file.src_uri
    if uri in FULL_WIDTH:
        page.meta["hide"] = ["navigation"]
    if uri.startswith("source/"):
        page.meta["hide"] = ["navigation", "toc"]
        return markdown
    origin = next((source for source, made in MADE_PAGES.items() if made == uri), f"docs/{uri}")

    def moved(found: re.Match[str]) -> str:
        target = _page_of(_resolve(origin, found[0]))
        return posixpath.relpath(target, posixpath.dirname(uri) or ".")

    return _LINK.sub(moved, markdown)


class Sections(griffe.Extension):
    """Lets griffe show two headings of docstrings that it does not know: `Example:`, with doctests, and `Outputs:`."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrites those sections of one docstring."""
        if obj.docstring:
            text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
            obj.docstring.value = _OUTPUTS.sub(_list_outputs, text)


def _list_outputs(found: re.Match[str]) -> str:
    items = re.sub(r"^ {4}(\w+): ", r"* `\1`: ", found[1], flags=re.MULTILINE)
    return f"**Outputs:**\n\n{items}"


def page_text(path: Path) -> str:
    """Returns what a page says, as Markdown; of README.md one section, and of a notebook its cells."""
    if path.suffix == ".ipynb":
        title, rest = notebook_markdown(path).split("\n", 1)
        # As HTML, so that it stays a link to the file and is not led to this page.
        return f'{title}\n\n<a class="md-button" href="{path.name}" download>Download this notebook</a>\n{rest}'
    text = path.read_text(encoding="utf-8")
    if path == ROOT / "README.md":
        found = re.search(rf"^## ({COSTS}\n.*?)^## ", text, flags=re.MULTILINE | re.DOTALL)
        if found is None:
            raise PluginError(f"README.md has no section {COSTS!r} any more; see scripts/site.py")
        return f"# {found[1]}"
    return text


def notebook_markdown(path: Path) -> str:
    """Returns a notebook's cells as Markdown, code in fences."""
    cells = [
        cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```"
        for cell in nbformat.read(path, as_version=4).cells
    ]
    return "\n\n".join(cells) + "\n"


def _pages(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for entry in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _pages(entry)


def _resolve(origin: str, link: str) -> str:
    """Returns where a link leads, relative to the repository."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))


def _page_of(target: str) -> str:
    """Returns the page of a file of the repository, relative to docs/."""
    if target in MADE_PAGES:
        return MADE_PAGES[target]
    return target.removeprefix("docs/") if target.startswith("docs/") else f"source/{target}.md"


def _source_page(target: str) -> str:
    text = (ROOT / target).read_text(encoding="utf-8")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    language = "docker" if target == "Dockerfile" else LANGUAGES.get(Path(target).suffix, "text")
    return f"---\nsearch:\n  exclude: true\n---\n\n# `{target}`\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"
