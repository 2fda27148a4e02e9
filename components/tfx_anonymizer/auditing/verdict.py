"""The verdict: what was reached compared with what may be, and what is shown beyond doubt.

A bound holds if the upper confidence limit keeps to it, so that too few records bless nothing. A leak is shown if an
attack does better than chance, or than on the control, beyond what chance explains; the error is shared among all
attacks of the audit (Bonferroni), so that a model without a leak is accused no more often than it says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tfx_anonymizer.attacks import roc
from tfx_anonymizer.auditing.attribute_audit import AttributeAudit
from tfx_anonymizer.auditing.model_audit import ModelAudit
from tfx_anonymizer.auditing.release_audit import ReleaseAudit
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import Bools


@dataclasses.dataclass(frozen=True)
class AuditCheck:
    """One bound compared with what was reached.

    Attributes:
        name: What is bounded: `auc`, `tpr_at_fpr_0.01`, `advantage`, `risk`, `rows_in_classes_below_k`.
        attack: The attack.
        asked: The bound.
        reached: The upper confidence limit.
        low: The lower one.
        holds: Whether `reached` keeps to the bound.
    """

    name: str
    attack: str
    asked: float
    reached: float
    low: float
    holds: bool

    def __str__(self) -> str:
        sure = "" if self.holds or self.low > self.asked else ", and with more records it may turn out less"
        return f"{self.name} of {self.attack!r}: at most {self.asked:g} asked, up to {self.reached:.3g} possible{sure}"

    def to_dict(self) -> dict[str, Any]:
        """Returns the check as JSON-ready values."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What follows from an audit.

    Attributes:
        checks: Every bound.
        shown: Attacks that showed a leak, named as `model: attack`, `attribute: column` or `release: attack`.
    """

    checks: tuple[AuditCheck, ...]
    shown: tuple[str, ...]

    @property
    def blessed(self) -> bool:
        """Whether every bound holds."""
        return all(check.holds for check in self.checks)

    @property
    def broken(self) -> list[str]:
        """The bounds that do not hold, in words."""
        return [str(check) for check in self.checks if not check.holds]


def judge(
    settings: AuditSettings,
    members: Bools | None = None,
    model: ModelAudit | None = None,
    attributes: Sequence[AttributeAudit] = (),
    release: ReleaseAudit | None = None,
) -> Verdict:
    """Compares an audit with its bounds.

    Args:
        settings: The bounds.
        members: Who is a member among the records of the model's audit, bool, shape (n,).
        model: The audit of a model, if there was one.
        attributes: The audits of attributes.
        release: The audit of a release, if there was one.
    """
    checks: list[AuditCheck] = []
    if model is not None:
        checks += _of_model(model, settings)
    for audit in attributes:
        checks += [
            _check("advantage", f"{name} on {audit.attribute}", settings.max_advantage, found.advantage)
            for name, found in audit.members.items()
        ]
    if release is not None:
        checks += _of_release(release, settings)
    return Verdict(tuple(checks), _shown(settings, members, model, attributes, release))


def _of_model(model: ModelAudit, settings: AuditSettings) -> list[AuditCheck]:
    found = []
    for name, figures in model.figures.items():
        found.append(_check("auc", name, settings.max_auc, figures.auc))
        found.append(_check("tpr_at_fpr_0.01", name, settings.max_tpr, figures.caught_at[0.01]))
    return found


def _of_release(release: ReleaseAudit, settings: AuditSettings) -> list[AuditCheck]:
    found = [_check("risk", comparison.name, settings.max_risk, comparison.risk) for comparison in release.known]
    for name, figures in (("nearness", release.nearness), ("absence", release.absence)):
        found.append(_check("auc", name, settings.max_auc, figures.auc))
        found.append(_check("tpr_at_fpr_0.01", name, settings.max_tpr, figures.caught_at[0.01]))
    small = float(release.small)
    found.append(AuditCheck("rows_in_classes_below_k", "counting", 0.0, small, small, release.small == 0))
    return found


def _shown(
    settings: AuditSettings,
    members: Bools | None,
    model: ModelAudit | None,
    attributes: Sequence[AttributeAudit],
    release: ReleaseAudit | None,
) -> tuple[str, ...]:
    comparisons = (*release.known, *release.more) if release is not None else ()
    attacks = len(model.figures) if model is not None else 0
    trials = attacks + sum(len(audit.members) for audit in attributes) + len(comparisons)
    level = (1 - settings.confidence) / max(trials, 1)
    found = []
    if model is not None and members is not None:
        for name, judgement in model.judgements.items():
            if roc.p_value(judgement.scores, members[judgement.judged]) < level:
                found.append(f"model: {name}")
    for audit in attributes:
        found += [
            f"attribute: {name} on {audit.attribute}"
            for name, figures in audit.members.items()
            if figures.at(1 - 2 * level).low > 0
        ]
    found += [f"release: {comparison.name}" for comparison in comparisons if comparison.p_value < level]
    if release is not None and release.small:
        # Counted, so there is no chance in it.
        found.append("release: counting")
    return tuple(found)


def _check(name: str, attack: str, asked: float, found: Any) -> AuditCheck:
    return AuditCheck(name, attack, asked, found.high, found.low, found.high <= asked)
