"""What models tell of those they were trained on: `python -m benchmarks.privacy --data DIR`.

Rows are added to CSV files as they are measured, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from benchmarks import csv_rows
from benchmarks.privacy import attributes, membership
from benchmarks.privacy.plots import called, plot_all_curves, plot_curves, plot_front
from pipelines.common.local_run import prepare_environment

MODELS = ("forest", "network", "tree")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.privacy", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with adult.data, adult.test, nursery.data")
    parser.add_argument("--out", type=Path, default=Path("runs/privacy"), help="for results and plots (%(default)s)")
    parser.add_argument("--tables", nargs="+", type=int, choices=[1, 2], default=[1, 2], help="of the paper")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS, help="Table 1 has no tree")
    parser.add_argument("--k", nargs="*", type=int, default=[0, 25, 50, 100], help="0: not anonymized")
    parser.add_argument(
        "--budgets", nargs="*", type=float, default=[1, 2, 4, 10], help="epsilons of models with differential privacy"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=range(10, 15), help="default: 10 to 14")
    parser.add_argument("--records", type=int, default=6000, help="members, and non-members (%(default)s)")
    parser.add_argument("--references", type=int, default=4, help="of RMIA (%(default)s)")
    return parser.parse_args(arguments)


def main() -> None:
    """Measures what is missing, then prints and plots all there is."""
    options = parse()
    prepare_environment()
    # Where no terminal says how wide it is, names are not to be broken.
    console = Console(width=None if sys.stdout.isatty() else 140)
    if 1 in options.tables:
        _first(options, console)
    if 2 in options.tables:
        _second(options, console)


def _first(options: argparse.Namespace, console: Console) -> None:
    path = options.out / "membership.csv"
    keys = ["model", "k", "budget", "seed"]
    known = _done(path, keys)
    models = [model for model in options.models if model != "tree"]
    for seed, model, (k, budget) in itertools.product(options.seeds, models, _protections(options)):
        if (model, k, budget, seed) in known:
            continue
        rows, curves = membership.attack(options.data, model, k, budget, seed, options.records, options.references)
        csv_rows.append(path, rows)
        name = f"{model}-epsilon-{budget:g}" if budget else f"{model}-{k}"
        plot_curves(curves, f"Adult, {model}, {called(k, budget)}, seed {seed}", options.out / f"roc-{name}.svg")
        _keep_curves(curves, options.out / "curves" / f"{model}_{k}_{budget:g}_{seed}.npz")
        console.print(f"seed {seed}, {model}, {called(k, budget)}: done")
    table = pd.read_csv(path)
    plot_front(table, options.out / "front.svg")
    kept = _kept_curves(options.out / "curves")
    if kept:
        plot_all_curves(kept, options.out / "roc.svg")
    shown = Table(
        "model",
        "trained on",
        "attack",
        "seeds",
        "accuracy, %",
        "AUC",
        "balanced accuracy",
        "caught at 1 %",
        "holds 0.5",
    )
    for (model, k, budget, attack), rows in table.groupby(["model", "k", "budget", "attack"], sort=False):
        holds = int(((rows["low"] <= 0.5) & (rows["high"] >= 0.5)).sum())
        shown.add_row(
            model, called(k, budget), attack, str(len(rows)), _spread(100 * rows["accuracy"], 1),
            _spread(rows["auc"], 3), _spread(rows["balanced_accuracy"], 3), _spread(100 * rows["tpr"], 2),
            f"{holds} of {len(rows)}",
        )  # fmt: skip
    console.print(shown)


def _keep_curves(curves: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **curves)


def _kept_curves(folder: Path) -> dict[tuple[str, float, float], list[dict[str, Any]]]:
    """Returns the scores of every seed measured, by model, k and budget."""
    found: dict[tuple[str, float, float], list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.npz")):
        model, k, budget, _ = path.stem.split("_")
        with np.load(path) as arrays:
            found.setdefault((model, float(k), float(budget)), []).append(dict(arrays))
    return found


def _second(options: argparse.Namespace, console: Console) -> None:
    path = options.out / "attributes.csv"
    known = _done(path, ["model", "k", "budget", "seed"])
    for seed, model, (k, budget) in itertools.product(options.seeds, options.models, _protections(options)):
        # There is no single tree within a budget to compare with.
        if (model, k, budget, seed) in known or (budget and model == "tree"):
            continue
        csv_rows.append(path, attributes.attack(options.data, model, k, budget, seed, options.records))
        console.print(f"Nursery, seed {seed}, {model}, {called(k, budget)}: done")
    table = pd.read_csv(path)
    keys = ["model", "k", "budget", "attack", "people"]
    shown = Table(
        "model", "trained on", "attack", "people", "seeds", "right, %", "without the model, %", "advantage, points"
    )
    for (model, k, budget, attack, people), rows in table.groupby(keys, sort=False):
        shown.add_row(
            model, called(k, budget), attack, people, str(len(rows)), _spread(100 * rows["right"], 1),
            _spread(100 * rows["without"], 1), _spread(100 * rows["advantage"], 1),
        )  # fmt: skip
    console.print(shown)


def _protections(options: argparse.Namespace) -> list[tuple[int, float]]:
    return [*((k, 0.0) for k in options.k), *((0, budget) for budget in options.budgets)]


def _done(path: Path, keys: list[str]) -> set[tuple[Any, ...]]:
    if not path.is_file():
        return set()
    table = pd.read_csv(path)
    if not set(keys) <= set(table.columns):
        raise SystemExit(f"{path} is of an older version of this benchmark: give another --out, or move it away")
    return set(table[keys].itertuples(index=False, name=None))


def _spread(values: pd.Series, digits: int) -> str:
    spread = f" ± {values.std():.{digits}f}" if len(values) > 1 else ""
    return f"{values.mean():.{digits}f}{spread}"


if __name__ == "__main__":
    main()
