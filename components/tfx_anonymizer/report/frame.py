"""What stands in every report, whatever it is about: who made it, what is claimed, and what is not."""

from __future__ import annotations

from collections.abc import Mapping
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


def framed(tool: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Puts the frame round a report's facts.

    Args:
        tool: What made the report.
        body: JSON-ready facts; never a value of a record.

    Returns:
        The report, JSON-ready; see `schemas/report.schema.json`.
    """
    return {
        "report_version": REPORT_VERSION,
        "tool": tool,
        "made_by": f"tfx_anonymizer {__version__}",
        **body,
        "claim": CLAIM,
        "not_covered": list(LIMITS),
    }
