"""`mode="safe"`: what it takes, checked when the pipeline is built; a value that travels with the settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.errors import GuaranteeError, PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy

MODES = ("k_anonymity", "safe")
# What the theorem says nothing of: they would make a release depend on what is left out of it.
_NOT_WITH_IT = ("sensitive", "l", "t", "max_suppressed")


@dataclasses.dataclass(frozen=True)
class Safety:
    """Arguments of AGAnonymizer that belong to `mode="safe"`; see there.

    Raises:
        PolicyError: If one is out of range.
    """

    epsilon: float
    delta: float
    design_split: str
    sampling: float

    @property
    def budget(self) -> Budget:
        """What a release may spend."""
        return Budget(self.epsilon, self.delta)

    def check(self, policy: AnonymizationPolicy) -> None:
        """Refuses a policy whose promises a safe release does not make, or makes otherwise.

        Raises:
            PolicyError: If the policy asks for diversity, closeness or suppression.
            GuaranteeError: If k is too small for the budget.
        """
        refuse({name: getattr(policy, name) for name in _NOT_WITH_IT})
        self.check_k(policy.k)

    def check_k(self, k: int) -> None:
        """Refuses a k that is too small for the budget."""
        from tfx_anonymizer.differential_privacy.safe_sampling import least_k

        least = least_k(self.budget, self.sampling)
        if k < least:
            raise GuaranteeError(
                "k is too small for the budget", got=k, allowed=f"{least} or more", hint="or a smaller sampling"
            )


def make_safety(
    mode: str,
    *,
    epsilon: float | None,
    delta: float | None,
    sampling: float | None,
    design_split: str | None,
    splits: Sequence[str],
    other_splits: str,
) -> Safety | None:
    """Checks the arguments of a mode.

    Returns:
        None where the mode is `k_anonymity`.

    Raises:
        PolicyError: If one is missing, too many or out of range.
    """
    given = {"epsilon": epsilon, "delta": delta, "sampling": sampling, "design_split": design_split}
    if mode not in MODES:
        raise PolicyError("mode is not known", got=repr(mode), allowed=" or ".join(MODES))
    if mode == "k_anonymity":
        surplus = [name for name, value in given.items() if value is not None]
        if surplus:
            raise PolicyError(f"{surplus[0]} belongs to another mode", hint="mode='safe'")
        return None
    for name in ("epsilon", "delta", "design_split"):
        if given[name] is None:
            raise PolicyError(f"mode='safe' needs {name}")
    budget = Budget(epsilon, delta)  # type: ignore[arg-type]
    from tfx_anonymizer.differential_privacy.safe_sampling import check_sampling, greatest_sampling

    probability = greatest_sampling(budget.epsilon) if sampling is None else sampling
    check_sampling(probability, budget.epsilon)
    if not isinstance(design_split, str) or not design_split or design_split in splits:
        raise PolicyError(
            "design_split must be a split of its own", got=repr(design_split), hint="not one of those released"
        )
    if len(splits) != 1:
        raise PolicyError("mode='safe' releases one split", got=", ".join(splits))
    if other_splits == "transform":
        raise PolicyError("other_splits='transform' promises nothing in mode='safe'", allowed="pass or drop")
    return Safety(budget.epsilon, budget.delta, design_split, probability)


def refuse(roles: Mapping[str, Any]) -> None:
    """Refuses promises that a safe release does not make.

    Raises:
        PolicyError: If one is asked for.
    """
    asked = [name for name in _NOT_WITH_IT if roles.get(name) not in (None, (), [], 0.0)]
    if asked:
        raise PolicyError(
            f"{asked[0]} cannot be kept in mode='safe'", hint="the theorem allows no choice that looks at the release"
        )
