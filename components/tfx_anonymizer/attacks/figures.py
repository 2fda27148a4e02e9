"""The figures of one attack, each with its interval, over all records and over groups of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.attacks import epsilon, roc
from tfx_anonymizer.attacks.intervals import Estimate
from tfx_anonymizer.attacks.roc import Bools, Floats

# A share of false alarms is looked at only where it is this many non-members or more.
LEAST_ALARMS = 10
# Fewer members or others than this make no figure worth reading.
LEAST_RECORDS = 50
RATES = (0.01, 0.001)


@dataclasses.dataclass(frozen=True)
class Figures:
    """What one attack reaches.

    Attributes:
        members: Members that were judged.
        others: Non-members that were judged.
        auc: Area under the ROC curve.
        balanced_accuracy: Best mean of both shares told rightly, with hindsight.
        caught_at: Share of members caught, by the share of false alarms allowed; those rates only which are ten
            non-members or more, and 1 % always.
        epsilon_by_rates: Empirical lower bound on epsilon; see `epsilon.by_rates`.
        epsilon_one_run: The same from coins, None where no coin drew members; see `epsilon.one_run`.
    """

    members: int
    others: int
    auc: Estimate
    balanced_accuracy: float
    caught_at: Mapping[float, Estimate]
    epsilon_by_rates: float
    epsilon_one_run: float | None

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures as JSON-ready values."""
        return {
            "members": self.members,
            "non_members": self.others,
            "auc": self.auc.to_dict(),
            "balanced_accuracy": self.balanced_accuracy,
            "tpr_at_fpr": {f"{rate:g}": found.to_dict() for rate, found in self.caught_at.items()},
            "epsilon_lower_bound": {"by_rates": self.epsilon_by_rates, "one_run": self.epsilon_one_run},
        }


def measure(
    scores: Floats,
    members: Bools,
    *,
    by_coin: bool = False,
    confidence: float = 0.95,
    delta: float = 0.0,
    seed: int = 0,
) -> Figures:
    """Measures an attack.

    Args:
        scores: Higher for whom the attack takes for members, float64, shape (n,).
        members: Who is one, bool, shape (n,).
        by_coin: Whether a fair coin of its own decided for every record whether it was trained on.
        confidence: Of all intervals; the bounds on epsilon are wrong at most as often as those.
        delta: The delta of the bounds on epsilon.
        seed: Of everything that is drawn.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> members = np.arange(2000) < 1000
        >>> found = measure(rng.normal(size=2000) + members, members)
        >>> round(found.auc.value, 2), sorted(found.caught_at)
        (0.75, [0.01])
    """
    others = int((~members).sum())
    rates = [rate for rate in RATES if rate == RATES[0] or rate * others >= LEAST_ALARMS]
    return Figures(
        members=int(members.sum()),
        others=others,
        auc=roc.auc_interval(scores, members, confidence, seed=seed),
        balanced_accuracy=roc.balanced_accuracy(scores, members),
        caught_at={rate: roc.caught_at(scores, members, rate, confidence) for rate in rates},
        epsilon_by_rates=epsilon.by_rates(scores, members, delta=delta, level=1 - confidence, seed=seed),
        epsilon_one_run=epsilon.one_run(scores, members, delta=delta, level=1 - confidence) if by_coin else None,
    )


def measure_groups(
    scores: Floats, members: Bools, groups: Mapping[str, Bools], *, confidence: float = 0.95, seed: int = 0
) -> dict[str, Figures | None]:
    """Measures an attack on groups of records.

    Args:
        scores: As for `measure`.
        members: As for `measure`.
        groups: Who belongs to each, bool, shape (n,), by name.
        confidence: Of all intervals.
        seed: Of everything that is drawn.

    Returns:
        Figures by name; None for a group with fewer than `LEAST_RECORDS` members or others.
    """
    found: dict[str, Figures | None] = {}
    for name, inside in groups.items():
        few = min(int((members & inside).sum()), int((~members & inside).sum())) < LEAST_RECORDS
        found[name] = None if few else measure(scores[inside], members[inside], confidence=confidence, seed=seed)
    return found
