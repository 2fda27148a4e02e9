"""Files are whole or not there, also where two workers write the same one."""

from __future__ import annotations

import threading

import pytest

from tfx_anonymizer.component_support import writing


@pytest.mark.parametrize("content", ["{}", b"\x00\xff", "Köln"])
def test_two_writers_of_one_file_do_not_meet(tmp_path, monkeypatch, content):
    """A runner does a stage again while the worker it gave up for lost still writes."""
    both_wrote = threading.Barrier(2, timeout=60)
    rename = writing.fileio.rename

    def wait_and_rename(*arguments, **options):
        both_wrote.wait()
        rename(*arguments, **options)

    monkeypatch.setattr(writing.fileio, "rename", wait_and_rename)
    failed = []

    def work() -> None:
        try:
            writing.write_aside(str(tmp_path / "new" / "file"), content)
        except Exception as error:
            failed.append(error)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failed == []
    expected = content.encode() if isinstance(content, str) else content
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "new").iterdir()] == [("file", expected)]


def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "report.json"
    path.write_text("before")

    def fail(*arguments, **options):
        raise OSError("the disk is full")

    monkeypatch.setattr(writing.fileio, "rename", fail)
    with pytest.raises(OSError, match="full"):
        writing.write_aside(str(path), "after")
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("report.json", "before")]
