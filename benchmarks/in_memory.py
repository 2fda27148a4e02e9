"""Time and memory of anonymizing one table in memory: `python -m benchmarks.in_memory --rows 1000000`.

The measure is processor time of one thread, of fit and transform with the default partitioner, the guide's predictions
given; beside it, in turn and in the same process, one scikit-learn regression tree fitted to the same codes with the
same least leaf, so that the ratio means something on a busy machine too. Peak memory is the whole of a
process that does nothing else but read the table and anonymize it.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import feather
from rich.console import Console
from rich.table import Table
from sklearn.tree import DecisionTreeRegressor

from benchmarks.census_like import QUASI_IDENTIFIERS, make_census
from tfx_anonymizer import AccuracyGuidedAnonymizer

MEGABYTES_OF = {"linux": 1024, "darwin": 1024 * 1024}
MEASURED = ("fit", "transform", "fit + transform", "fit_transform", "scikit-learn's tree")


def processor_seconds(work: Callable[[], object]) -> float:
    """Returns the processor time that some work takes in this process."""
    started = time.process_time()
    work()
    return time.process_time() - started


def peak_megabytes() -> float:
    """Returns the most memory this process has ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTES_OF[sys.platform]


def time_all(rows: int, k: int, repeats: int, table_type: str) -> dict[str, list[float]]:
    """Times fit, transform and the peer's fit in turn, `repeats` times."""
    people, guide = make_census(rows)
    codes = people.apply(lambda column: column.factorize(sort=True)[0]).to_numpy(dtype=np.float32)
    table = pa.Table.from_pandas(people) if table_type == "arrow" else people
    few = table.slice(0, 5000) if table_type == "arrow" else table.head(5000)
    # Compiles, or reads what was compiled before.
    AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, k).fit(few, guide[:5000]).transform(few)
    seconds: dict[str, list[float]] = {name: [] for name in MEASURED}
    for _ in range(repeats):
        anonymizer = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, k)
        seconds["fit"].append(processor_seconds(lambda one=anonymizer: one.fit(table, guide)))  # type: ignore[misc]
        seconds["transform"].append(processor_seconds(lambda one=anonymizer: one.transform(table)))  # type: ignore[misc]
        whole = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, k)
        seconds["fit_transform"].append(processor_seconds(lambda one=whole: one.fit_transform(table, guide)))  # type: ignore[misc]
        seconds["fit + transform"].append(seconds["fit"][-1] + seconds["transform"][-1])
        peer = DecisionTreeRegressor(min_samples_leaf=k, random_state=0)
        seconds["scikit-learn's tree"].append(processor_seconds(lambda one=peer: one.fit(codes, guide)))  # type: ignore[misc]
    return seconds


def measure_memory(file: Path, k: int) -> None:
    """Prints the peak of this process before and after it anonymizes the table in a file."""
    few, answers = make_census(5000)
    AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, k).fit(few, answers).transform(few)
    people = feather.read_feather(file)
    guide = people.pop("guide").to_numpy()
    before = peak_megabytes()
    AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, k).fit(people, guide).transform(people)
    print(before, peak_megabytes())  # noqa: T201


def child_memory(rows: int, k: int) -> tuple[float, float]:
    """Returns the peak before and after, of a process of its own that only reads the table."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "census.feather"
        people, guide = make_census(rows)
        feather.write_feather(people.assign(guide=guide), file)
        command = [sys.executable, "-m", "benchmarks.in_memory", "--memory", str(file), "--k", str(k)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    before, after = map(float, done.stdout.split())
    return before, after


def main() -> None:
    """Parses arguments, measures, prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.in_memory", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--k", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--repeats", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--table", choices=["pandas", "arrow"], default="pandas", help="default: %(default)s")
    parser.add_argument("--memory", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        measure_memory(options.memory, options.k)
        return
    seconds = time_all(options.rows, options.k, options.repeats, options.table)
    before, after = child_memory(options.rows, options.k)
    peer = seconds["scikit-learn's tree"]
    title = f"{options.rows:,} rows x {len(QUASI_IDENTIFIERS)}, k={options.k}, {options.table}, {options.repeats} runs"
    shown = Table("processor seconds", "median", "least", "of scikit-learn's tree, median", title=title)
    for name, values in seconds.items():
        ratio = statistics.median([own / other for own, other in zip(values, peer, strict=True)])
        shown.add_row(name, f"{statistics.median(values):.2f}", f"{min(values):.2f}", f"{ratio:.2f}")
    console = Console()
    console.print(shown)
    console.print(f"peak memory of the process: {after:,.0f} MB ({before:,.0f} MB when it had read the table)")


if __name__ == "__main__":
    main()
