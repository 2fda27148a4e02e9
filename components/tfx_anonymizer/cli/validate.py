"""`tfx-anonymizer validate`: does a table keep the promise made for it?"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import click

from tfx_anonymizer.cli.options import policy_of, roles


@click.command(short_help="Count a table's classes; exit 0 if the promise holds, 1 if not.")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@roles
@click.option("--json", "as_json", is_flag=True, help="Print what was counted as JSON.")
def validate(source: Path, as_json: bool, **options: Any) -> None:
    """Count the equivalence classes of IN and compare with what is promised.

    Values are compared as they are, and missing is a value.

    \b
    Exit code: 0 the promise holds, 1 it is broken, 2 wrong usage or input.

    \b
    Example:
      tfx-anonymizer validate release.csv --quasi-identifiers age,sex,zip --k 50
    """  # noqa: D301 (click wants the character itself)
    from tfx_anonymizer.counting import count
    from tfx_anonymizer.promises import broken
    from tfx_anonymizer.tables import read_table

    policy = policy_of(options)
    file = read_table(source, delimiter=options["delimiter"], missing=options["missing"])
    # That a direct identifier is absent is what is hoped for.
    dataclasses.replace(policy, direct_identifiers=()).check_columns(file.typed.column_names)
    measures, checks = count(file.exact(policy.quasi_identifiers), policy)
    failed = broken(checks)
    if as_json:
        verdict = {"holds": not failed, "broken": failed, **measures.to_dict()}
        click.echo(json.dumps(verdict, indent=2))
    else:
        click.echo("holds" if not failed else "broken: " + "; ".join(failed))
        click.echo(
            f"k={measures.k}: {measures.rows:,} rows in {measures.classes:,} classes, "
            f"the largest of {measures.largest_class:,}; highest risk to be picked out {measures.prosecutor_risk:.4f}"
        )
    sys.exit(1 if failed else 0)
