"""The paper's models, trained on raw rows or on a release of them, as audits want them: raw rows in, answers out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
from sklearn.exceptions import ConvergenceWarning

from benchmarks.utility.cases import Case
from benchmarks.utility.models import as_known, build, guide
from tfx_anonymizer.core import AccuracyGuidedAnonymizer

Train = Callable[[pa.Table, int], Any]


def pipeline(case: Case, model: str, k: int | None) -> Train:
    """Returns a training of the whole way.

    Args:
        case: Data set and quasi-identifiers.
        model: One of `benchmarks.utility.models.MODELS`.
        k: The guarantee; None trains on rows as they are.
    """
    label, features = case.label.name, list(case.features.columns)

    def train(table: pa.Table, seed: int) -> Any:
        frame = table.to_pandas()
        if k is not None:
            frame = release(case, model, k, frame, seed)
        fitted = build(model, frame[features], case.categorical, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted.fit(as_known(frame[features], case.categorical), frame[label])

        def answer(asked: pa.Table) -> Any:
            return fitted.predict_proba(as_known(asked.to_pandas()[features], case.categorical))

        answer.classes = tuple(map(str, fitted.classes_))  # type: ignore[attr-defined]
        return answer

    return train


def release(case: Case, model: str, k: int, frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Anonymizes rows by the guided tree, guided by the model itself."""
    label, features = case.label.name, list(case.features.columns)
    said = guide(model, frame[features], frame[label], case.categorical, seed)
    anonymizer = AccuracyGuidedAnonymizer(case.quasi_identifiers, k, label=label, effort="low", random_state=seed)
    released: pd.DataFrame = anonymizer.fit_transform(frame, said)
    return released


def draw(case: Case, records: int, seed: int) -> tuple[pa.Table, pa.Table]:
    """Draws members and as many non-members."""
    whole = case.features.assign(**{str(case.label.name): case.label}).sample(2 * records, random_state=seed)
    table = pa.Table.from_pandas(whole, preserve_index=False)
    return table.slice(0, records), table.slice(records)
