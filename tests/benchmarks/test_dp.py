"""The benchmark of differential privacy: what is measured once is kept, methods give models, all of it is shown."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from benchmarks import csv_rows
from benchmarks.dp import __main__ as dp
from benchmarks.dp import results
from benchmarks.dp.attacks import Attack, attack
from benchmarks.dp.cases import LABEL, categories, cut, domain, load
from benchmarks.dp.methods import METHODS, Method
from benchmarks.dp.models import fit, score
from benchmarks.dp.plots import plot, plot_attacks
from benchmarks.dp.results import Measurement
from benchmarks.dp.tables import accuracy_table, attack_table
from benchmarks.privacy import private

STRENGTHS = {"nothing": [0.0], "k": [10.0, 100.0], "epsilon": [1.0, 4.0]}


def test_results_go_on_where_they_stopped(tmp_path):
    path = tmp_path / "new" / "results.csv"
    assert results.done(path) == set()
    csv_rows.append(
        path,
        [Measurement("ClustMix", 1.0, 10, "forest", 0.8, 0.9), Measurement("ClustMix", 1.0, 10, "logistic", 0.7, 0.8)],
    )
    csv_rows.append(path, [Measurement("ClustMix", 1.0, 11, "forest", 0.82, 0.9)])
    assert results.done(path) == {("ClustMix", 1.0, 10), ("ClustMix", 1.0, 11)}
    forest, _ = results.summary(results.read(path)).to_dict("records")
    assert forest["seeds"] == 2
    assert forest["accuracy"] == pytest.approx(81.0)
    assert forest["sem"] == pytest.approx(1.0)


def measured() -> pd.DataFrame:
    rows = [
        Measurement(name, strength, seed, model, 0.8 + strength / 1e4, 0.9)
        for name, method in METHODS.items()
        for strength in STRENGTHS[method.strength]
        for model in method.models
        for seed in (1, 2)
    ]
    return pd.DataFrame(rows)


def attacked() -> pd.DataFrame:
    rows = [
        Attack(name, strength, seed, method.models[0], kind, 0.8, auc + seed / 1e3, 0.49, auc + 0.02, 0.02, 0.1 * seed)
        for name, method in METHODS.items()
        for strength in STRENGTHS[method.strength]
        for kind, auc in (("loss", 0.5), ("rmia", 0.6))
        for seed in (1, 3)
    ]
    return pd.DataFrame(rows)


def test_the_plots_show_every_method(tmp_path):
    plot(results.summary(measured()), tmp_path / "dp.svg")
    drawn = (tmp_path / "dp.svg").read_text()
    shown = ["DP-SGD network (in both rows)" if name == "DP-SGD network" else name for name in METHODS]
    for text in ("epsilon, delta = 1e-6", *shown, "most frequent class"):
        assert f"<!-- {text} -->" in drawn
    plot_attacks(results.attack_summary(attacked()), tmp_path / "attacks.svg")
    drawn = (tmp_path / "attacks.svg").read_text()
    for text in ("k-anonymous, k = 100", "DP-SGD network, ε = 4", "DP forest, ε = 1", "AUC of RMIA", "not private"):
        assert f"<!-- {text} -->" in drawn


def test_a_plot_of_what_is_there_so_far(tmp_path):
    few = measured()
    plot(results.summary(few[few["method"] == "DP-SGD network"]), tmp_path / "none.svg")
    plot(results.summary(few[few["method"] == "DP forest"]), tmp_path / "dp.svg")
    assert "<!-- DP forest -->" in (tmp_path / "dp.svg").read_text()


def test_attacks_are_summed_up_by_the_strongest():
    found = results.attack_summary(attacked())
    one = found[(found["method"] == "ClustMix") & (found["strength"] == 4)].iloc[0]
    assert one["auc"] == pytest.approx(0.602)
    assert one["auc_sem"] == pytest.approx(0.001)
    assert (one["tpr"], one["accuracy"]) == pytest.approx((2.0, 80.0))
    assert (one["seeds"], one["holds"]) == (2, 2)
    assert one["epsilon"] == pytest.approx(0.3)


def test_tables_have_a_row_a_strength_in_the_order_of_the_methods():
    rows = accuracy_table(results.summary(measured().sample(frac=1, random_state=0))).splitlines()
    assert rows[0] == "|  | seeds | forest | logistic | network |"
    assert rows[2] == "| not private | 2 | 80.00 ± 0.00 | 80.00 ± 0.00 |  |"
    assert rows[3].startswith("| *k*-anonymous, *k* = 10 | 2 | 80.10")
    assert rows[-2].startswith("| DP forest, ε = 1 | 2 | 80.01")
    assert rows[-3] == "| DP-SGD network, ε = 4 | 2 |  |  | 80.04 ± 0.00 |"
    rows = attack_table(results.attack_summary(attacked())).splitlines()
    assert rows[-1] == "| DP forest, ε = 4 | forest | 80.0 ± 0.0 | 0.602 ± 0.001 | 2.00 ± 0.00 | 2 of 2 |"


def test_cuts_are_of_the_domain(uci):
    table = load(uci)
    part = cut(table, 3)
    assert (len(part.train), len(part.test)) == (32_561, 16_281)
    assert set(domain().columns) == set(table.columns)
    assert score(fit("forest", pd.DataFrame({LABEL: [0]}), 0), part.test)[0] == pytest.approx(0.76, abs=0.01)
    for name, values in categories().items():
        assert set(table[name].fillna("?")) <= set(values), name


@pytest.mark.parametrize("name", ["not private", "k-anonymous", "class-wise mixing"])
def test_releases_give_models(uci, name):
    part = cut(load(uci), 3)
    method = METHODS[name]
    models = method.train(
        part.train.head(4000), {"nothing": 0.0, "k": 50.0, "epsilon": 10.0}[method.strength], 0, method.models
    )
    assert tuple(models) == method.models == ("forest", "logistic")
    for model in models.values():
        accuracy, auc = score(model, part.test.head(1000))
        assert 0.5 < accuracy <= 1
        assert 0.5 < auc <= 1


def test_a_release_of_nothing_names_the_most_frequent_class(uci):
    rows = load(uci)
    models = METHODS["ClustMix"].train(rows.head(60), 0.5, 0, ["forest"])
    assert (models["forest"](rows.tail(9)) == 0).all()


@pytest.mark.slow
def test_a_private_network_gives_a_model(uci, monkeypatch):
    monkeypatch.setattr(private, "EPOCHS", 4)
    part = cut(load(uci), 3)
    models = METHODS["DP-SGD network"].train(part.train.head(3000), 10.0, 0, ["network"])
    accuracy, auc = score(models["network"], part.test.head(1000))
    assert accuracy > 0.74
    assert auc > 0.7


@pytest.mark.slow
def test_a_private_forest_gives_a_model(uci):
    part = cut(load(uci), 3)
    models = METHODS["DP forest"].train(part.train, 10.0, 0, ["forest"])
    accuracy, auc = score(models["forest"], part.test.head(1000))
    assert accuracy > 0.74
    assert auc > 0.7


def test_an_attack_finds_out_members_of_a_raw_forest_and_not_of_a_release(uci):
    table = load(uci)
    found = {
        name: {row.attack: row for row in attack(table, name, strength, 5, 300, 2)}
        for name, strength in (("not private", 0.0), ("k-anonymous", 60.0))
    }
    assert set(found["k-anonymous"]) == {"loss", "gap", "quantile", "rmia", "rmia_offline"}
    assert found["not private"]["rmia"].auc > 0.6 > found["k-anonymous"]["rmia"].auc
    for rows in found.values():
        assert rows["rmia"].low <= rows["rmia"].auc <= rows["rmia"].high
        assert (rows["rmia"].model, rows["rmia"].seed) == ("forest", 5)


def test_the_command_measures_what_is_missing(tmp_path, uci, monkeypatch, capsys):
    asked = []

    def train(rows, strength, seed, models):
        asked.append((len(rows), strength, seed, tuple(models)))
        return {name: lambda rows: np.linspace(0, 1, len(rows)) for name in models}

    monkeypatch.setitem(METHODS, "ClustMix", Method("epsilon", train))
    words = f"dp --data {uci} --out {tmp_path} --methods ClustMix --epsilon 1 4 --seeds 1 2"
    words += " --attack-seeds 1 --records 60 --references 2"
    monkeypatch.setattr(sys, "argv", words.split())
    dp.main()
    dp.main()
    both = ("forest", "logistic")
    assert asked[:4] == [(32_561, strength, seed, both) for seed in (1, 2) for strength in (1.0, 4.0)]
    # The model that is attacked and two references, of each strength.
    assert [(rows, strength, models) for rows, strength, _, models in asked[4:]] == [
        (60, strength, ("forest",)) for strength in (1.0, 4.0) for _ in range(3)
    ]
    assert "ClustMix, ε = 4" in capsys.readouterr().out
    written = (tmp_path / "tables.md").read_text()
    assert written.count("ClustMix, ε = 4") == 2
    assert {"dp.png", "dp-attacks.png", "results.csv", "attacks.csv"} <= {path.name for path in tmp_path.iterdir()}
