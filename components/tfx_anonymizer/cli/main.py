"""Entry point: exit code 0 if all is well, 1 if a promise is broken, 2 for wrong usage or input."""

from __future__ import annotations

import sys

import click

from tfx_anonymizer._version import __version__
from tfx_anonymizer.cli.anonymize import anonymize
from tfx_anonymizer.cli.audit import audit
from tfx_anonymizer.cli.compare import compare
from tfx_anonymizer.cli.fetch import fetch
from tfx_anonymizer.cli.inspect import inspect
from tfx_anonymizer.cli.validate import validate
from tfx_anonymizer.errors import AnonymizerError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="tfx-anonymizer")
def cli() -> None:
    """Make tables k-anonymous while a model trained on them loses little, check that they are, and attack them.

    CSV and Parquet files, told apart by their suffix. Nothing is ever sent anywhere, except that `fetch` downloads
    public data sets.
    """


cli.add_command(anonymize)
cli.add_command(validate)
cli.add_command(compare)
cli.add_command(audit)
cli.add_command(fetch)
cli.add_command(inspect)


def main() -> None:
    """Runs the command line; a typed error becomes one line on standard error and exit code 2."""
    try:
        cli(prog_name="tfx-anonymizer")
    except AnonymizerError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
