"""`tfx-anonymizer fetch`: the public data sets of the examples."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Download a public data set and check its sum.")
@click.argument("name", type=click.Choice(["adult", "nursery"]))
@click.option("--out", "folder", type=click.Path(path_type=Path), default=None, help="Where to; default: data/NAME.")
@click.option("--url", help="Take the files from another folder on the web.")
def fetch(name: str, folder: Path | None, url: str | None) -> None:
    """Download the files of a public data set; those that are there already and right are kept."""
    from tfx_anonymizer.datasets import DATASETS
    from tfx_anonymizer.datasets import fetch as fetch_files

    for path in fetch_files(name, folder or Path("data") / name, url):
        click.echo(path)
    click.echo(DATASETS[name].licence)
