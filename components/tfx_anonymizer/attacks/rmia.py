"""RMIA, the robust membership inference attack (Zarifzadeh, Liu and Shokri 2024).

A record's ratio is the target's confidence in it over its mean over models with and without it; its score the share of
a population with a smaller ratio. Where no model with it is at hand (the offline attack), the mean is estimated as
(1 + a) / 2 times that over models without it, plus (1 - a) / 2.
"""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.attacks.references import Floats, ReferenceConfidences

# The authors' default for tabular data.
OFFLINE_A = 0.3
_TINY = 1e-12


def rmia_offline(
    confidence: Floats, outside: Floats, population: tuple[Floats, Floats] | None = None, a: float = OFFLINE_A
) -> Floats:
    """Scores records by models that did not see them.

    Args:
        confidence: The target's, float64, shape (n,).
        outside: The mean over reference models that did not see the record, shape (n,).
        population: The same two of other records, each of shape (m,). None: the ratio itself is the score. With the
            authors' gamma of 1 the share of a population below it is a growing function of the ratio, so that no
            figure of the attack changes but for ties.
        a: How closely models with a record are taken to follow those without: 1 as they are, 0 sure of everything.

    Returns:
        float64, shape (n,).

    Example:
        >>> rmia_offline(np.array([0.9, 0.9]), np.array([0.9, 0.3])).round(3).tolist()
        [0.963, 1.651]
    """
    ratio = _ratio(confidence, _offline(outside, a))
    if population is None:
        return ratio
    others = np.sort(_ratio(population[0], _offline(population[1], a)))
    return np.asarray(np.searchsorted(others, ratio, side="left") / len(others), dtype=np.float64)


def rmia_online(confidence: Floats, references: ReferenceConfidences) -> Floats:
    """Scores records by models with and without them.

    Args:
        confidence: The target's, float64, shape (n,).
        references: Reference models; each record inside some and outside others.

    Returns:
        float64, shape (n,).
    """
    return _ratio(confidence, (references.outside_mean() + references.inside_mean()) / 2)


def choose_a(references: ReferenceConfidences, among: tuple[float, ...] = (0.0, 0.2, 0.3, 0.5, 0.8, 1.0)) -> float:
    """Returns the `a` with which the offline attack does best on a reference model taken for the target.

    Nothing of the target is looked at: whom the reference was trained on is known.

    Args:
        references: Three or more models, of which the last is attacked.
        among: What to choose from.
    """
    from tfx_anonymizer.attacks.roc import auc

    last = references.models - 1
    rest = references.without(last)
    if rest.models > 2:
        # Its complement is outside of exactly those it saw, and would betray them.
        rest = rest.without(last - 1)
    seen = (~rest.inside).any(axis=0)
    if not seen.any() or references.inside[last][seen].all() or not references.inside[last][seen].any():
        return OFFLINE_A
    outside = (rest.confidence * ~rest.inside).sum(axis=0)[seen] / (~rest.inside).sum(axis=0)[seen]
    target, inside = references.confidence[last][seen], references.inside[last][seen]
    return max(among, key=lambda a: auc(rmia_offline(target, outside, a=a), inside))


def _offline(outside: Floats, a: float) -> Floats:
    return np.asarray((1 + a) / 2 * outside + (1 - a) / 2, dtype=np.float64)


def _ratio(confidence: Floats, expected: Floats) -> Floats:
    return np.asarray(confidence / np.maximum(expected, _TINY), dtype=np.float64)
