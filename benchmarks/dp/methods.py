"""Every method that is compared, by name.

One that releases rows is judged by models trained on them; one that trains a model is judged by that model.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import pandas as pd
import pyarrow as pa

from benchmarks.dp.cases import FEATURES, LABEL, categories, domain
from benchmarks.dp.models import MODELS, Model, build, features, fit
from benchmarks.privacy import private
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.plan import Design
from tfx_anonymizer.differential_privacy.synthesis import synthesize
from tfx_anonymizer.errors import GuaranteeError

# For 32,561 people; at most 1 / (10 * people).
DELTA = 1e-6
EPSILON, K, NOTHING = "epsilon", "k", "nothing"
Release = Callable[[pd.DataFrame, float, int], pd.DataFrame]


@dataclasses.dataclass(frozen=True)
class Method:
    """A way to train on people and keep them private.

    Attributes:
        strength: What says how private: `epsilon`, `k`, or `nothing`.
        train: From rows, a strength, a seed and names of models to the models, by name.
        models: The names of those that it can train; the first is the one that is attacked.
    """

    strength: str
    train: Callable[[pd.DataFrame, float, int, Sequence[str]], dict[str, Model]]
    models: tuple[str, ...] = tuple(MODELS)


def on(release: Release) -> Callable[[pd.DataFrame, float, int, Sequence[str]], dict[str, Model]]:
    """Makes of a release a training: of every model on the same rows."""

    def train(rows: pd.DataFrame, strength: float, seed: int, models: Sequence[str]) -> dict[str, Model]:
        released = release(rows, strength, seed)
        return {name: fit(name, released, seed) for name in models}

    return train


def raw(rows: pd.DataFrame, _strength: float, _seed: int) -> pd.DataFrame:
    """Releases the rows themselves."""
    return rows


def k_anonymous(rows: pd.DataFrame, k: float, seed: int) -> pd.DataFrame:
    """Makes k-anonymous rows, guided by what a cross-validated model says of them."""
    from sklearn.model_selection import cross_val_predict

    guide = cross_val_predict(build("logistic", seed), features(rows), rows[LABEL], cv=3, method="predict_proba")
    anonymizer = AccuracyGuidedAnonymizer([*FEATURES], int(k), label=LABEL, effort="low", random_state=seed)
    released: pd.DataFrame = anonymizer.fit_transform(rows, guide)
    return released


class Synthetic:
    """Makes synthetic rows of one design."""

    def __init__(self, design: Design, points: int | None = None) -> None:
        """Takes how rows are made."""
        self._design = design
        self._points = points
        self._domain = domain(bins=16)

    def __call__(self, rows: pd.DataFrame, epsilon: float, seed: int) -> pd.DataFrame:
        """Makes rows; where there is nothing to release, one that has the most frequent class and nothing else."""
        table = pa.Table.from_pandas(rows, preserve_index=False)
        budget = Budget(epsilon, DELTA)
        try:
            found = synthesize(table, self._domain, budget, self._design, points=self._points, seed=seed)
        except GuaranteeError:
            return pd.DataFrame({LABEL: [0]})
        released: pd.DataFrame = found.table.to_pandas()
        return released


class Private:
    """Trains one model within a budget, on rows encoded by the public schema; no rows are released."""

    def __init__(self, model: str) -> None:
        """Takes `forest` or `network`; see `benchmarks.privacy.private`."""
        self._model = model
        self._encode = private.PublicEncoding(FEATURES, categories(), one_hot=model == "network")

    def __call__(self, rows: pd.DataFrame, epsilon: float, seed: int, _models: Sequence[str]) -> dict[str, Model]:
        """Trains it."""
        labels = rows[LABEL].to_numpy()
        predict = private.fit(self._model, self._encode(rows), labels, epsilon, seed, delta=DELTA)
        return {self._model: lambda asked: predict(self._encode(asked))[:, 1]}


METHODS: dict[str, Method] = {
    "not private": Method(NOTHING, on(raw)),
    "k-anonymous": Method(K, on(k_anonymous)),
    "random mixing": Method(EPSILON, on(Synthetic(Design("random_mixing")))),
    "class-wise mixing": Method(EPSILON, on(Synthetic(Design("class_wise_mixing")))),
    "ClustMix": Method(EPSILON, on(Synthetic(Design("clust_mix")))),
    "ClustMix, inducing points": Method(EPSILON, on(Synthetic(Design("clust_mix"), points=200))),
    "cluster means": Method(EPSILON, on(Synthetic(Design("cluster_means")))),
    "DP-SGD network": Method(EPSILON, Private("network"), ("network",)),
    "DP forest": Method(EPSILON, Private("forest"), ("forest",)),
}
