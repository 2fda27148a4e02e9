"""One visualization for each artifact type of this package, in the form that TFX's InteractiveContext asks for."""

from __future__ import annotations

import json
import posixpath
from typing import Any

from tfx.v1.dsl.io import fileio

from tfx_anonymizer import artifacts
from tfx_anonymizer._tfx_compat import interactive_visualizations, io_utils
from tfx_anonymizer.component_support.reports import REPORT_FILE
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.notebook import pages

_interactive = interactive_visualizations()


def registry() -> Any:
    """Returns TFX's registry of visualizations."""
    return _interactive.get_registry()


class _Page(_interactive.ArtifactVisualization):  # type: ignore[misc, name-defined]
    """Shows an artifact as a page; how is said by the subclasses."""

    ARTIFACT_TYPE: type

    def html(self, artifact: Any) -> str:
        """Returns the page of an artifact."""
        raise NotImplementedError

    def display(self, artifact: Any) -> None:
        """Shows an artifact below the running cell.

        Args:
            artifact: An artifact of type `ARTIFACT_TYPE`, resolved: its `uri` is where its files are.

        Raises:
            InputDataError: If its report is absent or damaged.
        """
        from IPython.display import HTML, display

        display(HTML(self.html(artifact)))  # type: ignore[no-untyped-call, unused-ignore]


class AnonymizationReportVisualization(_Page):
    """What AGAnonymizer did."""

    ARTIFACT_TYPE = artifacts.AnonymizationReport

    def html(self, artifact: Any) -> str:
        """Returns the report as a page."""
        return pages.report_page(_read_json(artifact, REPORT_FILE))


class ValidationReportVisualization(_Page):
    """What KAnonymityValidator counted."""

    ARTIFACT_TYPE = artifacts.ValidationReport

    def html(self, artifact: Any) -> str:
        """Returns the report as a page."""
        return pages.report_page(_read_json(artifact, REPORT_FILE))


class ComparisonReportVisualization(_Page):
    """What each k cost."""

    ARTIFACT_TYPE = artifacts.ComparisonReport

    def html(self, artifact: Any) -> str:
        """Returns the page that AnonymizationTuner wrote, in a frame."""
        return pages.framed_page("What each k cost", _read(artifact, "comparison.html"))


class AuditReportVisualization(_Page):
    """What attacks reached."""

    ARTIFACT_TYPE = artifacts.AuditReport

    def html(self, artifact: Any) -> str:
        """Returns the page that PrivacyAuditor wrote, in a frame."""
        return pages.framed_page("What attacks reached", _read(artifact, "report.html"))


class PrivacyReportVisualization(_Page):
    """The report of a whole pipeline."""

    ARTIFACT_TYPE = artifacts.PrivacyReport

    def html(self, artifact: Any) -> str:
        """Returns the page that PrivacyReporter wrote, in a frame."""
        return pages.framed_page("Privacy report", _read(artifact, "report.html"))


class SynthesisReportVisualization(_Page):
    """What a synthesis spent."""

    ARTIFACT_TYPE = artifacts.SynthesisReport

    def html(self, artifact: Any) -> str:
        """Returns the page that DPSynthesizer wrote, in a frame."""
        return pages.framed_page("What was spent", _read(artifact, "report.html"))


class AnonymizationChoiceVisualization(_Page):
    """What AnonymizationTuner chose."""

    ARTIFACT_TYPE = artifacts.AnonymizationChoice

    def html(self, artifact: Any) -> str:
        """Returns k and the partitioner as one line."""
        return pages.choice_page(_read_json(artifact, "choice.json"))


class PrivacyBlessingVisualization(_Page):
    """A validator's verdict."""

    ARTIFACT_TYPE = artifacts.PrivacyBlessing

    def html(self, artifact: Any) -> str:
        """Returns the verdict as one line; what is written in the artifact's folder counts."""
        blessed, refused = (fileio.exists(posixpath.join(artifact.uri, name)) for name in ("BLESSED", "NOT_BLESSED"))
        return pages.blessing_page(blessed=None if blessed == refused else blessed)


class GeneralizationVisualization(_Page):
    """Which generalization there is; not what it says, since it holds values of the raw data."""

    ARTIFACT_TYPE = artifacts.Generalization

    def html(self, artifact: Any) -> str:
        """Returns the number of classes by split, and the names of the columns."""
        folders = sorted(name.rstrip("/") for name in fileio.listdir(artifact.uri) if name.startswith("Split-"))
        headers = {
            folder.removeprefix("Split-"): _read_json(artifact, posixpath.join(folder, "generalization.json"))
            for folder in folders
        }
        return pages.generalization_page(headers)


VISUALIZATIONS = (
    AnonymizationReportVisualization,
    ValidationReportVisualization,
    ComparisonReportVisualization,
    AuditReportVisualization,
    PrivacyReportVisualization,
    SynthesisReportVisualization,
    AnonymizationChoiceVisualization,
    PrivacyBlessingVisualization,
    GeneralizationVisualization,
)


def _read(artifact: Any, name: str) -> str:
    path = posixpath.join(artifact.uri, name)
    if not fileio.exists(path):
        raise InputDataError(
            f"an artifact of type {artifact.type_name} holds no {name}",
            hint="run the component that makes it first, and see whether it failed",
        )
    text: str = io_utils.read_string_file(path)
    return text


def _read_json(artifact: Any, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(_read(artifact, name))
    except json.JSONDecodeError as error:
        raise InputDataError(
            f"{name} of an artifact of type {artifact.type_name} is damaged", got=f"an error at character {error.pos}"
        ) from None
    return found
