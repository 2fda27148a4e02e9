"""What stands in every report, whatever it is about: who made it, what is claimed, and what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfx_anonymizer._version import __version__

REPORT_VERSION = 1
CLAIM = (
    "Each released combination of the quasi-identifiers is shared by at least k rows of this release, "
    "or by at least k people where people are counted."
)
LIMITS = (
    "Homogeneity: if all of a class share a sensitive value, membership in the class reveals it; use l and t.",
    "Composition: two releases about the same people can be compared, and a person may stand out in the comparison.",
    "Downcoding: whoever knows how classes are made may learn more about a member than the class shows.",
    "Other attributes: columns outside the quasi-identifiers, and labels, are released as they are.",
    "Models: those trained on the raw data and on the release are not covered by this count; audit them.",
)


AUDIT_CLAIM = (
    "The attacks named here were carried out, on the records counted here, and reached what stands here. "
    "This is a measurement, not a proof, and no verdict in law."
)
AUDIT_LIMITS = (
    "Other attacks: whoever knows more, or trains more reference models, may reach more; an upper confidence limit is "
    "one of these attacks, not of all.",
    "Other people: an average over the audited hides single persons who are told more easily; see the groups.",
    "Other releases: what two releases or two models about the same people tell together is not measured.",
    "Epsilon: what stands here are lower bounds; none of them says that training was differentially private.",
    "Other attributes: what is known beside the quasi-identifiers was tried in few ways only.",
)

SYNTHESIS_CLAIM = (
    "Any set of outputs that can be made of this release is at most e^epsilon times likelier with a person's records "
    "among the input than without them, but for a chance of delta, whoever the person is and whatever else is known."
)
NOT_PRIVATE = "Nothing: it was made with a seed, so whoever has the seed can take the noise off again."
SYNTHESIS_LIMITS = (
    "Groups: a family of g people is covered with g times epsilon; what is true of many people stays learnable.",
    "Other releases: what else is released about the same people is added to what was spent; see the ledger.",
    "The public part: bounds, vocabularies and all settings are taken to have been chosen without looking at the data.",
    "Splits that were not synthesized, and the raw examples themselves, are not covered.",
    "Accuracy: rows look like people of the schema, and single columns resemble the data; other questions may not.",
)


def framed(
    tool: str, body: Mapping[str, Any], claim: str = CLAIM, not_covered: Sequence[str] = LIMITS
) -> dict[str, Any]:
    """Puts the frame round a report's facts.

    Args:
        tool: What made the report.
        body: JSON-ready facts; never a value of a record.
        claim: What the facts amount to.
        not_covered: What they say nothing of.

    Returns:
        The report, JSON-ready; see `schemas/report.schema.json`.
    """
    return {
        "report_version": REPORT_VERSION,
        "tool": tool,
        "made_by": f"tfx_anonymizer {__version__}",
        **body,
        "claim": claim,
        "not_covered": list(not_covered),
    }


def framed_synthesis(tool: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Puts the frame round a synthesis's facts; see `framed` and `schemas/synthesis.schema.json`."""
    claim = SYNTHESIS_CLAIM if body["private"] else NOT_PRIVATE
    return framed(tool, body, claim, SYNTHESIS_LIMITS)


def framed_audit(tool: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Puts the frame round an audit's facts; see `framed` and `schemas/audit.schema.json`."""
    return framed(tool, body, AUDIT_CLAIM, AUDIT_LIMITS)
