"""The tool, run in this process."""

from __future__ import annotations

import sys

import pytest

from tfx_anonymizer.cli import main


@pytest.fixture
def tool(monkeypatch, capsys):
    """Runs the tool with arguments; returns exit code, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["tfx-anonymizer", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        printed = capsys.readouterr()
        return caught.value.code or 0, printed.out, printed.err

    return run
