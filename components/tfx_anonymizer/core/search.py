"""Tries the ways of grouping that were asked for, and keeps the one whose release a student learns most from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tfx_anonymizer.core.attribute_rules import choose_rules, mixed
from tfx_anonymizer.core.encoded_table import EncodedTable
from tfx_anonymizer.core.encoding import Codes
from tfx_anonymizer.core.partition import PARTITIONERS, Partition
from tfx_anonymizer.core.representatives import rules_for
from tfx_anonymizer.core.selection import BY_ATTRIBUTE, Candidate, Examination


@dataclasses.dataclass(frozen=True)
class Found:
    """A way of grouping, carried out.

    Attributes:
        candidate: The way; where each attribute has a rule of its own, with these.
        partition: The classes.
        released: What each of them releases, int32, shape (classes, attributes).
    """

    candidate: Candidate
    partition: Partition
    released: Codes


def search(
    encoded: EncodedTable, wanted: Sequence[Candidate], examination: Examination | None, *, refine: int = 0
) -> tuple[Found, dict[Candidate, float]]:
    """Carries out every way that is wanted and keeps the best.

    Args:
        encoded: The rows, in an order of their content if the ways depend on it.
        wanted: One way or more, those of one partitioner side by side.
        examination: Compares their releases; may be None if there is one way that needs no student.
        refine: On so many partitions, those that did best, a rule for each attribute is tried, too.

    Returns:
        The best, the earlier one in a tie; and what each scored, nothing if nothing was compared.
    """
    contest = _Contest(encoded, examination, max(refine, 1))
    partition: Partition | None = None
    name = ""
    for candidate in wanted:
        if partition is None or candidate.partitioner != name:
            # One partition at a time: whatever else it is asked for comes right after.
            name, partition = candidate.partitioner, PARTITIONERS[candidate.partitioner].partition(encoded.problem)
        contest.enter(candidate, partition)
    for leader in contest.leaders[:refine]:
        contest.enter(Candidate(leader.candidate.partitioner, BY_ATTRIBUTE), leader.partition)
    return contest.leaders[0], contest.scores


class _Contest:
    """Keeps what did best on each of the few best partitions, and what everything scored."""

    def __init__(self, encoded: EncodedTable, examination: Examination | None, kept: int) -> None:
        self._encoded = encoded
        self._examination = examination
        self._kept = kept
        self.leaders: list[Found] = []
        self.scores: dict[Candidate, float] = {}

    def enter(self, candidate: Candidate, partition: Partition) -> None:
        found = _carry_out(self._encoded, candidate, partition, self._examination)
        if self._examination is not None:
            self.scores[found.candidate] = self._examination.score(found.released[partition.labels])
        best: dict[str, Found] = {}
        # Sorting keeps the earlier before the later in a tie.
        for one in sorted([*self.leaders, found], key=lambda one: -self.scores.get(one.candidate, 0.0)):
            best.setdefault(one.candidate.partitioner, one)
        self.leaders = list(best.values())[: self._kept]


def _carry_out(
    encoded: EncodedTable, candidate: Candidate, partition: Partition, examination: Examination | None
) -> Found:
    if candidate.representative != BY_ATTRIBUTE:
        return Found(candidate, partition, encoded.represent(candidate.representative, partition))
    released = {rule: encoded.represent(rule, partition) for rule in rules_for(encoded.problem.guarantees.k)}
    if not candidate.rules:
        assert examination is not None
        rules = choose_rules(released, lambda codes: examination.closeness(codes[partition.labels]))
        candidate = dataclasses.replace(candidate, rules=rules)
    return Found(candidate, partition, mixed(released, candidate.rules))
