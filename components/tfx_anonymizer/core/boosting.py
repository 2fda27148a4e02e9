"""Boosted trees (LightGBM) that learn shares, made to give the same trees for the same rows in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def learn_shares(features: Any, shares: npt.NDArray[np.float64], *, rounds: int, learning_rate: float) -> Any:
    """Learns to predict shares, such as probabilities, by cross entropy.

    Args:
        features: Numbers, shape (n, features), dense or SciPy sparse.
        shares: 0 to 1, float64, shape (n,).
        rounds: Trees to grow.
        learning_rate: What each adds.

    Returns:
        A `lightgbm.Booster`. One thread grows it: sums of several would depend on how they shared the rows.
    """
    import lightgbm

    parameters = {
        "objective": "cross_entropy",
        "learning_rate": learning_rate,
        "num_leaves": 31,
        "min_data_in_leaf": 20,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }
    return lightgbm.train(parameters, lightgbm.Dataset(features, shares), rounds)
