"""Accuracy against epsilon and against k, a row of panels a model; and accuracy beside what attacks find out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd

mpl.use("Agg")

from matplotlib import pyplot as plt

from benchmarks.dp.methods import EPSILON, METHODS, NOTHING, K
from benchmarks.dp.models import MODELS
from benchmarks.dp.results import in_order

# Always naming the most frequent class.
_MAJORITY = 76.07
_MARKERS = "osD^vP*Xh"
_TITLES = {"forest": "random forest", "logistic": "logistic regression"}
# Column, its standard error, what chance comes to, and how it is called.
_ATTACK_PANELS = (
    ("accuracy", "accuracy_sem", _MAJORITY, "accuracy on non-members, %\n(dotted: most frequent class)"),
    ("auc", "auc_sem", 0.5, "AUC of RMIA\n(dotted: chance)"),
    ("tpr", "tpr_sem", 1.0, "caught at 1 % false alarms, %\n(dotted: chance)"),
)


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
    """Draws accuracy and what the strongest attack finds out side by side, a line a method and strength.

    Args:
        table: What `results.attack_summary` gives.
        path: Where to.
    """
    rows = in_order(table, list(METHODS))
    styles = _styles(table)
    # A little room between methods.
    places = np.arange(len(rows)) + 0.7 * (rows["method"] != rows["method"].shift()).cumsum().to_numpy()
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 0.21 * float(places[-1]) + 1.4), sharey=True)
    for axis, (value, error, chance, label) in zip(axes, _ATTACK_PANELS, strict=True):
        for name, style in styles.items():
            mine = (rows["method"] == name).to_numpy()
            axis.errorbar(rows[value][mine], places[mine], xerr=rows[error][mine], **{**style, "linestyle": "none"})
        axis.axvline(chance, color="black", linewidth=0.8, linestyle=":")
        axis.set_xlabel(label)
        axis.grid(axis="x", alpha=0.3)
        axis.tick_params(axis="y", length=0)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(places, [_name(*row) for row in zip(rows["method"], rows["strength"], strict=True)], fontsize=8)
    axes[0].set_ylim(float(places[-1]) + 0.8, float(places[0]) - 0.8)
    _save(figure, path)


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
            label = f"{name} (in both rows)" if own else name
            axis.errorbar(found["strength"], found["accuracy"], yerr=found["sem"], **{**style, "label": label})
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
    """Puts one legend for all below, and writes the picture."""
    handles: dict[str, Any] = {}
    for axis in axes:
        handles.update({label: handle for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)})
    rows = -(-len(handles) // 5)
    height = (0.05 + 0.25 * rows) / figure.get_figheight()
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=5, frameon=False)
    _save(figure, path, height)


def _name(method: str, strength: float) -> str:
    sign = {EPSILON: "ε", K: "k"}.get(METHODS[method].strength)
    return f"{method}, {sign} = {strength:g}" if sign else method


def _save(figure: Any, path: Path, below: float = 0.0) -> None:
    figure.tight_layout(rect=(0, below, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, facecolor="white")
    plt.close(figure)
