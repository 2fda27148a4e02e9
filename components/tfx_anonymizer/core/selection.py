"""Which way of grouping to use: a named one, or whichever a cheap student learns most from.

`partitioner="best"` tries every partitioner. A student (boosted trees, LightGBM) learns the label from each candidate's
release, and is asked about the raw rows: what it gets right there is what a model retrained on that release can be
expected to get right of raw people it has not met. The candidate with the best score is kept, the earlier one in a tie.

Where there is no label, the student learns what the guide said.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.boosting import learn_shares
from tfx_anonymizer.core.encoding import Codes, Target
from tfx_anonymizer.core.partition import PARTITIONERS, check_partitioner
from tfx_anonymizer.core.partition.guided_tree import GuidedTree
from tfx_anonymizer.core.representatives import check_representative
from tfx_anonymizer.core.steering import shares

ROUNDS = 50
MOST_CATEGORIES = 64


@dataclasses.dataclass(frozen=True)
class Candidate:
    """One way to group rows and to choose what a class releases.

    Attributes:
        partitioner: A partitioner's own name.
        representative: `median`, `typical` or `medoid`.
    """

    partitioner: str
    representative: str


def candidates(partitioner: str, representative: str) -> tuple[Candidate, ...]:
    """Returns what the two parameters of these names ask for; one, unless the partitioner is `best`.

    Example:
        >>> candidates("auto", "auto")
        (Candidate(partitioner='guided_tree', representative='median'),)
        >>> len(candidates("best", "auto"))
        10

    Raises:
        PolicyError: If either is not known.
    """
    check_partitioner(partitioner)
    check_representative(representative)
    names = list(PARTITIONERS) if partitioner == "best" else [GuidedTree.name if partitioner == "auto" else partitioner]
    found = []
    for name in names:
        if representative != "auto":
            chosen = [representative]
        elif partitioner == "best":
            chosen = ["median", "typical"]
        else:
            # Measured: effects suit groups that were made by effects, and the tree's classes do better without.
            chosen = ["median" if name == GuidedTree.name else "typical"]
        found += [Candidate(name, one) for one in chosen]
    return tuple(found)


def depends_on_order(wanted: tuple[Candidate, ...]) -> bool:
    """Tells whether rows must be brought into an order of their content.

    The core does so by the columns of the table it is given; rows that agree in all of these may still differ in what
    the caller left out, and a caller who minds puts them in order first.
    """
    return any(PARTITIONERS[one.partitioner].needs_order or one.representative == "typical" for one in wanted)


def score(released: Codes, raw: Codes, wanted: Target, numeric: npt.NDArray[np.bool_]) -> float:
    """Says how well a student that learned from a release knows the raw rows; more is better.

    Args:
        released: Released codes of each row, int32, shape (n, attributes), rows in an order of their content.
        raw: Codes before, int32, shape (n, attributes).
        wanted: What is to be learned, in fixed point, int32, shape (n, d): see `core.steering.steer`.
        numeric: Whether each attribute is numeric, shape (attributes,). The student knows categories one by one: their
            codes are in the guide's order, which no retrained model will be told.

    Returns:
        Share of rows whose label is right where labels are learned, else minus the mean squared error.
    """
    from scipy import sparse

    truth = shares(wanted)
    attributes = [_Features.fit(column, bool(is_numeric)) for column, is_numeric in zip(raw.T, numeric, strict=True)]
    learn, ask = (
        sparse.hstack([one.of(column) for one, column in zip(attributes, codes.T, strict=True)], format="csr")
        for codes in (released, raw)
    )
    students = [learn_shares(learn, column, rounds=ROUNDS, learning_rate=0.2) for column in truth.T]
    answers = np.stack([student.predict(ask) for student in students], axis=1)
    if _are_labels(truth):
        return float(np.mean(_label(answers) == _label(truth)))
    return -float(np.mean((answers - truth) ** 2))


def _are_labels(truth: npt.NDArray[np.float64]) -> bool:
    return bool(np.all((truth == 0.0) | (truth == 1.0)))


def _label(answers: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    if answers.shape[1] == 1:
        return (answers[:, 0] > 0.5).astype(np.int64)
    return np.asarray(np.argmax(answers, axis=1), dtype=np.int64)


@dataclasses.dataclass(frozen=True)
class _Features:
    """How the student sees one attribute: a number, or a column for each of the most frequent categories."""

    categories: Codes | None

    @classmethod
    def fit(cls, codes: Codes, numeric: bool) -> _Features:
        if numeric:
            return cls(None)
        found, count = np.unique(codes, return_counts=True)
        return cls(np.sort(found[np.argsort(-count, kind="stable")[:MOST_CATEGORIES]]))

    def of(self, codes: Codes) -> Any:
        from scipy import sparse

        if self.categories is None:
            return sparse.csr_matrix(codes.astype(np.float32)[:, None])
        place = np.searchsorted(self.categories, codes).clip(max=len(self.categories) - 1)
        rows = np.flatnonzero(self.categories[place] == codes)
        ones = np.ones(len(rows), dtype=np.float32)
        return sparse.csr_matrix((ones, (rows, place[rows])), shape=(len(codes), len(self.categories)))
