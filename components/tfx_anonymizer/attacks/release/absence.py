"""What a release leaves out, though it comes near, may betray who is in the data; what it dares to hold, who is not.

A method that takes care to release no combination that few rows have, as the representative `altered_medoid` does,
makes both readable. A *rare* combination that is in such a release is nobody's who was in the data. And a released
combination that nobody has may have been somebody's before a value of it was exchanged: whoever differs from it in one
attribute, and is not in the release themselves, may be that person.

The attacker has a list of candidates, members and others mixed, and does not know who is who; a combination is rare if
fewer than k candidates have it. Members and others are treated alike in everything that is computed, so that a release
that does not depend on who is a member scores both alike.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks.encoding import EncodedTables, Floats

Words = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]

# The score of who was not in the data, if the method avoids rare combinations.
EXCLUDED = -1.0
# Any; it decides nothing but which words stand for which values.
_SEED_OF_WORDS = 20_221


def absence(tables: EncodedTables, k: int) -> tuple[Floats, Floats]:
    """Scores members and control by what the release leaves out.

    The score is `EXCLUDED` for a rare combination that is in the release. For a rare one that is not, it is the sum,
    over the made-up released combinations that differ from it in a single attribute, of one over the number of
    candidates of whom that may be said: were an exchanged value all there is to it, the expected number of classes
    that the candidate stood for. It is 0 for all others.

    Args:
        tables: Members, control and release, over the quasi-identifiers.
        k: Fewer candidates than this that have a combination make it rare.

    Returns:
        Scores, float64, shapes (members,) and (control,).

    Example:
        >>> import pyarrow as pa
        >>> from tfx_anonymizer.attacks.encoding import encode
        >>> members = pa.table({"age": [30, 51], "city": ["Ulm", "Bonn"]})
        >>> control = pa.table({"age": [31, 80], "city": ["Ulm", "Jena"]})
        >>> release = pa.table({"age": [31, 51], "city": ["Ulm", "Trier"]})
        >>> [scores.tolist() for scores in absence(encode([members, control, release], ["age", "city"]), k=2)]
        [[1.0, 1.0], [-1.0, 0.0]]
    """
    parts = _words(tables.tables)
    candidates = np.concatenate(parts[:2])
    whole = np.bitwise_xor.reduce(candidates, axis=1)
    released, first = np.unique(np.bitwise_xor.reduce(parts[2], axis=1), return_index=True)
    known, place, holders = np.unique(whole, return_inverse=True, return_counts=True)
    rare = (holders < k)[place]
    present = np.isin(whole, released)
    made_up = ~np.isin(released, known[holders >= k])
    scores = np.zeros(len(whole))
    hidden = rare & ~present
    scores[hidden] = _hidden_behind(candidates[hidden], whole[hidden], parts[2][first][made_up], released[made_up])
    scores[rare & present] = EXCLUDED
    # Rounded, or the order of sums would tell equal scores apart.
    scores = np.round(scores, 9)
    return scores[: len(parts[0])], scores[len(parts[0]) :]


def _hidden_behind(candidates: Words, whole: Words, released: Words, of_released: Words) -> Floats:
    """Shares out each released combination among the candidates one attribute away; float64, shape (candidates,).

    Args:
        candidates: Words of candidates that are not in the release, shape (n, d).
        whole: Their combinations' words, shape (n,).
        released: Words of distinct released combinations, shape (m, d).
        of_released: Their combinations' words, shape (m,).
    """
    alternatives = np.zeros(len(released))
    shares = np.zeros(len(candidates))
    # Without one attribute's word, those are equal that differ in this attribute alone.
    pairs = [(whole ^ candidates[:, j], of_released ^ released[:, j]) for j in range(candidates.shape[1])]
    for near, behind in pairs:
        alternatives += _summed(behind, near, np.ones(len(near)))
    for near, behind in pairs:
        shares += _summed(near, behind, 1 / np.maximum(alternatives, 1))
    return shares


def _summed(asked: Words, words: Words, values: Floats) -> Floats:
    """Returns for each word the sum of the values that go with the same word among others, shape (asked,)."""
    if not len(words):
        return np.zeros(len(asked))
    known, place = np.unique(words, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=values, minlength=len(known))
    at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return np.where(known[at] == asked, sums[at], 0.0)


def _words(tables: tuple[Floats, ...]) -> list[Words]:
    """Scatters every value over 64 bits, differently in each column; missing is a value.

    A combination is known by the exclusive or of its values' words (Zobrist 1970), and can lose or change one of them
    at no cost. That two combinations of a million share a word has a chance of about one in thirty million.

    Returns:
        uint64, shape (rows, d), a table each.
    """
    rng = np.random.default_rng(_SEED_OF_WORDS)
    whole = np.concatenate(tables) + 0.0
    whole = np.where(np.isnan(whole), np.inf, whole)
    found = np.zeros(whole.shape, dtype=np.uint64)
    for column in range(whole.shape[1]):
        values, codes = np.unique(whole[:, column], return_inverse=True)
        of_values = rng.integers(0, 2**64, len(values), dtype=np.uint64)
        found[:, column] = of_values[codes.reshape(-1)]
    return np.split(found, np.cumsum([len(table) for table in tables])[:-1])
