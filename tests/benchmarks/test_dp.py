"""The benchmark of differential privacy: what is measured once is kept, methods give scores, the plot is drawn."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

from benchmarks.dp import __main__ as dp
from benchmarks.dp import results
from benchmarks.dp.cases import LABEL, Part, cut, domain, load
from benchmarks.dp.methods import METHODS
from benchmarks.dp.models import MODELS, judge
from benchmarks.dp.plots import plot
from benchmarks.dp.results import Measurement


def test_results_go_on_where_they_stopped(tmp_path):
    path = tmp_path / "new" / "results.csv"
    assert results.done(path) == set()
    results.append(
        path,
        [Measurement("ClustMix", 1.0, 10, "forest", 0.8, 0.9), Measurement("ClustMix", 1.0, 10, "logistic", 0.7, 0.8)],
    )
    results.append(path, [Measurement("ClustMix", 1.0, 11, "forest", 0.82, 0.9)])
    assert results.done(path) == {("ClustMix", 1.0, 10), ("ClustMix", 1.0, 11)}
    forest, _ = results.summary(results.read(path)).to_dict("records")
    assert forest["seeds"] == 2
    assert forest["accuracy"] == pytest.approx(81.0)
    assert forest["sem"] == pytest.approx(1.0)


def test_the_plot_shows_both_scales(tmp_path):
    rows = [
        Measurement(method, strength, seed, "forest", 0.8 + strength / 1e4, 0.9)
        for method, strengths in (("not private", [0.0]), ("k-anonymous", [10, 100]), ("cluster means", [1, 4]))
        for strength in strengths
        for seed in (1, 2)
    ]
    path = tmp_path / "results.csv"
    results.append(path, rows)
    plot(results.summary(results.read(path)), tmp_path / "dp.svg")
    drawn = (tmp_path / "dp.svg").read_text()
    for text in ("epsilon, delta = 1e-6", "cluster means", "k-anonymous", "most frequent class"):
        assert f"<!-- {text} -->" in drawn


def test_cuts_are_of_the_domain(uci):
    table = load(uci)
    part = cut(table, 3)
    assert (len(part.train), len(part.test)) == (32_561, 16_281)
    assert set(domain().columns) == set(table.columns)
    one_class = judge(pd.DataFrame({LABEL: [0]}), part.test, 0)
    assert one_class["forest"][0] == pytest.approx(0.76, abs=0.01)


def test_methods_give_scores(uci):
    part = cut(load(uci), 3)
    small = Part(part.train.head(4000), part.test.head(1000), 3)
    for name in ("not private", "k-anonymous", "class-wise mixing"):
        strength = {"nothing": 0.0, "k": 50.0, "epsilon": 10.0}[METHODS[name].strength]
        scores = METHODS[name].run(small, strength, 0)
        assert set(scores) == set(MODELS)
        assert all(0.5 < accuracy <= 1 and 0.5 < auc <= 1 for accuracy, auc in scores.values()), name


def test_the_command_measures_what_is_missing(tmp_path, uci, monkeypatch, capsys):
    asked = []

    def run(part, strength, seed):
        asked.append((strength, seed))
        return {"forest": (0.8, 0.9)}

    monkeypatch.setitem(METHODS, "ClustMix", type(METHODS["ClustMix"])("epsilon", run))
    arguments = f"dp --data {uci} --out {tmp_path} --methods ClustMix --epsilon 1 4 --seeds 1 2".split()
    monkeypatch.setattr(sys, "argv", arguments)
    dp.main()
    dp.main()
    assert asked == [(1.0, 1), (4.0, 1), (1.0, 2), (4.0, 2)]
    assert "80.00" in capsys.readouterr().out
    assert (tmp_path / "dp.svg").is_file()
