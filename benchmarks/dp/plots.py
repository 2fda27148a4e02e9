"""Accuracy against epsilon and against k, side by side, a row of panels a model."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pandas as pd

mpl.use("Agg")

from matplotlib import pyplot as plt

from benchmarks.dp.methods import EPSILON, METHODS, NOTHING, K

# Always naming the most frequent class.
_MAJORITY = 76.07


def plot(table: pd.DataFrame, path: Path) -> None:
    """Draws means and standard errors over seeds.

    Args:
        table: What `results.summary` gives.
        path: Where to, by suffix SVG, PNG or PDF.
    """
    models = sorted(table["model"].unique())
    shape = {
        "figsize": (11, 3.4 * len(models)),
        "sharey": True,
        "squeeze": False,
        "gridspec_kw": {"width_ratios": [3, 2]},
    }
    figure, axes = plt.subplots(len(models), 2, **shape)
    names = [name for name in METHODS if name in set(table["method"])]
    colours = dict(zip(names, mpl.colormaps["tab10"].colors, strict=False))
    for row, model in zip(axes, models, strict=True):
        for axis, strength in zip(row, (EPSILON, K), strict=True):
            for name in names:
                found = table[(table["method"] == name) & (table["model"] == model)].sort_values("strength")
                if found.empty:
                    continue
                if METHODS[name].strength == NOTHING:
                    axis.axhline(found["accuracy"].iloc[0], color="black", linewidth=1, linestyle=":", label=name)
                elif METHODS[name].strength == strength:
                    style = {"color": colours[name], "marker": "o", "markersize": 4, "capsize": 2, "label": name}
                    axis.errorbar(found["strength"], found["accuracy"], yerr=found["sem"], **style)
            axis.axhline(_MAJORITY, color="grey", linewidth=1, linestyle="--", label="most frequent class")
            axis.set_xscale("log")
            ticks = sorted(
                {s for n in names if METHODS[n].strength == strength for s in table[table["method"] == n]["strength"]}
            )
            axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
            axis.minorticks_off()
            axis.set_xlabel(f"{strength}, delta = 1e-6" if strength == EPSILON else strength)
            axis.grid(alpha=0.3)
            axis.set_title(model)
        row[0].set_ylabel("accuracy on real rows, %")
    handles: dict[str, object] = {}
    for axis in axes[0]:
        handles.update({label: handle for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)})
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=5, frameon=False)
    figure.tight_layout(rect=(0, 0.05 + 0.05 / len(models), 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
