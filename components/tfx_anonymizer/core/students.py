"""Cheap models that stand in for the one that will be retrained, to try releases on before one is chosen.

The nearer a student is to the model that is retrained, the better its choice: boosted trees err on other rows than a
network does. All see what the retrained model will see: a number as a number, the most frequent categories one by one,
and the columns that anonymization leaves alone.
"""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.boosting import learn_shares
from tfx_anonymizer.core.encoding import Codes
from tfx_anonymizer.errors import PolicyError

Floats = npt.NDArray[np.float64]

MOST_CATEGORIES = 64
MOST_DENSE_CELLS = 50_000_000


@dataclasses.dataclass(frozen=True)
class Column:
    """A column that a student learns from.

    Attributes:
        codes: int32, shape (n,).
        values: The number that each code stands for, NaN for missing, float64, shape (m,); None if the codes are
            categories. These may be in the guide's order, which no retrained model will be told, so a student knows
            them one by one.
    """

    codes: Codes
    values: Floats | None

    def take(self, rows: npt.NDArray[np.int64]) -> Column:
        """Returns some of the rows, or all of them in another order."""
        return Column(self.codes[rows], self.values)

    def features(self, codes: Codes) -> Any:
        """Turns codes into features as they look beside this column's.

        Args:
            codes: Of the same column, int32, shape (m,).

        Returns:
            A standardized number, or 0/1 for each of the most frequent categories; SciPy CSR, float32, shape
            (m, features).
        """
        from scipy import sparse

        if self.values is not None:
            known = self.values[self.codes]
            known = known[np.isfinite(known)]
            middle, width = (float(known.mean()), float(known.std()) or 1.0) if len(known) else (0.0, 1.0)
            # Missing is as good as the mean.
            standard = np.nan_to_num((self.values[codes] - middle) / width, posinf=0.0, neginf=0.0)
            return sparse.csr_matrix(standard.astype(np.float32)[:, None])
        found, count = np.unique(self.codes, return_counts=True)
        categories = np.sort(found[np.argsort(-count, kind="stable")[:MOST_CATEGORIES]])
        place = np.searchsorted(categories, codes).clip(max=len(categories) - 1)
        rows = np.flatnonzero(categories[place] == codes)
        ones = np.ones(len(rows), dtype=np.float32)
        return sparse.csr_matrix((ones, (rows, place[rows])), shape=(len(codes), len(categories)))


def answers(student: Any, learn: Any, lesson: Floats, ask: Any, seed: int) -> Floats:
    """Trains a student and asks it.

    Args:
        student: One of `STUDENT_NAMES`, or an estimator as `check_student` allows.
        learn: Features to learn from, SciPy CSR, shape (n, features).
        lesson: What to learn of each: 0/1 columns of class labels or numbers from 0 to 1, float64, shape (n, d).
        ask: Features to answer for, shape (m, features).
        seed: Of what is random in training; an estimator has its own.

    Returns:
        float64, shape (m, d).
    """
    if student in ("auto", "gradient_boosting"):
        trees = [learn_shares(learn, column, rounds=50, learning_rate=0.2) for column in lesson.T]
        return np.stack([tree.predict(ask) for tree in trees], axis=1)
    if isinstance(student, str):
        student = _estimator(student, are_labels(lesson), seed)
    if max(learn.shape[0], ask.shape[0]) * learn.shape[1] <= MOST_DENSE_CELLS:
        # Several times faster, as long as it fits.
        learn, ask = learn.toarray(), ask.toarray()
    return _learn_and_answer(student, learn, lesson, ask)


def are_labels(lesson: Floats) -> bool:
    """Tells whether a lesson is class labels, and not numbers."""
    return bool(np.all((lesson == 0.0) | (lesson == 1.0)))


def check_student(student: Any) -> None:
    """Checks what was given as `student`: a name, or an estimator by scikit-learn's conventions.

    Raises:
        PolicyError: If it is neither.
    """
    if isinstance(student, str):
        if student not in STUDENT_NAMES:
            raise PolicyError("student is not known", got=repr(student), allowed=" or ".join(STUDENT_NAMES))
    elif not (hasattr(student, "fit") and hasattr(student, "predict") and hasattr(student, "get_params")):
        raise PolicyError(
            "student is neither a name nor an estimator",
            got=type(student).__name__,
            allowed=f"{' or '.join(STUDENT_NAMES)}, or an object with scikit-learn's fit, predict and get_params",
        )


def _estimator(name: str, labels: bool, seed: int) -> Any:
    """Builds a named student: a classifier if labels are to be learned, else a regressor."""
    from sklearn import ensemble, linear_model, neural_network, tree

    if name == "random_forest":
        kind = ensemble.RandomForestClassifier if labels else ensemble.RandomForestRegressor
        return kind(50, random_state=seed, n_jobs=1)
    if name == "mlp":
        network = neural_network.MLPClassifier if labels else neural_network.MLPRegressor
        return network((100,), max_iter=30, random_state=seed)
    if name == "logistic_regression":
        return linear_model.LogisticRegression(max_iter=200, random_state=seed) if labels else linear_model.Ridge()
    return (tree.DecisionTreeClassifier if labels else tree.DecisionTreeRegressor)(random_state=seed)


def _learn_and_answer(student: Any, learn: Any, lesson: Floats, ask: Any) -> Floats:
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning

    labels = are_labels(lesson)
    wanted: npt.NDArray[Any] = lesson[:, 0] if lesson.shape[1] == 1 else lesson
    if labels:
        wanted = (lesson.argmax(axis=1) if lesson.shape[1] > 1 else wanted).astype(np.int64)
    # Some estimators want every number below the greatest among the labels.
    known, wanted = np.unique(wanted, return_inverse=True) if labels else (np.zeros(0, dtype=np.int64), wanted)
    if labels and len(known) == 1:
        # There is nothing to tell apart, and some estimators refuse to try.
        return np.tile(lesson[0], (ask.shape[0], 1))
    with warnings.catch_warnings():
        # A fixed number of passes over the rows is what makes it cheap.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = clone(student).fit(learn, wanted)
    if not labels:
        return np.asarray(model.predict(ask), dtype=np.float64).reshape(ask.shape[0], -1)
    found = np.zeros((ask.shape[0], max(lesson.shape[1], 2)))
    if hasattr(model, "predict_proba"):
        found[:, known] = model.predict_proba(ask)
    else:
        found[np.arange(len(found)), known[np.asarray(model.predict(ask), dtype=np.int64)]] = 1.0
    return found[:, 1:] if lesson.shape[1] == 1 else found


STUDENT_NAMES = ("auto", "gradient_boosting", "random_forest", "mlp", "logistic_regression", "decision_tree")
