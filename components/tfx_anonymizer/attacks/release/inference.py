"""Inference: an attacker who knows a person's quasi-identifiers reads a secret off the class nearest to them.

The guess is what is most frequent in that class, or its median; a number counts as guessed within a twentieth of itself
(Giomi et al. 2023).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks.encoding import EncodedTables, Floats, row_codes
from tfx_anonymizer.attacks.release.comparison import Comparison

_TOLERANCE = 0.05


def inference(
    tables: EncodedTables, secret: str, *, attempts: int = 2000, confidence: float = 0.95, seed: int = 0
) -> Comparison:
    """Attacks one secret column, all other columns of `tables` being known.

    Args:
        tables: Members, control and release, over what is known and the secret.
        secret: The column to guess.
        attempts: Most people of either side.
        confidence: Of the intervals.
        seed: Of the draws.
    """
    from sklearn.neighbors import NearestNeighbors

    place = tables.names.index(secret)
    is_category = bool(tables.categorical[place])
    known = tables.select([name for name in tables.names if name != secret])
    members, control, release = known.points()
    (classes,) = row_codes([known.tables[2]])
    _, first = np.unique(classes, return_index=True)
    index = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(release[first])
    guesses = _by_class(tables.tables[2][:, place], classes, is_category)
    rng = np.random.default_rng(seed)
    found = []
    for side, points in zip(tables.tables[:2], (members, control), strict=True):
        rows = rng.permutation(len(points))[:attempts]
        guess = guesses[index.kneighbors(points[rows])[1][:, 0]]
        found += [len(rows), int(_right(guess, side[rows, place], is_category).sum())]
    return Comparison(f"inference_{secret}", found[0], found[1], found[2], found[3], confidence)


def _by_class(values: Floats, classes: npt.NDArray[np.int64], is_category: bool) -> Floats:
    """Returns what each class says of the secret, float64, shape (classes,)."""
    order = np.argsort(classes, kind="stable")
    groups = np.split(values[order], np.cumsum(np.bincount(classes))[:-1])
    return np.array([_most_frequent(group) if is_category else np.nanmedian(group) for group in groups])


def _most_frequent(group: Floats) -> float:
    found, count = np.unique(group, return_counts=True)
    return float(found[count.argmax()])


def _right(guess: Floats, truth: Floats, is_category: bool) -> npt.NDArray[np.bool_]:
    if is_category:
        return np.asarray(guess == truth)
    return np.asarray(np.abs(guess - truth) <= _TOLERANCE * np.abs(truth))
