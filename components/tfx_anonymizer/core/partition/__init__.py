"""Partitioners by name; all stand behind `base.Partitioner`."""

from __future__ import annotations

from collections.abc import Mapping

from tfx_anonymizer.core.partition.base import Assigner, Partition, Partitioner
from tfx_anonymizer.core.partition.baselines import BASELINES
from tfx_anonymizer.core.partition.guided_tree import GuidedTree
from tfx_anonymizer.core.partition.point_groups import POINT_GROUPS
from tfx_anonymizer.errors import PolicyError

_METHODS = (GuidedTree(), *POINT_GROUPS)

# The method's own, of which one is chosen; the published ones are there to compare with.
OWN = tuple(partitioner.name for partitioner in _METHODS)
PARTITIONERS: Mapping[str, Partitioner] = {**{p.name: p for p in _METHODS}, **BASELINES}

PARTITIONER_NAMES = ("auto", *PARTITIONERS)


def check_partitioner(name: str) -> None:
    """Checks what was given as `partitioner`.

    Raises:
        PolicyError: If it is none of `PARTITIONER_NAMES`.
    """
    if name not in PARTITIONER_NAMES:
        raise PolicyError("partitioner is not known", got=repr(name), allowed=" or ".join(PARTITIONER_NAMES))


__all__ = [
    "BASELINES",
    "OWN",
    "PARTITIONERS",
    "PARTITIONER_NAMES",
    "Assigner",
    "Partition",
    "Partitioner",
    "check_partitioner",
]
