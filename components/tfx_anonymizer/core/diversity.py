"""l-diversity of classes, in the three senses of Machanavajjhala et al. 2007, *l-Diversity*, section 4.

Worked example: one class of six with the values 0, 0, 0, 1, 1, 2. It has 3 distinct values; with shares 1/2, 1/3, 1/6
an entropy of 1.011 nats, as much as 2.75 equally frequent values have; and for l = 2 its most frequent value is as
frequent as all others together, so it is (c, 2)-diverse for every c above 1.

    >>> labels, codes = np.zeros(6, dtype=np.int32), np.array([0, 0, 0, 1, 1, 2], dtype=np.int32)
    >>> [round(float(measure(labels, codes, 1, kind, 2)[0]), 2) for kind in ("distinct", "entropy", "recursive")]
    [3.0, 2.75, 1.0]
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

# l equally frequent values reach l exactly, but for rounding; a recount allows more than this.
ROUNDING = 1e-10


def measure(labels: Codes, codes: Codes, classes: int, kind: str, l: float) -> Floats:
    """Measures one sensitive attribute in every class.

    Args:
        labels: The class of each row, from 0, shape (n,).
        codes: The attribute's values, from 0, shape (n,).
        classes: The number of classes, none of them empty.
        kind: `distinct`, `entropy` or `recursive`.
        l: The l of `recursive`.

    Returns:
        The number of distinct values, exp of the entropy in nats, or r1 / (r_l + r_(l+1) + …), infinite where there are
        fewer than l values; float64, shape (classes,).
    """
    span = int(codes.max()) + 1
    pairs, count = np.unique(labels.astype(np.int64) * span + codes, return_counts=True)
    of_class = pairs // span
    if kind == "distinct":
        return np.bincount(of_class, minlength=classes).astype(np.float64)
    rows = np.bincount(labels, minlength=classes)
    if kind == "entropy":
        share = count / rows[of_class]
        return np.asarray(np.exp(np.bincount(of_class, weights=-share * np.log(share), minlength=classes)))
    greatest_first = np.lexsort((-count, of_class))
    first = np.searchsorted(of_class, np.arange(classes))
    place = np.arange(len(pairs)) - first[of_class]
    sorted_count = count[greatest_first]
    tail = np.bincount(of_class, weights=sorted_count * (place >= int(l) - 1), minlength=classes)
    return np.where(tail > 0, sorted_count[first] / np.maximum(tail, 1), np.inf)


def broken(reached: Floats, kind: str, l: float, c: float) -> npt.NDArray[np.bool_]:
    """Tells which classes are not diverse.

    Args:
        reached: As `measure` returns it, shape (classes,).
        kind: `distinct`, `entropy` or `recursive`.
        l: The bound of `distinct` and `entropy`.
        c: The bound of `recursive`, which must be undercut.
    """
    if kind == "recursive":
        return ~(reached < c)
    return reached < (l * (1 - ROUNDING) if kind == "entropy" else l)
