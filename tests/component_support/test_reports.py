"""Reports are whole or not there, also where two workers write the same one."""

from __future__ import annotations

import threading

import pytest

from tfx_anonymizer.component_support import reports


def test_two_writers_of_one_file_do_not_meet(tmp_path, monkeypatch):
    """A runner does a stage again while the worker it gave up for lost still writes."""
    both_wrote = threading.Barrier(2, timeout=60)
    write = reports.io_utils.write_string_file

    def write_and_wait(path, text):
        write(path, text)
        both_wrote.wait()

    monkeypatch.setattr(reports.io_utils, "write_string_file", write_and_wait)
    failed = []

    def work() -> None:
        try:
            reports.write_aside(str(tmp_path / "new" / "counts.json"), "{}")
        except Exception as error:
            failed.append(error)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failed == []
    assert [(path.name, path.read_text()) for path in (tmp_path / "new").iterdir()] == [("counts.json", "{}")]


def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "report.json"
    path.write_text("before")

    def fail(*arguments, **options):
        raise OSError("the disk is full")

    monkeypatch.setattr(reports.fileio, "rename", fail)
    with pytest.raises(OSError, match="full"):
        reports.write_aside(str(path), "after")
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("report.json", "before")]
