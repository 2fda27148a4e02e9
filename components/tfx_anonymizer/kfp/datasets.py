"""What the KFP components do, on files; nothing here imports kfp.

An artifact's file has whatever name Kubeflow gives it, so its form comes from its metadata, its name's suffix or a
parameter, in this order, and a release says its own form in its metadata.
"""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tfx_anonymizer.errors import InputDataError, PolicyError, ViolationError

FORMATS = ("csv", "parquet")
_METRICS = ("k", "rows", "classes", "largest_class", "prosecutor_risk")


@dataclasses.dataclass(frozen=True)
class TableArtifact:
    """A table in an artifact's file.

    Attributes:
        path: The file.
        file_format: `csv` or `parquet`.
        delimiter: What separates the cells of a CSV file.
        missing: Cells of a CSV file that mean missing.
    """

    path: Path
    file_format: str
    delimiter: str = ","
    missing: tuple[str, ...] = ("",)

    @classmethod
    def of(cls, artifact: Any, file_format: str, delimiter: str, missing: Sequence[str] | None) -> TableArtifact:
        """Looks into a KFP `Dataset`.

        Raises:
            PolicyError: If the form is neither known nor given.
            InputDataError: If there is no file.
        """
        path = Path(artifact.path)
        suffix = path.suffix[1:]
        found = (artifact.metadata or {}).get("format") or (suffix if suffix in FORMATS else file_format)
        if found not in FORMATS:
            raise PolicyError("file_format is not known", got=repr(found), allowed=" or ".join(FORMATS))
        if not path.is_file():
            raise InputDataError("the artifact holds no file", hint="it must be one CSV or Parquet file, not a folder")
        return cls(path, found, delimiter, tuple(missing) if missing is not None else ("",))

    def named(self, folder: Path) -> Path:
        """Returns a link to the file whose name tells its form."""
        link = folder / f"data.{self.file_format}"
        link.symlink_to(self.path.resolve())
        return link


@dataclasses.dataclass(frozen=True)
class Release:
    """A release that was written.

    Attributes:
        report: The report, as JSON; see `schemas/report.schema.json`.
        file_format: The release's form.
    """

    report: Mapping[str, Any]
    file_format: str

    @property
    def metadata(self) -> dict[str, Any]:
        """What the artifact says of itself; no value of any record."""
        counted = self.report["counted"]
        return {"format": self.file_format, "k": counted["k"], "rows": counted["rows"], "classes": counted["classes"]}

    def show(self, metrics: Any, summary: Any, report: Any) -> None:
        """Fills the artifacts that Kubeflow's pages show."""
        from tfx_anonymizer.report.writing import render_html

        _log(metrics, self.report["counted"])
        page = render_html(dict(self.report))
        write_text(report.path, page)
        lines = [
            "## Anonymized table",
            "",
            *_promises(self.report["checks"]),
            "",
            "| quasi-identifier | values before | values after | cells changed |",
            "|---|---|---|---|",
        ]
        for name, facts in self.report["attributes"].items():
            before, after, changed = facts["distinct_before"], facts["distinct_after"], facts["share_changed"]
            lines.append(f"| {cell(name)} | {before:,} | {after:,} | {changed:.1%} |")
        lines += ["", *_not_covered(self.report)]
        write_text(summary.path, "\n".join(lines) + "\n")


@dataclasses.dataclass(frozen=True)
class Count:
    """What was counted of a release.

    Attributes:
        measures: As `core.PrivacyMeasures.to_dict` gives it.
        checks: Each promise as `promises.Check.to_dict` gives it.
        broken: The broken promises in words.
    """

    measures: Mapping[str, Any]
    checks: Sequence[Mapping[str, Any]]
    broken: Sequence[str]

    def show(self, metrics: Any, summary: Any) -> None:
        """Fills the artifacts that Kubeflow's pages show."""
        from tfx_anonymizer.report import framed

        _log(metrics, self.measures)
        report = framed("tfx_anonymizer.kfp.validate", {})
        verdict = "The promise is broken" if self.broken else "The promise holds"
        lines = [f"## {verdict}", "", *_promises(self.checks), "", *_not_covered(report)]
        write_text(summary.path, "\n".join(lines) + "\n")

    def verdict(self, *, fail_on_violation: bool) -> bool:
        """Returns whether every promise is kept.

        Raises:
            ViolationError: If one is not, and that is to fail.
        """
        if self.broken and fail_on_violation:
            raise ViolationError(
                "the release does not keep its promise, so the pipeline stops here",
                got="; ".join(self.broken),
                hint="nothing may read this table; find out what changed it after it was anonymized",
            )
        return not self.broken


