"""Effects as contributions: how much of the guide's answer for a row is due to each of its attributes.

Whatever the guide is, its answers are first learned by boosted trees (LightGBM) over binned codes; of those, Shapley
values are exact and cheap (Lundberg et al. 2020, *From local explanations to global understanding with explainable AI
for trees*, section 2). They are in log-odds, add up to the trees' answer, and share what two attributes say together
between them. Every row is explained by trees that have not learned from it.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.boosting import learn_shares
from tfx_anonymizer.core.encoding import Codes, Target
from tfx_anonymizer.core.means import group_means
from tfx_anonymizer.core.space.bins import bin_codes
from tfx_anonymizer.core.space.effects import Effects, Floats
from tfx_anonymizer.core.steering import shares

FOLDS = 3
ROUNDS = 100
# More rows than this teach the trees nothing new.
MOST_ROWS = 100_000
# Up to so many rows the last answer is kept: whoever tries several k or partitioners on one table asks again.
MOST_ROWS_KEPT = 50_000
_last: tuple[bytes, Effects] | None = None


def contributions(codes: Codes, cardinality: npt.NDArray[np.int64], target: Target) -> Effects:
    """Explains the guide by attributes.

    Args:
        codes: int32, shape (n, attributes), rows in an order that depends on their content alone.
        cardinality: The number of codes of each attribute, shape (attributes,).
        target: The guide in fixed point, int32, shape (n, d).

    Returns:
        Effects in log-odds, of which a d-dimensional guide has d for each attribute.
    """
    global _last  # noqa: PLW0603 (a cache by content: what is returned never depends on it)
    asked = _content(codes, cardinality, target) if len(codes) <= MOST_ROWS_KEPT else None
    if _last is not None and _last[0] == asked:
        return _last[1]
    found = _measure(codes, cardinality, target)
    if asked is not None:
        found.of_rows.setflags(write=False)
        _last = asked, found
    return found


def _content(*arrays: npt.NDArray[Any]) -> bytes:
    digest = hashlib.blake2b()
    for array in arrays:
        digest.update(repr((array.shape, array.dtype.str)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


def _measure(codes: Codes, cardinality: npt.NDArray[np.int64], target: Target) -> Effects:
    bins = bin_codes(codes, cardinality)
    binned = bins.of(codes)
    of_rows = np.stack([_explain(binned, column) for column in shares(target).T], axis=2)
    of_rows -= of_rows.mean(axis=0)
    tables = tuple(group_means(of_rows[:, i], binned[:, i], len(last)) for i, last in enumerate(bins.last))
    return Effects(of_rows, bins, tables)


def _explain(binned: npt.NDArray[np.int32], share: Floats) -> Floats:
    """Returns contributions to one output, shape (n, attributes)."""
    rows = len(binned)
    found = np.zeros((rows, binned.shape[1]))
    if share.min() == share.max():
        return found
    # Neighbours in content are dealt to different folds, so every fold sees every region.
    folds = np.arange(rows) % FOLDS if rows >= FOLDS * 2 else np.full(rows, -1)
    step = max(1, rows // MOST_ROWS)
    for fold in np.unique(folds):
        inside = folds == fold
        learn = np.flatnonzero(~inside if fold >= 0 else inside)[::step]
        # Rows are explained one by one, so threads (0: all there are) change nothing.
        # Codes are ordered by the guide already, so categories need no splits of their own.
        trees = learn_shares(binned[learn].astype(np.float32), share[learn], rounds=ROUNDS, learning_rate=0.1)
        found[inside] = trees.predict(binned[inside], pred_contrib=True, num_threads=0)[:, :-1]
    return found
