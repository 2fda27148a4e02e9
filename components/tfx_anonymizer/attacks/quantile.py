"""The quantile attack (Bertran et al. 2023): is the model surer of a record than of others like it?

No model is retrained. Two quantiles of the log-odds are regressed on the records' attributes over non-members, each
half judged by what the other half taught, so that no non-member is judged by a regression that has seen it; members by
either.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks.roc import Bools, Floats, check_scores
from tfx_anonymizer.attacks.scores import log_odds

# The median, and what lies one standard deviation above it if all is normal.
_MIDDLE, _ABOVE = 0.5, 0.841
_LEAST_SPREAD = 0.05


def quantile_score(
    confidence: Floats,
    members: Bools,
    features: npt.NDArray[np.float64],
    categorical: npt.NDArray[np.bool_] | None = None,
    seed: int = 0,
) -> Floats:
    """Scores records by how far the model's confidence exceeds what it has in the like of them.

    Args:
        confidence: The target's in what is true of each record, float64, shape (n,).
        members: Who is a member, bool, shape (n,).
        features: What is known of each record, label included, float64, shape (n, d); missing is NaN.
        categorical: Which of them are codes, bool, shape (d,); of at most 255 values each.
        seed: Of halves and regressions.

    Returns:
        Spreads above the middle, float64, shape (n,).
    """
    from threadpoolctl import threadpool_limits

    check_scores(confidence, members)
    phi = log_odds(confidence)
    rng = np.random.default_rng(seed)
    # A member is judged by a half drawn for it, as a non-member is: what differs is only whether it was trained on.
    half = rng.integers(0, 2, len(phi)).astype(bool)
    others = rng.permutation(np.flatnonzero(~members))
    half[others[: len(others) // 2]], half[others[len(others) // 2 :]] = True, False
    score = np.zeros(len(phi))
    for judged in (half, ~half):
        learn = ~members & ~judged
        if not learn.any() or not judged.any():
            continue
        # Threads that wait for each other on a busy machine cost more than they save.
        with threadpool_limits(1):
            middle, above = (
                _regression(level, categorical, seed).fit(features[learn], phi[learn]).predict(features[judged])
                for level in (_MIDDLE, _ABOVE)
            )
        score[judged] = (phi[judged] - middle) / np.maximum(above - middle, _LEAST_SPREAD)
    return score


def _regression(level: float, categorical: npt.NDArray[np.bool_] | None, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        loss="quantile",
        quantile=level,
        max_iter=100,
        max_leaf_nodes=15,
        categorical_features=categorical,
        random_state=seed,
    )
