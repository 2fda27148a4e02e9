"""What may be spent: an (epsilon, delta), checked when a pipeline is built and again when the people are counted.

Example:
    >>> Budget(epsilon=1.0, delta=1e-6).check_for(people=50_000)
    >>> Budget(epsilon=1.0, delta=1e-5).check_for(people=50_000)
    Traceback (most recent call last):
    tfx_anonymizer.errors.GuaranteeError: delta is too large for so many people; got: delta=1e-05 and 50000 people; ...
"""

from __future__ import annotations

import dataclasses
import math
import numbers

from tfx_anonymizer.errors import GuaranteeError, PolicyError

# Above this an answer may be e^20 times likelier with a person than without, which promises nothing.
_GREATEST_EPSILON = 20.0
# A mechanism that publishes n * delta people whole keeps (0, delta): of 10 * delta * n <= 1 expect a tenth of a person.
_EXPECTED_VICTIMS = 0.1


@dataclasses.dataclass(frozen=True)
class Budget:
    """An (epsilon, delta) of differential privacy in the sense of Dwork and Roth (2014), definition 2.4.

    Tables are neighbours when one holds one record more (add or remove one). Where people have several records, those
    are bounded first, so that the record is the person.

    Attributes:
        epsilon: Bound on the log of how much likelier any output becomes; above 0, at most 20.
        delta: Probability that the bound fails; above 0, below 1, and at most one in ten times the people.

    Raises:
        PolicyError: If either is out of range.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        """Checks both."""
        _check("epsilon", self.epsilon, _GREATEST_EPSILON, "1 is strict, 10 is lenient")
        _check("delta", self.delta, 1.0, "at most 1 / (10 * people): 1e-6 for a hundred thousand")
        if self.delta == 1.0:
            raise PolicyError("delta is out of range", got=1.0, allowed="a number above 0 and below 1")

    def check_for(self, people: int) -> None:
        """Refuses a delta that so many people make a likely failure.

        Args:
            people: How many are in the table; a public or a noisy number.

        Raises:
            GuaranteeError: If delta is above 1 / (10 * people).
        """
        if self.delta * people > _EXPECTED_VICTIMS:
            raise GuaranteeError(
                "delta is too large for so many people",
                got=f"delta={self.delta:g} and {people} people",
                allowed=f"delta up to {_EXPECTED_VICTIMS / people:.2g}",
                hint="delta is the chance that the promise fails; it is not a dial for accuracy",
            )


def _check(name: str, value: object, greatest: float, hint: str) -> None:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(float(value))
    if not real or not 0.0 < float(value) <= greatest:  # type: ignore[arg-type]
        raise PolicyError(
            f"{name} is out of range", got=repr(value), allowed=f"a number above 0, up to {greatest:g}", hint=hint
        )
