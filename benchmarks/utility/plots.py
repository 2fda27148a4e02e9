"""The paper's figures 2 to 5: accuracy against k with error bars, one panel a model."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pandas as pd

mpl.use("Agg")

from matplotlib import pyplot as plt

OURS = "auto"


def plot_case(table: pd.DataFrame, case: str, path: Path) -> None:
    """Draws one case.

    Args:
        table: What `results.read` gives.
        case: Which of its cases.
        path: Where to, by suffix SVG, PNG or PDF.
    """
    table = table[table["case"] == case]
    names = list(dict.fromkeys(table["model"]))
    figure, axes = plt.subplots(1, len(names), figsize=(4.2 * len(names), 3.6), sharex=True, squeeze=False)
    methods = list(dict.fromkeys(table["method"]))
    colours = dict(zip(methods, mpl.colormaps["tab10"].colors, strict=False))
    for axis, model in zip(axes[0], names, strict=True):
        rows = table[table["model"] == model]
        axis.axhline(100 * rows["raw"].mean(), color="black", linewidth=1, linestyle=":", label="not anonymized")
        for method in methods:
            by_k = (100 * rows[rows["method"] == method].set_index("k")["accuracy"]).groupby(level=0)
            mean, std = by_k.mean(), by_k.std().fillna(0)
            axis.errorbar(
                mean.index,
                mean,
                yerr=std,
                label=method,
                color=colours[method],
                linewidth=2.2 if method == OURS else 1.2,
                marker="o" if method == OURS else ".",
                capsize=2,
            )
        axis.set_xscale("log")
        ks = sorted(rows["k"].unique())
        axis.set_xticks(ks, [str(k) for k in ks], minor=False)
        axis.minorticks_off()
        axis.set_title(model)
        axis.set_xlabel("k")
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel(f"{case}: accuracy on held-out rows, %")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=min(len(labels), 8), frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
