"""How a split is grouped, as opposed to what is promised of it."""

from __future__ import annotations

import dataclasses
import numbers

from tfx_anonymizer.core.selection import Candidate, candidates
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy

MAX_ROWS_PER_SHARD = 500_000


@dataclasses.dataclass(frozen=True)
class Method:
    """How rows are grouped; see `core.AccuracyGuidedAnonymizer`.

    Attributes:
        partitioner: A partitioner's name, or `auto`.
        representative: A representative's name, or `auto`.
        effort: How many ways `auto` tries.
        student: What tries them.
        seed: Of the student, and of the sample that a large split is cut by.
        max_rows_per_shard: The most rows that a worker holds at a time. A split of no more is grouped as one table.
    """

    partitioner: str = "auto"
    representative: str = "auto"
    effort: str = "auto"
    student: str = "auto"
    seed: int = 0
    max_rows_per_shard: int = MAX_ROWS_PER_SHARD

    def candidates(self, rows: int, k: int) -> tuple[Candidate, ...]:
        """Returns the ways that are tried on so many rows for so great a k."""
        return candidates(self.partitioner, self.representative, self.effort, rows, k)

    def check(self, policy: AnonymizationPolicy) -> None:
        """Checks what concerns method and policy together.

        Raises:
            PolicyError: If a shard could not be cut even once.
        """
        if self.max_rows_per_shard < 2 * policy.k:
            raise PolicyError(
                "max_rows_per_shard is too small",
                got=f"{self.max_rows_per_shard}, k={policy.k}",
                allowed="2 k or more; hundreds of thousands in practice",
            )


def check_max_rows(rows: object) -> None:
    """Checks what was given as `max_rows_per_shard`.

    Raises:
        PolicyError: If it is not a whole number of 4 or more.
    """
    if not isinstance(rows, numbers.Integral) or isinstance(rows, bool) or rows < 4:
        raise PolicyError("max_rows_per_shard is out of range", got=repr(rows), allowed="a whole number of 4 or more")
