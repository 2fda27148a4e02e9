"""Singling out: predicates that hold for one released row alone; do they hold for one person of the data alone?

A predicate speaks of one to three attributes of a released row: a category is what it is there, a number at least as
great, or as small, as there, away from the middle (Giomi et al. 2023). People and control are of one number, for among
more people fewer predicates hold for one alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks.encoding import EncodedTables, Floats
from tfx_anonymizer.attacks.release.comparison import Comparison

ATTEMPTS = 500
_TRIES_EACH = 4


def singling_out(
    tables: EncodedTables, *, attributes: int, attempts: int = ATTEMPTS, confidence: float = 0.95, seed: int = 0
) -> Comparison:
    """Attacks with predicates of so many attributes.

    Args:
        tables: Members, control and release, over all released columns that members and control have too.
        attributes: Attributes in a predicate.
        attempts: Most predicates.
        confidence: Of the intervals.
        seed: Of what is drawn.

    Returns:
        The comparison. An attempt that finds no predicate which holds for one released row alone has failed.
    """
    members, control, release = tables.tables
    rng = np.random.default_rng(seed)
    people = min(len(members), len(control))
    members, control = (side[rng.permutation(len(side))[:people]] for side in (members, control))
    found = [0, 0, 0]
    middle = np.array([np.nanmedian(column) if not np.isnan(column).all() else 0.0 for column in release.T])
    for _ in range(_TRIES_EACH * attempts):
        if found[0] == attempts:
            break
        row = release[rng.integers(len(release))]
        chosen = rng.permutation(release.shape[1])[:attributes]
        if _holds(release, row, chosen, tables.categorical, middle).sum() != 1:
            continue
        found[0] += 1
        for place, side in ((1, members), (2, control)):
            found[place] += int(_holds(side, row, chosen, tables.categorical, middle).sum() == 1)
    return Comparison(f"singling_out_{attributes}", attempts, found[1], attempts, found[2], confidence)


def _holds(
    rows: Floats,
    like: Floats,
    columns: npt.NDArray[np.int64],
    categorical: npt.NDArray[np.bool_],
    middle: Floats,
) -> npt.NDArray[np.bool_]:
    found = np.ones(len(rows), dtype=bool)
    for column in columns:
        values, value = rows[:, column], like[column]
        if np.isnan(value):
            found &= np.isnan(values)
        elif categorical[column]:
            found &= values == value
        else:
            found &= values >= value if value > middle[column] else values <= value
    return found
