"""Models that are trained on rows, or on a release of them, and asked about real rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.dp.cases import CATEGORIES, LABEL, NUMBERS

# Takes rows; returns the chance of label 1, float64, shape (n,).
Model = Callable[[pd.DataFrame], npt.NDArray[np.float64]]

MODELS: dict[str, Callable[[int], Any]] = {
    "forest": lambda seed: RandomForestClassifier(50, min_samples_leaf=5, random_state=seed, n_jobs=1),
    "logistic": lambda seed: LogisticRegression(max_iter=100, tol=1e-3, random_state=seed),
}


def build(name: str, seed: int) -> Pipeline:
    """Makes an untrained model with one-hot categories and standardized numbers in front."""
    encoding = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32), list(CATEGORIES)),
        (StandardScaler(), list(NUMBERS)),
    )
    return make_pipeline(encoding, MODELS[name](seed))


def features(table: pd.DataFrame) -> pd.DataFrame:
    """Returns features with missing categories as one of their own, text where a release has bytes."""
    found = table[list(NUMBERS)].astype(float)
    for name in CATEGORIES:
        column = table[name].map(lambda cell: cell.decode() if isinstance(cell, bytes) else cell)
        found[name] = column.astype(object).where(column.notna(), "?")
    return found


def fit(name: str, table: pd.DataFrame, seed: int) -> Model:
    """Trains one of `MODELS`; of rows of one class, or of that class alone, it is what always names it."""
    label = table[LABEL].astype(int)
    if label.nunique() < 2:
        always = float(label.iloc[0])
        return lambda asked: np.full(len(asked), always)
    model = build(name, seed).fit(features(table), label)
    return lambda asked: np.asarray(model.predict_proba(features(asked))[:, 1], dtype=np.float64)


def score(model: Model, test: pd.DataFrame) -> tuple[float, float]:
    """Asks a model about real rows; returns accuracy and AUC."""
    truth = test[LABEL].to_numpy()
    chance = model(test)
    return float(((chance > 0.5) == truth).mean()), float(roc_auc_score(truth, chance))
