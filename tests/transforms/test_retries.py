"""A runner may do every bundle again, in any worker: the release, its counts and its files stay the same."""

from __future__ import annotations

import json
from collections import Counter

import apache_beam as beam
import pytest

from tests.support.beam import RUNNER
from tests.support.examples import read_examples
from tests.support.runner_graphs import release, tf_examples


@pytest.fixture(scope="module")
def once_and_again(tmp_path_factory):
    """The rows, counts and files of a release by bundles done once, and by bundles done three times."""
    folder = tmp_path_factory.mktemp("release")
    source, guide = tf_examples(folder)
    found = []
    for again in (0, 2):
        out = folder / str(again)
        args = [f"--runner={RUNNER}", f"--direct_runner_bundle_repeat={again}"]
        with beam.Pipeline(argv=args) as pipeline:
            release(pipeline, source, guide, str(out / "Split-train" / "data"), str(folder / f"{again}.json"))
        rows = read_examples(out / "Split-train")
        rows = Counter(map(repr, rows[sorted(rows.columns)].to_numpy().tolist()))
        files = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
        found.append((rows, json.loads((folder / f"{again}.json").read_text()), files))
    return found


def test_no_row_twice(once_and_again):
    (rows, *_), (rows_again, *_) = once_and_again
    assert sum(rows.values()) == 300
    assert rows_again == rows


def test_the_same_counts(once_and_again):
    (_, counts, _), (_, counts_again, _) = once_and_again
    assert counts["rows"] == 300
    assert counts_again == counts


def test_no_file_of_an_attempt_is_left(once_and_again):
    (*_, files), (*_, files_again) = once_and_again
    assert files_again == files
    assert [path.name for path in files] == ["data-00000-of-00001.gz"]
