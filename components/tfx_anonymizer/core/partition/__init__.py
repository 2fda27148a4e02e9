"""Partitioners by name; all stand behind `base.Partitioner`."""

from __future__ import annotations

from tfx_anonymizer.core.partition.base import Assigner, Partition, Partitioner
from tfx_anonymizer.core.partition.guided_tree import GuidedTree
from tfx_anonymizer.core.partition.point_groups import POINT_GROUPS
from tfx_anonymizer.errors import PolicyError

_PARTITIONERS: dict[str, Partitioner] = {p.name: p for p in (GuidedTree(), *POINT_GROUPS)}

PARTITIONER_NAMES = ("auto", *_PARTITIONERS)


def make_partitioner(name: str) -> Partitioner:
    """Returns the partitioner of that name; `auto` is the guided tree.

    Raises:
        PolicyError: If there is none of that name.
    """
    if name not in PARTITIONER_NAMES:
        raise PolicyError("partitioner is not known", got=repr(name), allowed=" or ".join(PARTITIONER_NAMES))
    return _PARTITIONERS[GuidedTree.name if name == "auto" else name]


__all__ = ["PARTITIONER_NAMES", "Assigner", "Partition", "Partitioner", "make_partitioner"]
