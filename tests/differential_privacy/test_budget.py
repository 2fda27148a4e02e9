"""What may be asked for."""

from __future__ import annotations

import math

import pytest

from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.errors import GuaranteeError, PolicyError


@pytest.mark.parametrize("epsilon", [0, -1.0, 21, math.inf, math.nan, "1", True, None])
def test_epsilon_out_of_range_is_refused(epsilon: object) -> None:
    with pytest.raises(PolicyError, match="epsilon is out of range"):
        Budget(epsilon=epsilon, delta=1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize("delta", [0, -1e-9, 1, 2.0, math.nan, "1e-6", None])
def test_delta_out_of_range_is_refused(delta: object) -> None:
    with pytest.raises(PolicyError, match="delta is out of range"):
        Budget(epsilon=1.0, delta=delta)  # type: ignore[arg-type]


def test_delta_is_held_against_the_people() -> None:
    budget = Budget(epsilon=1.0, delta=1e-5)
    budget.check_for(people=10_000)
    with pytest.raises(GuaranteeError, match="too large for so many people"):
        budget.check_for(people=10_001)
