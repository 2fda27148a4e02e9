"""Models trained as the target was, from raw rows: anonymization, its guide included, and then the training.

A reference that skipped the anonymizer would be another model than the target, and would make it look safer.
"""

from __future__ import annotations

import dataclasses
import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.auditing.subject import Answer, Floats, Subject
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.errors import GuideError, PolicyError, PrivacyWarning
from tfx_anonymizer.guides.estimator_guide import fit_estimator
from tfx_anonymizer.guides.estimators import make_estimator
from tfx_anonymizer.guides.features import Features, infer_task, label_values
from tfx_anonymizer.policy import AnonymizationPolicy

# Takes raw rows and a seed; trains a model and returns what answers for rows.
Train = Callable[[pa.Table, int], Answer]


@dataclasses.dataclass(frozen=True)
class BuiltinPipeline:
    """The pipeline with a built-in estimator for a model: anonymize, then train on the release.

    Attributes:
        estimator: One of `guides.ESTIMATOR_NAMES`.
        label: The column to predict.
        policy: How rows are anonymized; None trains on them as they are.
        method: Arguments of `AccuracyGuidedAnonymizer` other than roles and guarantee.
        leave_out: Columns that no model may learn from.
        categorical: Columns whose numbers are only codes.
    """

    estimator: str
    label: str
    policy: AnonymizationPolicy | None = None
    method: tuple[tuple[str, Any], ...] = ()
    leave_out: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()

    def train(self, table: pa.Table, seed: int) -> Answer:
        """Goes the whole way from raw rows to a model; see `Train`."""
        return self.fit(self.release(table, seed), seed)

    def release(self, table: pa.Table, seed: int) -> pa.Table:
        """Returns the anonymized rows, guided by the estimator; the rows as they are without a policy."""
        if self.policy is None:
            return table
        # That there are direct identifiers is left_out's matter here: nothing is published.
        policy = dataclasses.replace(self.policy, direct_identifiers=(), label=self.label)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            guide = fit_estimator(
                table, self.label, self.estimator, leave_out=self.leave_out, categorical=self.categorical, seed=seed
            )
            arguments = {"student": self.estimator, "random_state": seed, **dict(self.method)}
            anonymizer = AccuracyGuidedAnonymizer.from_policy(policy, **arguments)
            released: pa.Table = anonymizer.fit_transform(table, guide.predict(table))
        return released

    def fit(self, released: pa.Table, seed: int) -> FittedEstimator:
        """Trains the estimator on rows as they are."""
        task = infer_task(released.column(self.label))
        target = label_values(released.column(self.label), task)
        if len(np.unique(target)) < 2:
            raise GuideError(f"label {self.label!r} has fewer than two values, so there is nothing to learn")
        features = Features.choose(released, {*self.leave_out, self.label}, self.categorical)
        model = make_estimator(self.estimator, task, features, seed).fit(features.frame(released), target)
        return FittedEstimator(features, model)


@dataclasses.dataclass(frozen=True)
class FittedEstimator:
    """A trained estimator that answers for rows.

    Attributes:
        features: The columns it takes.
        model: The scikit-learn pipeline.
    """

    features: Features
    model: Any

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels in the order of its answers; empty if it answers with numbers."""
        return tuple(str(value) for value in getattr(self.model, "classes_", ()))

    def __call__(self, table: pa.Table) -> npt.NDArray[Any]:
        """Answers: class probabilities, shape (n, classes), or numbers, shape (n,)."""
        frame = self.features.frame(table)
        answer = self.model.predict_proba(frame) if self.classes else self.model.predict(frame)
        return np.asarray(answer, dtype=np.float64)


def as_replica(train: Train, subject: Subject, spread: float | None = None) -> Callable[[Any, int], Floats]:
    """Makes of a training what `attacks.references` asks for: confidences in all records of a subject.

    Args:
        train: The training.
        subject: Whose records are trained on and asked about.
        spread: Of errors, where the label is a number; the target's.
    """

    def replica(rows: npt.NDArray[np.int64], seed: int) -> Floats:
        answer = train(subject.table.take(pa.array(rows)), seed)
        return subject.confidence(_in_order(answer(subject.table), answer, subject), spread)

    return replica


def load_function(path: str) -> Any:
    """Finds a user's own function by its import path, such as `my_package.audit.train`.

    One that trains is called as `train(table, seed)`, the table holding raw rows (Arrow), and returns a function that
    answers for rows as the target does: probabilities of the label's classes in their order, or numbers.

    Raises:
        PolicyError: If there is nothing of that path, or it cannot be called.
    """
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, ValueError, AttributeError) as error:
        raise PolicyError(
            "the function cannot be imported", got=path, hint=f"{type(error).__name__}; is its module installed?"
        ) from None
    if not callable(found):
        raise PolicyError("what is to be called is no function", got=path)
    return found


def _in_order(answers: npt.NDArray[Any], answer: Answer, subject: Subject) -> npt.NDArray[Any]:
    """Brings an estimator's classes into the subject's order; one that it never met has probability 0."""
    classes = getattr(answer, "classes", ())
    if not classes or classes == subject.classes or not subject.classes:
        return answers
    found = np.zeros((len(answers), len(subject.classes)))
    for column, name in enumerate(classes):
        if name in subject.classes:
            found[:, subject.classes.index(name)] = answers[:, column]
    # Labels outside the subject's are of no interest; what is left is made to sum to 1.
    return np.asarray(found / np.maximum(found.sum(axis=1, keepdims=True), 1e-12))
