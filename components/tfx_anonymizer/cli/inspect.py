"""`tfx-anonymizer inspect`: advice before work."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tfx_anonymizer.inspection import Advice


@click.command(short_help="Say whom a table singles out, and what its columns may be.")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.option("--label", help="Column that a model is to predict, if it is known.")
@click.option("--entity-id", help="Column that says whose row it is, if there is one.")
@click.option("--k", default=50, show_default=True, help="The k to ask about.")
@click.option("--delimiter", default=",", show_default=True, help="What separates the cells of a CSV file.")
@click.option("--missing", multiple=True, default=("",),
              help="A CSV cell that means missing. May be given several times. Default: an empty cell.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def inspect(
    source: Path,
    label: str | None,
    entity_id: str | None,
    k: int,
    delimiter: str,
    missing: tuple[str, ...],
    as_json: bool,
) -> None:
    """Look at IN before it is anonymized: what its columns may be, whom they single out, what k leaves to learn from.

    Proposals for a person to decide on; nothing is changed. What is printed are counts and names of columns.

    \b
    Example:
      tfx-anonymizer inspect people.csv --label income --k 50
    """  # noqa: D301 (click wants the character itself)
    from tfx_anonymizer.inspection import inspect_table
    from tfx_anonymizer.tables import read_table

    table = read_table(source, delimiter=delimiter, missing=missing).typed
    advice = inspect_table(table, label=label, entity_id=entity_id, k=k)
    if as_json:
        click.echo(json.dumps(advice.to_dict(), indent=2, ensure_ascii=False))
        return
    _print(advice)
    command = _command(advice, source, label)
    if command:
        click.echo(f"\nTo begin with:\n  {command}")


def _print(advice: Advice) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    of_people = f" of {advice.people:,} people" if advice.people is not None else ""
    columns = Table(title=f"{advice.rows:,} rows{of_people}")
    columns.add_column("column", overflow="fold")
    columns.add_column("may be", no_wrap=True)
    for name in ("values", "missing", "alone with it"):
        columns.add_column(name, justify="right", no_wrap=True)
    for column in advice.columns:
        figures = f"{column.distinct:,}", f"{column.missing:.0%}", f"{column.unique:.1%}"
        columns.add_row(escape(column.name), advice.roles[column.name], *figures)
    console.print(columns)
    sets = Table(title="Who knows these columns of a person")
    sets.add_column("columns", overflow="fold")
    for name in ("is sure", f"has fewer than {advice.k}"):
        sets.add_column(name, justify="right", no_wrap=True)
    for facts in advice.sets:
        name = facts.columns[0] if len(facts.columns) == 1 else f"and {facts.columns[-1]}"
        sets.add_row(escape(name), f"{facts.unique:.1%}", f"{facts.below_k:.1%}")
    if advice.sets:
        console.print(sets)
        click.echo("Shares of rows: the only one like it, or one of fewer than k.")
    for warning in advice.warnings:
        click.echo(f"- {warning}")


def _command(advice: Advice, source: Path, label: str | None) -> str | None:
    """Returns a command to go on with, every name quoted so that a shell and the tool read it as one."""
    known = [*advice.of_role("quasi-identifier"), *advice.of_role("special category")]
    if not known:
        return None
    words = ["tfx-anonymizer", "anonymize", str(source), "-o", f"{source.stem}-release{source.suffix}"]
    if label is not None:
        words += ["--label", label]
    words += ["--quasi-identifiers", _names(known), "--k", str(advice.k)]
    if advice.of_role("direct identifier"):
        words += ["--direct-identifiers", _names(advice.of_role("direct identifier"))]
    if advice.of_role("entity id"):
        words += ["--entity-id", advice.of_role("entity id")[0]]
    return shlex.join(words)


def _names(names: list[str] | tuple[str, ...]) -> str:
    return ",".join('"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name for name in names)
