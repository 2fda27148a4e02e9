"""ROC curves on logarithmic axes, and what privacy costs: accuracy against members caught."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter

from tfx_anonymizer.attacks import roc

STRONGEST = "rmia"
# Shares below have no place on a logarithmic axis; they are drawn here.
_LEAST_PERCENT = 0.1
_LEAST_GAP = 11.0  # points between two labels, one above the other
_BLUE, _ORANGE = "tab:blue", "tab:orange"

Floats = npt.NDArray[np.float64]


def plot_curves(curves: Mapping[str, Any], title: str, path: Path) -> None:
    """Draws the ROC curve of every attack on one model; on these axes few false alarms can be seen.

    Args:
        curves: Scores by attack, and `members`.
        title: Above the plot.
        path: Where to, by suffix SVG, PNG or PDF.
    """
    members = curves["members"]
    figure, axis = plt.subplots(figsize=(5.2, 4.6))
    for name, scores in curves.items():
        if name == "members":
            continue
        caught, alarmed = roc.curve(np.asarray(scores, dtype=np.float64), members)
        seen = (caught > 0) & (alarmed > 0)
        axis.plot(alarmed[seen], caught[seen], label=name, linewidth=1.5)
    _logarithmic(axis, 1 / max((~members).sum(), 1))
    axis.set_title(title)
    axis.legend(frameon=False)
    _save(figure, path)


def plot_all_curves(curves: Mapping[tuple[str, float, float], Sequence[Mapping[str, Any]]], path: Path) -> None:
    """Draws the strongest attack's ROC curve for every model and protection, the mean of all seeds.

    Args:
        curves: By (model, k, budget), the scores of each seed: by attack, and `members`.
        path: Where to.
    """
    models = sorted({model for model, _, _ in curves})
    figure, axes = plt.subplots(
        len(models), 2, figsize=(9.6, 0.4 + 4.1 * len(models)), sharex=True, sharey=True, squeeze=False
    )
    least = min(1 / max((~seeds[0]["members"]).sum(), 1) for seeds in curves.values())
    alarmed = np.geomspace(least, 1, 80)
    for row, model in zip(axes, models, strict=True):
        sides = (
            ("raw rows, and releases", [key for key in curves if key[0] == model and not key[2]]),
            ("differential privacy", [key for key in curves if key[0] == model and key[2]]),
        )
        for axis, (title, keys) in zip(row, sides, strict=True):
            colors = mpl.colormaps["viridis"](np.linspace(0, 0.85, max(len(keys), 1)))
            for key, color in zip(sorted(keys, key=lambda found: found[1:]), colors, strict=False):
                caught = np.mean([_caught(seed, alarmed) for seed in curves[key]], axis=0)
                seen = caught > 0
                axis.plot(alarmed[seen], caught[seen], label=called(*key[1:]), color=color, linewidth=1.5)
            _logarithmic(axis, least)
            axis.set_title(f"{model}: {title}", fontsize=10)
            axis.label_outer()
            axis.legend(frameon=False, loc="upper left", fontsize=8)
    _save(figure, path)


def plot_front(table: pd.DataFrame, path: Path) -> None:
    """Draws accuracy against members caught at 1 % false alarms; filled where nothing of that model is better in both.

    Points are means over seeds; bars are standard deviations.

    Args:
        table: Columns of `membership.Row`.
        path: Where to.
    """
    keys = ["model", "k", "budget"]
    by_protection = table[table["attack"] == STRONGEST].groupby(keys)[["accuracy", "tpr"]]
    rows = by_protection.mean().join(by_protection.std().fillna(0.0), rsuffix="_spread").reset_index()
    models = sorted(rows["model"].unique())
    figure, axes = plt.subplots(1, len(models), figsize=(1.2 + 4.8 * len(models), 4.8), sharey=True, squeeze=False)
    for axis, model in zip(axes[0], models, strict=True):
        _plot_model(axis, rows[rows["model"] == model])
        axis.set_title(model)
    axes[0][0].set_ylabel("accuracy on held-out rows, %")
    figure.tight_layout()
    for axis, model in zip(axes[0], models, strict=True):
        _label(axis, rows[rows["model"] == model])
    _save(figure, path)


def called(k: float, budget: float) -> str:
    """Says how a model was protected."""
    if budget:
        return f"ε = {budget:g}"
    return f"k = {int(k)}" if k else "raw"


def front(points: np.ndarray) -> list[bool]:
    """Tells which points no other beats: accuracy as great and fewer caught, or as few and greater accuracy.

    Example:
        >>> front(np.array([[0.9, 0.5], [0.8, 0.1], [0.7, 0.2]]))
        [True, True, False]
    """
    return [not any((a >= b).all() and (a > b).any() for a in points * [1, -1]) for b in points * [1, -1]]


def apart(places: Iterable[float], gap: float) -> list[float]:
    """Moves places as little as needed to be so far from each other, keeping their order.

    Example:
        >>> apart([0.0, 1.0, 100.0], 10.0)
        [-4.5, 5.5, 100.0]
    """
    asked = np.array(list(places), dtype=np.float64)
    order = np.argsort(asked, kind="stable")
    # Without the gaps, what is asked for is the nearest growing sequence: neighbours that do not grow share their mean.
    blocks: list[list[float]] = []
    for value in asked[order] - gap * np.arange(len(asked)):
        blocks.append([value])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    level = [float(np.mean(block)) for block in blocks for _ in block]
    found = np.empty(len(asked))
    found[order] = np.array(level) + gap * np.arange(len(asked))
    return [float(place) for place in found]


def _caught(curves: Mapping[str, Any], alarmed: Floats) -> Floats:
    """Returns the share of members caught at each share of non-members accused."""
    caught, accused = roc.curve(np.asarray(curves[STRONGEST], dtype=np.float64), curves["members"])
    return np.asarray(caught[np.searchsorted(accused, alarmed + 1e-12, side="right") - 1], dtype=np.float64)


def _logarithmic(axis: Any, least: float) -> None:
    axis.plot([least, 1], [least, 1], color="black", linewidth=0.8, linestyle=":", label="chance")
    axis.set(xscale="log", yscale="log", xlim=(least, 1), ylim=(least, 1))
    axis.set_xlabel("non-members accused")
    axis.set_ylabel("members caught")
    axis.grid(alpha=0.3)


def _plot_model(axis: Any, points: pd.DataFrame) -> None:
    best = front(points[["accuracy", "tpr"]].to_numpy())
    for (_, point), on_front in zip(points.iterrows(), best, strict=True):
        marker, color = ("s", _ORANGE) if point["budget"] else ("o", _BLUE)
        axis.errorbar(
            *_place(point),
            xerr=100 * point["tpr_spread"],
            yerr=100 * point["accuracy_spread"],
            fmt=marker,
            color=color,
            markerfacecolor=color if on_front else "white",
            ecolor=mpl.colors.to_rgba(color, 0.35),
            elinewidth=1,
        )
    axis.plot([], [], "o", color=_BLUE, label="raw rows, or a release of them")
    axis.plot([], [], "s", color=_ORANGE, label="differential privacy")
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_xticks([0.5, 1, 2, 5, 10, 20])
    axis.minorticks_off()
    low, high = axis.get_xlim()
    # Room for the labels on either side.
    axis.set_xlim(min(low, 0.6) / 2.2, max(high, 12) * 1.9)
    axis.axvline(1, color="black", linewidth=0.8, linestyle=":")
    axis.set_xlabel("members caught at 1 % false alarms, % (RMIA)")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, loc="lower right", fontsize=8)


def _label(axis: Any, points: pd.DataFrame) -> None:
    """Names the points beside them in two columns, each kind in one, with a line to each; the raw model's beside it."""
    raw = points[(points["k"] == 0) & (points["budget"] == 0)]
    for _, point in raw.iterrows():
        axis.annotate("raw", _place(point), xytext=(8, 0), textcoords="offset points", va="center", fontsize=8)
    others = points.drop(raw.index)
    to_points = 72 / axis.figure.dpi
    for is_private, column in ((True, 0.02), (False, 0.62)):
        shown = [point for _, point in others.iterrows() if bool(point["budget"]) == is_private]
        heights = [axis.transData.transform(_place(point))[1] * to_points for point in shown]
        for point, height in zip(shown, apart(heights, _LEAST_GAP), strict=True):
            at = axis.transAxes.inverted().transform((0, height / to_points))[1]
            axis.annotate(
                called(point["k"], point["budget"]), _place(point), xytext=(column, at), textcoords="axes fraction",
                ha="left", va="center", fontsize=8,
                arrowprops={"arrowstyle": "-", "color": "grey", "linewidth": 0.5, "shrinkA": 2, "shrinkB": 5},
            )  # fmt: skip


def _place(point: pd.Series) -> tuple[float, float]:
    return max(100 * point["tpr"], _LEAST_PERCENT), 100 * point["accuracy"]


def _save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
