"""LiRA, the likelihood ratio attack (Carlini et al. 2022): how likely is the target's confidence in a record?

Asked among models with the record and among models without it, whose log-odds are taken as normal. With fewer than
`ENOUGH` models a record's own spread is not to be had, and one spread, of all records about their own means, serves
all; at least 4 models are needed for that.
"""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.attacks.references import Bools, Floats, ReferenceConfidences
from tfx_anonymizer.attacks.scores import log_odds
from tfx_anonymizer.errors import PolicyError

ENOUGH, LEAST = 64, 4
_LEAST_SPREAD = 1e-3


def lira_offline(confidence: Floats, references: ReferenceConfidences) -> Floats:
    """Scores records by how far the target exceeds models that did not see them.

    Args:
        confidence: The target's, float64, shape (n,).
        references: Reference models; each record outside some.

    Returns:
        Standard deviations above the mean, float64, shape (n,).
    """
    references.outside_mean()  # Raises where a record has no such model.
    mean, spread = _normal(references, ~references.inside)
    return np.asarray((log_odds(confidence) - mean) / spread, dtype=np.float64)


def lira_online(confidence: Floats, references: ReferenceConfidences) -> Floats:
    """Scores records by the log-likelihood ratio of models with them to models without them.

    Args:
        confidence: The target's, float64, shape (n,).
        references: Reference models; each record inside some and outside others.

    Returns:
        float64, shape (n,).
    """
    references.outside_mean(), references.inside_mean()  # Raise where a record has no such model.
    phi = log_odds(confidence)
    mean_in, spread_in = _normal(references, references.inside)
    mean_out, spread_out = _normal(references, ~references.inside)
    return np.asarray(_log_density(phi, mean_in, spread_in) - _log_density(phi, mean_out, spread_out), dtype=np.float64)


def _normal(references: ReferenceConfidences, counted: Bools) -> tuple[Floats, Floats]:
    """Returns mean and standard deviation of each record over the counted models, each of shape (n,)."""
    if references.models < LEAST:
        raise PolicyError("LiRA needs more reference models", got=references.models, allowed=f"{LEAST} or more")
    phi = log_odds(references.confidence)
    number = counted.sum(axis=0)
    mean = (phi * counted).sum(axis=0) / number
    squares = (((phi - mean) ** 2) * counted).sum(axis=0)
    if references.models >= ENOUGH:
        spread = np.sqrt(squares / np.maximum(number - 1, 1))
    else:
        # One degree of freedom a record went into its mean.
        spread = np.full(len(mean), np.sqrt(squares.sum() / max((number - 1).sum(), 1)))
    return mean, np.maximum(spread, _LEAST_SPREAD)


def _log_density(value: Floats, mean: Floats, spread: Floats) -> Floats:
    return np.asarray(-0.5 * ((value - mean) / spread) ** 2 - np.log(spread), dtype=np.float64)
