"""`AccuracyGuidedAnonymizer`: the whole method on one table, by scikit-learn's conventions.

Example:
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [21, 22, 23, 61, 62, 63], "city": list("aabbab"), "ill": [0, 0, 0, 1, 1, 1]})
    >>> anonymizer = AccuracyGuidedAnonymizer(["age", "city"], k=3, label="ill")
    >>> anonymizer.fit_transform(people, guide=[0.1, 0.1, 0.2, 0.8, 0.9, 0.9]).values.tolist()
    [[22, 'a', 0], [22, 'a', 0], [22, 'a', 0], [62, 'b', 1], [62, 'b', 1], [62, 'b', 1]]
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from tfx_anonymizer.core import guarantees, suppression
from tfx_anonymizer.core.columns import TableT, column_names
from tfx_anonymizer.core.encoded_table import EncodedTable, unchanged_columns
from tfx_anonymizer.core.generalization import Generalization, compact
from tfx_anonymizer.core.row_order import KnownRows, content_hashes, content_order
from tfx_anonymizer.core.search import search
from tfx_anonymizer.core.selection import (
    FEW_ROWS,
    REFINED,
    Candidate,
    Examination,
    candidates,
    check_method,
    depends_on_order,
    needs_student,
)
from tfx_anonymizer.core.steering import shares
from tfx_anonymizer.core.students import are_labels
from tfx_anonymizer.core.targets import followed_by, label_of, lesson_of
from tfx_anonymizer.core.whole import Whole
from tfx_anonymizer.policy import AnonymizationPolicy

_METHOD = ("partitioner", "representative", "effort", "student", "random_state")


class AccuracyGuidedAnonymizer(BaseEstimator):  # type: ignore[misc]
    """Groups people into classes of k or more whom the guide treats alike; each class shares its quasi-identifiers.

    Args:
        quasi_identifiers: Columns an outsider may know; these are rewritten, all others stay as they are.
        k: Least size of a class, in rows, or in distinct people when `entity_id` is given. At least 2.
        label: The column the model predicts. Guides by itself when no guide is given; never changed.
        entity_id: The column that says whose row it is. One person's rows may fall into several classes; each class
            needs k people.
        sensitive: Columns that `l` and `t` protect, each by itself; the label may be one of them.
        l: How diverse every sensitive column is in a class (Machanavajjhala et al. 2007), in the sense of `diversity`.
        t: Greatest distance of a class's distribution of a sensitive column from the table's (Li et al. 2007, section
            4), 0 to 1; the ordered distance for numbers and times, missing last, and the equal distance for the rest.
        diversity: `"distinct"` (l values or more), `"entropy"` or `"recursive"`; see `AnonymizationPolicy`.
        c: The factor of recursive diversity.
        max_suppressed: Share of the rows that may be left out, 0 to less than 1: outliers, who fit into no class; see
            `core.suppression` for the rule. `fit_transform`, and `transform` of the fitted table, return the others.
        categorical: Quasi-identifiers whose numbers are only codes.
        allow_label_as_quasi_identifier: Says that a label which is also a quasi-identifier is meant.
        partitioner: How rows are grouped: a partitioner's name (`"guided_tree"`, the fastest; `"contribution_mdav"`,
            `"contribution_directions"`, `"mdav"`, `"principal_directions"`), or `"auto"`, which tries several and keeps
            the one that a student learns most from. For comparison, what others have published, which `"auto"` never
            tries: `"mondrian"`, `"hilbert"` and `"r_plus_tree"`, which look at no model; `"entropy_tree"`, which
            follows the true labels and needs `label`; and `"paper"`, Algorithm 1 of Goldsteen et al. to the letter.
        representative: What a class releases: `"median"` per attribute, `"typical"` (per attribute, by what values mean
            to the guide), `"altered_medoid"` (the member nearest the class's mean meaning, altered until no fewer than
            k rows have that combination), `"by_attribute"` (each attribute by the one of these that the student learns
            most from), `"medoid"` (the paper's, a real record; warns), or `"auto"`: whichever the student learns most
            from, and with a named partitioner the one that suits it. Below k = 50 the altered medoid is never chosen:
            what it avoids would tell who is in the table.
        effort: How many ways `"auto"` tries: `"low"`, the guided tree alone; `"medium"`, a shortlist; `"high"`, all,
            and then a rule for each attribute; or `"auto"`: medium for up to 50,000 rows whose label is of two to eight
            classes, and low otherwise.
        student: What tries them, best of the kind that will be retrained: `"gradient_boosting"` (`"auto"`),
            `"random_forest"`, `"mlp"`, `"logistic_regression"` or `"decision_tree"`; or an untrained estimator by
            scikit-learn's conventions, such as the very one that will be retrained.
        random_state: Seed of the student.

    Attributes:
        generalization_: The fitted `Generalization`.
        class_sizes_: Rows in each class, int64, shape (classes,).
        kept_: Whether each row of the fitted table is released, bool, shape (n,).
        candidate_: The partitioner and the representative that were used, and the rule of each attribute if chosen.
        scores_: What the student scored with each that was tried; empty if only one was.
        policy_: The checked `AnonymizationPolicy`.

    The same table, guide, parameters and seed give the same result, in whatever order the rows come.
    """

    candidate_: Candidate
    scores_: dict[Candidate, float]
    _known: KnownRows | None

    def __init__(
        self,
        quasi_identifiers: Sequence[str],
        k: int,
        *,
        label: str | None = None,
        entity_id: str | None = None,
        sensitive: Sequence[str] = (),
        l: float | None = None,
        t: float | None = None,
        diversity: str = "distinct",
        c: float | None = None,
        max_suppressed: float = 0.0,
        categorical: Sequence[str] = (),
        allow_label_as_quasi_identifier: bool = False,
        partitioner: str = "auto",
        representative: str = "auto",
        effort: str = "auto",
        student: Any = "auto",
        random_state: int | None = None,
    ) -> None:
        self.quasi_identifiers = quasi_identifiers
        self.k = k
        self.label = label
        self.entity_id = entity_id
        self.sensitive = sensitive
        self.l = l
        self.t = t
        self.diversity = diversity
        self.c = c
        self.max_suppressed = max_suppressed
        self.categorical = categorical
        self.allow_label_as_quasi_identifier = allow_label_as_quasi_identifier
        self.partitioner = partitioner
        self.representative = representative
        self.effort = effort
        self.student = student
        self.random_state = random_state

    @classmethod
    def from_policy(cls, policy: AnonymizationPolicy, **method: Any) -> AccuracyGuidedAnonymizer:
        """Builds an anonymizer that keeps a policy.

        Args:
            policy: Roles and guarantee. Its direct identifiers are the caller's to drop.
            **method: `partitioner`, `representative`, `effort`, `student`, `random_state`.
        """
        fields = {field.name: getattr(policy, field.name) for field in dataclasses.fields(policy)}
        del fields["direct_identifiers"]
        return cls(**fields, **method)

    def fit(self, table: TableT, guide: Any = None) -> AccuracyGuidedAnonymizer:
        """Groups the table's rows and chooses what each class releases.

        Args:
            table: A pandas DataFrame or Arrow Table of n rows with every column that the parameters name.
            guide: The model's predictions for these rows: class labels, class probabilities or regression values,
                shape (n,) or (n, classes). None: the label guides, and where there is no label the widest attribute
                is halved (LeFevre et al. 2006).

        Returns:
            self

        Raises:
            PolicyError: If a parameter is out of range or two contradict each other.
            ColumnError: If a column is absent, multi-valued, of mixed types or missing in every row.
            GuideError: If the guide has the wrong shape, or holds missing or infinite values.
            GuaranteeError: If the table cannot be made k-anonymous at all.
        """
        self._fit(table, guide)
        return self

    def transform(self, table: TableT) -> TableT:
        """Gives every row its class's quasi-identifiers, by the fitted generalization.

        The fitted table gets its release, in whatever order its rows come, without the rows that fitting left out. Rows
        of any other table are placed into classes made for others, and k is not controlled among them.

        Args:
            table: A pandas DataFrame or Arrow Table that has the quasi-identifiers; not changed.

        Returns:
            A table of the same type with the same columns, types and order of rows.

        Raises:
            ColumnError: If a quasi-identifier is absent or of another type than in fitting.
            sklearn.exceptions.NotFittedError: If `fit` was not called.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "generalization_")
        labels = None if self._known is None else self._known.find(table)
        released: TableT = suppression.release(self.generalization_, table, labels)
        return released

    def fit_transform(self, table: TableT, guide: Any = None) -> TableT:
        """Fits on a table and returns its release.

        Args:
            table: As `fit` takes it.
            guide: As `fit` takes it, shape (n,) or (n, classes).

        Returns:
            What `transform` of the same table returns.

        Raises:
            AnonymizerError: As `fit` does.
        """
        labels = self._fit(table, guide)
        released: TableT = suppression.release(self.generalization_, table, labels)
        return released

    def fit_transform_part(self, table: TableT, guide: Any, whole: Whole) -> TableT:
        """Fits on a part of a table and returns its release, in which everything promised of the whole table holds.

        Args:
            table: As in `fit`, some of the whole's rows, which as one class keep the guarantee.
            guide: The predictions for these rows, or None; see `fit`.
            whole: What the part must know of the whole. Its rows say which ways `effort="auto"` tries; its values
                are those that t measures the distance from.

        Returns:
            A table of the same type and columns, without the rows that were left out.

        Raises:
            PolicyError: If a parameter is out of range or two contradict each other.
            ColumnError: If a column is absent, multi-valued or of mixed types.
            GuideError: If the guide has the wrong shape, or holds missing or infinite values.
            GuaranteeError: If the part has fewer than k rows or people, or is not diverse enough.

        With `t`, nobody is left out whatever `max_suppressed` allows: who is left out elsewhere would move the whole.
        """
        labels = self._fit(table, guide, whole)
        released: TableT = suppression.release(self.generalization_, table, labels)
        return released

    def _fit(self, table: TableT, guide: Any, part_of: Whole | None = None) -> npt.NDArray[np.int32]:
        """Returns the class of each row, -1 for those that are left out."""
        policy = self._policy()
        policy.check_columns(column_names(table))
        rows = len(table) if part_of is None else part_of.rows
        effort = self._effort(table, policy, rows)
        wanted = candidates(self.partitioner, self.representative, effort, rows, policy.k)
        labels = self._fit_rows(table, guide, policy, wanted, part_of)
        if policy.most_suppressed(len(labels)) and (part_of is None or policy.t is None):
            released, scores = self.generalization_.apply(table, labels), self.scores_
            # The rest is grouped in the way that was chosen for all.
            again = partial(self._fit_rows, policy=policy, wanted=(self.candidate_,), part_of=part_of)
            labels = suppression.leave_out(table, released, guide, policy, labels, again)
            self.scores_ = scores
            if labels.min() < 0:
                self._known = KnownRows.remember(content_hashes(table), labels)
        self.kept_ = labels >= 0
        self.policy_ = policy
        return labels

    def _fit_rows(
        self,
        table: TableT,
        guide: Any,
        policy: AnonymizationPolicy,
        wanted: tuple[Candidate, ...],
        part_of: Whole | None = None,
    ) -> npt.NDArray[np.int32]:
        bound = guarantees.bind(policy, table, part_of)
        target = followed_by(self.partitioner, table, guide, policy)
        encoded = EncodedTable.encode(table, policy, target, bound, is_part=part_of is not None)
        examined = needs_student(wanted)
        unchanged = unchanged_columns(table, policy, target) if examined else ()
        lesson = lesson_of(table, guide, target, policy) if examined else target
        self._known = None
        order = np.arange(len(table))
        if depends_on_order(wanted):
            # What sums floats or breaks ties by place must meet the rows in an order of their own.
            hashes = content_hashes(table)
            order = content_order(hashes, target, encoded.problem.codes)
            encoded = encoded.take(order)
        examination = None
        if examined:
            examination = Examination(
                encoded.columns(),
                [column.take(order) for column in unchanged],
                lesson[order],
                student=self.student,
                seed=self.random_state or 0,
            )
        labels = np.empty(len(table), dtype=np.int32)
        labels[order] = self._group(encoded, wanted, examination)
        if depends_on_order(wanted):
            self._known = KnownRows.remember(hashes, labels)
        self.class_sizes_ = np.bincount(labels)
        return labels

    def _group(
        self, encoded: EncodedTable, wanted: Sequence[Candidate], examination: Examination | None
    ) -> npt.NDArray[np.int32]:
        # What was chosen once is only carried out again.
        refine = REFINED if self.effort == "high" and self.representative == "auto" and len(wanted) > 1 else 0
        found, self.scores_ = search(encoded, wanted, examination, refine=refine)
        self.candidate_ = found.candidate
        self.generalization_: Generalization = compact(
            found.candidate.partitioner, encoded.attributes, found.partition.assigner, found.released
        )
        return found.partition.labels

    def _effort(self, table: TableT, policy: AnonymizationPolicy, rows: int) -> str:
        """Without labels that are classes no student was seen to choose better than the tree, so none is asked to."""
        if self.effort != "auto" or rows > FEW_ROWS:
            return self.effort
        label = label_of(table, policy)
        return "low" if label is None or not are_labels(shares(label)) else "auto"

    def _policy(self) -> AnonymizationPolicy:
        check_method(self.partitioner, self.representative, self.effort, self.student)
        # The arguments are still as the user gave them: the policy makes tuples of lists and refuses the rest.
        fields = {name: value for name, value in self.get_params(deep=False).items() if name not in _METHOD}
        return AnonymizationPolicy.from_fields(fields)
