"""The built-in guide models: scikit-learn pipelines by name, each from encoded features to predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfx_anonymizer.errors import GuideError, PolicyError
from tfx_anonymizer.guides.features import Features

ESTIMATOR_NAMES = ("gradient_boosting", "random_forest", "logistic_regression", "mlp")
# scikit-learn's histogram boosting takes at most 255 categories of an attribute; the rarest share one code.
_MAX_CATEGORIES = 250


def check_estimator_name(name: str) -> None:
    """Checks the name of a built-in estimator.

    Raises:
        PolicyError: If there is none of that name.
    """
    if name not in ESTIMATOR_NAMES:
        raise PolicyError("estimator is not known", got=repr(name), allowed=" or ".join(ESTIMATOR_NAMES))


def make_estimator(name: str, task: str, features: Features, seed: int) -> Any:
    """Builds an unfitted pipeline.

    Args:
        name: One of `ESTIMATOR_NAMES`.
        task: `classification` or `regression`.
        features: The columns it takes, as `Features.frame` gives them.
        seed: Seed of everything it draws.

    Returns:
        A scikit-learn pipeline.

    Raises:
        PolicyError: If there is none of that name.
        GuideError: If it cannot do the task.
    """
    from sklearn.pipeline import make_pipeline

    check_estimator_name(name)
    if name == "logistic_regression" and task == "regression":
        raise GuideError(
            "logistic_regression cannot follow a label of many numbers",
            allowed="gradient_boosting, random_forest or mlp",
        )
    codes_suit = name in ("gradient_boosting", "random_forest")
    encoder = _ordinal(features) if codes_suit else _one_hot(features)
    return make_pipeline(encoder, _model(name, task, features, seed))


def _model(name: str, task: str, features: Features, seed: int) -> Any:
    from sklearn import ensemble, linear_model, neural_network

    classify = task == "classification"
    if name == "gradient_boosting":
        boosting = ensemble.HistGradientBoostingClassifier if classify else ensemble.HistGradientBoostingRegressor
        is_category = np.arange(len(features.names)) >= len(features.numeric)
        return boosting(categorical_features=is_category, random_state=seed)
    if name == "random_forest":
        forest = ensemble.RandomForestClassifier if classify else ensemble.RandomForestRegressor
        # Leaves of one row would return the labels themselves.
        return forest(n_estimators=100, min_samples_leaf=5, random_state=seed)
    if name == "logistic_regression":
        return linear_model.LogisticRegression(max_iter=1000, random_state=seed)
    network = neural_network.MLPClassifier if classify else neural_network.MLPRegressor
    return network(hidden_layer_sizes=(100,), early_stopping=True, random_state=seed)


def _ordinal(features: Features) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OrdinalEncoder

    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        max_categories=_MAX_CATEGORIES,
    )
    return ColumnTransformer(
        [("numeric", "passthrough", list(features.numeric)), ("categorical", codes, list(features.categorical))]
    )


def _one_hot(features: Features) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    categories = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=100, sparse_output=False)
    return ColumnTransformer(
        [("numeric", numbers, list(features.numeric)), ("categorical", categories, list(features.categorical))]
    )
