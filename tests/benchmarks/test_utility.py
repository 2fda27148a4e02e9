"""The utility benchmark: what is measured once is not measured again, and its sums are right."""

from __future__ import annotations

import sys

import pytest

from benchmarks.utility import __main__ as utility
from benchmarks.utility import results
from benchmarks.utility.cases import load_case, split
from benchmarks.utility.grid import Grid
from benchmarks.utility.methods import METHODS
from benchmarks.utility.plots import plot_case
from benchmarks.utility.results import Measurement


def measurement(**changes):
    fields = {"case": "adult-12", "model": "tree", "k": 10, "method": "auto", "seed": 10}
    fields |= {"raw": 0.9, "accuracy": 0.88, "classes": 5, "smallest": 11, "seconds": 1.5}
    return Measurement(**{**fields, **changes})


def test_a_grid_is_every_combination():
    grid = Grid(("adult-12", "adult-8"), ("tree",), (10, 100), ("auto", "reference"), (10, 11, 12))
    keys = list(grid)
    assert len(keys) == len(set(keys)) == 24
    assert keys[0] == ("adult-12", "tree", 10, "auto", 10)


def test_results_go_on_where_they_stopped(tmp_path):
    path = tmp_path / "new" / "results.csv"
    assert results.done(path) == set()
    first, second = measurement(), measurement(seed=11, accuracy=0.86)
    results.append(path, first)
    results.append(path, second)
    assert results.done(path) == {first.key, second.key}
    (row,) = results.summary(results.read(path)).to_dict("records")
    assert row["seeds"] == 2
    assert row["accuracy"] == pytest.approx(87.0)
    assert row["change"] == pytest.approx(-3.0)
    assert row["std"] == pytest.approx(2**0.5)


def test_a_plot_has_a_panel_a_model(tmp_path):
    path = tmp_path / "results.csv"
    for model in ("tree", "network"):
        for k in (10, 100):
            for seed in (10, 11):
                results.append(path, measurement(model=model, k=k, seed=seed, accuracy=0.85 + k / 10_000))
    plot_case(results.read(path), "adult-12", tmp_path / "plots" / "adult.svg")
    drawn = (tmp_path / "plots" / "adult.svg").read_text()
    assert drawn.count('id="axes_') == 2


def test_held_out_rows_are_never_trained_on(uci):
    case = load_case("nursery-8", uci)
    part = split(case, 3)
    assert len(part.train) + len(part.test) == len(case.features) == 12_958
    # Every row of Nursery is another combination, so none may stand on both sides.
    assert not set(map(tuple, part.train.to_numpy())) & set(map(tuple, part.test.to_numpy()))


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("reference", "auto", "high")])
def test_every_quick_method_keeps_k(uci, method):
    case = load_case("nursery-8", uci)
    part = split(case, 3)
    guide = utility.models.guide("tree", part.train, part.label, case.categorical, 3)
    released = METHODS[method](case, part, "tree", guide, 40, 3)
    assert released.groupby(list(case.quasi_identifiers)).size().min() >= 40


def test_the_command_measures_prints_and_plots(uci, tmp_path, monkeypatch, capsys):
    words = ["--data", str(uci), "--out", str(tmp_path), "--cases", "nursery-8", "--models", "tree"]
    words += ["--k", "100", "--methods", "guided_tree", "--seeds", "10"]
    monkeypatch.setattr(sys, "argv", ["utility", *words])
    utility.main()
    first = (tmp_path / "results.csv").read_text()
    utility.main()
    assert (tmp_path / "results.csv").read_text() == first
    assert "guided_tree" in capsys.readouterr().out
    assert (tmp_path / "nursery-8.svg").is_file()
