"""How AGAnonymizer works, as opposed to what it promises: a checked value that travels as one property."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.ag_anonymizer.safety import Safety
from tfx_anonymizer.core.selection import check_method
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.transforms.method import MAX_ROWS_PER_SHARD, Method, check_max_rows

OTHER_SPLITS = ("pass", "transform", "drop")


@dataclasses.dataclass(frozen=True)
class Settings:
    """Arguments of AGAnonymizer that are not part of the policy; see there.

    Raises:
        PolicyError: If one is not among what is allowed.
    """

    partitioner: str
    representative: str
    effort: str
    student: str
    seed: int
    splits: tuple[str, ...]
    other_splits: str
    signature_name: str
    output_key: str | None
    max_rows_per_shard: int = MAX_ROWS_PER_SHARD
    safety: Safety | None = None

    def __post_init__(self) -> None:
        check_method(self.partitioner, self.representative, self.effort, self.student)
        check_max_rows(self.max_rows_per_shard)
        if not isinstance(self.seed, numbers.Integral) or isinstance(self.seed, bool) or not 0 <= self.seed < 2**32:
            raise PolicyError("seed is out of range", got=repr(self.seed), allowed="an integer from 0 to 2**32 - 1")
        if isinstance(self.splits, str) or not self.splits or not all(isinstance(s, str) and s for s in self.splits):
            raise PolicyError("splits is not a list of split names", got=repr(self.splits), hint="splits=['train']")
        object.__setattr__(self, "splits", tuple(self.splits))
        if len(set(self.splits)) != len(self.splits):
            raise PolicyError("splits names a split twice", got=repr(self.splits))
        if self.other_splits not in OTHER_SPLITS:
            raise PolicyError(
                "other_splits is not known", got=repr(self.other_splits), allowed=" or ".join(OTHER_SPLITS)
            )

    def method(self, guide_kind: str) -> Method:
        """How rows are grouped, by a student of the guide's kind unless another was named."""
        student = guide_kind if self.student == "auto" else self.student
        return Method(
            self.partitioner,
            self.representative,
            self.effort,
            student,
            int(self.seed),
            int(self.max_rows_per_shard),
        )

    def following(self, choice: Mapping[str, Any] | None) -> Settings:
        """Returns the settings with the partitioner that was chosen, unless another was named."""
        if choice is None or self.partitioner != "auto":
            return self
        return dataclasses.replace(self, partitioner=choice["partitioner"])

    def to_dict(self) -> dict[str, Any]:
        """Returns the settings as JSON-ready values."""
        fields = dataclasses.asdict(self)
        if self.safety is None:
            del fields["safety"]
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Settings:
        """Reads what `to_dict` returned."""
        safety = Safety(**fields["safety"]) if fields.get("safety") else None
        changed = {"splits": tuple(fields["splits"]), "seed": int(fields["seed"]), "safety": safety}
        return cls(**{**fields, **changed})
