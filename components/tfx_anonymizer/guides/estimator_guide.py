"""A built-in estimator as a guide: out-of-fold for the rows it learned from, stored without pickle.

A model asked about its own training rows answers with their labels. So the rows are dealt into folds by a hash of their
content, one model is fitted without each fold, and a row is always predicted by the model that has not seen it. The
hash needs no row number, so the same row finds the same fold in another process, in another order, years later.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from tfx_anonymizer._version import __version__
from tfx_anonymizer.errors import GuideError, unknown_column
from tfx_anonymizer.guides.estimators import make_estimator
from tfx_anonymizer.guides.features import Features, infer_task, label_values

FOLDS = 3
_HEADER, _FORMAT_VERSION = "estimator.json", 1


@dataclasses.dataclass(frozen=True)
class EstimatorGuide:
    """A fitted built-in estimator.

    Attributes:
        kind: One of `estimators.ESTIMATOR_NAMES`.
        features: The columns it takes.
        task: `classification` or `regression`.
        classes: The labels in the order of the probabilities' columns; empty for regression.
        whole: The model fitted on all rows, for rows that are new.
        by_fold: Models each fitted without one fold.
    """

    kind: str
    features: Features
    task: str
    classes: tuple[str, ...]
    whole: Any
    by_fold: tuple[Any, ...]

    @property
    def needs_records(self) -> bool:
        """Columns are enough."""
        return False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it takes."""
        return self.features.names

    def predict(self, table: pa.Table, records: Sequence[bytes] | None = None) -> npt.NDArray[np.float64]:
        """Predicts each row by the model that was fitted without the row's fold; see `base.Guide`."""
        frame = self.features.frame(table)
        folds = fold_of(frame)
        width = len(self.classes) if self.task == "classification" else 1
        predictions = np.empty((len(frame), width))
        for fold, model in enumerate(self.by_fold):
            inside = folds == fold
            if inside.any():
                predictions[inside] = self._apply(model, frame[inside])
        return predictions if self.task == "classification" else predictions[:, 0]

    def predict_new(self, table: pa.Table, records: Sequence[bytes] | None = None) -> npt.NDArray[np.float64]:
        """Predicts by the model fitted on all rows: for rows that were not learned from, or as it is published."""
        predictions = self._apply(self.whole, self.features.frame(table))
        return predictions if self.task == "classification" else predictions[:, 0]

    def _apply(self, model: Any, frame: pd.DataFrame) -> npt.NDArray[np.float64]:
        if self.task == "regression":
            return np.asarray(model.predict(frame), dtype=np.float64).reshape(-1, 1)
        # A fold's model may not have met every class.
        columns = np.searchsorted(self.classes, model.classes_)
        probabilities = np.zeros((len(frame), len(self.classes)))
        probabilities[:, columns] = model.predict_proba(frame)
        return probabilities

    def to_files(self) -> dict[str, bytes]:
        """Returns the guide as files by name: skops archives and a JSON header."""
        import skops.io

        header = {
            "format_version": _FORMAT_VERSION,
            "made_by": f"tfx_anonymizer {__version__}",
            "estimator": self.kind,
            "task": self.task,
            "classes": list(self.classes),
            "numeric": list(self.features.numeric),
            "categorical": list(self.features.categorical),
            "folds": len(self.by_fold),
        }
        files = {f"fold-{i}.skops": skops.io.dumps(model) for i, model in enumerate(self.by_fold)}
        files["whole.skops"] = skops.io.dumps(self.whole)
        files[_HEADER] = json.dumps(header, indent=2, ensure_ascii=False).encode()
        return files

    @classmethod
    def from_files(cls, files: dict[str, bytes]) -> EstimatorGuide:
        """Reads what `to_files` returned.

        Raises:
            GuideError: If a file is absent or damaged, or holds a type that no built-in estimator is made of.
        """
        try:
            header = json.loads(files[_HEADER])
            if header["format_version"] != _FORMAT_VERSION:
                raise GuideError("the stored estimator's version is not known", got=header["format_version"])
            return cls(
                kind=header["estimator"],
                features=Features(tuple(header["numeric"]), tuple(header["categorical"])),
                task=header["task"],
                classes=tuple(header["classes"]),
                whole=_load(files["whole.skops"]),
                by_fold=tuple(_load(files[f"fold-{i}.skops"]) for i in range(header["folds"])),
            )
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise GuideError("the stored estimator cannot be read", got=type(error).__name__) from None


def fit_estimator(
    table: pa.Table,
    label: str,
    name: str,
    *,
    leave_out: Collection[str] = (),
    categorical: Collection[str] = (),
    seed: int = 0,
    out_of_fold: bool = True,
) -> EstimatorGuide:
    """Fits a built-in estimator and its fold models.

    Args:
        table: n rows of single-valued columns, missing as null.
        label: The column to predict; rows without it are not learned from.
        name: One of `estimators.ESTIMATOR_NAMES`.
        leave_out: Columns that must not be learned from, such as ids.
        categorical: Columns whose numbers are only codes.
        seed: Seed of everything the estimators draw.
        out_of_fold: Whether to fit the fold models. Without them every row is predicted by the model of all rows, which
            is a quarter of the work and right where the model is only asked about new ones.

    Returns:
        The fitted guide; the same for any order of rows.

    Raises:
        ColumnError: If the label is absent.
        GuideError: If there is nothing to learn from, or a single label.
        PolicyError: If there is no estimator of that name.
    """
    if label not in table.column_names:
        raise unknown_column(label, "label", table.column_names)
    table = table.filter(table.column(label).is_valid())
    task = infer_task(table.column(label))
    target = label_values(table.column(label), task)
    features = Features.choose(table, {*leave_out, label}, categorical)
    frame = features.frame(table)
    if len(np.unique(target)) < 2:
        raise GuideError(f"label {label!r} has fewer than two values, so there is nothing to learn", got=len(target))
    keys = _row_keys(frame)
    order = np.argsort(keys, kind="stable")
    frame, target, folds = frame.iloc[order], target[order], (keys % FOLDS)[order]
    whole = make_estimator(name, task, features, seed).fit(frame, target)
    by_fold = [] if out_of_fold else [whole] * FOLDS
    for fold in range(FOLDS) if out_of_fold else ():
        outside = folds != fold
        enough = outside.any() and len(np.unique(target[outside])) > 1
        model = make_estimator(name, task, features, seed)
        by_fold.append(model.fit(frame[outside], target[outside]) if enough else whole)
    classes = tuple(str(value) for value in whole.classes_) if task == "classification" else ()
    return EstimatorGuide(name, features, task, classes, whole, tuple(by_fold))


def fold_of(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Returns the fold of each row by its content, 0 to FOLDS - 1, shape (n,)."""
    return (_row_keys(frame) % FOLDS).astype(np.int64)


def _row_keys(frame: pd.DataFrame) -> npt.NDArray[np.uint64]:
    keys = pd.util.hash_pandas_object(frame, index=False).to_numpy(dtype=np.uint64)
    # The low bits of pandas' combined hash are poor; a multiplication and a shift mix the high ones in.
    return np.asarray((keys * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32), dtype=np.uint64)


def _load(data: bytes) -> Any:
    import skops.io

    unknown = [name for name in skops.io.get_untrusted_types(data=data) if not _is_expected(name)]
    if unknown:
        raise GuideError("the stored estimator holds types that are not trusted", got=", ".join(sorted(unknown)))
    return skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))


def _is_expected(name: str) -> bool:
    # functools.partial: how histogram boosting keeps its binning; skops audits what it wraps by itself.
    return name == "functools.partial" or name.startswith(("sklearn.", "numpy."))
