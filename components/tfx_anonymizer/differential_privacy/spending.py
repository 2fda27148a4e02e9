"""What a release spent, as it is written into reports and onto artifacts, and read back to be added up.

Example:
    >>> part = Part("all", noise_multiplier=4.0)
    >>> twice = [Spending("a mechanism", "people", 1.0, 1e-6, (part,))] * 2
    >>> round(composed_epsilon(twice, delta=1e-6) / composed_epsilon(twice[:1], delta=1e-6), 2)
    1.46
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tfx_anonymizer.differential_privacy.accounting import Event, gaussian, sampled_gaussian, spent_epsilon, together
from tfx_anonymizer.errors import InputDataError


@dataclasses.dataclass(frozen=True)
class Part:
    """One use of the records.

    Attributes:
        what: Which.
        noise_multiplier: Standard deviation of the noise in units of the L2 sensitivity.
        times: How often.
        sampling_probability: With which a person was looked at, each time by a coin of its own; 1: always.
    """

    what: str
    noise_multiplier: float
    times: int = 1
    sampling_probability: float = 1.0

    @property
    def event(self) -> Event:
        """What the accountant is told."""
        if self.sampling_probability >= 1.0:
            return gaussian(self.noise_multiplier, times=self.times)
        return sampled_gaussian(self.sampling_probability, self.noise_multiplier, times=self.times)


@dataclasses.dataclass(frozen=True)
class Spending:
    """What one release spent.

    Attributes:
        mechanism: Its name.
        source: Whose records: a name that all releases about the same people share.
        epsilon: What was promised of this release alone.
        delta: Likewise.
        parts: What was done, for an accountant to add up with other releases.
    """

    mechanism: str
    source: str
    epsilon: float
    delta: float
    parts: tuple[Part, ...]

    @property
    def event(self) -> Event:
        """What the accountant is told."""
        return together(*(part.event for part in self.parts))

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values."""
        return {**dataclasses.asdict(self), "parts": [dataclasses.asdict(part) for part in self.parts]}

    def to_json(self) -> str:
        """Returns one JSON object."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Spending:
        """Reads what `to_dict` returned.

        Raises:
            InputDataError: If it is not that.
        """
        try:
            return cls(**{**fields, "parts": tuple(Part(**part) for part in fields["parts"])})
        except (TypeError, KeyError) as error:
            raise InputDataError("what a release spent cannot be read", got=type(error).__name__) from None


def composed_epsilon(spendings: Sequence[Spending], *, delta: float) -> float:
    """Adds up releases about the same people, by accounting: less than the sum of their epsilons.

    Args:
        spendings: What each spent.
        delta: Of all of them together.

    Returns:
        The least epsilon that the accountant can promise; 0 of no release.
    """
    if not spendings:
        return 0.0
    return spent_epsilon(together(*(spending.event for spending in spendings)), delta=delta)
