"""What a model loses by differential privacy and by k-anonymity on UCI Adult: `python -m benchmarks.dp --data DIR`."""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from benchmarks.dp import results
from benchmarks.dp.cases import cut, load
from benchmarks.dp.methods import METHODS, NOTHING, K
from benchmarks.dp.plots import plot


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dp", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with adult.data and adult.test")
    parser.add_argument("--out", type=Path, default=Path("runs/dp"), help="for results and plot (%(default)s)")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--epsilon", nargs="+", type=float, default=[0.5, 1, 2, 4, 10])
    parser.add_argument("--k", nargs="+", type=int, default=[10, 50, 100, 1000])
    parser.add_argument("--seeds", nargs="+", type=int, default=range(10, 20), help="default: 10 to 19")
    return parser.parse_args(arguments)


def strengths(method: str, options: argparse.Namespace) -> list[float]:
    """Returns how private a method is to be."""
    strength = METHODS[method].strength
    return (
        [0.0] if strength == NOTHING else [float(value) for value in (options.k if strength == K else options.epsilon)]
    )


def show(path: Path, console: Console) -> None:
    """Prints means over seeds."""
    table = Table("method", "epsilon or k", "model", "seeds", "accuracy, %", "AUC")
    for row in results.summary(results.read(path)).itertuples():
        error = f"{row.accuracy:.2f} ± {row.sem:.2f}" if row.seeds > 1 else f"{row.accuracy:.2f}"
        table.add_row(row.method, f"{row.strength:g}", row.model, str(row.seeds), error, f"{row.auc:.3f}")
    console.print(table)


def main() -> None:
    """Measures what is missing, then prints and plots all there is."""
    options = parse()
    path = options.out / "results.csv"
    known = results.done(path)
    wanted = [
        (seed, method, strength)
        for seed, method in itertools.product(options.seeds, options.methods)
        for strength in strengths(method, options)
        if (method, strength, seed) not in known
    ]
    console = Console()
    table = load(options.data)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("measuring", total=len(wanted))
        for seed, method, strength in wanted:
            progress.update(task, description=f"{method} {strength:g} seed {seed}")
            scores = METHODS[method].run(cut(table, seed), strength, seed)
            found = [results.Measurement(method, strength, seed, model, *score) for model, score in scores.items()]
            results.append(path, found)
            progress.advance(task)
    show(path, console)
    plot(results.summary(results.read(path)), options.out / "dp.svg")


if __name__ == "__main__":
    main()
