"""Pictures of reports, by matplotlib, as SVG that takes the page's own font and colour."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tfx_anonymizer.report.svg import INK, new_figure, to_svg

# Told apart by people who do not see all colours, on light and on dark (Okabe and Ito 2008).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7f7f7f")


def trade_off(points: Sequence[Mapping[str, Any]], metric: str, at_most: float, recommended_k: int | None) -> str:
    """Draws what each k costs.

    Args:
        points: As `comparison.Comparison.to_dict` gives them.
        metric: The name of what was scored.
        at_most: The loss that is allowed, points.
        recommended_k: The k to mark, if one.

    Returns:
        An `<svg>` element.
    """
    names = list(dict.fromkeys(point["partitioner"] for point in points))
    figure, axes = new_figure()
    for i, name in enumerate(names):
        drawn = [point for point in points if point["partitioner"] == name and point["reached"]]
        if not drawn:
            continue
        ks, changes = [point["k"] for point in drawn], [point["change"] for point in drawn]
        errors = [point["change_error"] or 0.0 for point in drawn]
        colour = _COLOURS[i % len(_COLOURS)]
        axes.errorbar(ks, changes, yerr=errors, color=colour, marker="o", markersize=4, capsize=3, label=name)
        front = [point for point in drawn if point["on_front"]]
        axes.plot(
            [p["k"] for p in front], [p["change"] for p in front], "o", markersize=9, fillstyle="none", color=colour
        )
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.axhline(-at_most, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.annotate(
        f"{at_most:g} lost", (1.0, -at_most), xycoords=("axes fraction", "data"), ha="right", va="bottom", color=INK
    )
    if recommended_k is not None:
        axes.axvline(recommended_k, color=INK, linewidth=0.8, linestyle=(0, (1, 3)))
    _name_ks(axes, sorted({point["k"] for point in points}))
    axes.set_xlabel("k (rings: no other release has as great a k and as good a score)")
    axes.set_ylabel(f"change of {metric}, points")
    if len(names) > 1:
        axes.legend(frameon=False, labelcolor=INK)
    return to_svg(figure)


def _name_ks(axes: Any, ks: Sequence[int]) -> None:
    """A logarithmic axis whose ticks are the k that were tried, as far as they have room."""
    axes.set_xscale("log")
    shown: list[int] = []
    for k in ks:
        if not shown or math.log(k / shown[-1]) > math.log(ks[-1] / ks[0]) / 24:
            shown.append(k)
    axes.set_xticks(shown, [str(k) for k in shown])
    axes.minorticks_off()
    if ks[0] == ks[-1]:
        axes.set_xlim(ks[0] / 2, ks[0] * 2)
