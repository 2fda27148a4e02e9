"""The privacy benchmark: small runs of both tables, and what is measured once is not measured again."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from benchmarks.privacy import __main__ as privacy
from benchmarks.privacy import attributes
from benchmarks.privacy.pipelines import draw
from benchmarks.privacy.plots import apart, front, plot_all_curves, plot_front
from benchmarks.privacy.private import PublicEncoding, private_pipeline
from benchmarks.utility.cases import load_case


def test_the_front_is_what_nothing_beats():
    assert front(np.array([[0.9, 0.5], [0.8, 0.1], [0.7, 0.2], [0.8, 0.1]])) == [True, True, False, True]


def test_labels_do_not_stand_on_each_other():
    assert apart([], 5.0) == []
    assert apart([3.0, 30.0, 3.0], 8.0) == [-1.0, 30.0, 7.0]
    moved = apart([0.0, 1.0, 2.0, 11.0], 10.0)
    assert moved == pytest.approx([-11.5, -1.5, 8.5, 18.5])
    assert apart([0.0, 50.0], 8.0) == [0.0, 50.0]


def test_plots_of_odd_results(tmp_path):
    rows = [("forest", 0, 0.0, 0.84, 0.2), ("forest", 50, 0.0, 0.82, 0.0), ("forest", 0, 1.0, 0.77, 0.01)]
    table = pd.DataFrame(rows, columns=["model", "k", "budget", "accuracy", "tpr"]).assign(attack="rmia")
    # One seed has no spread, and none caught has no place on a logarithmic axis.
    plot_front(table, tmp_path / "front.svg")
    plot_front(pd.concat([table, table.assign(model="network", tpr=0.3)]), tmp_path / "front.png")
    rng = np.random.default_rng(0)
    members = np.arange(400) < 200
    seeds = [{"members": members, "rmia": rng.normal(size=400) + shift * members} for shift in (0, 1)]
    plot_all_curves({("forest", 0.0, 0.0): seeds, ("network", 0.0, 2.0): seeds[:1]}, tmp_path / "roc.svg")
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert set(sizes) == {"front.svg", "front.png", "roc.svg"}
    assert min(sizes.values()) > 5000


def test_both_tables_are_measured_once_printed_and_plotted(uci, tmp_path, monkeypatch, capsys):
    words = ["--data", str(uci), "--out", str(tmp_path), "--models", "forest", "--k", "0", "20", "--seeds", "1"]
    words += ["--budgets"]  # None; see below.
    monkeypatch.setattr(sys, "argv", ["privacy", *words, "--records", "300", "--references", "2"])
    privacy.main()
    first = [(tmp_path / name).read_text() for name in ("membership.csv", "attributes.csv")]
    privacy.main()
    assert [(tmp_path / name).read_text() for name in ("membership.csv", "attributes.csv")] == first
    table = pd.read_csv(tmp_path / "membership.csv")
    assert set(table["attack"]) == {"loss", "gap", "quantile", "rmia", "rmia_offline", "neural (the paper's)"}
    auc = table[table["attack"] == "rmia"].set_index("k")["auc"]
    assert auc[0] > auc[20]
    attributes = pd.read_csv(tmp_path / "attributes.csv")
    assert set(attributes["attack"]) == {"black_box", "white_box"}
    plots = {"roc-forest-0.svg", "roc-forest-20.svg", "roc.svg", "front.svg"}
    assert plots <= {path.name for path in tmp_path.iterdir()}
    curves = privacy._kept_curves(tmp_path / "curves")
    assert set(curves) == {("forest", 0.0, 0.0), ("forest", 20.0, 0.0)}
    assert len(curves["forest", 20.0, 0.0][0]["rmia"]) == 600
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("rmia", "white_box"))


@pytest.mark.slow
def test_a_private_network_is_measured_beside_them(uci, tmp_path, monkeypatch, capsys):
    words = ["--data", str(uci), "--out", str(tmp_path), "--models", "network", "--k", "0", "--budgets", "2"]
    words += ["--tables", "1", "--seeds", "1", "--records", "300", "--references", "2"]
    monkeypatch.setattr(sys, "argv", ["privacy", *words])
    privacy.main()
    table = pd.read_csv(tmp_path / "membership.csv")
    assert set(table["budget"]) == {0.0, 2.0}
    assert (table[table["budget"] == 2.0]["epsilon"] <= 2.0).all()
    assert {"roc-network-0.svg", "roc-network-epsilon-2.svg", "front.svg"} <= {path.name for path in tmp_path.iterdir()}
    assert "ε = 2" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("model", ["forest", "network"])
def test_private_models_of_many_classes_are_attacked_for_an_attribute(uci, model):
    rows = attributes.attack(uci, model, 0, 4.0, 1, 300)
    assert [(row.budget, row.attack, row.people) for row in rows] == [
        (4.0, "black_box", "members"),
        (4.0, "black_box", "non_members"),
    ]
    assert all(0.4 < row.right <= 1.0 for row in rows)
    case = attributes.load(uci)
    members, others = draw(case, 300, 1)
    answer = private_pipeline(case, model, 4.0)(members, 1)
    said = answer(others)
    assert said.shape == (300, 4)
    assert answer.classes == ("not_recom", "priority", "spec_prior", "very_recom")
    np.testing.assert_allclose(said.sum(axis=1), 1.0, atol=1e-5)
    # It is one model, however often it is asked.
    np.testing.assert_array_equal(answer(others), said)


def test_results_of_an_older_version_are_not_mixed_in(tmp_path):
    (tmp_path / "membership.csv").write_text("model,k,seed\nforest,0,1\n")
    with pytest.raises(SystemExit, match="older version"):
        privacy._done(tmp_path / "membership.csv", ["model", "k", "budget", "seed"])


def test_the_private_encoding_looks_at_no_rows(uci):
    case = load_case("adult-12", uci)
    encode = PublicEncoding.of(case)
    some, all_rows = encode(case.features[:50]), encode(case.features[:5000])
    assert np.array_equal(some, all_rows[:50])
    assert all_rows.min() == 0
    assert all_rows.max() == 1
    # Every category is hot once, and five columns are numbers.
    hot = all_rows.sum(axis=1) - all_rows[:, _numbers(case, encode)].sum(axis=1)
    assert (hot.round(4) == len(case.categorical)).all()


def _numbers(case, encode):
    places, start = [], 0
    for name in case.features.columns:
        width = len(encode._domains.get(name, [0]))
        places += [start] if name not in encode._domains else []
        start += width
    return places
