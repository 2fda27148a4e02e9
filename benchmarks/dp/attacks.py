"""Who was trained on? Every method under the package's own attacks, on a few thousand members and as many others."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from benchmarks.dp.cases import LABEL
from benchmarks.dp.methods import METHODS
from benchmarks.dp.models import Model
from tfx_anonymizer.auditing.model_audit import audit_model
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import make_subject


@dataclasses.dataclass(frozen=True)
class Attack:
    """What one attack reached on one model.

    Attributes:
        method: By which it was trained.
        strength: epsilon or k; 0 where there is neither.
        seed: Of members, method, training and attack.
        model: Which was trained.
        attack: By name; `rmia` is the strongest.
        accuracy: The model's on non-members, 0 to 1.
        auc: Area under the ROC curve.
        low: Lower limit of its 95 % interval.
        high: Upper limit.
        tpr: Share of members caught at 1 % false alarms.
        epsilon: Lower bound on epsilon by rates.
    """

    method: str
    strength: float
    seed: int
    model: str
    attack: str
    accuracy: float
    auc: float
    low: float
    high: float
    tpr: float
    epsilon: float


class Answering:
    """A model as audits ask it: Arrow rows in, the chances of both labels out."""

    classes = ("0", "1")

    def __init__(self, model: Model) -> None:
        """Takes the model."""
        self._model = model

    def __call__(self, asked: pa.Table) -> npt.NDArray[np.float64]:
        """Answers, shape (n, 2)."""
        second = self._model(asked.to_pandas())
        return np.stack([1.0 - second, second], axis=1)


def attack(table: pd.DataFrame, method: str, strength: float, seed: int, records: int, references: int) -> list[Attack]:
    """Trains on some people, and asks who of them and of as many others they are.

    Args:
        table: All rows, of which members and others are drawn.
        method: One of `METHODS`; the first of its models is attacked.
        strength: Its epsilon or k.
        seed: Of everything.
        records: Members, and others.
        references: Models that are trained for comparison, each the whole way from raw rows, on random halves.
    """
    drawn = pa.Table.from_pandas(table.sample(2 * records, random_state=seed), preserve_index=False)
    subject = make_subject(drawn.slice(0, records), drawn.slice(records), LABEL, records=records, seed=seed)
    model = METHODS[method].models[0]

    def train(rows: pa.Table, training: int) -> Any:
        return Answering(METHODS[method].train(rows.to_pandas(), strength, training, [model])[model])

    answers = train(subject.table.filter(pa.array(subject.members)), 7919 + seed)(subject.table)
    settings = AuditSettings(references=references, seed=seed, records=records)
    found = audit_model(subject, answers, settings, train)
    assert found.accuracy is not None
    return [
        Attack(
            method, strength, seed, model, name, found.accuracy[1], what.auc.value, what.auc.low, what.auc.high,
            what.caught_at[0.01].value, what.epsilon_by_rates,
        )
        for name, what in found.figures.items()
    ]  # fmt: skip
