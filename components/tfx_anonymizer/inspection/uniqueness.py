"""How many people a set of columns singles out.

Each set is counted exactly, by one pass over the rows. Sets grow greedily: to the columns that single out most, the one
is added that singles out most beside them. Sweeney (2000, *Simple Demographics Often Identify People Uniquely*) counted
like this for date of birth, sex and postcode.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]

# A column that singles out fewer more of the rows than this adds nothing worth a line.
_LEAST_GAIN = 0.001
_MOST_COLUMNS = 8


@dataclasses.dataclass(frozen=True)
class SetFacts:
    """What a set of columns does to the rows.

    Attributes:
        columns: The set.
        unique: Share of rows whose combination of values no other row has.
        below_k: Share of rows whose combination fewer than k rows have.
        classes: Number of distinct combinations.
    """

    columns: tuple[str, ...]
    unique: float
    below_k: float
    classes: int


def grow_sets(codes: Mapping[str, Codes], k: int) -> list[SetFacts]:
    """Returns sets of one column, of two, and so on, each the last one and the column that adds most.

    Args:
        codes: For each column the number of each row's value, shape (n,).
        k: The size from which on a class hides its rows.

    Example:
        >>> import numpy as np
        >>> found = grow_sets({"sex": np.array([0, 0, 1, 1]), "age": np.array([5, 6, 5, 5])}, k=2)
        >>> [(facts.columns, facts.unique) for facts in found]
        [(('age',), 0.25), (('age', 'sex'), 0.5)]
    """
    chain: list[SetFacts] = []
    together: Codes | None = None
    left = sorted(codes)
    while left and len(chain) < _MOST_COLUMNS:
        tried = [(_measure((*_columns(chain), name), _join(together, codes[name]), k), name) for name in left]
        best, name = max(tried, key=lambda one: (one[0].unique, one[0].below_k, one[0].classes))
        if chain and best.unique - chain[-1].unique < _LEAST_GAIN and best.below_k - chain[-1].below_k < _LEAST_GAIN:
            break
        chain.append(best)
        together = _join(together, codes[name])
        left.remove(name)
    return chain


def measure_set(codes: Mapping[str, Codes], columns: Sequence[str], k: int) -> SetFacts:
    """Counts what one set of columns does; see `grow_sets`."""
    together: Codes | None = None
    for name in columns:
        together = _join(together, codes[name])
    assert together is not None
    return _measure(tuple(columns), together, k)


def _columns(chain: Sequence[SetFacts]) -> tuple[str, ...]:
    return chain[-1].columns if chain else ()


def _join(first: Codes | None, second: Codes) -> Codes:
    """Numbers the distinct pairs from 0 without gaps, so that products stay small."""
    if first is None:
        return np.asarray(np.unique(second, return_inverse=True)[1].reshape(-1), dtype=np.int64)
    pairs = first * (int(second.max(initial=0)) + 1) + second
    return np.asarray(np.unique(pairs, return_inverse=True)[1].reshape(-1), dtype=np.int64)


def _measure(columns: tuple[str, ...], together: Codes, k: int) -> SetFacts:
    sizes = np.bincount(together)
    rows = len(together)
    return SetFacts(
        columns=columns,
        unique=float((sizes == 1).sum() / rows),
        below_k=float(sizes[sizes < k].sum() / rows),
        classes=len(sizes),
    )
