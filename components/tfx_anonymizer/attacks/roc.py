"""What a score separates: AUC, balanced accuracy, and the share caught at a bounded share of false alarms.

Everywhere `scores` are float64, shape (n,), higher for those whom the attacker takes for members, and `members` says
who is one, bool, shape (n,).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks.intervals import Estimate, share
from tfx_anonymizer.errors import InputDataError

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
_CELLS_AT_ONCE = 4_000_000


def auc(scores: Floats, members: Bools) -> float:
    """Returns the probability that a member scores higher than a non-member, ties counted half.

    Example:
        >>> auc(np.array([3.0, 1.0, 2.0, 1.0]), np.array([True, True, False, False]))
        0.625
    """
    check_scores(scores, members)
    ones = np.ones((1, 1))
    tally = _Tally(scores, members)
    return float(tally.auc(tally.members * ones, tally.others * ones)[0])


def auc_interval(
    scores: Floats, members: Bools, confidence: float = 0.95, *, replicates: int = 1000, seed: int = 0
) -> Estimate:
    """Estimates the AUC; the interval is the percentile bootstrap's (Efron 1979), members and others drawn apart.

    Args:
        scores: Of n records.
        members: Who is a member.
        confidence: Of the two-sided interval.
        replicates: Draws.
        seed: Of the draws.

    Example:
        >>> members = np.arange(400) < 200
        >>> found = auc_interval(np.arange(400) % 200 + 20.0 * members, members)
        >>> round(found.value, 3), bool(found.low < 0.595 < found.high)
        (0.595, True)
    """
    check_scores(scores, members)
    tally = _Tally(scores, members)
    rng = np.random.default_rng(seed)
    found = []
    step = max(1, _CELLS_AT_ONCE // max(len(tally.members), 1))
    for start in range(0, replicates, step):
        draws = min(step, replicates - start)
        found.append(tally.auc(_redraw(rng, tally.members, draws), _redraw(rng, tally.others, draws)))
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.concatenate(found), [tail, 1 - tail])
    return Estimate(auc(scores, members), float(low), float(high), confidence)


def p_value(scores: Floats, members: Bools) -> float:
    """Returns the probability of so great an AUC by chance (Mann and Whitney 1947, one-sided, normal, with ties).

    Example:
        >>> members = np.arange(400) < 200
        >>> p_value(np.arange(400.0), members) > 0.99, p_value(-np.arange(400.0), members) < 1e-60
        (True, True)
    """
    from scipy.stats import mannwhitneyu

    check_scores(scores, members)
    if scores.min() == scores.max():
        return 1.0
    return float(mannwhitneyu(scores[members], scores[~members], alternative="greater", method="asymptotic").pvalue)


def balanced_accuracy(scores: Floats, members: Bools) -> float:
    """Returns the best mean of both shares told rightly that any threshold reaches.

    The threshold is chosen with hindsight, as in the literature, so that chance alone reaches a little over one half.

    Example:
        >>> balanced_accuracy(np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, True, False, False]))
        0.75
    """
    check_scores(scores, members)
    caught, alarmed = curve(scores, members)
    return float(0.5 + (caught - alarmed).max() / 2)


def caught_at(scores: Floats, members: Bools, false_alarms: float, confidence: float = 0.95) -> Estimate:
    """Estimates the share of members that are caught while at most a share of the others is taken for members.

    The threshold is the lowest that keeps to the share; records on it are not accused. The interval, Clopper and
    Pearson's, takes it as given.

    Args:
        scores: Of n records.
        members: Who is a member.
        false_alarms: The bound on the share of non-members accused, 0 to 1.
        confidence: Of the two-sided interval.

    Example:
        >>> scores = np.concatenate([np.arange(100.0), np.arange(90.0, 190.0)])
        >>> caught_at(scores, np.arange(200) >= 100, 0.01).value
        0.91
    """
    check_scores(scores, members)
    return share(
        int((scores[members] > threshold(scores[~members], false_alarms)).sum()), int(members.sum()), confidence
    )


def threshold(others: Floats, false_alarms: float) -> float:
    """Returns the lowest score of `others` that at most a share of them exceeds.

    Example:
        >>> threshold(np.arange(100.0), 0.01)
        98.0
    """
    allowed = int(np.floor(false_alarms * len(others) + 1e-9))
    return float(np.sort(others)[::-1][min(allowed, len(others) - 1)])


def curve(scores: Floats, members: Bools) -> tuple[Floats, Floats]:
    """Returns the ROC curve: shares of members and of others at or above each distinct score, from none to all.

    Returns:
        Share of members and share of others, each float64, shape (m + 1,), growing.
    """
    tally = _Tally(scores, members)
    caught = np.append(0.0, np.cumsum(tally.members[::-1])) / tally.members.sum()
    alarmed = np.append(0.0, np.cumsum(tally.others[::-1])) / tally.others.sum()
    return caught, alarmed


def check_scores(scores: Floats, members: Bools) -> None:
    """Checks that there is something to compare.

    Raises:
        InputDataError: If lengths differ, a score is no number, or members or non-members are absent.
    """
    if scores.shape != members.shape or scores.ndim != 1:
        raise InputDataError("scores and members differ in shape", got=f"{scores.shape} and {members.shape}")
    if np.isnan(scores).any():
        raise InputDataError("scores hold what is no number", got=f"{int(np.isnan(scores).sum())} NaN")
    if not members.any() or members.all():
        raise InputDataError("an attack needs members and non-members", got=f"{int(members.sum())} of {len(members)}")


class _Tally:
    """Members and others at each distinct score, in growing order."""

    def __init__(self, scores: Floats, members: Bools) -> None:
        values, place = np.unique(scores, return_inverse=True)
        self.members = np.bincount(place[members], minlength=len(values)).astype(np.float64)
        self.others = np.bincount(place[~members], minlength=len(values)).astype(np.float64)

    @staticmethod
    def auc(members: Floats, others: Floats) -> Floats:
        """Returns the AUC of each row of counts, shape (draws,)."""
        below = np.cumsum(others, axis=1) - others / 2
        won = (members * below).sum(axis=1)
        return np.asarray(won / (members.sum(axis=1) * others.sum(axis=1)), dtype=np.float64)


def _redraw(rng: np.random.Generator, counts: Floats, draws: int) -> Floats:
    """Draws as many records as there are, with replacement: their number at each score, shape (draws, scores)."""
    total = int(counts.sum())
    return rng.multinomial(total, counts / total, size=draws).astype(np.float64)
