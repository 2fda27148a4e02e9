"""What is to be learned may be of any kind, or nothing: the guide steers all the same, and k holds."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_predict

from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.partition import BASELINES, OWN

NAMES = ["signal", "noise"]
SIGNAL = np.random.default_rng(0).permutation(1200) / 1200

LABELS = {
    "binary": (SIGNAL > 0.5).astype(int),
    "text": np.where(SIGNAL > 0.5, "high", "low"),
    "Boolean": SIGNAL > 0.5,
    "four classes": (SIGNAL * 4).astype(int),
    "twenty classes": np.array([f"{int(s * 20)} of 20" for s in SIGNAL], dtype=object),
    "integers": (SIGNAL * 500).astype(int),
    "floats": SIGNAL**2 * 1e6,
    "skewed": np.exp(6 * SIGNAL),
    "dates": [datetime.date(2000, 1, 1) + datetime.timedelta(int(1000 * s)) for s in SIGNAL],
}
NEEDS_NO_MODEL = {name for name, one in BASELINES.items() if one.follows == "values"}


def make_table(label):
    noise = np.random.default_rng(1).random(len(SIGNAL))
    return pd.DataFrame({"signal": SIGNAL, "noise": noise, **({} if label is None else {"y": label})})


def widths(anonymizer, table):
    """The middle width of a class along each attribute."""
    classes = anonymizer.generalization_.assign(table)
    grouped = table[NAMES].groupby(classes)
    return (grouped.max() - grouped.min()).median()


# All kinds become one of three targets: of one column, of several, of many classes projected. The trees see them all.
CASES = [(name, kind) for name in ("guided_tree", "entropy_tree") for kind in LABELS]
CASES += [(name, kind) for name in OWN if name != "guided_tree" for kind in ("text", "twenty classes", "skewed")]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_label_of_any_kind_steers(name, kind):
    table = make_table(LABELS[kind])
    anonymizer = AccuracyGuidedAnonymizer(NAMES, 20, label="y", partitioner=name).fit(table)
    assert anonymizer.class_sizes_.min() >= 20
    if kind in ("binary", "text", "Boolean", "four classes"):
        # Few labels need few cuts; what comes after them is up to the partitioner. Most people are among their like.
        classes = anonymizer.generalization_.assign(table)
        assert table.groupby(classes)["y"].agg(lambda y: y.value_counts().iloc[0]).sum() > 0.9 * len(table)
    else:
        found = widths(anonymizer, table)
        assert found["signal"] < found["noise"] / 2


@pytest.mark.parametrize("name", [*OWN, "paper"])
@pytest.mark.parametrize("shape", ["values", "column", "probabilities"])
def test_a_guide_of_numbers_steers(name, shape):
    table = make_table(None)
    three = np.stack([SIGNAL**2, 2 * SIGNAL * (1 - SIGNAL), (1 - SIGNAL) ** 2], axis=1)
    guide = {"values": 1e3 * SIGNAL, "column": 1e3 * SIGNAL[:, None], "probabilities": three}[shape]
    anonymizer = AccuracyGuidedAnonymizer(NAMES, 20, partitioner=name, representative="median").fit(table, guide)
    assert anonymizer.class_sizes_.min() >= 20
    found = widths(anonymizer, table)
    assert found["signal"] < found["noise"] / 2 or name == "paper"
    assert len(anonymizer.class_sizes_) > 2


@pytest.mark.parametrize("name", [*OWN, *NEEDS_NO_MODEL])
def test_with_nothing_to_learn_both_attributes_are_alike(name):
    table = make_table(None)
    anonymizer = AccuracyGuidedAnonymizer(NAMES, 20, partitioner=name).fit(table)
    assert anonymizer.class_sizes_.min() >= 20
    if name in NEEDS_NO_MODEL | {"guided_tree"}:
        found = widths(anonymizer, table)
        assert 0.5 < found["signal"] / found["noise"] < 2


@pytest.mark.parametrize("k", [10, 100])
def test_regression_loses_less_than_with_mondrian(k):
    """Friedman's first problem (1991): five of ten attributes matter. `benchmarks/regression.py` has the figures."""
    x, y = make_friedman1(12_000, noise=1.0, random_state=7)
    names = [f"x{i}" for i in range(10)]
    table = pd.DataFrame(x, columns=names).assign(y=y)
    learn, ask = table.head(10_000), table.tail(2000)
    model = HistGradientBoostingRegressor(random_state=0)
    guide = cross_val_predict(model, learn[names], learn["y"], cv=3)
    scores = {}
    for name in ("guided_tree", "mondrian"):
        release = AccuracyGuidedAnonymizer(names, k, label="y", partitioner=name).fit_transform(learn, guide)
        assert release.groupby(names).size().min() >= k
        scores[name] = model.fit(release[names], release["y"]).score(ask[names], ask["y"])
    assert scores["guided_tree"] > scores["mondrian"] + 0.05
