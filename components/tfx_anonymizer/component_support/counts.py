"""Comparing what Beam counted of a split with a policy."""

from __future__ import annotations

from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.promises import Check, checks
from tfx_anonymizer.transforms.count_classes import ClassCounts


def check_counts(policy: AnonymizationPolicy, counts: ClassCounts) -> list[Check]:
    """Returns one check a promise."""
    return checks(
        policy,
        k=counts.k,
        distinct_l=counts.distinct_l,
        entropy_l=counts.entropy_l,
        recursive_c=counts.recursive_c,
        t=counts.t,
        columns=counts.columns,
    )
