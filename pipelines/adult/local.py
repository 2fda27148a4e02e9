"""Runs the Adult pipeline on this machine and prints the price of privacy: `python -m pipelines.adult.local`."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from pipelines.common.local_run import make_console, prepare_environment, run
from pipelines.common.results import print_outcome, print_synthesis, read_outcome, read_synthesis
from tfx_anonymizer.datasets import fetch, read_adult
from tfx_anonymizer.errors import AnonymizerError


def main(arguments: list[str] | None = None) -> int:
    """Parses arguments, runs, prints; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.adult.local", description=__doc__)
    parser.add_argument("--k", type=int, default=100, help="least number of people in a class (default: %(default)s)")
    parser.add_argument("--epsilon", type=float, help="differential privacy instead: what it may spend")
    parser.add_argument(
        "--delta", type=float, default=1e-6, help="the chance that epsilon fails (default: %(default)s)"
    )
    parser.add_argument("--data", type=Path, help="folder with adult.data and adult.test; without it they are fetched")
    parser.add_argument("--out", type=Path, default=Path("runs/adult"), help="where everything goes (%(default)s)")
    parser.add_argument("--train-steps", type=int, default=2500, help="training steps of either model (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of TensorFlow's training (%(default)s)")
    options = parser.parse_args(arguments)

    console = make_console()
    out = options.out.resolve()
    try:
        tables = prepare(options.data or _fetched(out / "uci"), out / "data")
    except AnonymizerError as error:
        console.print(f"[red]✗[/red] {error}", highlight=False)
        return 2
    asked = f"k={options.k}" if options.epsilon is None else f"epsilon={options.epsilon:g}"
    console.print(f"[bold]UCI Adult, {asked}[/bold]: loading TFX takes half a minute")
    prepare_environment()
    shutil.rmtree(out / "pipeline", ignore_errors=True)

    def build() -> object:
        from pipelines.adult.pipeline import create_pipeline

        return create_pipeline(
            str(out / "pipeline"),
            str(out / "serving"),
            str(tables),
            options.k,
            epsilon=options.epsilon,
            delta=options.delta,
            train_steps=options.train_steps,
        )

    failed = run(build, console, out / "log.txt", seed=options.seed)
    if failed:
        return failed
    title = "UCI Adult: the price of privacy"
    if options.epsilon is None:
        print_outcome(read_outcome(out / "pipeline"), console, title, "test rows")
    else:
        print_synthesis(read_synthesis(out / "pipeline"), console, title, "test rows")
    return 0


def prepare(source: Path, target: Path) -> Path:
    """Writes UCI's files as CSV with a header, one folder a split, and returns the folder of both.

    Raises:
        InputDataError: If a file is not there.
    """
    for split, name in (("train", "train"), ("test", "eval")):
        table = read_adult(source, split)
        folder = target / name
        folder.mkdir(parents=True, exist_ok=True)
        # The census weight says nothing of a person, and `education` is the name of `education-num`.
        table.drop(columns=["fnlwgt", "education"]).to_csv(folder / "adult.csv", index=False)
    return target


def _fetched(folder: Path) -> Path:
    fetch("adult", folder)
    return folder


if __name__ == "__main__":
    sys.exit(main())
