"""Empirical lower bounds on epsilon: what differential privacy the training cannot have had.

A lower bound shows a leak and never its absence. Both bounds are for a probability of being wrong of at most `level`,
and both choose how they guess before they look at the records they count.
"""

from __future__ import annotations

import math

import numpy as np

from tfx_anonymizer.attacks.intervals import lower_limit, upper_limit
from tfx_anonymizer.attacks.roc import Bools, Floats, check_scores

# Shares of all records about which one run guesses; half of them are guessed in, half out.
_GUESSED = (0.02, 0.1, 0.5)
_MOST = 20.0


def by_rates(scores: Floats, members: Bools, *, delta: float = 0.0, level: float = 0.05, seed: int = 0) -> float:
    """Bounds epsilon by a threshold's rates: epsilon >= ln((TPR - delta) / FPR), each at its Clopper-Pearson limit.

    A random half of the records chooses the threshold, and whether it is members above it or others below it that are
    caught; the other half is counted. The limits hold for independent trials, and records of one training run are not
    quite that; where members were drawn by coin, `one_run` needs no such assumption.

    Args:
        scores: Of n records, float64, shape (n,).
        members: Who is a member, bool, shape (n,).
        delta: The delta of (epsilon, delta).
        level: Greatest probability that the bound is wrong.
        seed: Of the halves.

    Returns:
        The bound; 0 if nothing is shown.

    Example:
        >>> members = np.arange(4000) < 2000
        >>> by_rates(members * 1.0, members) > 5
        True
    """
    check_scores(scores, members)
    chooses = np.zeros(len(scores), dtype=bool)
    rng = np.random.default_rng(seed)
    for side in (members, ~members):
        rows = rng.permutation(np.flatnonzero(side))
        chooses[rows[: len(rows) // 2]] = True
    if not _both(members[chooses]) or not _both(members[~chooses]):
        return 0.0
    cuts = np.unique(np.quantile(scores[chooses], np.linspace(0.001, 0.999, 200), method="lower"))
    upward, downward = (_bounds(scores[chooses], members[chooses], cuts, sign, delta, level) for sign in (1, -1))
    sign, values = (1, upward) if upward.max() >= downward.max() else (-1, downward)
    chosen = cuts[[int(values.argmax())]]
    return max(0.0, float(_bounds(scores[~chooses], members[~chooses], chosen, sign, delta, level)[0]))


def one_run(scores: Floats, members: Bools, *, delta: float = 0.0, level: float = 0.05) -> float:
    """Bounds epsilon from one training run (Steinke, Nasr and Jagielski 2023, theorem 5.2).

    Valid only if a fair coin of its own decided for every one of the n records whether it was trained on. The highest
    scores are guessed in and the lowest out, as many of either; several numbers of guesses, fixed beforehand, share
    `level` among them.

    Args:
        scores: Of n records, float64, shape (n,).
        members: For whom the coin fell on heads, bool, shape (n,).
        delta: The delta of (epsilon, delta).
        level: Greatest probability that the bound is wrong.

    Returns:
        The bound; 0 if nothing is shown.

    Example:
        >>> heads = np.arange(1000) % 2 == 0
        >>> round(one_run(heads * 1.0, heads), 2)
        4.8
    """
    check_scores(scores, members)
    order = np.argsort(scores, kind="stable")
    found = 0.0
    for part in _GUESSED:
        side = max(1, int(part * len(scores) / 2))
        right = int(members[order[-side:]].sum() + (~members[order[:side]]).sum())
        found = max(found, one_run_bound(len(scores), 2 * side, right, delta=delta, level=level / len(_GUESSED)))
    return found


def one_run_bound(audited: int, guesses: int, right: int, *, delta: float = 0.0, level: float = 0.05) -> float:
    """Returns the largest epsilon under which so many right guesses are too improbable.

    Args:
        audited: Records for which a coin was thrown.
        guesses: Records about which a guess was made; as many as was decided beforehand.
        right: Right guesses.
        delta: The delta of (epsilon, delta).
        level: Greatest probability that the bound is wrong.

    Example:
        >>> one_run_bound(1000, 100, 50)
        0.0
        >>> round(one_run_bound(1000, 100, 90), 2)
        1.63
    """
    low, high = 0.0, _MOST
    if one_run_p_value(audited, guesses, right, low, delta) >= level:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if one_run_p_value(audited, guesses, right, middle, delta) < level:
            low = middle
        else:
            high = middle
    return low


def one_run_p_value(audited: int, guesses: int, right: int, epsilon: float, delta: float = 0.0) -> float:
    """Returns a bound on the probability of at least `right` right guesses, were training (epsilon, delta)-private.

    Example:
        >>> round(one_run_p_value(1000, 1, 1, 0.0), 3)
        0.5
    """
    from scipy.stats import binom

    if right <= 0:
        return 1.0
    likely = 1 / (1 + math.exp(-epsilon))
    at_least = binom.sf(right - 1, guesses, likely)
    if not delta:
        return float(at_least)
    # P[right > Bin >= right - i], for every i at once.
    mass = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, likely))
    most = float((mass / np.arange(1, right + 1)).max())
    return float(min(1.0, at_least + 2 * audited * delta * most))


def _bounds(scores: Floats, members: Bools, cuts: Floats, sign: int, delta: float, level: float) -> Floats:
    """Returns for each cut ln((lower limit of the share caught - delta) / upper limit of the share falsely caught).

    Above a cut members are caught, or, with a negative sign, at and below it non-members.
    """
    sought = members if sign > 0 else ~members
    sides = [np.sort(scores[sought]), np.sort(scores[~sought])]
    below = [np.searchsorted(side, cuts, side="right") for side in sides]
    counts = [len(side) - count for side, count in zip(sides, below, strict=True)] if sign > 0 else below
    hits = lower_limit(counts[0], int(sought.sum()), level / 2) - delta
    alarms = upper_limit(counts[1], int((~sought).sum()), level / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(hits > 0, np.log(np.maximum(hits, 0) / alarms), -np.inf)


def _both(members: Bools) -> bool:
    return bool(members.any() and not members.all())
