"""Linkability: two who know different attributes of a person both find the person's row.

Each takes the released row nearest to what they know. If it is one and the same row, they have found each other
(Giomi et al. 2023).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks.encoding import EncodedTables
from tfx_anonymizer.attacks.release.comparison import Comparison

Rows = npt.NDArray[np.int64]


def linkability(
    tables: EncodedTables,
    known: tuple[Sequence[str], Sequence[str]],
    *,
    attempts: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Attacks with two sets of columns.

    Args:
        tables: Members, control and release.
        known: What the one and what the other knows; no column in common.
        attempts: Most people of either side.
        confidence: Of the intervals.
        seed: Of the draws.
    """
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(len(side))[:attempts] for side in tables.tables[:2]]
    nearest = [_nearest(tables.select(names), chosen) for names in known]
    linked = [int((one == other).sum()) for one, other in zip(*nearest, strict=True)]
    return Comparison("linkability", len(chosen[0]), linked[0], len(chosen[1]), linked[1], confidence)


def _nearest(tables: EncodedTables, chosen: list[Rows]) -> list[Rows]:
    from sklearn.neighbors import NearestNeighbors

    members, control, release = tables.points()
    index = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(release)
    return [index.kneighbors(side[rows])[1][:, 0] for side, rows in zip((members, control), chosen, strict=True)]
