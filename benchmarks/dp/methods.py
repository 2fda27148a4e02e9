"""Every method that is compared, by name.

One that releases rows is judged by models trained on them; one that trains a model gives that model's scores under a
name of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pandas as pd
import pyarrow as pa

from benchmarks.dp.cases import CATEGORIES, LABEL, NUMBERS, Part, domain
from benchmarks.dp.models import build, features, judge
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.plan import Design, Plan, plan
from tfx_anonymizer.differential_privacy.synthesis import synthesize
from tfx_anonymizer.errors import GuaranteeError

# For 32,561 people; at most 1 / (10 * people).
DELTA = 1e-6
EPSILON, K, NOTHING = "epsilon", "k", "nothing"
Scores = dict[str, tuple[float, float]]


@dataclasses.dataclass(frozen=True)
class Method:
    """A way to train on people and keep them private.

    Attributes:
        strength: What says how private: `epsilon`, `k`, or `nothing`.
        run: From a cut, a strength and a seed to accuracy and AUC by model.
    """

    strength: str
    run: Callable[[Part, float, int], Scores]


def raw(part: Part, _strength: float, seed: int) -> Scores:
    """Trains on the rows themselves."""
    return judge(part.train, part.test, seed)


def k_anonymous(part: Part, k: float, seed: int) -> Scores:
    """Trains on k-anonymous rows, guided by what a cross-validated model says of them."""
    from sklearn.model_selection import cross_val_predict

    known = features(part.train)
    guide = cross_val_predict(build("logistic", seed), known, part.train[LABEL], cv=3, method="predict_proba")
    anonymizer = AccuracyGuidedAnonymizer([*NUMBERS, *CATEGORIES], int(k), label=LABEL, effort="low", random_state=seed)
    return judge(anonymizer.fit_transform(part.train, guide), part.test, seed)


class Synthetic:
    """Trains on synthetic rows of one design; the noise, which looks at no data, is set once a budget."""

    def __init__(self, design: Design, points: int | None = None, bins: int = 16) -> None:
        """Takes how rows are made."""
        self._design = design
        self._points = points
        self._domain = domain(bins=bins)
        self._plans: dict[float, Plan] = {}

    def __call__(self, part: Part, epsilon: float, seed: int) -> Scores:
        """Makes rows and judges them; where there is nothing to release, the most frequent class is named."""
        budget = Budget(epsilon, DELTA)
        if epsilon not in self._plans:
            self._plans[epsilon] = plan(self._design, budget)
        table = pa.Table.from_pandas(part.train, preserve_index=False)
        try:
            found = synthesize(
                table,
                self._domain,
                budget,
                self._design,
                points=self._points,
                seed=seed,
                planned=self._plans[epsilon],
            )
        except GuaranteeError:
            return judge(pd.DataFrame({LABEL: [0]}), part.test, seed)
        return judge(found.table.to_pandas(), part.test, seed)


METHODS: dict[str, Method] = {
    "not private": Method(NOTHING, raw),
    "k-anonymous": Method(K, k_anonymous),
    "random mixing": Method(EPSILON, Synthetic(Design("random_mixing"))),
    "class-wise mixing": Method(EPSILON, Synthetic(Design("class_wise_mixing"))),
    "ClustMix": Method(EPSILON, Synthetic(Design("clust_mix"))),
    "ClustMix, inducing points": Method(EPSILON, Synthetic(Design("clust_mix"), points=200)),
    "cluster means": Method(EPSILON, Synthetic(Design("cluster_means"))),
}
