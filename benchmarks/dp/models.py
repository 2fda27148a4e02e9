"""Models that are trained on a release and asked about real rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.dp.cases import CATEGORIES, LABEL, NUMBERS

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


def judge(train: pd.DataFrame, test: pd.DataFrame, seed: int) -> dict[str, tuple[float, float]]:
    """Trains every model on some rows and asks it about others.

    Returns:
        Accuracy and AUC by model; of a release with one class, what always naming it comes to.
    """
    label = train[LABEL].astype(int)
    truth = test[LABEL].to_numpy()
    if label.nunique() < 2:
        return dict.fromkeys(MODELS, (float((truth == label.iloc[0]).mean()), 0.5))
    found = {}
    for name in MODELS:
        model = build(name, seed).fit(features(train), label)
        chance = model.predict_proba(features(test))[:, 1]
        found[name] = float(((chance > 0.5) == truth).mean()), float(roc_auc_score(truth, chance))
    return found
