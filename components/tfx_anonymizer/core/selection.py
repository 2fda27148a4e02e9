"""Which ways of grouping to try, and the student that compares what they release.

`partitioner="auto"` tries several. A student (`core.students`) learns the label from each candidate's release, half of
the rows at a time, and is asked about the raw rows of the other half: what it gets right there is what a model
retrained on that release can be expected to get right of raw people it has not met. The candidate with the best score
is kept, the earlier one in a tie. `effort` says how many are tried.

Where there is no label, or the label is a number and a guide is there, the student learns what the guide said.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.encoding import Codes, Target
from tfx_anonymizer.core.partition import BASELINES, OWN, PARTITIONERS, check_partitioner
from tfx_anonymizer.core.partition.guided_tree import GuidedTree
from tfx_anonymizer.core.representatives import BY_EFFECTS, LEAST_K_TO_ALTER, check_representative
from tfx_anonymizer.core.steering import shares
from tfx_anonymizer.core.students import Column, answers, are_labels, check_student
from tfx_anonymizer.errors import PolicyError

EFFORT_NAMES = ("auto", "low", "medium", "high")

# More rows than this and `auto` takes the tree alone: explaining the guide costs a third of a millisecond a row, and
# the more classes there are, the less it matters how they were made.
FEW_ROWS = 50_000

# A student is asked about rows whose labels it was not taught: a row's own label is one of its class's, so a release
# that betrays a row's class would seem to teach more than it does. Seen on UCI Adult with a forest at k=100: what
# scored half a point more on rows that it was taught was a third of a point worse on others.
PARTS = 2

# On so many partitions `effort="high"` tries a rule for each attribute. Measured on UCI Adult: it is sometimes the
# second best partition that gains most.
REFINED = 2


@dataclasses.dataclass(frozen=True)
class Candidate:
    """One way to group rows and to choose what a class releases.

    Attributes:
        partitioner: A partitioner's own name.
        representative: `median`, `typical`, `altered_medoid`, `by_attribute` or `medoid`.
        rules: The rule of each attribute, once `by_attribute` has chosen them.
    """

    partitioner: str
    representative: str
    rules: tuple[str, ...] = ()


BY_ATTRIBUTE = "by_attribute"


FASTEST = (Candidate(GuidedTree.name, "median"),)
# Measured on UCI Adult and Nursery: each is the best, or near it, for some kind of model.
SHORTLIST = (
    *FASTEST,
    Candidate("mdav", "altered_medoid"),
    Candidate("contribution_directions", "altered_medoid"),
    Candidate("contribution_mdav", "typical"),
    Candidate("contribution_mdav", "altered_medoid"),
)
EVERYTHING = tuple(
    Candidate(partitioner, representative)
    for partitioner in OWN
    for representative in ("median", "typical", "altered_medoid")
)


def check_method(partitioner: str, representative: str, effort: str, student: Any) -> None:
    """Checks the names that say how to group, and warns of the medoid.

    Raises:
        PolicyError: If one of them is not known.
    """
    check_partitioner(partitioner)
    check_representative(representative)
    if representative == "auto" and partitioner in BASELINES:
        check_representative(BASELINES[partitioner].representative)
    if effort not in EFFORT_NAMES:
        raise PolicyError("effort is not known", got=repr(effort), allowed=" or ".join(EFFORT_NAMES))
    check_student(student)


def candidates(
    partitioner: str, representative: str, effort: str = "auto", rows: int = 0, k: int = LEAST_K_TO_ALTER
) -> tuple[Candidate, ...]:
    """Returns what the parameters of these names ask for; one, if the partitioner is named or the effort is low.

    Args:
        partitioner: A partitioner's name, or `auto`.
        representative: A representative's name, or `auto`; both as `check_method` allows.
        effort: `low`, `medium`, `high`, or `auto`: medium up to `FEW_ROWS` rows and low above.
        rows: How many rows there are to group.
        k: The guarantee. Below `LEAST_K_TO_ALTER` only who names `altered_medoid` gets it.

    Example:
        >>> candidates("auto", "auto", "low")
        (Candidate(partitioner='guided_tree', representative='median', rules=()),)
        >>> len(candidates("auto", "auto", "medium")), len(candidates("auto", "auto", "high"))
        (5, 15)
        >>> candidates("mdav", "auto", k=10)
        (Candidate(partitioner='mdav', representative='typical', rules=()),)
    """
    if effort == "auto":
        effort = "medium" if rows <= FEW_ROWS else "low"
    if partitioner == "auto":
        found = {"low": FASTEST, "medium": SHORTLIST, "high": EVERYTHING}[effort]
    elif partitioner in BASELINES:
        found = (Candidate(partitioner, BASELINES[partitioner].representative),)
    else:
        # Measured: effects suit groups that were made by effects, and the tree is for those who are in a hurry.
        found = (Candidate(partitioner, "median" if partitioner == GuidedTree.name else "altered_medoid"),)
    if representative != "auto":
        found = tuple(dataclasses.replace(one, representative=representative) for one in found)
    elif k < LEAST_K_TO_ALTER:
        found = tuple(
            dataclasses.replace(one, representative="typical") if one.representative == "altered_medoid" else one
            for one in found
        )
    return tuple(dict.fromkeys(found))


def needs_student(wanted: tuple[Candidate, ...]) -> bool:
    """Tells whether a student has something to choose: among several ways, or each attribute's rule.

    Example:
        >>> needs_student((Candidate("mdav", "median"),)), needs_student((Candidate("mdav", "by_attribute"),))
        (False, True)
    """
    return len(wanted) > 1 or any(one.representative == BY_ATTRIBUTE and not one.rules for one in wanted)


def depends_on_order(wanted: tuple[Candidate, ...]) -> bool:
    """Tells whether rows must be brought into an order of their content.

    The core does so by the columns of the table it is given; rows that agree in all of these may still differ in what
    the caller left out, and a caller who minds puts them in order first.
    """
    return len(wanted) > 1 or any(
        PARTITIONERS[one.partitioner].needs_order or one.representative in BY_EFFECTS for one in wanted
    )


class Examination:
    """Asks a student what it learned from releases of one table."""

    def __init__(
        self, raw: Sequence[Column], unchanged: Sequence[Column], lesson: Target, *, student: Any, seed: int
    ) -> None:
        """Takes what stays the same for every release.

        Args:
            raw: The quasi-identifiers of n rows, which come in an order of their content.
            unchanged: Columns that every release leaves as they are.
            lesson: What is to be learned, in fixed point, int32, shape (n, d): see `core.steering.steer`.
            student: Which student, see `core.students`.
            seed: Of what is random in training.
        """
        self._student = student
        self._seed = seed
        self._lesson = shares(lesson)
        self._columns = raw
        self._unchanged = [column.features(column.codes) for column in unchanged]
        features, part = self._features([column.codes for column in raw]), np.arange(len(lesson)) % PARTS
        halves = [(np.flatnonzero(part != one), np.flatnonzero(part == one)) for one in range(PARTS)]
        self._parts = [(known, ask, features[ask]) for known, ask in halves]

    def score(self, released: Codes) -> float:
        """Says how well a student that learned from a release knows the raw rows; more is better.

        Args:
            released: Released codes of each row, int32, shape (n, attributes).

        Returns:
            Share of rows whose label is right where labels are learned, else minus the mean squared error.
        """
        if not are_labels(self._lesson):
            return self.closeness(released)
        return float(np.mean(_label(self._answers(released)) == _label(self._lesson)))

    def closeness(self, released: Codes) -> float:
        """Says how near the student's answers for the raw rows are to the lesson; more is better.

        Args:
            released: Released codes of each row, int32, shape (n, attributes).

        Returns:
            Minus the mean squared error; of class probabilities, minus the score of Brier (1950, eq. 2) for two classes
            by the column of one of them.
        """
        return -float(np.mean((self._answers(released) - self._lesson) ** 2))

    def _answers(self, released: Codes) -> npt.NDArray[np.float64]:
        learn = self._features(released.T)
        found = np.empty_like(self._lesson)
        for known, ask, raw in self._parts:
            found[ask] = answers(self._student, learn[known], self._lesson[known], raw, self._seed)
        return found

    def _features(self, codes: Iterable[Codes]) -> Any:
        from scipy import sparse

        rewritten = [column.features(of_rows) for column, of_rows in zip(self._columns, codes, strict=True)]
        return sparse.hstack([*rewritten, *self._unchanged], format="csr")


def _label(found: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    if found.shape[1] == 1:
        return (found[:, 0] > 0.5).astype(np.int64)
    return np.asarray(np.argmax(found, axis=1), dtype=np.int64)
