"""What a release tells of those who are in it, attack against control."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from tfx_anonymizer.attacks.encoding import encode
from tfx_anonymizer.attacks.figures import Figures, measure
from tfx_anonymizer.attacks.release.absence import absence
from tfx_anonymizer.attacks.release.comparison import Comparison
from tfx_anonymizer.attacks.release.inference import inference
from tfx_anonymizer.attacks.release.linkability import linkability
from tfx_anonymizer.attacks.release.presence import nearness, presence, rows_in_small_classes
from tfx_anonymizer.attacks.release.singling_out import singling_out
from tfx_anonymizer.auditing.settings import LEAST_RECORDS, AuditSettings
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.policy import AnonymizationPolicy

# Attributes that a predicate speaks of.
_PREDICATES = (1, 3)


@dataclasses.dataclass(frozen=True)
class ReleaseAudit:
    """What attacks on a release reached.

    Attributes:
        known: Attacks that know the quasi-identifiers, and sensitive columns inferred from them.
        more: Attacks that know every released column, and the label inferred: what k-anonymity does not speak of.
        nearness: Membership told by the distance to the nearest released combination.
        absence: Membership told by what the release leaves out; see `attacks.release.absence`.
        small: Released rows in classes of fewer than k.
        k: The promise.
    """

    known: tuple[Comparison, ...]
    more: tuple[Comparison, ...]
    nearness: Figures
    absence: Figures
    small: int
    k: int

    def to_dict(self) -> dict[str, Any]:
        """Returns the audit as JSON-ready values."""
        return {
            "knowing_the_quasi_identifiers": {found.name: found.to_dict() for found in self.known},
            "knowing_more": {found.name: found.to_dict() for found in self.more},
            "nearness": self.nearness.to_dict(),
            "absence": self.absence.to_dict(),
            "rows_in_classes_below_k": self.small,
        }


def audit_release(
    members: pa.Table,
    others: pa.Table,
    release: pa.Table,
    policy: AnonymizationPolicy,
    settings: AuditSettings,
    *,
    by_coin: bool = False,
    step: Callable[[str], None] = lambda _: None,
) -> ReleaseAudit:
    """Attacks a release.

    Args:
        members: Rows that were released, as they were; single-valued columns. All of them or a sample.
        others: Rows of the same population that were not.
        release: What was released of the members, all of it.
        policy: Who is who; `k` is what is promised.
        settings: Seed, confidence and how many records are judged.
        by_coin: Whether a fair coin drew members among the two.
        step: Is told what is done next.

    Raises:
        ColumnError: If a table lacks a column that the policy names.
        InputDataError: If there are too few to attack.
    """
    for name, side in (("members", members), ("non-members", others), ("released rows", release)):
        if side.num_rows < LEAST_RECORDS:
            raise InputDataError(
                f"too few {name} to audit", got=f"{side.num_rows} records", allowed=f"{LEAST_RECORDS} or more"
            )
        dataclasses.replace(policy, direct_identifiers=()).check_columns(side.column_names)
    confidence, seed = settings.confidence, settings.seed
    tables = [members.slice(0, settings.records), others.slice(0, settings.records), release]
    names = policy.quasi_identifiers
    shared = [name for name in release.column_names if name in members.column_names and name in others.column_names]
    shared = [name for name in shared if name not in (*policy.direct_identifiers, policy.entity_id)]
    by_names = encode(tables, names, policy.categorical)
    whole = encode(tables, shared, policy.categorical)
    step("who is in the release")
    known = [
        presence("presence", by_names, confidence=confidence),
        presence("presence_below_k", by_names, below=policy.k, confidence=confidence),
    ]
    more = [presence("presence_of_the_whole_record", whole, confidence=confidence)]
    judged = np.arange(tables[0].num_rows + tables[1].num_rows) < tables[0].num_rows
    distances, absences = (
        measure(np.concatenate(scores), judged, by_coin=by_coin, confidence=confidence, seed=seed)
        for scores in (nearness(by_names), absence(by_names, policy.k))
    )
    step("singling out, linking, inferring")
    for number in _PREDICATES:
        known.append(_singled(by_names, number, settings, "singling_out"))
        more.append(_singled(whole, number, settings, "singling_out_by_all"))
    if len(names) > 1:
        known.append(linkability(by_names, (names[::2], names[1::2]), confidence=confidence, seed=seed))
    for secret in dict.fromkeys((*policy.sensitive, *([policy.label] if policy.label else []))):
        if secret in names or secret not in shared:
            continue
        columns = encode(tables, [*names, secret], policy.categorical)
        found = inference(columns, secret, confidence=confidence, seed=seed)
        (known if secret in policy.sensitive else more).append(found)
    small = rows_in_small_classes(by_names.tables[2], policy.k)
    return ReleaseAudit(tuple(known), tuple(more), distances, absences, small, policy.k)


def _singled(tables: Any, number: int, settings: AuditSettings, name: str) -> Comparison:
    found = singling_out(
        tables, attributes=min(number, len(tables.names)), confidence=settings.confidence, seed=settings.seed
    )
    return dataclasses.replace(found, name=f"{name}_{number}")
