"""What an example pipeline loses by anonymization, over several seeds: `python -m benchmarks.price_of_privacy taxi`.

One training run says little: between seeds, the accuracy of either model moves by more than anonymization costs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pipelines.common.local_run import prepare_environment
from pipelines.common.results import Outcome, read_outcome

ROOT = Path(__file__).parents[1]
METRICS = {"binary_accuracy": ("accuracy", 100, " points"), "auc": ("AUC", 1, "")}


def run_once(case: str, seed: int, arguments: list[str]) -> Outcome:
    """Runs an example pipeline in a process of its own.

    Args:
        case: `taxi` or `adult`.
        seed: Seed of the training.
        arguments: What else the pipeline's command takes.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", f"pipelines.{case}.local", "--out", folder, "--seed", str(seed), *arguments]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        return read_outcome(Path(folder) / "pipeline")


def spread(values: list[float], digits: int) -> str:
    """Returns mean ± sample standard deviation."""
    return f"{statistics.mean(values):.{digits}f} ± {statistics.stdev(values):.{digits}f}"


def main() -> None:
    """Parses arguments, runs each seed, prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.price_of_privacy", description=__doc__)
    parser.add_argument("case", choices=["taxi", "adult"])
    parser.add_argument("--seeds", type=int, default=5, help="runs, at least 2 (default: %(default)s)")
    options, rest = parser.parse_known_args()
    if options.seeds < 2:
        parser.error("--seeds must be 2 or more")

    prepare_environment()
    outcomes = [run_once(options.case, seed, rest) for seed in range(options.seeds)]
    line = metadata.version("tfx")
    table = Table("", "raw", "anonymized", "change", title=f"{options.case}, TFX {line}, {options.seeds} seeds")
    for name, (label, scale, unit) in METRICS.items():
        raw, ours = ([getattr(o, side)[name] for o in outcomes] for side in ("raw", "anonymized"))
        change = spread([scale * (b - a) for a, b in zip(raw, ours, strict=True)], 2 if scale > 1 else 4)
        table.add_row(label, spread(raw, 4), spread(ours, 4), change + unit)
    reached = sorted({outcome.k_reached for outcome in outcomes})
    table.add_row("k asked / reached", "", f"{outcomes[0].k_asked} / {reached[0]}", "")
    table.add_row("classes", "", spread([outcome.classes for outcome in outcomes], 0), "")
    Console().print(table)


if __name__ == "__main__":
    main()
