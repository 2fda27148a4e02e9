"""The benchmark of transformed runtime data: what it measures on a small case, and its sums."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from benchmarks.runtime_data import PARTITIONERS, Measurement, measure, summarize
from benchmarks.utility.cases import Case


def test_a_split_is_measured_for_every_partitioner():
    rng = np.random.default_rng(0)
    features = pd.DataFrame({"age": rng.integers(20, 80, 600), "zip": rng.integers(0, 9, 600).astype(str)})
    label = pd.Series(np.where(features["age"] > 50, "old", "young"), name="is")
    found = measure(Case("small-2", features, label, ("age", "zip"), ("zip",)), "tree", 5, 1)
    assert [one.partitioner for one in found] == list(PARTITIONERS)
    assert found == measure(Case("small-2", features, label, ("age", "zip"), ("zip",)), "tree", 5, 1)
    for one in found:
        assert one.before == 1.0
        assert 0.8 < one.raw <= 1.0
        # A row placed into a class that was made of its like cannot be less typical of its label.
        assert one.transformed >= one.raw - 0.1


def test_changes_are_paired():
    rows = [Measurement("a-2", "tree", 5, "mdav", seed, 0.9, 0.8 + seed / 10, 0.82 + seed / 10) for seed in (0, 1)]
    rows.append(Measurement("a-2", "tree", 10, "mdav", 0, 0.9, 0.8, 0.7))
    first, second = summarize(pd.DataFrame(map(dataclasses.asdict, rows))).to_dict("records")
    assert first["seeds"] == 2
    assert (first["raw"], first["transformed"]) == (pytest.approx(85.0), pytest.approx(87.0))
    assert (first["gain"], first["deviation"]) == (pytest.approx(2.0), pytest.approx(0.0))
    assert second["gain"] == pytest.approx(-10.0)
    assert np.isnan(second["deviation"])
