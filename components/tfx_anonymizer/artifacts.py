"""Artifact types of this package in ML Metadata.

Kubeflow wants a type's name to be `<package>.<Class>` with one dot, importable by that very path, and no declared
properties; so facts are custom properties, and every class here is exported from the package's top level.
"""

from __future__ import annotations

from tfx import v1 as tfx

# Set to 1 on whatever holds, or was fitted on, values of real people.
CONTAINS_PERSONAL_DATA = "contains_personal_data"
# Set to 1 on examples whose splits `member` and `non_member` a fair coin told apart before anything was trained.
MEMBERS_DRAWN_BY_COIN = "members_drawn_by_coin"


class Generalization(tfx.dsl.Artifact):  # type: ignore[misc]
    """A fitted generalization, one folder `Split-<name>` for each split it was fitted on.

    It holds cut points and categories of the raw data, so it is to be kept like that data.
    """

    TYPE_NAME = "tfx_anonymizer.Generalization"


class AnonymizationReport(tfx.dsl.Artifact):  # type: ignore[misc]
    """What AGAnonymizer did: `report.json`, without any value of a record; see `schemas/`."""

    TYPE_NAME = "tfx_anonymizer.AnonymizationReport"


class ValidationReport(tfx.dsl.Artifact):  # type: ignore[misc]
    """What KAnonymityValidator counted: `report.json`, without any value of a record; see `schemas/`."""

    TYPE_NAME = "tfx_anonymizer.ValidationReport"


class AnonymizationChoice(tfx.dsl.Artifact):  # type: ignore[misc]
    """What AnonymizationTuner chose: `choice.json` with `k` and `partitioner`."""

    TYPE_NAME = "tfx_anonymizer.AnonymizationChoice"


class ComparisonReport(tfx.dsl.Artifact):  # type: ignore[misc]
    """What each k cost: `comparison.html`, `comparison.csv` and `comparison.json`, without any value of a record."""

    TYPE_NAME = "tfx_anonymizer.ComparisonReport"


class AuditReport(tfx.dsl.Artifact):  # type: ignore[misc]
    """What PrivacyAuditor found: `report.json` and `report.html`, without any value of a record; see `schemas/`."""

    TYPE_NAME = "tfx_anonymizer.AuditReport"


class PrivacyReport(tfx.dsl.Artifact):  # type: ignore[misc]
    """What PrivacyReporter put together: `report.html` and `report.json`; see `schemas/`.

    Of values it holds only those that at least k people share.
    """

    TYPE_NAME = "tfx_anonymizer.PrivacyReport"


class SynthesisReport(tfx.dsl.Artifact):  # type: ignore[misc]
    """What DPSynthesizer spent and on what: `report.json` and `report.html`, without any value of a record."""

    TYPE_NAME = "tfx_anonymizer.SynthesisReport"


class PrivacyBlessing(tfx.dsl.Artifact):  # type: ignore[misc]
    """A verdict: an empty file `BLESSED` or `NOT_BLESSED`, and the custom property `blessed`, 1 or 0."""

    TYPE_NAME = "tfx_anonymizer.PrivacyBlessing"
