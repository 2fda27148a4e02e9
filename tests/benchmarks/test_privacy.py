"""The privacy benchmark: small runs of both tables, and what is measured once is not measured again."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from benchmarks.privacy import __main__ as privacy
from benchmarks.privacy.plots import front


def test_the_front_is_what_nothing_beats():
    assert front(np.array([[0.9, 0.5], [0.8, 0.1], [0.7, 0.2], [0.8, 0.1]])) == [True, True, False, True]


def test_both_tables_are_measured_once_printed_and_plotted(uci, tmp_path, monkeypatch, capsys):
    words = ["--data", str(uci), "--out", str(tmp_path), "--models", "forest", "--k", "0", "20", "--seeds", "1"]
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
    assert {"roc-forest-0.svg", "roc-forest-20.svg", "front.svg"} <= {path.name for path in tmp_path.iterdir()}
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("rmia", "white_box"))
