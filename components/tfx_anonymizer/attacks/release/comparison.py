"""One attack on those who were released and on a control."""

from __future__ import annotations

import dataclasses
from typing import Any

from tfx_anonymizer.attacks.intervals import Estimate, share


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How often an attack succeeded.

    Attributes:
        name: The attack.
        attempts: On people who were released.
        successes: Of those.
        control_attempts: On people who were not.
        control_successes: Of those.
        confidence: Of the intervals.
    """

    name: str
    attempts: int
    successes: int
    control_attempts: int
    control_successes: int
    confidence: float = 0.95

    @property
    def rate(self) -> Estimate:
        """Share of successes on the released; Clopper and Pearson's interval."""
        return share(self.successes, self.attempts, self.confidence)

    @property
    def control_rate(self) -> Estimate:
        """Share of successes on the control; Clopper and Pearson's interval."""
        return share(self.control_successes, self.control_attempts, self.confidence)

    @property
    def risk(self) -> Estimate:
        """Share of what the control left over that the attack gets right: (rate - control) / (1 - control).

        The interval takes the worst of both rates' limits, each at half the error, so it holds at least as often as it
        says.
        """
        narrower = 1 - (1 - self.confidence) / 2
        rate = share(self.successes, self.attempts, narrower)
        control = share(self.control_successes, self.control_attempts, narrower)
        return Estimate(
            _beyond(rate.value, control.value),
            _beyond(rate.low, control.high),
            _beyond(rate.high, control.low),
            self.confidence,
        )

    @property
    def p_value(self) -> float:
        """Probability of so many more successes on the released by chance (Fisher's exact test, one-sided)."""
        from scipy.stats import fisher_exact

        if not self.attempts or not self.control_attempts:
            return 1.0
        table = [
            [self.successes, self.attempts - self.successes],
            [self.control_successes, self.control_attempts - self.control_successes],
        ]
        return float(fisher_exact(table, alternative="greater")[1])

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as JSON-ready values."""
        return {
            **dataclasses.asdict(self),
            "rate": self.rate.to_dict(),
            "control_rate": self.control_rate.to_dict(),
            "risk": self.risk.to_dict(),
            "p_value": self.p_value,
        }


def _beyond(rate: float, control: float) -> float:
    return max(0.0, (rate - control) / (1 - control)) if control < 1 else 0.0
