"""`tfx-anonymizer compare`: what each k costs, and which to take."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tfx_anonymizer.cli.options import Ks, Names, flatten, policy_of, roles_but_k

if TYPE_CHECKING:
    from tfx_anonymizer.comparison import Comparison, Plan, Point


@click.command(short_help="Retrain on releases of several k: what privacy costs, and the k to take.")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path, file_okay=False),
              help="Folder for comparison.html, .csv and .json; a run that was stopped goes on there.")  # fmt: skip
@click.option("--label", required=True, help="Column that a model is to predict.")
@click.option("--k", "ks", type=Ks(), default="5,10,25,50,100,250", show_default=True, help="Values of k to try.")
@click.option("--at-most", type=click.FloatRange(min=0), default=1.0, show_default=True,
              help="The loss that is acceptable, in points: hundredths of the metric.")  # fmt: skip
@click.option("--model", default="gradient_boosting", show_default=True,
              type=click.Choice(["gradient_boosting", "random_forest", "logistic_regression", "mlp"]),
              help="The model that guides and is retrained.")  # fmt: skip
@click.option("--metric", default="auto", show_default=True,
              type=click.Choice(["auto", "accuracy", "balanced_accuracy", "roc_auc", "r2"]),
              help="What the model is scored by; auto is accuracy for classes and R² for numbers.")  # fmt: skip
@roles_but_k
@click.option("--max-suppressed", type=float, default=0.0, show_default=True,
              help="Share of the rows, outliers, that may be left out, such as 0.01.")  # fmt: skip
@click.option("--categorical", type=Names(), multiple=True, help="Quasi-identifiers whose numbers are only codes.")
@click.option("--partitioner", "partitioners", type=Names(), multiple=True, default=("auto",), show_default=True,
              help="How rows are grouped, as for anonymize; several to compare them.")  # fmt: skip
@click.option("--effort", default="auto", show_default=True, type=click.Choice(["auto", "low", "medium", "high"]),
              help="How many ways of grouping auto tries.")  # fmt: skip
@click.option("--folds", default=3, show_default=True, help="Parts that are kept aside in turn.")
@click.option("--jobs", type=click.IntRange(min=1), help="Folds worked on at once. Default: one for each processor.")
@click.option("--seed", default=0, show_default=True, help="Seed of everything that is drawn at random.")
@click.option("--quiet", is_flag=True, help="Say nothing unless something is wrong.")
def compare(source: Path, output: Path, at_most: float, jobs: int | None, quiet: bool, **options: Any) -> None:
    """Make releases of IN with several k, retrain a model on each, and say what each costs.

    Every release is made of some of the rows, and its model is scored on others. Nothing is released: the folder gets
    counts and scores alone.

    \b
    Example:
      tfx-anonymizer compare people.csv -o comparison --label income \\
        --quasi-identifiers age,sex,zip --k 5,10,25,50,100 --at-most 1
    """  # noqa: D301 (click wants the character itself)
    from tfx_anonymizer import comparison
    from tfx_anonymizer.cli.progress import Pieces
    from tfx_anonymizer.report.comparison import write_comparison
    from tfx_anonymizer.tables import read_table

    plan = _plan(options)
    table = read_table(source, delimiter=options["delimiter"], missing=options["missing"]).typed
    with Pieces("releases", plan.cells, quiet=quiet) as finished:
        found = comparison.compare(table, plan, output, jobs=jobs or len(os.sched_getaffinity(0)), on_progress=finished)
    best = found.recommended(at_most)
    facts = found.to_dict()
    chosen = None if best is None else facts["points"][found.points.index(best)]
    write_comparison(output, "tfx-anonymizer compare", facts, chosen, at_most=at_most, method=plan.describe())
    if not quiet:
        _say(found, best, at_most, output)


def _plan(options: dict[str, Any]) -> Plan:
    from tfx_anonymizer.comparison import Plan

    return Plan(
        policy_of(options, k=options["ks"][0]),
        ks=options["ks"],
        partitioners=flatten(options["partitioners"]),
        model=options["model"],
        effort=options["effort"],
        metric=options["metric"],
        folds=options["folds"],
        seed=options["seed"],
    )


def _say(found: Comparison, best: Point | None, at_most: float, output: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{found.model}, {found.metric} {found.score_raw:.4f} on raw rows, {found.folds} folds")
    table.add_column("grouping", no_wrap=True)
    for name in ("k", found.metric, "points", "±", "attack", "classes", "changed"):
        table.add_column(name, justify="right", no_wrap=True)
    for point in found.points:
        figures = ["out of reach", "", "", "", "", ""]
        if point.reached:
            figures = [f"{point.score:.4f}", f"{point.change:+.2f}", f"{point.change_error:.2f}",
                       f"{point.membership:.3f}", f"{point.classes:,.0f}", f"{point.changed:.0%}"]  # fmt: skip
        table.add_row(point.partitioner, str(point.k), *figures, style="bold" if point == best else None)
    Console().print(table)
    if best is None:
        click.echo(f"no k that was tried loses at most {at_most:g} points")
    else:
        click.echo(f"k={best.k} ({best.partitioner}) is the greatest k that loses at most {at_most:g} points")
    click.echo(f"report: {output / 'comparison.html'}")
