"""What anonymization costs a retrained model, method by method: `python -m benchmarks.utility --data DIR`."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from benchmarks.utility import models, results
from benchmarks.utility.grid import Grid, Measuring
from benchmarks.utility.methods import METHODS
from benchmarks.utility.plots import plot_case

CASES = ("adult-12", "adult-10", "adult-8", "nursery-8")
KS = (10, 25, 50, 100, 200, 500, 1000)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.utility", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with adult.data, adult.test, nursery.data")
    parser.add_argument("--out", type=Path, default=Path("runs/utility"), help="for results and plots (%(default)s)")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES)
    parser.add_argument("--models", nargs="+", choices=list(models.MODELS), default=list(models.MODELS))
    parser.add_argument("--k", nargs="+", type=int, default=KS)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--seeds", nargs="+", type=int, default=range(10, 20), help="default: 10 to 19")
    return parser.parse_args(arguments)


def show(path: Path, console: Console) -> None:
    """Prints means over seeds."""
    table = Table("case", "model", "k", "method", "seeds", "accuracy, %", "change, points")
    for row in results.summary(results.read(path)).itertuples():
        change = f"{row.change:+.2f} ± {row.std:.2f}" if row.seeds > 1 else f"{row.change:+.2f}"
        table.add_row(row.case, row.model, str(row.k), row.method, str(row.seeds), f"{row.accuracy:.2f}", change)
    console.print(table)


def main() -> None:
    """Measures what is missing, then prints and plots all there is."""
    options = parse()
    path = options.out / "results.csv"
    grid = Grid(
        tuple(options.cases), tuple(options.models), tuple(options.k), tuple(options.methods), tuple(options.seeds)
    )
    known = results.done(path)
    missing = [key for key in grid if key not in known]
    measuring = Measuring(options.data)
    console = Console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("measuring", total=len(missing))
        for key in missing:
            case, model, k, method, seed = key
            progress.update(task, description=f"{case} {model} k={k} {method} seed {seed}")
            results.append(path, measuring.measure(*key))
            progress.advance(task)
    show(path, console)
    for case in dict.fromkeys(results.read(path)["case"]):
        plot_case(results.read(path), case, options.out / f"{case}.svg")


if __name__ == "__main__":
    main()