def anonymize_table(
    table: TableArtifact, release: str, *, policy: Mapping[str, Any], method: Mapping[str, Any]
) -> Release:
    """Writes the release of a table; nothing is written if something is wrong.

    Args:
        table: The raw table.
        release: Where the release goes; of the table's form.
        policy: Fields of `AnonymizationPolicy`, as the components take them; see `promises`.
        method: How to group, as options of the command line.

    Raises:
        AnonymizerError: If the table cannot be read or cannot be made to keep the guarantee.
    """
    from tfx_anonymizer.cli.anonymize import anonymize

    run: Any = anonymize.callback
    target = Path(release)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, so that moving it there is one step.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".anonymize-") as name:
        folder = Path(name)
        written, report = folder / f"release.{table.file_format}", folder / "report.json"
        given = {
            "source": table.named(folder),
            "output": written,
            "report": report,
            "quiet": True,
            "delimiter": table.delimiter,
            "missing": table.missing,
            **as_options(promises(policy)),
            **method,
        }
        run(**given)
        found = json.loads(report.read_text(encoding="utf-8"))
        written.replace(target)
    return Release(found, table.file_format)


def validate_table(table: TableArtifact, *, policy: Mapping[str, Any]) -> Count:
    """Counts a release afresh.

    Args:
        table: The released table.
        policy: Fields of `AnonymizationPolicy`, as the components take them; see `promises`.

    Raises:
        AnonymizerError: If the table cannot be read or lacks a column.
    """
    from tfx_anonymizer.counting import count
    from tfx_anonymizer.policy import AnonymizationPolicy
    from tfx_anonymizer.promises import broken
    from tfx_anonymizer.tables import read_table

    promised = AnonymizationPolicy.from_fields(promises(policy))
    with tempfile.TemporaryDirectory() as name:
        file = read_table(table.named(Path(name)), delimiter=table.delimiter, missing=table.missing)
    # That a direct identifier is absent is what is hoped for.
    dataclasses.replace(promised, direct_identifiers=()).check_columns(file.typed.column_names)
    measures, checks = count(file.exact(promised.quasi_identifiers), promised)
    return Count(measures.to_dict(), [check.to_dict() for check in checks], broken(checks))


def promises(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Turns numbers that ask for nothing into None, and whole floats into integers, as JSON's numbers may be.

    Example:
        >>> promises({"k": 50, "l": 2.0, "t": 1.0, "c": 0.0})
        {'k': 50, 'l': 2, 't': None, 'c': None}
    """
    nothing = {"l": 1, "t": 1, "c": 0}
    found = {name: None if name in nothing and value == nothing[name] else value for name, value in policy.items()}
    l = found.get("l")
    return {**found, "l": int(l)} if isinstance(l, float) and l.is_integer() else found


def as_options(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Returns fields of a policy as options of the command line, whose lists may be given several times: here once."""
    lists = ("quasi_identifiers", "sensitive", "direct_identifiers", "categorical")
    return {name: (tuple(value),) if name in lists else value for name, value in policy.items()}


def _log(metrics: Any, measures: Mapping[str, Any]) -> None:
    for name in _METRICS:
        metrics.log_metric(name, float(measures[name]))


def _promises(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = ["| promise | asked | reached | |", "|---|---|---|---|"]
    for check in checks:
        name = check["name"] + (f" of {cell(check['column'])}" if check["column"] else "")
        sign = "✓" if check["holds"] else "✗"
        reached = "∞" if check["reached"] is None else f"{check['reached']:g}"
        lines.append(f"| {name} | {check['asked']:g} | {reached} | {sign} |")
    return lines


def _not_covered(report: Mapping[str, Any]) -> list[str]:
    return [str(report["claim"]), "", "Not covered:", "", *(f"* {limit}" for limit in report["not_covered"])]


def cell(text: str) -> str:
    """Returns a text, such as a column's name, as it may stand in a Markdown table."""
    for sign in ("\\", "|", "`", "*", "_", "<", "[", "]"):
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


def write_text(path: str, text: str) -> None:
    """Writes an artifact's file, making its folder if need be."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
