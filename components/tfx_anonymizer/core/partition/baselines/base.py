"""What a baseline says of itself beyond being a partitioner."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from tfx_anonymizer.core.partition.base import Partitioner

# What becomes the problem's target, and orders its categories: the guide's answers as they are, the labels that the
# guide predicts, the true labels, or nothing (categories are then in the order of their values).
Follows: TypeAlias = Literal["guide", "predictions", "label", "values"]


class Baseline(Partitioner, Protocol):
    """A published partitioner.

    Attributes:
        follows: What it groups by.
        representative: What its classes release unless something else is asked for.
    """

    @property
    def follows(self) -> Follows:
        """What it groups by."""

    @property
    def representative(self) -> str:
        """What its classes release."""
