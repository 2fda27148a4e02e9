"""What was spent on the same people so far: releases that a metadata store remembers, added up by accounting.

Every release with a budget leaves what it spent on its artifact, as custom properties: `epsilon`, `delta`, `mechanism`,
`dp_source` (whose records), and `dp_spending`, from which an accountant can add up. A release that is deleted is still
known to whoever has seen it, so it counts whatever its state.

Example:
    >>> from ml_metadata import metadata_store
    >>> from ml_metadata.proto import metadata_store_pb2
    >>> config = metadata_store_pb2.ConnectionConfig()
    >>> config.fake_database.SetInParent()
    >>> total(metadata_store.MetadataStore(config), delta=1e-6)
    0.0
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.spending import Spending, composed_epsilon
from tfx_anonymizer.errors import GuaranteeError

EPSILON, DELTA, MECHANISM = "epsilon", "delta", "mechanism"
SOURCE, SPENDING = "dp_source", "dp_spending"


def record(artifact: Any, spending: Spending) -> None:
    """Writes what a release spent onto its artifact.

    Args:
        artifact: A TFX artifact.
        spending: What it spent.
    """
    artifact.set_float_custom_property(EPSILON, spending.epsilon)
    artifact.set_float_custom_property(DELTA, spending.delta)
    artifact.set_string_custom_property(MECHANISM, spending.mechanism)
    artifact.set_string_custom_property(SOURCE, spending.source)
    artifact.set_string_custom_property(SPENDING, spending.to_json())


def spendings(store: Any, source: str | None = None) -> list[Spending]:
    """Reads what every release of a metadata store spent.

    Args:
        store: An `ml_metadata.MetadataStore`, or anything else with `get_artifacts()`.
        source: Only releases about these people; all by default.

    Returns:
        In the order in which the artifacts were made.
    """
    return [found for found in _all(store) if source is None or found.source == source]


def total(store: Any, source: str | None = None, *, delta: float) -> float:
    """Adds up what was spent on the same people.

    Args:
        store: As in `spendings`.
        source: Whose records; by default all releases are taken to be about the same people.
        delta: Of all releases together.

    Returns:
        The least epsilon that the accountant can promise of all of them.
    """
    return composed_epsilon(spendings(store, source), delta=delta)


def check_total(store: Any, budget: Budget, source: str | None = None) -> None:
    """Refuses a history that has spent more than a budget.

    Raises:
        GuaranteeError: If it has.
    """
    spent = total(store, source, delta=budget.delta)
    if spent > budget.epsilon:
        raise GuaranteeError(
            "the releases about these people have spent more than the budget",
            got=f"epsilon={spent:.3g} by {len(spendings(store, source))} releases",
            allowed=f"epsilon={budget.epsilon:g} at delta={budget.delta:g}",
            hint="nothing takes a release back; collect new records, or agree on a larger budget",
        )


def _all(store: Any) -> Iterator[Spending]:
    for artifact in sorted(store.get_artifacts(), key=lambda artifact: artifact.id):
        if SPENDING in artifact.custom_properties:
            yield Spending.from_dict(json.loads(artifact.custom_properties[SPENDING].string_value))
