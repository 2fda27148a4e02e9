"""The whole of an audit as one JSON-ready report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from tfx_anonymizer.auditing.attribute_audit import AttributeAudit
from tfx_anonymizer.auditing.model_audit import ModelAudit
from tfx_anonymizer.auditing.release_audit import ReleaseAudit
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import Subject
from tfx_anonymizer.auditing.verdict import Verdict, judge
from tfx_anonymizer.policy import AnonymizationPolicy


@dataclasses.dataclass(frozen=True)
class Audit:
    """What was found, and what follows.

    Attributes:
        settings: What was asked.
        target: What was attacked, in words.
        references: What the reference models were, in words.
        policy: Roles and promise, if there is one.
        subject: Whom the audit of the model was about.
        model: The audit of a model.
        attributes: The audits of attributes.
        release: The audit of a release.
    """

    settings: AuditSettings
    target: str
    references: str
    policy: AnonymizationPolicy | None = None
    subject: Subject | None = None
    model: ModelAudit | None = None
    attributes: Sequence[AttributeAudit] = ()
    release: ReleaseAudit | None = None

    def verdict(self) -> Verdict:
        """Compares with the bounds."""
        members = None if self.subject is None else self.subject.members
        return judge(self.settings, members, self.model, self.attributes, self.release)

    def to_dict(self, verdict: Verdict) -> dict[str, Any]:
        """Returns the audit as JSON-ready values; see `schemas/audit.schema.json`."""
        subject = self.subject
        return {
            "success": verdict.blessed,
            "leaks_shown": list(verdict.shown),
            "checks": [check.to_dict() for check in verdict.checks],
            "settings": self.settings.to_dict(),
            "policy": None if self.policy is None else json.loads(self.policy.to_json()),
            "target": self.target,
            "references": self.references,
            "audited": None
            if subject is None
            else {
                "members": int(subject.members.sum()),
                "non_members": int((~subject.members).sum()),
                "members_drawn_by_coin": subject.by_coin,
            },
            "model": None if self.model is None else self.model.to_dict(),
            "attributes": {audit.attribute: audit.to_dict() for audit in self.attributes},
            "release": None if self.release is None else self.release.to_dict(),
        }
