"""The tutorial is run from top to bottom in a kernel, as a reader would, and kept in git without its outputs."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

TUTORIAL = Path(__file__).parents[2] / "docs/tutorial.ipynb"


def shown(cell) -> str:
    return "\n".join(str(output.get("text") or output.get("data", {}).get("text/html", "")) for output in cell.outputs)


def test_it_is_kept_without_outputs():
    notebook = nbformat.read(TUTORIAL, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert cell.cell_type == "markdown" or (cell.outputs == [] and cell.execution_count is None)
    assert "signature" not in notebook.metadata


def test_what_it_points_to_is_there():
    notebook = nbformat.read(TUTORIAL, as_version=4)
    links = [link for cell in notebook.cells for link in re.findall(r"\]\(([^)#:]+)\)", cell.source)]
    assert len(links) >= 8
    for link in links:
        assert (TUTORIAL.parent / link).is_file(), link


@pytest.mark.slow
def test_it_runs(tmp_path, monkeypatch):
    import nbclient

    # As a reader has it: no variable that this project's own runs set, and no folder of theirs to write to.
    monkeypatch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(TUTORIAL, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3", resources=resources).execute()

    cells = {cell.source: shown(cell) for cell in notebook.cells if cell.cell_type == "code"}

    def below(words: str) -> str:
        (found,) = [output for source, output in cells.items() if words in source]
        return found

    assert "AGAnonymizer: every promise holds." in below('anonymizer.outputs["report"]')
    assert "Blessed: every promise holds." in below('validator.outputs["blessing"]')
    assert "a promise is broken" in below('sceptic.outputs["report"]')
    raw, released = (float(figure) for figure in re.findall(r"<td>(0\.\d+)</td>", below("costs.to_frame()")))
    assert raw > 0.8
    assert released > 0.8
    # Nothing raw is left behind.
    assert not list(tmp_path.glob("ten-minutes-*"))
