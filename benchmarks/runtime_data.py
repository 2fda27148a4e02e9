"""Should rows that a model is asked about be generalized as its training rows were?

`python -m benchmarks.runtime_data --data DIR`. The paper leaves it open (Goldsteen et al.). A model retrained on a
release is asked about held-out rows, once raw and once after the fitted generalization placed them into the classes of
the release: paired by split, model and way of grouping.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import csv_rows
from benchmarks.utility import models
from benchmarks.utility.cases import Case, load_case, split
from tfx_anonymizer.core import AccuracyGuidedAnonymizer

PARTITIONERS = ("guided_tree", "contribution_mdav")


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What a retrained model makes of the same held-out rows in two forms.

    Attributes:
        case: Data set and number of quasi-identifiers, such as `adult-12`.
        model: Which kind of model.
        k: The guarantee.
        partitioner: How rows were grouped.
        seed: Of split and training.
        before: Accuracy of the model trained on raw rows, on raw rows, 0 to 1.
        raw: Accuracy of the retrained model on raw rows.
        transformed: Its accuracy on transformed rows.
    """

    case: str
    model: str
    k: int
    partitioner: str
    seed: int
    before: float
    raw: float
    transformed: float


def measure(case: Case, model: str, k: int, seed: int) -> list[Measurement]:
    """Measures every partitioner on one split."""
    part = split(case, seed)
    label = str(part.label.name)
    guide = models.guide(model, part.train, part.label, case.categorical, seed)

    def accuracies(train: pd.DataFrame, *tests: pd.DataFrame) -> list[float]:
        return models.accuracies(model, train, part.label, tests, part.test_label, case.categorical, seed)

    [before] = accuracies(part.train, part.test)
    found = []
    for partitioner in PARTITIONERS:
        anonymizer = AccuracyGuidedAnonymizer(case.quasi_identifiers, k, label=label, partitioner=partitioner)
        released = anonymizer.fit_transform(part.train.assign(**{label: part.label}), guide)
        raw, transformed = accuracies(
            released[list(part.train.columns)], part.test, anonymizer.transform(part.test)[list(part.test.columns)]
        )
        found.append(Measurement(case.name, model, k, partitioner, seed, before, raw, transformed))
    return found


def summarize(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns means over seeds, in per cent, and mean and deviation of what transforming changes, in points."""
    scores = ["before", "raw", "transformed"]
    rows = rows.assign(**{name: 100 * rows[name] for name in scores})
    rows = rows.assign(gain=rows["transformed"] - rows["raw"])
    keys = ["case", "model", "k", "partitioner"]
    found = rows.groupby(keys, sort=False).agg(
        seeds=("seed", "nunique"),
        before=("before", "mean"),
        raw=("raw", "mean"),
        transformed=("transformed", "mean"),
        gain=("gain", "mean"),
        deviation=("gain", "std"),
    )
    return found.reset_index()


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runtime_data", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with adult.data, adult.test, nursery.data")
    parser.add_argument("--out", type=Path, default=Path("runs/runtime_data"), help="default: %(default)s")
    parser.add_argument("--cases", nargs="+", default=["adult-12"])
    parser.add_argument("--models", nargs="+", choices=list(models.MODELS), default=list(models.MODELS))
    parser.add_argument("--k", nargs="+", type=int, default=[10, 100])
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(10, 15)), help="default: 10 to 14")
    return parser.parse_args(arguments)


def main() -> None:
    """Measures what is missing and prints all there is."""
    options = parse()
    path = options.out / "results.csv"
    done = csv_rows.done(path, ["case", "model", "k", "seed"])
    wanted = [
        (case, model, k, seed)
        for seed in options.seeds
        for case in options.cases
        for model in options.models
        for k in options.k
        if (case, model, k, seed) not in done
    ]
    cases = {name: load_case(name, options.data) for name in options.cases}
    for case, model, k, seed in track(wanted, "measuring"):
        csv_rows.append(path, measure(cases[case], model, k, seed))
    columns = (
        "case",
        "model",
        "k",
        "partitioner",
        "seeds",
        "raw model",
        "raw rows",
        "transformed rows",
        "change, points",
    )
    table = Table(*columns)
    for row in summarize(pd.read_csv(path)).itertuples():
        change = f"{row.gain:+.2f}" if row.seeds < 2 else f"{row.gain:+.2f} ± {row.deviation:.2f}"
        table.add_row(
            row.case,
            row.model,
            str(row.k),
            row.partitioner,
            str(row.seeds),
            f"{row.before:.2f}",
            f"{row.raw:.2f}",
            f"{row.transformed:.2f}",
            change,
        )
    Console().print(table)


if __name__ == "__main__":
    main()
