"""What leaving outliers out does for the others, on UCI Adult: `python -m benchmarks.suppression --data DIR`.

For each partitioner and share: how blurred the rows that stay are when everybody is released and when the others are
left out (`core.suppression.blur`), and the accuracy on raw held-out rows of boosted trees retrained on either release.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from sklearn.ensemble import HistGradientBoostingClassifier

from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.suppression import blur
from tfx_anonymizer.datasets import read_adult
from tfx_anonymizer.datasets.uci import ADULT_COLUMNS
from tfx_anonymizer.guides import fit_estimator

NAMES = [name for name in ADULT_COLUMNS if name not in ("fnlwgt", "education", "income")]
HELD_OUT = 0.4


def accuracy(learn: pd.DataFrame, test: pd.DataFrame) -> float:
    """Trains boosted trees on a release and returns their accuracy on raw rows, in per cent."""
    together = pd.get_dummies(pd.concat([learn[NAMES], test[NAMES]]), dummy_na=True).to_numpy(dtype=np.float32)
    model = HistGradientBoostingClassifier(random_state=0).fit(together[: len(learn)], learn["income"].astype(str))
    return 100.0 * float(np.mean(model.predict(together[len(learn) :]) == test["income"].astype(str)))


def run_once(table: pd.DataFrame, seed: int, k: int, partitioner: str, shares: list[float]) -> list[list[float]]:
    """Returns for each share: blur of those who stay, before and after; accuracy before and after."""
    order = np.random.default_rng(seed).permutation(len(table))
    cut = int(HELD_OUT * len(table))
    test, train = table.iloc[order[:cut]], table.iloc[order[cut:]].reset_index(drop=True)
    columns = pa.Table.from_pandas(train, preserve_index=False)
    guide = fit_estimator(columns, "income", "gradient_boosting", leave_out=[], categorical=[], seed=seed).predict(
        columns
    )

    def release(share: float) -> tuple[pd.DataFrame, np.ndarray]:
        anonymizer = AccuracyGuidedAnonymizer(NAMES, k, label="income", partitioner=partitioner, max_suppressed=share)
        return anonymizer.fit_transform(train, guide), anonymizer.kept_

    whole, _ = release(0.0)
    before, accuracy_before = blur(train, whole, NAMES), accuracy(whole, test)
    found = []
    for share in shares:
        rest, kept = release(share)
        after = blur(train[kept], rest, NAMES)
        found.append([before[kept].mean(), after.mean(), accuracy_before, accuracy(rest, test)])
    return found


def main() -> None:
    """Parses arguments, runs each seed, prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suppression", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of adult.data (default: %(default)s)")
    parser.add_argument("--k", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--seeds", type=int, default=5, help="splits, at least 2 (default: %(default)s)")
    parser.add_argument("--partitioners", nargs="+", default=["guided_tree", "mdav"])
    parser.add_argument("--shares", nargs="+", type=float, default=[0.01, 0.05])
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error("--seeds must be 2 or more")
    people = read_adult(options.data)
    table = Table(
        "partitioner", "left out", "blur of those who stay", "accuracy", title=f"Adult, k = {options.k}, before → after"
    )
    for name in options.partitioners:
        runs = [run_once(people, seed, options.k, name, options.shares) for seed in range(options.seeds)]
        for i, share in enumerate(options.shares):
            blurs, blurs_after, scores, scores_after = zip(*(run[i] for run in runs), strict=True)
            change = [b - a for a, b in zip(scores, scores_after, strict=True)]
            table.add_row(
                name,
                f"{share:.0%}",
                f"{statistics.mean(blurs):.4f} → {statistics.mean(blurs_after):.4f}",
                f"{statistics.mean(scores):.2f} → {statistics.mean(scores_after):.2f} "
                f"({statistics.mean(change):+.2f} ± {statistics.stdev(change):.2f} points)",
            )
    Console().print(table)


if __name__ == "__main__":
    main()
