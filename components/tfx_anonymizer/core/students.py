"""Cheap models that stand in for the one that will be retrained, to try releases on before one is chosen.

The nearer a student is to the model that is retrained, the better its choice: boosted trees err on other rows than a
network does. All see what the retrained model will see: a number as a number, the most frequent categories one by one,
and the columns that anonymization leaves alone.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
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


def answers(student: str, learn: Any, lesson: Floats, ask: Any, seed: int) -> Floats:
    """Trains a student and asks it.

    Args:
        student: One of `STUDENT_NAMES` other than `auto`.
        learn: Features to learn from, SciPy CSR, shape (n, features).
        lesson: What to learn of each: 0/1 columns of class labels or numbers from 0 to 1, float64, shape (n, d).
        ask: Features to answer for, shape (m, features).
        seed: Of what is random in training.

    Returns:
        float64, shape (m, d).
    """
    return _STUDENTS[student](learn, lesson, ask, seed)


def are_labels(lesson: Floats) -> bool:
    """Tells whether a lesson is class labels, and not numbers."""
    return bool(np.all((lesson == 0.0) | (lesson == 1.0)))


def check_student(name: str) -> None:
    """Checks a student's name.

    Raises:
        PolicyError: If there is none of that name.
    """
    if name not in STUDENT_NAMES:
        raise PolicyError("student is not known", got=repr(name), allowed=" or ".join(STUDENT_NAMES))


def _boosted_trees(learn: Any, lesson: Floats, ask: Any, _: int) -> Floats:
    trees = [learn_shares(learn, column, rounds=50, learning_rate=0.2) for column in lesson.T]
    return np.stack([tree.predict(ask) for tree in trees], axis=1)


def _mlp(learn: Any, lesson: Floats, ask: Any, seed: int) -> Floats:
    # Dense arrays are several times faster here, as long as they fit.
    if max(learn.shape[0], ask.shape[0]) * learn.shape[1] <= MOST_DENSE_CELLS:
        learn, ask = learn.toarray(), ask.toarray()
    answer = _from_scikit_learn(lambda s: _network(s, "MLPClassifier"), lambda s: _network(s, "MLPRegressor"))
    return answer(learn, lesson, ask, seed)


def _from_scikit_learn(classifier: Callable[[int], Any], regressor: Callable[[int], Any]) -> Callable[..., Floats]:
    def answer(learn: Any, lesson: Floats, ask: Any, seed: int) -> Floats:
        from sklearn.exceptions import ConvergenceWarning

        model = (classifier if are_labels(lesson) else regressor)(seed)
        wanted = lesson[:, 0] if lesson.shape[1] == 1 else lesson
        if are_labels(lesson) and lesson.shape[1] > 1:
            wanted = lesson.argmax(axis=1)
        with warnings.catch_warnings():
            # A fixed number of passes over the rows is what makes it cheap.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(learn, wanted)
        if not are_labels(lesson):
            return np.asarray(model.predict(ask), dtype=np.float64).reshape(ask.shape[0], -1)
        found = np.zeros((ask.shape[0], max(lesson.shape[1], 2)))
        found[:, model.classes_.astype(np.int64)] = model.predict_proba(ask)
        return found[:, 1:] if lesson.shape[1] == 1 else found

    return answer


def _linear(seed: int, kind: str) -> Any:
    from sklearn import linear_model

    if kind == "LogisticRegression":
        return linear_model.LogisticRegression(max_iter=200, random_state=seed)
    return linear_model.Ridge(random_state=seed)


def _network(seed: int, kind: str) -> Any:
    from sklearn import neural_network

    return getattr(neural_network, kind)((100,), max_iter=30, random_state=seed)


def _forest(seed: int, kind: str) -> Any:
    from sklearn import ensemble

    return getattr(ensemble, kind)(50, random_state=seed, n_jobs=1)


def _tree(seed: int, kind: str) -> Any:
    from sklearn import tree

    return getattr(tree, kind)(random_state=seed)


_STUDENTS: dict[str, Callable[[Any, Floats, Any, int], Floats]] = {
    "gradient_boosting": _boosted_trees,
    "mlp": _mlp,
    "random_forest": _from_scikit_learn(
        lambda s: _forest(s, "RandomForestClassifier"), lambda s: _forest(s, "RandomForestRegressor")
    ),
    "logistic_regression": _from_scikit_learn(
        lambda s: _linear(s, "LogisticRegression"), lambda s: _linear(s, "Ridge")
    ),
    "decision_tree": _from_scikit_learn(
        lambda s: _tree(s, "DecisionTreeClassifier"), lambda s: _tree(s, "DecisionTreeRegressor")
    ),
}

STUDENT_NAMES = ("auto", *_STUDENTS)
