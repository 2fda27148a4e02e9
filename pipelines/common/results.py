"""Reading what a finished run left behind, by way of its metadata."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a run achieved.

    Attributes:
        k_asked: The guarantee.
        k_reached: What the validator counted.
        rows: Released training rows.
        classes: Equivalence classes.
        largest_class: Rows in the largest.
        raw: Metrics of the model trained on raw data, by name.
        anonymized: Metrics of the retrained model, on the same held-out rows.
        report: Path of the anonymization report.
        validation: Path of the validator's report.
        page: Path of the report of the whole pipeline.
        pushed: Path of the pushed model, or None.
    """

    k_asked: int
    k_reached: int
    rows: int
    classes: int
    largest_class: int
    raw: dict[str, float]
    anonymized: dict[str, float]
    report: Path
    validation: Path
    page: Path
    pushed: Path | None


def read_outcome(root: Path) -> Outcome:
    """Collects the outcome of the latest run under a pipeline root.

    Args:
        root: The pipeline root, with `metadata.db` in it.
    """
    uris = latest_outputs(root / "metadata.db")
    report = Path(uris["AGAnonymizer", "report"]) / "report.json"
    validation = Path(uris["KAnonymityValidator", "report"]) / "report.json"
    verdict = json.loads(validation.read_text(encoding="utf-8"))
    counted = verdict["splits"]["train"]["counted"]
    pushed = uris.get(("Pusher", "pushed_model"))
    evaluation = uris["Evaluator", "evaluation"]
    return Outcome(
        k_asked=verdict["policy"]["k"],
        k_reached=counted["k"],
        rows=counted["rows"],
        classes=counted["classes"],
        largest_class=max(map(int, counted["class_sizes"])),
        raw=_metrics(evaluation, "baseline"),
        anonymized=_metrics(evaluation, "candidate"),
        report=report,
        validation=validation,
        page=Path(uris["PrivacyReporter", "privacy_report"]) / "report.html",
        pushed=_pushed_path(pushed),
    )


def latest_outputs(database: Path) -> dict[tuple[str, str], str]:
    """Returns the folder of each (component, output) of the latest execution of each component."""
    from ml_metadata import metadata_store
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(database)
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READONLY
    store = metadata_store.MetadataStore(config)
    node_of = {}
    for context in store.get_contexts_by_type("node"):
        for execution in store.get_executions_by_context(context.id):
            node_of[execution.id] = context.name.split(".", 1)[1]
    found: dict[tuple[str, str], str] = {}
    for event in sorted(store.get_events_by_execution_ids(list(node_of)), key=lambda e: e.execution_id):
        if event.type == mlmd.Event.OUTPUT:
            (artifact,) = store.get_artifacts_by_id([event.artifact_id])
            key = next(step.key for step in event.path.steps if step.HasField("key"))
            found[node_of[event.execution_id], key] = artifact.uri
    return found


def print_outcome(outcome: Outcome, console: Console, title: str, held_out: str) -> None:
    """Prints the price of privacy as one table.

    Args:
        outcome: What a run achieved.
        console: Where to print.
        title: What ran.
        held_out: What the models were compared on, for example `held-out trips`.
    """
    tests = int(outcome.raw["example_count"])
    table = Table(title=title, show_header=False, title_style="bold", min_width=72)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("k asked / reached", f"{outcome.k_asked} / {outcome.k_reached}")
    table.add_row("training rows", f"{outcome.rows:,}")
    table.add_row("classes / largest class", f"{outcome.classes:,} / {outcome.largest_class:,}")
    for name, label in (("binary_accuracy", "accuracy"), ("auc", "AUC")):
        raw, ours = outcome.raw[name], outcome.anonymized[name]
        table.add_row(f"{label}, model on raw data", f"{raw:.4f}   ({tests:,} {held_out})")
        change = f"{100 * (ours - raw):+.2f} points" if label == "accuracy" else f"{ours - raw:+.4f}"
        table.add_row(f"{label}, retrained on the release", f"{ours:.4f}   ({change})")
    table.add_row("anonymization report", _short(outcome.report))
    table.add_row("validation report", _short(outcome.validation))
    table.add_row("privacy report", _short(outcome.page))
    pushed = _short(outcome.pushed) if outcome.pushed else "not pushed: the Evaluator did not bless it"
    table.add_row("pushed model", pushed)
    console.print(table)


def _metrics(evaluation: str, model: str) -> dict[str, float]:
    import tensorflow_model_analysis as tfma

    result = tfma.load_eval_result(evaluation, model_name=model)
    metrics: dict[str, Any] = result.get_metrics_for_slice(())
    return {name: float(value["doubleValue"]) for name, value in metrics.items() if "doubleValue" in value}


def _pushed_path(uri: str | None) -> Path | None:
    """Follows Pusher's output to the folder the model was pushed to."""
    if uri is None or not Path(uri).is_dir() or not any(Path(uri).iterdir()):
        return None
    return Path(uri)


def _short(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
