"""Runs the taxi pipeline on this machine and prints the price of privacy: `python -m pipelines.taxi.local`."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from pipelines.common.local_run import make_console, prepare_environment, run
from pipelines.common.results import print_outcome, print_synthesis, read_outcome, read_synthesis


def main(arguments: list[str] | None = None) -> int:
    """Parses arguments, runs, prints; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.taxi.local", description=__doc__)
    parser.add_argument("--k", type=int, default=50, help="least number of trips in a class (default: %(default)s)")
    parser.add_argument("--epsilon", type=float, help="differential privacy instead: what it may spend")
    parser.add_argument(
        "--delta", type=float, default=1e-6, help="the chance that epsilon fails (default: %(default)s)"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/taxi"), help="where everything goes (%(default)s)")
    parser.add_argument("--train-steps", type=int, default=2000, help="training steps of either model (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of TensorFlow's training (%(default)s)")
    options = parser.parse_args(arguments)

    console = make_console()
    asked = f"k={options.k}" if options.epsilon is None else f"epsilon={options.epsilon:g}"
    console.print(f"[bold]Chicago taxi, {asked}[/bold]: loading TFX takes half a minute")
    prepare_environment()
    out = options.out.resolve()
    shutil.rmtree(out / "pipeline", ignore_errors=True)
    log_file = out / "log.txt"

    def build() -> object:
        from pipelines.taxi.pipeline import create_pipeline

        return create_pipeline(
            str(out / "pipeline"),
            str(out / "serving"),
            options.k,
            epsilon=options.epsilon,
            delta=options.delta,
            train_steps=options.train_steps,
        )

    failed = run(build, console, log_file, seed=options.seed)
    if failed:
        return failed
    title = "Chicago taxi: the price of privacy"
    if options.epsilon is None:
        print_outcome(read_outcome(out / "pipeline"), console, title, "held-out trips")
    else:
        print_synthesis(read_synthesis(out / "pipeline"), console, title, "held-out trips")
    return 0


if __name__ == "__main__":
    sys.exit(main())
