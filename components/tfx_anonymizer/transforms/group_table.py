"""Grouping one table of examples in memory: a whole split that is small enough, or a shard of a larger one."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection

import numpy as np
import pyarrow as pa

from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.columns import kind_of
from tfx_anonymizer.core.selection import depends_on_order, needs_student
from tfx_anonymizer.core.whole import Whole
from tfx_anonymizer.hashing import in_content_order, row_hashes
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.columns import (
    GUIDE_COLUMN,
    column_of,
    drop_columns,
    empty_lists,
    project,
    replace,
    require_columns,
    single_valued_columns,
)
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.predict import guide_matrix
from tfx_anonymizer.transforms.summary import Change, Summary


def anonymize_table(
    table: pa.Table,
    policy: AnonymizationPolicy,
    method: Method,
    *,
    part_of: Whole | None = None,
    empty: Collection[str] | None = None,
) -> tuple[pa.Table, AccuracyGuidedAnonymizer, Summary]:
    """Makes the rows of one table of examples k-anonymous.

    Args:
        table: n rows of list or plain columns, with `GUIDE_COLUMN` if a model guides.
        policy: Roles and guarantee.
        method: How rows are grouped.
        part_of: The split that the rows are a shard of, if they are not all.
        empty: Quasi-identifiers in which missing is an empty list; those in which some row of the table has one if
            None.

    Returns:
        The released table, its rows in an order that does not depend on the batches they came in, without outliers if
        the policy allows to leave any out; the fitted anonymizer; a summary.
    """
    present = table.column_names
    for role, names in (("quasi_identifiers", policy.quasi_identifiers), ("sensitive", policy.sensitive)):
        require_columns(names, present, role)
    require_columns([policy.label] if policy.label else [], present, "label")
    require_columns([policy.entity_id] if policy.entity_id else [], present, "entity_id")
    tried = method.candidates(table.num_rows if part_of is None else part_of.rows, policy.k)
    if policy.max_suppressed or depends_on_order(tried):
        # By every feature, for grouping sees only those that have a role.
        table = in_content_order(table)
    # A direct identifier that is absent already is what is wanted.
    policy_here = dataclasses.replace(policy, direct_identifiers=())
    plain = project(table, policy_here.columns)
    if needs_student(tried):
        # The student learns from what the Trainer will, the columns without a role among them.
        for name, column in _others(table, policy).items():
            plain = plain.append_column(name, column)
    guide = guide_matrix(table) if GUIDE_COLUMN in present else None
    anonymizer = AccuracyGuidedAnonymizer.from_policy(
        policy_here,
        partitioner=method.partitioner,
        representative=method.representative,
        effort=method.effort,
        student=method.student,
        random_state=method.seed,
    )
    if part_of is None:
        rewritten = anonymizer.fit_transform(plain, guide)
    else:
        rewritten = anonymizer.fit_transform_part(plain, guide, part_of)
    rows = table.num_rows
    if rewritten.num_rows < rows:
        kept = pa.array(anonymizer.kept_)
        table, plain = table.filter(kept), plain.filter(kept)
    summary = Summary(
        rows=rows,
        suppressed=rows - table.num_rows,
        classes=len(anonymizer.class_sizes_),
        largest=int(anonymizer.class_sizes_.max()),
        smallest=int(anonymizer.class_sizes_.min()),
        guide=guide_name(table, policy),
        partitioners=Counter([anonymizer.candidate_.partitioner]),
        representatives=Counter([anonymizer.candidate_.representative]),
        attributes=changes(plain, rewritten, policy),
    )
    values = {name: column_of(rewritten, name) for name in policy.quasi_identifiers}
    return rewrite(table, values, policy, empty), anonymizer, summary


def rewrite(
    table: pa.Table, values: dict[str, pa.Array], policy: AnonymizationPolicy, empty: Collection[str] | None = None
) -> pa.Table:
    """Gives rows new quasi-identifiers and drops what is not released: direct identifiers and the guide."""
    released = replace(table, values, empty_lists(table, values) if empty is None else empty)
    dropped: pa.Table = drop_columns(released, {*policy.direct_identifiers, GUIDE_COLUMN})
    return dropped


def changes(before: pa.Table, after: pa.Table, policy: AnonymizationPolicy) -> dict[str, Change]:
    """Says how much each quasi-identifier was changed; single-valued columns of the same rows."""
    names = policy.quasi_identifiers
    classes = np.unique(row_hashes(after.select(list(names))), return_inverse=True)[1].reshape(-1)
    found = {}
    for name in names:
        column = column_of(before, name)
        ordered = kind_of(column, codes=name in policy.categorical) == "numeric"
        found[name] = Change.of(column, column_of(after, name), classes, ordered=ordered)
    return found


def guide_name(table: pa.Table, policy: AnonymizationPolicy) -> str:
    """Says what guides: `model`, `label` or `none`."""
    return "model" if GUIDE_COLUMN in table.column_names else ("label" if policy.label else "none")


def _others(table: pa.Table, policy: AnonymizationPolicy) -> dict[str, pa.Array]:
    """Returns the single-valued columns that a policy does not name."""
    found = single_valued_columns(table)
    return {name: column_of(found, name) for name in found.column_names if name not in policy.columns}
