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


@dataclasses.dataclass(frozen=True)
class Synthesis:
    """What a run with differential privacy achieved.

    Attributes:
        epsilon: What was spent, as the accountant finds.
        delta: The chance that it fails.
        rows: Synthetic training rows.
        cells: Cells released, and those left out as too small.
        raw: Metrics of the model trained on raw data, by name.
        synthetic: Metrics of the retrained model, on the same held-out rows.
        report: Path of the synthesis report.
        pushed: Path of the pushed model, or None.
    """

    epsilon: float
    delta: float
    rows: int
    cells: tuple[int, int]
    raw: dict[str, float]
    synthetic: dict[str, float]
    report: Path
    pushed: Path | None


def read_synthesis(root: Path) -> Synthesis:
    """Collects the outcome of the latest run with differential privacy under a pipeline root.

    Args:
        root: The pipeline root, with `metadata.db` in it.
    """
    uris = latest_outputs(root / "metadata.db")
    path = Path(uris["DPSynthesizer", "report"]) / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    made = report["splits"]["train"]
    evaluation = uris["Evaluator", "evaluation"]
    return Synthesis(
        epsilon=report["spent"]["epsilon"],
        delta=report["spent"]["delta"],
        rows=made["rows"],
        cells=(made["cells"] - made["suppressed_cells"], made["suppressed_cells"]),
        raw=_metrics(evaluation, "baseline"),
        synthetic=_metrics(evaluation, "candidate"),
        report=path,
        pushed=_pushed_path(uris.get(("Pusher", "pushed_model"))),
    )


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
    table = _table(title)
    table.add_row("k asked / reached", f"{outcome.k_asked} / {outcome.k_reached}")
    table.add_row("training rows", f"{outcome.rows:,}")
    table.add_row("classes / largest class", f"{outcome.classes:,} / {outcome.largest_class:,}")
    _add_metrics(table, outcome.raw, outcome.anonymized, held_out)
    table.add_row("anonymization report", _short(outcome.report))
    table.add_row("validation report", _short(outcome.validation))
    table.add_row("privacy report", _short(outcome.page))
    _add_pushed(table, outcome.pushed)
    console.print(table)


def print_synthesis(found: Synthesis, console: Console, title: str, held_out: str) -> None:
    """Prints the price of differential privacy as one table; see `print_outcome`."""
    table = _table(title)
    table.add_row("epsilon / delta spent", f"{found.epsilon:.3f} / {found.delta:g}")
    table.add_row("synthetic training rows", f"{found.rows:,}")
    table.add_row("cells released / left out", f"{found.cells[0]:,} / {found.cells[1]:,}")
    _add_metrics(table, found.raw, found.synthetic, held_out)
    table.add_row("synthesis report", _short(found.report))
    _add_pushed(table, found.pushed)
    console.print(table)


def _table(title: str) -> Table:
    table = Table(title=title, show_header=False, title_style="bold", min_width=72)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    return table


def _add_metrics(table: Table, before: dict[str, float], after: dict[str, float], held_out: str) -> None:
    tests = int(before["example_count"])
    for name, label in (("binary_accuracy", "accuracy"), ("auc", "AUC")):
        raw, ours = before[name], after[name]
        table.add_row(f"{label}, model on raw data", f"{raw:.4f}   ({tests:,} {held_out})")
        change = f"{100 * (ours - raw):+.2f} points" if label == "accuracy" else f"{ours - raw:+.4f}"
        table.add_row(f"{label}, retrained on the release", f"{ours:.4f}   ({change})")


def _add_pushed(table: Table, pushed: Path | None) -> None:
    table.add_row("pushed model", _short(pushed) if pushed else "not pushed: the Evaluator did not bless it")


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
