"""Does what was counted keep what a policy promises?

Example:
    >>> policy = AnonymizationPolicy(quasi_identifiers=("age",), k=50, sensitive=("ill",), l=2)
    >>> [str(check) for check in checks(policy, k=49, distinct_l={"ill": 2}, t={"ill": 0.1}) if not check.holds]
    ['k: asked 50, reached 49']
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from tfx_anonymizer.policy import AnonymizationPolicy

# Distances and entropies are sums of floats: growth stays well within this, and a count may miss by as little.
TOLERANCE = 1e-9


@dataclasses.dataclass(frozen=True)
class Check:
    """One promise compared with what was counted.

    Attributes:
        name: What is promised: `k`, `l`, `entropy_l`, `recursive_c`, `t`, `no_direct_identifiers`,
            `max_suppressed`.
        asked: The bound.
        reached: What was counted; infinite where no c whatever would do.
        holds: Whether the promise is kept.
        column: The sensitive column or direct identifier it is about, if one.
    """

    name: str
    asked: float
    reached: float
    holds: bool
    column: str | None = None

    def __str__(self) -> str:
        where = f" in {self.column!r}" if self.column else ""
        return f"{self.name}{where}: asked {self.asked}, reached {self.reached}"

    def to_dict(self) -> dict[str, Any]:
        """Returns the check as JSON-ready values; JSON has no infinity, so that is None."""
        fields = dataclasses.asdict(self)
        return {**fields, "reached": self.reached if math.isfinite(self.reached) else None}


def checks(
    policy: AnonymizationPolicy,
    *,
    k: int,
    distinct_l: Mapping[str, int],
    t: Mapping[str, float],
    entropy_l: Mapping[str, float] = MappingProxyType({}),
    recursive_c: Mapping[str, float] = MappingProxyType({}),
    columns: Collection[str] = (),
) -> list[Check]:
    """Compares every promise of a policy with what was counted of a release.

    Args:
        policy: The promise.
        k: Size of the smallest class.
        distinct_l: Least number of distinct values in a class, by sensitive column.
        t: Greatest distance of a class from the whole, by sensitive column.
        entropy_l: exp of the least entropy in a class, by sensitive column.
        recursive_c: Greatest r1 / (r_l + r_(l+1) + …) of a class for the policy's l, by sensitive column.
        columns: The release's columns.

    Returns:
        One check a promise; a sensitive column that was not counted does not hold.
    """
    found = [Check("k", policy.k, k, k >= policy.k)]
    for column in policy.sensitive:
        if policy.l is not None:
            found.append(_diversity(policy, column, distinct_l, entropy_l, recursive_c))
        if policy.t is not None:
            distance = t.get(column, 1.0)
            found.append(Check("t", policy.t, distance, distance <= policy.t + TOLERANCE, column))
    for column in policy.direct_identifiers:
        present = int(column in columns)
        found.append(Check("no_direct_identifiers", 0, present, not present, column))
    return found


def _diversity(
    policy: AnonymizationPolicy,
    column: str,
    distinct_l: Mapping[str, int],
    entropy_l: Mapping[str, float],
    recursive_c: Mapping[str, float],
) -> Check:
    assert policy.l is not None
    if policy.diversity == "entropy":
        reached = entropy_l.get(column, 0.0)
        return Check("entropy_l", policy.l, reached, reached >= policy.l * (1 - TOLERANCE), column)
    if policy.c is not None:
        # A ratio of counts is rounded as c itself was, so the two are equal exactly where they should be.
        reached = recursive_c.get(column, math.inf)
        return Check("recursive_c", policy.c, reached, reached < policy.c, column)
    reached = distinct_l.get(column, 0)
    return Check("l", policy.l, reached, reached >= policy.l, column)


def suppression_check(policy: AnonymizationPolicy, before: int, after: int) -> Check | None:
    """Compares the rows of a table with those of its release.

    Args:
        policy: What may be left out.
        before: Rows of the table.
        after: Rows of its release.

    Returns:
        The check, in shares of the rows; None if nothing may be left out and nothing was.
    """
    if not policy.max_suppressed and before == after:
        return None
    holds = 0 <= before - after <= policy.most_suppressed(before)
    return Check("max_suppressed", policy.max_suppressed, (before - after) / max(before, 1), holds)


def broken(found: Collection[Check]) -> list[str]:
    """Returns the broken promises in words; nothing if all hold."""
    return [str(check) for check in found if not check.holds]
