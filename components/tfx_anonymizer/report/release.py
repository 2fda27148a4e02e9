"""Facts about one release, collected from the tables before and after; counts and shares only."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.promises import Check


@dataclasses.dataclass(frozen=True)
class ReleaseFacts:
    """What is reported of a release.

    Attributes:
        policy: What was promised.
        checks: Each promise, compared with the recount.
        measures: What was counted, as `core.PrivacyMeasures.to_dict` gives it.
        attributes: By quasi-identifier its distinct values before and after, and the share of cells changed.
        method: How it was made.
        suppressed: Rows left out of the release.
    """

    policy: AnonymizationPolicy
    checks: tuple[Check, ...]
    measures: Mapping[str, Any]
    attributes: Mapping[str, Mapping[str, float]]
    method: Mapping[str, Any]
    suppressed: int = 0

    @property
    def holds(self) -> bool:
        """Whether every promise is kept."""
        return all(check.holds for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Returns the facts as JSON-ready values."""
        return {
            "success": self.holds,
            "policy": json.loads(self.policy.to_json()),
            "checks": [check.to_dict() for check in self.checks],
            "counted": dict(self.measures),
            "suppressed": self.suppressed,
            "attributes": {name: dict(facts) for name, facts in self.attributes.items()},
            "method": dict(self.method),
        }


def compare_column(before: pa.Array | pa.ChunkedArray, after: pa.Array | pa.ChunkedArray) -> dict[str, float]:
    """Says how much a column was changed.

    Args:
        before: Its values, shape (n,), missing as null.
        after: Its released values, of the same type and order.

    Returns:
        `distinct_before`, `distinct_after`, and `share_changed`: the share of rows whose value is another.

    Example:
        >>> compare_column(pa.array([1, 2, None, 4]), pa.array([2, 2, None, 2]))
        {'distinct_before': 4, 'distinct_after': 2, 'share_changed': 0.5}
    """
    same = pc.fill_null(pc.equal(before, after), False)
    both_missing = pc.and_(pc.is_null(before), pc.is_null(after))
    kept = pc.sum(pc.or_(same, both_missing)).as_py() or 0
    return {
        "distinct_before": len(pc.unique(before)),
        "distinct_after": len(pc.unique(after)),
        "share_changed": 1.0 - kept / max(len(before), 1),
    }
