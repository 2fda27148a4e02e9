"""What a model tells of who was in its training data."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.attacks import lira, rmia, scores
from tfx_anonymizer.attacks.encoding import encode, row_codes
from tfx_anonymizer.attacks.figures import Figures, measure, measure_groups
from tfx_anonymizer.attacks.neural import known_half, neural_score
from tfx_anonymizer.attacks.quantile import quantile_score
from tfx_anonymizer.attacks.references import ReferenceConfidences, train_references
from tfx_anonymizer.auditing.replicas import Train, as_replica
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import Bools, Floats, Subject, probabilities
from tfx_anonymizer.errors import PolicyError

_MOST_CODES = 250  # of a category that the regression takes as one
_COMBINATIONS_SHOWN = 1


@dataclasses.dataclass(frozen=True)
class Judgement:
    """The scores of one attack.

    Attributes:
        scores: Of the records that it judges, float64, shape (m,).
        judged: Which records those are, bool, shape (n,).
    """

    scores: Floats
    judged: Bools


@dataclasses.dataclass(frozen=True)
class ModelAudit:
    """What attacks on a model reached.

    Attributes:
        judgements: Scores by attack.
        figures: Figures by attack.
        groups: Figures of the strongest kind of attack carried out, by group; None for a group too small.
        grouped_by: That attack.
        references: Reference models that were trained.
        accuracy: Share of records the model is right about, members and non-members; None for numbers.
    """

    judgements: Mapping[str, Judgement]
    figures: Mapping[str, Figures]
    groups: Mapping[str, Figures | None]
    grouped_by: str
    references: int
    accuracy: tuple[float, float] | None

    def to_dict(self) -> dict[str, Any]:
        """Returns the audit as JSON-ready values; no scores of single records."""
        return {
            "attacks": {name: found.to_dict() for name, found in self.figures.items()},
            "groups": {
                "attack": self.grouped_by,
                "figures": {name: found and found.to_dict() for name, found in self.groups.items()},
            },
            "reference_models": self.references,
            "accuracy": None
            if self.accuracy is None
            else {"members": self.accuracy[0], "non_members": self.accuracy[1]},
        }


def audit_model(
    subject: Subject,
    answers: npt.NDArray[Any],
    settings: AuditSettings,
    train: Train | None = None,
    *,
    quasi_identifiers: tuple[str, ...] = (),
    leave_out: tuple[str, ...] = (),
    step: Callable[[str], None] = lambda _: None,
) -> ModelAudit:
    """Attacks a model.

    Args:
        subject: Whom to tell apart.
        answers: The model's for every record of `subject`, shape (n,) or (n, outputs).
        settings: Which attacks.
        train: Trains a reference from raw rows as the target was trained; needed unless the mode is `quick`.
        quasi_identifiers: Columns whose rare combinations make a group.
        leave_out: Columns that the attacker does not look at.
        step: Is told what is done next.

    Raises:
        PolicyError: If references are to be trained and nothing is given that does.
    """
    spread = subject.spread(answers) if subject.task == "regression" else None
    confidence = subject.confidence(answers, spread)
    everyone = np.ones(len(confidence), dtype=bool)
    step("asking the model")
    found = {
        name: Judgement(score, everyone) for name, score in _quick(subject, answers, confidence, settings, leave_out)
    }
    if settings.reference_models:
        if train is None:
            raise PolicyError(
                "reference models are to be trained, but nothing says how", hint="mode='quick' trains none"
            )
        step("training references")
        replica = as_replica(train, subject, spread)
        references = train_references(replica, len(confidence), settings.reference_models, settings.seed)
        for name, score in _with_references(confidence, references, settings):
            found[name] = Judgement(score, everyone)
    if settings.mode == "deep" and subject.task == "classification":
        step("training the neural attack")
        known = known_half(subject.members, settings.seed)
        said = probabilities(answers, len(subject.classes))
        score = neural_score(said, subject.codes(), subject.members, known, seed=settings.seed)
        found["neural"] = Judgement(score, ~known)
    step("measuring")
    strongest = next(name for name in ("rmia", "loss") if name in found)
    return ModelAudit(
        judgements=found,
        figures={name: _measure(judgement, subject, settings) for name, judgement in found.items()},
        groups=measure_groups(
            found[strongest].scores,
            subject.members,
            groups_of(subject, quasi_identifiers),
            confidence=settings.confidence,
            seed=settings.seed,
        ),
        grouped_by=strongest,
        references=settings.reference_models,
        accuracy=_accuracy(subject, answers),
    )


def groups_of(subject: Subject, quasi_identifiers: tuple[str, ...]) -> dict[str, Bools]:
    """Returns groups of records that a model may know better than others, by name.

    `rarest_label`: the least frequent class. `alone` and `not_alone`: whether another audited record has the same
    quasi-identifiers.
    """
    groups: dict[str, Bools] = {}
    if subject.task == "classification":
        codes = subject.codes()
        present, counts = np.unique(codes, return_counts=True)
        groups["rarest_label"] = codes == present[counts.argmin()]
    if quasi_identifiers:
        (combinations,) = row_codes(encode([subject.table], quasi_identifiers).tables)
        alone = np.bincount(combinations)[combinations] == _COMBINATIONS_SHOWN
        groups["alone"], groups["not_alone"] = alone, ~alone
    return groups


def _quick(
    subject: Subject, answers: npt.NDArray[Any], confidence: Floats, settings: AuditSettings, leave_out: tuple[str, ...]
) -> list[tuple[str, Floats]]:
    found = [("loss", scores.loss_score(confidence))]
    if subject.task == "classification":
        right = probabilities(answers, len(subject.classes)).argmax(axis=1) == subject.codes()
        found.append(("gap", scores.gap_score(right)))
    names = [name for name in subject.table.column_names if name not in leave_out]
    known = encode([subject.table], names)
    features = known.tables[0]
    most = np.nan_to_num(features, nan=0.0).max(axis=0, initial=0.0)
    categorical = known.categorical & (most < _MOST_CODES)
    found.append(("quantile", quantile_score(confidence, subject.members, features, categorical, settings.seed)))
    return found


def _with_references(
    confidence: Floats, references: ReferenceConfidences, settings: AuditSettings
) -> list[tuple[str, Floats]]:
    found = [
        ("rmia", rmia.rmia_online(confidence, references)),
        ("rmia_offline", rmia.rmia_offline(confidence, references.outside_mean())),
    ]
    if settings.mode == "deep":
        found += [
            ("lira", lira.lira_online(confidence, references)),
            ("lira_offline", lira.lira_offline(confidence, references)),
        ]
    return found


def _measure(judgement: Judgement, subject: Subject, settings: AuditSettings) -> Figures:
    return measure(
        judgement.scores,
        subject.members[judgement.judged],
        by_coin=subject.by_coin,
        confidence=settings.confidence,
        delta=settings.delta,
        seed=settings.seed,
    )


def _accuracy(subject: Subject, answers: npt.NDArray[Any]) -> tuple[float, float] | None:
    if subject.task == "regression":
        return None
    right = probabilities(answers, len(subject.classes)).argmax(axis=1) == subject.codes()
    return float(right[subject.members].mean()), float(right[~subject.members].mean())
