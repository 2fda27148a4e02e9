"""What is reported of a grouping: counts and shares, which add up over shards; never a value of a record."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.hashing import Hashes, row_hashes
from tfx_anonymizer.transforms.certainty_penalty import Ints, Penalty

# So many hashes tell a number of distinct values to within a hundredth or so; up to this many it is exact.
_MOST = 1 << 14


@dataclasses.dataclass(frozen=True)
class Distinct:
    """A number of distinct values, mergeable: the values' hashes, or of many the least (Bar-Yossef et al. 2002).

    Attributes:
        hashes: Ascending; at most `_MOST`.
        known: The exact number, where one table alone was counted.
    """

    hashes: Hashes
    known: int | None = None

    @classmethod
    def of(cls, column: pa.Array) -> Distinct:
        """Counts a column's values, missing among them."""
        values = pc.unique(column)
        return cls(np.unique(row_hashes(pa.table({"": values})))[:_MOST], len(values))

    def __add__(self, other: Distinct) -> Distinct:
        """Returns the number of what is in either."""
        return Distinct(np.union1d(self.hashes, other.hashes)[:_MOST])

    @property
    def number(self) -> int:
        """The number, an estimate where it is above `_MOST` and tables were put together."""
        if self.known is not None or len(self.hashes) < _MOST:
            return len(self.hashes) if self.known is None else self.known
        return round((_MOST - 1) / (float(self.hashes[-1]) / 2.0**64))


@dataclasses.dataclass(frozen=True)
class Change:
    """How much a column was changed.

    Attributes:
        same: Rows that kept their value.
        before: Its distinct values.
        after: Its distinct released values.
        penalty: How much less is known of it.
    """

    same: int
    before: Distinct
    after: Distinct
    penalty: Penalty

    @classmethod
    def of(cls, before: pa.Array, after: pa.Array, classes: Ints, *, ordered: bool) -> Change:
        """Compares a column's values with the released ones.

        Args:
            before: Its values, shape (n,), missing as null.
            after: The released ones, likewise.
            classes: The class of each row, 0 and on without gaps, shape (n,).
            ordered: Whether the order of its values means something.
        """
        same = pc.fill_null(pc.equal(before, after), False)
        both_missing = pc.and_(pc.is_null(before), pc.is_null(after))
        kept = pc.sum(pc.or_(same, both_missing)).as_py() or 0
        penalty = Penalty.of(before, classes, ordered=ordered)
        return cls(kept, Distinct.of(before), Distinct.of(after), penalty)

    def __add__(self, other: Change) -> Change:
        """Adds the change of rows of other classes."""
        return Change(
            self.same + other.same,
            self.before + other.before,
            self.after + other.after,
            self.penalty + other.penalty,
        )

    def as_one_class(self) -> Change:
        """Returns what it would be if all these rows were one class."""
        return dataclasses.replace(self, penalty=self.penalty.as_one_class(self.before.number))


@dataclasses.dataclass(frozen=True)
class Summary:
    """What grouping some rows came to; `+` puts disjoint rows together.

    Attributes:
        rows: Rows that were grouped.
        suppressed: Rows that were left out.
        classes: Classes made.
        largest: Rows of the largest class.
        smallest: Rows of the smallest class.
        guide: What guided: `model`, `label` or `none`.
        partitioners: Shards by the partitioner that was used.
        representatives: Shards by the representative that was used.
        attributes: By quasi-identifier how much it was changed.
        undivided: Shards too large for a worker that no cut divides, released as one class each.
    """

    rows: int
    suppressed: int
    classes: int
    largest: int
    smallest: int
    guide: str
    partitioners: Counter[str]
    representatives: Counter[str]
    attributes: Mapping[str, Change]
    undivided: int = 0

    def __add__(self, other: Summary) -> Summary:
        """Puts the summaries of disjoint rows together."""
        return Summary(
            self.rows + other.rows,
            self.suppressed + other.suppressed,
            self.classes + other.classes,
            max(self.largest, other.largest),
            min(self.smallest, other.smallest),
            self.guide,
            self.partitioners + other.partitioners,
            self.representatives + other.representatives,
            {name: change + other.attributes[name] for name, change in self.attributes.items()},
            self.undivided + other.undivided,
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready facts."""
        released = max(self.rows - self.suppressed, 1)
        return {
            "rows": self.rows,
            "suppressed": self.suppressed,
            "classes": self.classes,
            "largest_class": self.largest,
            "smallest_class": self.smallest,
            "guide": self.guide,
            "partitioner": ", ".join(sorted(self.partitioners)),
            "representative": ", ".join(sorted(self.representatives)),
            "shards": sum(self.partitioners.values()),
            "undivided_shards": self.undivided,
            "attributes": {
                name: {
                    "distinct_before": change.before.number,
                    "distinct_after": change.after.number,
                    "share_changed": 1.0 - change.same / released,
                    "certainty_penalty": change.penalty.share(change.before.number),
                }
                for name, change in self.attributes.items()
            },
        }


def add_up(summaries: Iterable[Summary | None]) -> Summary | None:
    """Puts summaries together; None if there are none."""
    total: Summary | None = None
    for summary in summaries:
        if summary is not None:
            total = summary if total is None else total + summary
    return total
