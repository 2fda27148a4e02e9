"""What rows are grouped by, and what a student is to learn: the guide, the label, or neither."""

from __future__ import annotations

from typing import Any

from tfx_anonymizer.core.columns import Table, kind_of, read_column
from tfx_anonymizer.core.encoding import Target
from tfx_anonymizer.core.partition import BASELINES
from tfx_anonymizer.core.steering import predictions, shares, steer, unguided
from tfx_anonymizer.core.students import are_labels
from tfx_anonymizer.errors import GuideError
from tfx_anonymizer.policy import AnonymizationPolicy


def target_of(table: Table, guide: Any, policy: AnonymizationPolicy) -> Target:
    """Returns the guide in fixed point, or the label where there is no guide, or a constant; int32, shape (n, d).

    Args:
        table: n rows.
        guide: The model's predictions, or None.
        policy: Names the label, if there is one.

    Raises:
        GuideError: If the guide has the wrong shape, or a label that is a number and is to guide is missing in a row.
    """
    if guide is not None:
        return steer(guide, rows=len(table))
    if policy.label is None:
        return unguided(len(table))
    labels = read_column(table, policy.label, "label")
    if labels.null_count and kind_of(labels, codes=False) == "numeric":
        raise GuideError(
            f"label {policy.label!r} is missing in some rows and is to guide",
            got=f"{labels.null_count} rows without one",
            hint="give the model's predictions as guide, or drop those rows",
        )
    return steer(labels.to_pandas().to_numpy(), rows=len(table))


def followed_by(partitioner: str, table: Table, guide: Any, policy: AnonymizationPolicy) -> Target:
    """Returns what a partitioner groups by: the guide, unless it is a baseline that follows something else.

    Raises:
        GuideError: If it follows labels or predictions, and there are none; or as `target_of` does.
    """
    follows = BASELINES[partitioner].follows if partitioner in BASELINES else "guide"
    if follows == "values":
        return unguided(len(table))
    if follows == "guide" or (follows == "predictions" and guide is None and policy.label is not None):
        return target_of(table, guide, policy)
    if follows == "predictions" and guide is not None:
        steer(guide, rows=len(table))
        return steer(predictions(guide), rows=len(table))
    if policy.label is None:
        wanted = "the true labels" if follows == "label" else "the model's predictions, or the true labels"
        raise GuideError(f"partitioner {partitioner!r} follows {wanted}, and there are none", hint="name a label")
    return target_of(table, None, policy)


def label_of(table: Table, policy: AnonymizationPolicy) -> Target | None:
    """Returns the label in fixed point; None if there is none for every row."""
    if policy.label is None or read_column(table, policy.label, "label").null_count:
        return None
    return target_of(table, None, policy)


def lesson_of(table: Table, guide: Any, target: Target, policy: AnonymizationPolicy) -> Target:
    """Returns what a student is to learn: the label, or what the guide said where the label does not tell that.

    A label that is a number may be made into something else before it is learned, such as whether it is above some
    bound; what the guide said is said of that.
    """
    label = label_of(table, policy)
    if label is None or (guide is not None and not are_labels(shares(label))):
        return target
    return label
