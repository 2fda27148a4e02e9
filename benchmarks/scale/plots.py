"""Time against rows, on logarithmic axes."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pandas as pd

mpl.use("Agg")

from matplotlib import pyplot as plt


def plot(table: pd.DataFrame, path: Path) -> None:
    """Draws wall and processor time of each piece of work against rows.

    Args:
        table: Columns `rows`, `work`, `wall` and `processor`, a row a turn.
        path: Where to, by suffix SVG, PNG or PDF.
    """
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
    for axis, measure in zip(axes, ("wall", "processor"), strict=True):
        for work, turns in table.groupby("work", sort=False):
            median = turns.groupby("rows")[measure].median()
            axis.plot(median.index, median, marker="o", label=work)
        axis.set(xscale="log", yscale="log", xlabel="rows", title=f"{measure} time", ylabel="seconds")
        axis.grid(visible=True, which="both", alpha=0.3)
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
