"""Table 1 of the paper: who was trained on? Adult, forest and network, raw and at several k, by several attacks."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.privacy.pipelines import draw, pipeline
from benchmarks.privacy.private import private_pipeline
from benchmarks.utility.cases import load_case
from tfx_anonymizer.attacks.figures import measure
from tfx_anonymizer.attacks.neural import known_half, neural_score
from tfx_anonymizer.auditing.model_audit import audit_model
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import make_subject, probabilities


@dataclasses.dataclass(frozen=True)
class Row:
    """What one attack reached on one model.

    Attributes:
        model: `forest` or `network`.
        k: The guarantee; 0 for raw rows.
        budget: The epsilon within which the model was trained; 0 without differential privacy.
        seed: Of everything.
        attack: The attack.
        accuracy: The model's on non-members, 0 to 1.
        auc: Area under the ROC curve.
        low: Lower limit of its 95 % interval.
        high: Upper limit.
        balanced_accuracy: Best with hindsight; what the paper calls attack accuracy.
        tpr: Share of members caught at 1 % false alarms.
        tpr_at_tenth: The same at 0.1 %; -1 where there are too few non-members.
        epsilon: Lower bound by rates.
    """

    model: str
    k: int
    budget: float
    seed: int
    attack: str
    accuracy: float
    auc: float
    low: float
    high: float
    balanced_accuracy: float
    tpr: float
    tpr_at_tenth: float
    epsilon: float


def attack(
    folder: Path, model: str, k: int, budget: float, seed: int, records: int, references: int
) -> tuple[list[Row], Any]:
    """Trains, attacks, and returns a row an attack, and the scores by which to draw curves."""
    case = load_case("adult-12", folder)
    members, others = draw(case, records, seed)
    train = private_pipeline(case, model, budget) if budget else pipeline(case, model, k or None)
    subject = make_subject(members, others, str(case.label.name), records=records, seed=seed)
    answers = train(subject.table.filter(pa.array(subject.members)), 7919 + seed)(subject.table)
    settings = AuditSettings(references=references, seed=seed, records=records)
    found = audit_model(subject, answers, settings, train)
    figures = dict(found.figures)
    known = known_half(subject.members, seed)
    score = neural_score(probabilities(answers, 2), subject.codes(), subject.members, known, seed=seed)
    figures["neural (the paper's)"] = measure(score, subject.members[~known], seed=seed)
    assert found.accuracy is not None
    rows = [
        Row(
            model, k, budget, seed, name, found.accuracy[1], what.auc.value, what.auc.low, what.auc.high,
            what.balanced_accuracy, what.caught_at[0.01].value,
            what.caught_at[0.001].value if 0.001 in what.caught_at else -1.0, what.epsilon_by_rates,
        )
        for name, what in figures.items()
    ]  # fmt: skip
    curves = {name: judgement.scores.astype(np.float32) for name, judgement in found.judgements.items()}
    return rows, {"members": subject.members, **curves}
