"""The black-box attack: ask the model what it says of a person with each value that the attribute may have.

A classifier learns from people whose attribute the attacker knows what those answers, and all else that is known, label
included, tell of it (Fredrikson et al. 2014 asked so first; Mehnaz et al. 2022 learn so). The same classifier without
the answers is the imputation to compare with; and where it does better on those the attacker knows, the attack is it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def guess_attribute(
    known: Floats, truth: npt.NDArray[np.int64], learn: Bools, answers: Floats | None = None, *, seed: int = 0
) -> npt.NDArray[np.int64]:
    """Learns an attribute from some people and guesses it for the rest.

    Args:
        known: What is known of each person, label included, float64, shape (n, d); missing is NaN.
        truth: The attribute's codes, int64, shape (n,); looked at for those learned from only.
        learn: Whom the attacker learns from, bool, shape (n,).
        answers: What the model says of each person with each value of the attribute, float64, shape (n, m). None: the
            imputation without the model.
        seed: Of the classifier.

    Returns:
        Guesses for those not learned from, in their order, int64.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import KFold, cross_val_score

    # Leaves of one person would repeat what single people answered.
    forest = RandomForestClassifier(100, min_samples_leaf=3, random_state=seed, n_jobs=1)
    # Missing lies below all.
    features = np.nan_to_num(known, nan=-1e9)
    if answers is not None:
        ways = [features, np.concatenate([features, answers], axis=1)]
        folds = KFold(3, shuffle=True, random_state=seed)
        scores = [cross_val_score(forest, way[learn], truth[learn], cv=folds).mean() for way in ways]
        # Whoever is better off without the model does without.
        features = ways[int(np.argmax(scores))]
    forest.fit(features[learn], truth[learn])
    return np.asarray(forest.predict(features[~learn]), dtype=np.int64)
