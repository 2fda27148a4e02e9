"""UCI Adult with the paper's forest: raw rows in, a model out, anonymized on the way if asked."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa

from benchmarks.utility.cases import ADULT
from benchmarks.utility.models import as_known, build, guide
from tfx_anonymizer.auditing.subject import make_subject
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.datasets import read_adult

LABEL = "income"


def people(folder: Path, records: int, seed: int) -> tuple[pa.Table, pa.Table]:
    """Draws members and as many non-members."""
    adult = read_adult(folder)[[*ADULT, LABEL]].sample(2 * records, random_state=seed)
    table = pa.Table.from_pandas(adult, preserve_index=False)
    return table.slice(0, records), table.slice(records)


def subject(folder: Path, records: int, seed: int):
    members, others = people(folder, records, seed)
    return make_subject(members, others, LABEL, records=records, seed=seed)


def release(table: pa.Table, k: int, seed: int) -> pa.Table:
    frame = table.to_pandas()
    categorical = categories(frame)
    said = guide("forest", frame[list(ADULT)], frame[LABEL], categorical, seed)
    anonymizer = AccuracyGuidedAnonymizer(ADULT, k, label=LABEL, effort="low", random_state=seed)
    return anonymizer.fit_transform(table, said)


def forest(k: int | None = None):
    """Returns a training: the paper's random forest of 100 trees, on a release if k is given."""

    def train(table: pa.Table, seed: int):
        frame = (table if k is None else release(table, k, seed)).to_pandas()
        categorical = categories(frame)
        model = build("forest", frame[list(ADULT)], categorical, seed)
        model.fit(as_known(frame[list(ADULT)], categorical), frame[LABEL])
        return lambda asked: model.predict_proba(as_known(asked.to_pandas()[list(ADULT)], categorical))

    return train


def categories(frame: pd.DataFrame) -> tuple[str, ...]:
    return tuple(name for name in ADULT if not pd.api.types.is_numeric_dtype(frame[name]))
