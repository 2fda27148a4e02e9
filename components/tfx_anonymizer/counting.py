"""Counting a table in memory and comparing it with a policy."""

from __future__ import annotations

import pyarrow as pa

from tfx_anonymizer.core import PrivacyMeasures, measure_privacy
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.promises import Check, checks


def count(table: pa.Table, policy: AnonymizationPolicy) -> tuple[PrivacyMeasures, list[Check]]:
    """Measures a release and compares every promise.

    Args:
        table: The released rows.
        policy: What is promised.

    Returns:
        The measures, and one check a promise.
    """
    names, people = policy.quasi_identifiers, policy.entity_id
    l = policy.recursive_l
    whole = measure_privacy(table, names, policy.sensitive, people, l=l)
    single = {column: measure_privacy(table, names, [column], people, l=l) for column in policy.sensitive}
    return whole, checks(
        policy,
        k=whole.k,
        distinct_l={column: found.distinct_l or 0 for column, found in single.items()},
        entropy_l={column: found.entropy_l or 0.0 for column, found in single.items()},
        recursive_c={column: found.recursive_c for column, found in single.items() if found.recursive_c is not None},
        t={column: 1.0 if found.t is None else found.t for column, found in single.items()},
        columns=table.column_names,
    )
