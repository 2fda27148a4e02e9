"""ROC curves on logarithmic axes, and what privacy costs: accuracy against members caught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd

mpl.use("Agg")

from matplotlib import pyplot as plt

from tfx_anonymizer.attacks import roc

STRONGEST = "rmia"


def plot_curves(curves: dict[str, Any], title: str, path: Path) -> None:
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
    least = 1 / max((~members).sum(), 1)
    axis.plot([least, 1], [least, 1], color="black", linewidth=0.8, linestyle=":", label="chance")
    axis.set(xscale="log", yscale="log", xlim=(least, 1), ylim=(least, 1), title=title)
    axis.set_xlabel("non-members accused")
    axis.set_ylabel("members caught")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False)
    _save(figure, path)


def plot_front(table: pd.DataFrame, path: Path) -> None:
    """Draws accuracy against members caught at 1 % false alarms; filled where nothing of that model is better in both.

    Args:
        table: Columns of `membership.Row`.
        path: Where to.
    """
    keys = ["model", "k", "budget"]
    rows = table[table["attack"] == STRONGEST].groupby(keys, as_index=False)[["accuracy", "tpr"]].mean()
    models = sorted(rows["model"].unique())
    figure, axes = plt.subplots(1, len(models), figsize=(1.2 + 4.8 * len(models), 4.4), sharey=True, squeeze=False)
    for axis, model in zip(axes[0], models, strict=True):
        _plot_model(axis, rows[rows["model"] == model])
        axis.set_title(model)
    axes[0][0].set_ylabel("accuracy on held-out rows, %")
    _save(figure, path)


def called(k: float, budget: float) -> str:
    """Says how a model was protected."""
    if budget:
        return f"ε = {budget:g}"
    return f"k = {int(k)}" if k else "raw"


def _plot_model(axis: Any, points: pd.DataFrame) -> None:
    best = front(points[["accuracy", "tpr"]].to_numpy())
    names: dict[tuple[Any, ...], list[str]] = {}
    for (_, point), on_front in zip(points.iterrows(), best, strict=True):
        marker, color = ("s", "tab:orange") if point["budget"] else ("o", "tab:blue")
        place = (100 * point["tpr"], 100 * point["accuracy"])
        axis.plot(*place, marker, color=color, markerfacecolor=color if on_front else "none")
        # Names of one kind stand on the left and those of the other on the right; points in one place share a name.
        names.setdefault((bool(point["budget"]), *np.round(place, 1)), []).append(called(point["k"], point["budget"]))
    for (is_private, *place), shared in names.items():
        aside, side = (-6, "right") if is_private else (6, "left")
        axis.annotate(", ".join(shared), place, xytext=(aside, -3), textcoords="offset points", ha=side, fontsize=8)
    axis.plot([], [], "o", color="tab:blue", label="trained on rows, or a release of them")
    axis.plot([], [], "s", color="tab:orange", label="differential privacy")
    axis.margins(0.3, 0.15)
    axis.axvline(1, color="black", linewidth=0.8, linestyle=":")
    axis.set_xlabel("members caught at 1 % false alarms, % (RMIA)")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, loc="lower right")


def front(points: np.ndarray) -> list[bool]:
    """Tells which points no other beats: accuracy as great and fewer caught, or as few and greater accuracy.

    Example:
        >>> front(np.array([[0.9, 0.5], [0.8, 0.1], [0.7, 0.2]]))
        [True, True, False]
    """
    return [not any((a >= b).all() and (a > b).any() for a in points * [1, -1]) for b in points * [1, -1]]


def _save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
