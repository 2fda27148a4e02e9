"""What the KFP component `audit` does, on files; nothing here imports kfp."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tfx_anonymizer.errors import ViolationError
from tfx_anonymizer.kfp.datasets import TableArtifact, as_options, cell, write_text


@dataclasses.dataclass(frozen=True)
class AuditOfTables:
    """What an audit found.

    Attributes:
        report: The report, JSON-ready; see `schemas/audit.schema.json`.
        broken: The bounds that do not hold, in words.
    """

    report: Mapping[str, Any]
    broken: Sequence[str]

    def show(self, metrics: Any, summary: Any, report: Any) -> None:
        """Fills the artifacts that Kubeflow's pages show."""
        from tfx_anonymizer.report import render_audit_html

        for name, found in self.report["model"]["attacks"].items():
            metrics.log_metric(f"auc_{name}", float(found["auc"]["value"]))
            metrics.log_metric(f"caught_{name}", float(found["tpr_at_fpr"]["0.01"]["value"]))
        for name, found in self.report["release"]["knowing_the_quasi_identifiers"].items():
            metrics.log_metric(f"risk_{name}", float(found["risk"]["value"]))
        write_text(report.path, render_audit_html(dict(self.report)))
        verdict = "Not every bound holds" if self.broken else "Every bound holds"
        lines = [
            f"## {verdict}",
            "",
            "Leaks shown: " + (", ".join(map(cell, self.report["leaks_shown"])) or "none"),
            "",
        ]
        lines += ["| bound | attack | at most | reached, upper limit | |", "|---|---|---|---|---|"]
        for check in self.report["checks"]:
            sign = "\u2713" if check["holds"] else "\u2717"
            name, attack = cell(check["name"]), cell(check["attack"])
            lines.append(f"| {name} | {attack} | {check['asked']:g} | {check['reached']:.3g} | {sign} |")
        lines += ["", str(self.report["claim"]), "", "Not covered:", ""]
        lines += [f"* {limit}" for limit in self.report["not_covered"]]
        write_text(summary.path, "\n".join(lines) + "\n")

    def verdict(self, *, fail_on_violation: bool) -> bool:
        """Returns whether every bound holds.

        Raises:
            ViolationError: If one does not, and that is to fail.
        """
        if self.broken and fail_on_violation:
            raise ViolationError(
                "the audit reached more than is allowed, so the pipeline stops here",
                got="; ".join(self.broken),
                hint="a greater k, a model that learns less by heart, or more people; the report says what was tried",
            )
        return not self.broken


def audit_tables(
    data: TableArtifact,
    control: TableArtifact,
    release: TableArtifact,
    *,
    policy: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> AuditOfTables:
    """Audits a release, and a model trained on it.

    Args:
        data: Whose rows were released.
        control: Others of the same population.
        release: What was released.
        policy: Fields of `AnonymizationPolicy`.
        settings: Options of `tfx-anonymizer audit`.

    Raises:
        AnonymizerError: If the audit cannot be carried out.
    """
    from tfx_anonymizer.cli.audit import audit_files
    from tfx_anonymizer.report import framed_audit

    options = {
        **as_options(policy),
        **settings,
        "l": None,
        "t": None,
        "c": None,
        "diversity": "distinct",
        "raw_model": False,
        "label_classes": (),
        "attributes": (),
        "confidence": 0.95,
        "delimiter": data.delimiter,
        "missing": data.missing,
    }
    with tempfile.TemporaryDirectory() as name:
        paths = []
        for place, table in (("data", data), ("control", control), ("release", release)):
            folder = Path(name) / place
            folder.mkdir()
            paths.append(table.named(folder))
        source, others, released = paths
        found = audit_files(source, others, released, options, lambda _: None)
    verdict = found.verdict()
    return AuditOfTables(framed_audit("tfx_anonymizer.kfp.audit", found.to_dict(verdict)), verdict.broken)
