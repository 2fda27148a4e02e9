"""One fold of a comparison: the model on raw rows, and what each release of these rows makes of it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.comparison.plan import Plan
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.counting import count
from tfx_anonymizer.errors import GuaranteeError, InputDataError, ViolationError
from tfx_anonymizer.guides import EstimatorGuide, fit_estimator
from tfx_anonymizer.guides.features import label_values
from tfx_anonymizer.hashing import row_hashes
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.promises import broken
from tfx_anonymizer.report.release import compare_column

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Cell:
    """One release of one fold.

    Attributes:
        partitioner: How rows were grouped, as it was asked for.
        k: The k that was asked for.
        fold: Which rows were kept aside.
        reached: Whether these rows can be made to keep the guarantee; if not, what follows is None.
        score_raw: Of the model trained on the raw rows.
        score: Of the model retrained on the release.
        membership_raw: AUC of the loss attack on the model trained on the raw rows; one half is a coin.
        membership: The same on the retrained model.
        classes: Number of equivalence classes.
        changed: Mean share of quasi-identifying cells that were changed.
        chosen: The partitioner and representative that were used.
        seconds: What grouping took.
    """

    partitioner: str
    k: int
    fold: int
    reached: bool
    score_raw: float | None = None
    score: float | None = None
    membership_raw: float | None = None
    membership: float | None = None
    classes: int | None = None
    changed: float | None = None
    chosen: str | None = None
    seconds: float | None = None


def fold_of_rows(table: pa.Table, plan: Plan) -> npt.NDArray[np.int64]:
    """Deals rows into folds by their content, or by person, so that no person stands in two.

    Args:
        table: n rows.
        plan: Says how many folds, and the seed.

    Returns:
        0 to folds - 1, shape (n,); the same for a row wherever it stands.

    Raises:
        InputDataError: If a fold gets no row.
    """
    of = table.select([plan.policy.entity_id]) if plan.policy.entity_id else table
    folds = (row_hashes(of, seed=plan.seed) % np.uint64(plan.folds)).astype(np.int64)
    if len(np.unique(folds)) < plan.folds:
        raise InputDataError(
            "there are too few rows to keep some aside", got=f"{table.num_rows} rows", allowed=f"{plan.folds} folds"
        )
    return folds


class Fold:
    """The rows to train on and those kept aside, with the raw model that is the measure of all releases."""

    def __init__(self, table: pa.Table, plan: Plan, number: int) -> None:
        """Trains the raw model.

        Args:
            table: All rows, every label there, no column that is not to be released.
            plan: What is compared.
            number: The fold that is kept aside.
        """
        aside = fold_of_rows(table, plan) == number
        self._plan = plan
        self._number = number
        self._train = table.filter(pa.array(~aside))
        self._test = table.filter(pa.array(aside))
        self._metric = plan.metric_for(table.column(plan.label))
        raw = self._fit(self._train, out_of_fold=True)
        self._predictions = raw.predict(self._train)
        self._score_raw, self._membership_raw = self._judge(raw)

    def cell(self, partitioner: str, k: int) -> Cell:
        """Makes one release and judges it."""
        policy = dataclasses.replace(self._plan.policy, k=k, direct_identifiers=())
        started = time.monotonic()
        anonymizer = AccuracyGuidedAnonymizer.from_policy(
            policy,
            partitioner=partitioner,
            effort=self._plan.effort,
            student=self._plan.model,
            random_state=self._plan.seed,
        )
        try:
            released = anonymizer.fit_transform(self._train, self._predictions)
        except GuaranteeError:
            return Cell(partitioner, k, self._number, reached=False)
        seconds = time.monotonic() - started
        _check(released, policy)
        score, membership = self._judge(self._fit(released, out_of_fold=False))
        before = self._train.filter(pa.array(anonymizer.kept_))
        changed = [
            compare_column(before.column(name), released.column(name))["share_changed"]
            for name in policy.quasi_identifiers
        ]
        return Cell(
            partitioner=partitioner,
            k=k,
            fold=self._number,
            reached=True,
            score_raw=self._score_raw,
            score=score,
            membership_raw=self._membership_raw,
            membership=membership,
            classes=len(anonymizer.class_sizes_),
            changed=float(np.mean(changed)),
            chosen=f"{anonymizer.candidate_.partitioner}, {anonymizer.candidate_.representative}",
            seconds=seconds,
        )

    def _fit(self, table: pa.Table, *, out_of_fold: bool) -> EstimatorGuide:
        policy = self._plan.policy
        return fit_estimator(
            table,
            self._plan.label,
            self._plan.model,
            leave_out=[policy.entity_id] if policy.entity_id else [],
            categorical=policy.categorical,
            seed=self._plan.seed,
            out_of_fold=out_of_fold,
        )

    def _judge(self, model: EstimatorGuide) -> tuple[float, float]:
        """Returns the score on rows kept aside, and how well the loss tells them from those that were trained on."""
        from sklearn.metrics import roc_auc_score

        members, others = self._answers(model, self._train), self._answers(model, self._test)
        losses = np.concatenate([_losses(model, *members), _losses(model, *others)])
        is_member = np.arange(len(losses)) < self._train.num_rows
        return score(self._metric, model.classes, *others), float(roc_auc_score(is_member, -losses))

    def _answers(self, model: EstimatorGuide, table: pa.Table) -> tuple[npt.NDArray[Any], Floats]:
        return label_values(table.column(self._plan.label), model.task), model.predict_new(table)


def score(metric: str, classes: Sequence[str], truth: npt.NDArray[Any], predictions: Floats) -> float:
    """Scores predictions; more is better.

    Args:
        metric: One of `plan.METRICS`.
        classes: The labels in the order of the probabilities' columns; empty for regression.
        truth: The labels as text, or numbers; shape (n,).
        predictions: Probabilities, shape (n, classes), or numbers, shape (n,).

    Example:
        >>> import numpy as np
        >>> score("accuracy", ("no", "yes"), np.array(["no", "yes"]), np.array([[0.9, 0.1], [0.6, 0.4]]))
        0.5
    """
    from sklearn import metrics

    if metric == "r2":
        return float(metrics.r2_score(truth, predictions))
    if metric == "roc_auc":
        return float(metrics.roc_auc_score(truth == classes[1], predictions[:, 1]))
    predicted = np.asarray(classes)[predictions.argmax(axis=1)]
    return float(getattr(metrics, f"{metric}_score")(truth, predicted))


def _losses(model: EstimatorGuide, truth: npt.NDArray[Any], predictions: Floats) -> Floats:
    """Cross entropy, or the squared error; shape (n,). A class that the model never met is as wrong as can be."""
    if model.task == "regression":
        return np.asarray((predictions - truth) ** 2)
    place = np.searchsorted(model.classes, truth).clip(max=len(model.classes) - 1)
    known = np.asarray(model.classes)[place] == truth
    likely = np.where(known, predictions[np.arange(len(truth)), place], 0.0)
    return np.asarray(-np.log(np.maximum(likely, 1e-12)))


def _check(released: pa.Table, policy: AnonymizationPolicy) -> None:
    """Counts a release again, by code that shares nothing with the code that made it."""
    _, checks = count(released, policy)
    if broken(checks):
        raise ViolationError(
            "a release of the comparison does not keep the guarantee",
            got="; ".join(broken(checks)),
            hint="this is a defect of tfx-anonymizer, please report it",
        )
