"""Time and memory on Beam beside a plain copy: `python -m benchmarks.scale --rows 100000 1000000 10000000`.

For each size: census-like examples are written, then, in turn and each in a process of its own, they are copied (TFX's
reader, Arrow, TFX's encoder, Beam's writer), anonymized and validated by the components' executors with their default
settings. A ratio is the median over the turns of what a component took by what the copy of the same turn took; wall and
processor time, and the most memory that one process held. With `--workers 2` the anonymizer runs in worker processes
too, one and then as many, and the stage that anonymizes is timed by itself.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table

from benchmarks.scale.examples import LABEL, write_census
from benchmarks.scale.plots import plot

MEASURES = ("wall", "processor")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000], help="default: %(default)s")
    parser.add_argument("--repeats", type=int, default=3, help="turns at each size, default: %(default)s")
    parser.add_argument("--k", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--guide", choices=["label", "gradient_boosting"], default="label", help="default: %(default)s")
    parser.add_argument("--workers", type=int, default=0, help="also run so many worker processes, and one")
    parser.add_argument("--max-rows-per-shard", type=int, help="of those workers, which share a split by its shards")
    parser.add_argument("--out", type=Path, default=Path("runs/scale"), help="for results and plots (%(default)s)")
    parser.add_argument("--scratch", type=Path, help="for examples; deleted afterwards (default: a temporary folder)")
    return parser.parse_args(arguments)


def run(name: str, source: Path, target: Path, *arguments: str) -> dict[str, Any]:
    """Runs one piece of work in a process of its own, its output folder emptied first."""
    shutil.rmtree(target, ignore_errors=True)
    command = [sys.executable, "-m", "benchmarks.scale.work", name, str(source), str(target), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def train_guide(source: Path, folder: Path) -> Path:
    """Fits the built-in estimator to some of the examples, as InitialModelTrainer would; returns its folder."""
    import tensorflow as tf
    from tfx_bsl.coders.example_coder import ExamplesToRecordBatchDecoder

    from tfx_anonymizer.guides.estimator_guide import fit_estimator
    from tfx_anonymizer.transforms.columns import single_valued_columns

    file = next(iter(sorted(source.glob("Split-train/*"))))
    records = tf.data.TFRecordDataset(str(file), compression_type="GZIP").take(50_000)
    batch = ExamplesToRecordBatchDecoder().DecodeBatch([record.numpy() for record in records])
    guide = fit_estimator(
        single_valued_columns(batch), LABEL, "gradient_boosting", leave_out=["person"], categorical=["zip"]
    )
    folder.mkdir(parents=True)
    for name, data in guide.to_files().items():
        (folder / name).write_bytes(data)
    return folder


def measure(rows: int, options: argparse.Namespace, scratch: Path, console: Console) -> list[dict[str, Any]]:
    """Measures one size."""
    source = scratch / f"{rows}-rows"
    console.print(f"writing {rows:,} examples")
    write_census(source / "Split-train", rows)
    with_k = ("--k", str(options.k))
    guided = with_k
    if options.guide != "label":
        guided = (*with_k, "--model", str(train_guide(source, scratch / f"{rows}-guide")))
    released = scratch / "anonymize"
    turns = []
    for turn in range(options.repeats):
        pieces: list[tuple[str, Path, tuple[str, ...]]] = [
            ("copy", source, ()),
            ("anonymize", source, guided),
            ("validate", released, with_k),
        ]
        for name, read, arguments in pieces:
            found = run(name, read, scratch / name, *arguments)
            turns.append({"rows": rows, "turn": turn, "work": name, **found})
            console.print(turns[-1])
        for workers in (1, options.workers) if options.workers else ():
            shared = ("--processes", "--workers", str(workers))
            if options.max_rows_per_shard:
                shared = (*shared, "--max-rows-per-shard", str(options.max_rows_per_shard))
            found = run("anonymize", source, scratch / "workers", *guided, *shared)
            turns.append({"rows": rows, "turn": turn, "work": f"anonymize, {workers} processes", **found})
            console.print(turns[-1])
    shutil.rmtree(source)
    return turns


def show(table: pd.DataFrame, console: Console) -> None:
    """Prints medians and paired ratios."""
    shown = Table("rows", "work", "wall s", "processor s", "of the copy: wall", "processor", "peak MB", "refining s")
    for (rows, work), found in table.groupby(["rows", "work"], sort=False):
        copies = table[(table["rows"] == rows) & (table["work"] == "copy")].set_index("turn")
        own = found.set_index("turn")
        ratios = [f"{statistics.median(own[m] / copies[m]):.2f}" for m in MEASURES]
        seconds = [f"{statistics.median(own[m]):.1f}" for m in MEASURES]
        refining = statistics.median(own["refining"])
        shown.add_row(f"{rows:,}", work, *seconds, *ratios, f"{own['peak'].max():,.0f}", f"{refining:.1f}")
    console.print(shown)


def main() -> None:
    """Measures, prints, plots."""
    options = parse()
    console = Console(width=160)
    options.out.mkdir(parents=True, exist_ok=True)
    turns: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        for rows in options.rows:
            turns += measure(rows, options, Path(folder), console)
            table = pd.DataFrame(turns)
            table.to_csv(options.out / "scale.csv", index=False)
    show(table, console)
    plot(table, options.out / "scale.svg")
    console.print(f"results and a plot are in {options.out}")


if __name__ == "__main__":
    main()
