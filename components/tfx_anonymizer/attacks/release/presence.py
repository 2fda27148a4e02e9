"""Does a release tell who was in the data? A person's combination is in it, or near to it, or not.

A released combination that is somebody's own betrays them to whoever knows it; the audit of a model does not see that.
"""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.attacks.encoding import EncodedTables, Floats, row_codes
from tfx_anonymizer.attacks.release.comparison import Comparison

_NEAREST_AT_ONCE = 2000


def presence(name: str, tables: EncodedTables, *, below: int | None = None, confidence: float = 0.95) -> Comparison:
    """Takes for members all those whose combination is in the release.

    Args:
        name: For the comparison.
        tables: Members, control and release, over the columns that are compared.
        below: Look only at combinations that fewer than so many released rows share.
        confidence: Of the intervals.
    """
    members, control, release = row_codes(tables.tables)
    found, counts = np.unique(release, return_counts=True)
    if below is not None:
        found = found[counts < below]
    hits = [int(np.isin(side, found).sum()) for side in (members, control)]
    return Comparison(name, len(members), hits[0], len(control), hits[1], confidence)


def rows_in_small_classes(release: Floats, k: int) -> int:
    """Returns how many released rows share their combination with fewer than k - 1 others."""
    (codes,) = row_codes([release])
    counts = np.bincount(codes)
    return int(counts[counts < k].sum())


def nearness(tables: EncodedTables) -> tuple[Floats, Floats]:
    """Scores members and control by how near they lie to a released combination, 0 being on it.

    Args:
        tables: Members, control and release, over the quasi-identifiers.

    Returns:
        Negative distances, float64, shapes (members,) and (control,).
    """
    from sklearn.neighbors import NearestNeighbors

    members, control, release = tables.points()
    index = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(np.unique(release, axis=0))
    near, far = (
        np.concatenate(
            [
                index.kneighbors(side[start : start + _NEAREST_AT_ONCE])[0][:, 0]
                for start in range(0, len(side), _NEAREST_AT_ONCE)
            ]
        )
        # Rounded, or the rounding of sums would tell equal distances apart.
        for side in (members, control)
    )
    return -np.round(near.astype(np.float64), 4), -np.round(far.astype(np.float64), 4)
