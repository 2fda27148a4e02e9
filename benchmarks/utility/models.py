"""The paper's four kinds of model behind the same encoding: one-hot categories, standardized numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier


def _boosting(seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=100, random_state=seed, n_jobs=1, verbosity=0)


Guide = npt.NDArray[np.float64]

MODELS: dict[str, Callable[[int], Any]] = {
    "network": lambda seed: MLPClassifier((100,), learning_rate_init=1e-3, max_iter=30, random_state=seed),
    "boosting": _boosting,
    "forest": lambda seed: RandomForestClassifier(100, random_state=seed, n_jobs=1),
    "tree": lambda seed: DecisionTreeClassifier(random_state=seed),
}


def build(name: str, features: pd.DataFrame, categorical: tuple[str, ...], seed: int) -> Pipeline:
    """Makes an untrained model with the encoding in front.

    Args:
        name: One of `MODELS`.
        features: Rows to train on; only its column names are looked at.
        categorical: Which of them hold no numbers.
        seed: Of the training.
    """
    numeric = [column for column in features.columns if column not in categorical]
    encoding = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32), list(categorical)),
        (StandardScaler(), numeric),
    )
    return make_pipeline(encoding, MODELS[name](seed))


def as_known(features: pd.DataFrame, categorical: tuple[str, ...]) -> pd.DataFrame:
    """Makes missing categories one of their own: the encoder takes no mixture of text and missing."""
    text = {name: features[name].astype(object).where(features[name].notna(), "?") for name in categorical}
    return features.assign(**text)


def accuracy(
    name: str,
    train: pd.DataFrame,
    label: pd.Series,
    test: pd.DataFrame,
    test_label: pd.Series,
    categorical: tuple[str, ...],
    seed: int,
) -> float:
    """Trains a model on some rows and tells the share of other rows it labels rightly."""
    return accuracies(name, train, label, (test,), test_label, categorical, seed)[0]


def accuracies(
    name: str,
    train: pd.DataFrame,
    label: pd.Series,
    tests: Sequence[pd.DataFrame],
    test_label: pd.Series,
    categorical: tuple[str, ...],
    seed: int,
) -> list[float]:
    """Trains a model on some rows and tells the share it labels rightly of other rows, in each of several forms."""
    codes = LabelEncoder().fit(pd.concat([label, test_label]))
    model = build(name, train, categorical, seed)
    with warnings.catch_warnings():
        # Thirty epochs are the paper's, whether or not the network has come to rest by then.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(as_known(train, categorical), codes.transform(label))
    truth = codes.transform(test_label)
    return [float(np.mean(model.predict(as_known(test, categorical)) == truth)) for test in tests]


def guide(name: str, train: pd.DataFrame, label: pd.Series, categorical: tuple[str, ...], seed: int) -> Guide:
    """Returns what the model says of its own training rows, out of fold, as `InitialModelTrainer`'s estimators do.

    Returns:
        Probabilities, float64, shape (n, classes), classes in sorted order.
    """
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: Guide = cross_val_predict(
            build(name, train, categorical, seed),
            as_known(train, categorical),
            LabelEncoder().fit_transform(label),
            cv=folds,
            method="predict_proba",
        )
    return found
