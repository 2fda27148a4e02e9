"""What models lose by differential privacy and by k-anonymity on Adult: `python -m benchmarks.dp --data DIR`.

And what they still tell of those they were trained on. Rows are added to CSV files as they are measured, so that an
interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks import csv_rows
from benchmarks.dp import results
from benchmarks.dp.attacks import Attack, attack
from benchmarks.dp.cases import cut, load
from benchmarks.dp.methods import METHODS, NOTHING, K
from benchmarks.dp.models import score
from benchmarks.dp.plots import plot, plot_attacks
from benchmarks.dp.results import Measurement
from benchmarks.dp.tables import accuracy_table, attack_table
from pipelines.common.local_run import prepare_environment

PARTS = ("accuracy", "attacks")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dp", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with adult.data and adult.test")
    parser.add_argument("--out", type=Path, default=Path("runs/dp"), help="for results and plots (%(default)s)")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS, help="what to measure (default: all)")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--epsilon", nargs="+", type=float, default=[0.5, 1, 2, 4, 10])
    parser.add_argument("--k", nargs="+", type=int, default=[10, 25, 50, 100, 200, 500, 1000])
    parser.add_argument("--seeds", nargs="+", type=int, default=range(10, 20), help="default: 10 to 19")
    parser.add_argument("--attack-seeds", nargs="+", type=int, default=range(10, 13), help="default: 10 to 12")
    parser.add_argument("--records", type=int, default=3000, help="members, and others, in attacks (%(default)s)")
    parser.add_argument("--references", type=int, default=4, help="of RMIA (%(default)s)")
    return parser.parse_args(arguments)


def strengths(method: str, options: argparse.Namespace) -> list[float]:
    """Returns how private a method is to be."""
    strength = METHODS[method].strength
    return (
        [0.0] if strength == NOTHING else [float(value) for value in (options.k if strength == K else options.epsilon)]
    )


def measure(
    path: Path, seeds: list[int], options: argparse.Namespace, console: Console, one: Callable[[str, float, int], Any]
) -> None:
    """Measures what a file lacks.

    Args:
        path: The file.
        seeds: Which are wanted.
        options: Which methods and strengths are.
        console: Shows how far it is.
        one: From method, strength and seed to rows of the file.
    """
    known = results.done(path)
    wanted = [
        (seed, method, strength)
        for seed, method in itertools.product(seeds, options.methods)
        for strength in strengths(method, options)
        if (method, strength, seed) not in known
    ]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(path.stem, total=len(wanted))
        for seed, method, strength in wanted:
            progress.update(task, description=f"{path.stem}: {method} {strength:g} seed {seed}")
            csv_rows.append(path, one(method, strength, seed))
            progress.advance(task)


def show(out: Path, console: Console) -> None:
    """Prints and plots all there is, and writes it as Markdown."""
    text = []
    measured, attacked = results.read(out / "results.csv"), results.read(out / "attacks.csv")
    if len(measured):
        table = results.summary(measured)
        text.append(accuracy_table(table))
        plot(table, out / "dp.png")
    if len(attacked):
        table = results.attack_summary(attacked)
        text.append(attack_table(table))
        plot_attacks(table, out / "dp-attacks.png")
    (out / "tables.md").write_text("\n".join(text), encoding="utf-8")
    console.print(Markdown("\n".join(text)))


def main() -> None:
    """Measures what is missing, then shows all there is."""
    options = parse()
    prepare_environment()
    console = Console()
    table = load(options.data)

    def accuracy(method: str, strength: float, seed: int) -> list[Measurement]:
        part = cut(table, seed)
        models = METHODS[method].train(part.train, strength, seed, METHODS[method].models)
        return [Measurement(method, strength, seed, name, *score(model, part.test)) for name, model in models.items()]

    def attacks(method: str, strength: float, seed: int) -> list[Attack]:
        return attack(table, method, strength, seed, options.records, options.references)

    if "accuracy" in options.parts:
        measure(options.out / "results.csv", options.seeds, options, console, accuracy)
    if "attacks" in options.parts:
        measure(options.out / "attacks.csv", options.attack_seeds, options, console, attacks)
    show(options.out, console)


if __name__ == "__main__":
    main()
