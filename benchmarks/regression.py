"""What anonymization costs a model of numbers: `python -m benchmarks.regression`.

Friedman's first problem (1991, scikit-learn's `make_friedman1`): ten attributes, five of which matter. Gradient
boosting is trained on the raw training rows and on their release by each partitioner, and explains that much less of
the variance (R squared) of raw rows it has not seen. The guide is the same model's out-of-fold predictions. Splits are
the same for every partitioner and k.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections import defaultdict

import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.datasets import make_friedman1
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_predict

from tfx_anonymizer import AccuracyGuidedAnonymizer
from tfx_anonymizer.errors import PrivacyWarning

NAMES = [f"x{i}" for i in range(10)]


def losses(seed: int, rows: int, partitioners: list[str], sizes: list[int]) -> dict[tuple[str, int], float]:
    """Returns by partitioner and k what is lost in R squared, for one seed's data."""
    x, y = make_friedman1(rows + 5000, noise=1.0, random_state=seed)
    table = pd.DataFrame(x, columns=NAMES).assign(y=y)
    learn, ask = table.head(rows), table.tail(5000)

    def explained(train: pd.DataFrame) -> float:
        model = HistGradientBoostingRegressor(random_state=seed).fit(train[NAMES], train["y"])
        return float(model.score(ask[NAMES], ask["y"]))

    guide = cross_val_predict(HistGradientBoostingRegressor(random_state=seed), learn[NAMES], learn["y"], cv=3)
    raw = explained(learn)
    return {
        (name, k): explained(
            AccuracyGuidedAnonymizer(NAMES, k, label="y", partitioner=name).fit_transform(learn, guide)
        )
        - raw
        for name in partitioners
        for k in sizes
    }


def main() -> None:
    """Parses arguments, runs each seed, prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regression", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000, help="training rows (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=5, help="at least 2 (default: %(default)s)")
    parser.add_argument("--k", type=int, nargs="+", default=[10, 50, 100], help="default: %(default)s")
    parser.add_argument("--partitioners", nargs="+", default=["guided_tree", "mondrian"], help="default: %(default)s")
    options = parser.parse_args()
    warnings.simplefilter("ignore", PrivacyWarning)
    found = defaultdict(list)
    for seed in range(options.seeds):
        for key, value in losses(seed, options.rows, options.partitioners, options.k).items():
            found[key].append(value)
    title = f"change in R squared, {options.rows:,} rows, {options.seeds} seeds"
    shown = Table("partitioner", *(f"k={k}" for k in options.k), title=title)
    for name in options.partitioners:
        cells = [found[name, k] for k in options.k]
        shown.add_row(name, *(f"{statistics.mean(c):+.3f} ± {statistics.stdev(c):.3f}" for c in cells))
    Console().print(shown)


if __name__ == "__main__":
    main()
