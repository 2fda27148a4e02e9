"""Accuracy against epsilon and against k, a row of panels a model; and accuracy against what attacks find out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

mpl.use("Agg")

from matplotlib import pyplot as plt

from benchmarks.dp.methods import EPSILON, METHODS, NOTHING, K
from benchmarks.dp.models import MODELS

# Always naming the most frequent class.
_MAJORITY = 76.07
_MARKERS = "osD^vP*Xh"
_TITLES = {"forest": "random forest on the release", "logistic": "logistic regression on the release"}


def plot(table: pd.DataFrame, path: Path) -> None:
    """Draws means and standard errors over seeds.

    A method that trains a model of its own kind stands in every row, dashed.

    Args:
        table: What `results.summary` gives.
        path: Where to, by suffix SVG, PNG or PDF.
    """
    models = list(MODELS)
    shape: dict[str, Any] = {"figsize": (10.5, 3.5 * len(models) + 0.9), "sharey": True, "squeeze": False}
    figure, axes = plt.subplots(len(models), 2, gridspec_kw={"width_ratios": [3, 2]}, **shape)
    for row, model in zip(axes, models, strict=True):
        for axis, strength in zip(row, (EPSILON, K), strict=True):
            _plot_accuracy(axis, table, model, strength)
            axis.set_title(_TITLES[model], fontsize=10)
        row[0].set_ylabel("accuracy on real rows, %")
    _finish(figure, axes[:, 0].tolist() + axes[:, 1].tolist(), path)


def plot_attacks(table: pd.DataFrame, path: Path) -> None:
    """Draws accuracy against what the strongest attack finds out; to the left and above is better.

    Args:
        table: What `results.attack_summary` gives.
        path: Where to.
    """
    figure, axes = plt.subplots(1, 2, figsize=(10.5, 5.2), sharey=True)
    for axis, (value, chance, label) in zip(
        axes,
        (
            ("auc", 0.5, "AUC of RMIA (0.5 is chance)"),
            ("tpr", 1.0, "members caught at 1 % false alarms, % (1 is chance)"),
        ),
        strict=True,
    ):
        for name, style in _styles(table).items():
            found = table[table["method"] == name].sort_values("strength")
            errors = {"xerr": found[f"{value}_sem"], "yerr": found["accuracy_sem"]}
            line = "none" if METHODS[name].strength == NOTHING else style["linestyle"]
            axis.errorbar(
                found[value], found["accuracy"], **errors, **{**style, "linestyle": line}, elinewidth=0.6, alpha=0.9
            )
            if METHODS[name].strength != NOTHING:
                for at in (0, -1):
                    text = f"{'k' if METHODS[name].strength == K else 'ε'} = {found['strength'].iloc[at]:g}"
                    place = (found[value].iloc[at], found["accuracy"].iloc[at])
                    axis.annotate(
                        text, place, xytext=(5, 4), textcoords="offset points", fontsize=7, color=style["color"]
                    )
        axis.axvline(chance, color="black", linewidth=0.8, linestyle=":")
        axis.set_xlabel(label)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("accuracy on non-members, %")
    _finish(figure, list(axes), path)


def _plot_accuracy(axis: Any, table: pd.DataFrame, model: str, strength: str) -> None:
    ticks: set[float] = set()
    for name, style in _styles(table).items():
        method = METHODS[name]
        own = method.models[0] not in MODELS
        found = table[(table["method"] == name) & (table["model"] == (method.models[0] if own else model))]
        found = found.sort_values("strength")
        if found.empty:
            continue
        if method.strength == NOTHING:
            axis.axhline(found["accuracy"].iloc[0], color="black", linewidth=1, linestyle=":", label=name)
        elif method.strength == strength:
            axis.errorbar(found["strength"], found["accuracy"], yerr=found["sem"], **style)
            ticks |= set(found["strength"])
    axis.axhline(_MAJORITY, color="grey", linewidth=1, linestyle="--", label="most frequent class")
    axis.set_xscale("log")
    axis.set_xticks(sorted(ticks), [f"{tick:g}" for tick in sorted(ticks)], minor=False)
    axis.minorticks_off()
    axis.set_xlabel(f"{strength}, delta = 1e-6" if strength == EPSILON else strength)
    axis.grid(alpha=0.3)


def _styles(table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Gives each method that was measured a colour and a marker; the same in every picture."""
    known = set(table["method"])
    styles = {}
    for number, (name, method) in enumerate(METHODS.items()):
        colour = "black" if method.strength == NOTHING else mpl.colormaps["tab10"].colors[number % 10]
        line = "--" if method.models[0] not in MODELS else "-"
        styles[name] = {"color": colour, "marker": _MARKERS[number % len(_MARKERS)], "linestyle": line, "label": name}
    usual = {"markersize": 5, "capsize": 2, "linewidth": 1.4}
    return {name: {**style, **usual} for name, style in styles.items() if name in known}


def _finish(figure: Any, axes: list[Any], path: Path) -> None:
    """Puts one legend for all below, and writes the picture on white."""
    handles: dict[str, Any] = {}
    for axis in axes:
        handles.update({label: handle for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)})
    rows = -(-len(handles) // 5)
    height = (0.25 + 0.25 * rows) / figure.get_figheight()
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=5, frameon=False)
    figure.tight_layout(rect=(0, height, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, facecolor="white")
    plt.close(figure)
