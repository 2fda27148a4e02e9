"""Pictures of the report of a pipeline: sizes of classes, a column before and after, and who pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfx_anonymizer.report.svg import AFTER, BAD, BEFORE, INK, label, new_figure, to_svg

# As wide as a telephone, so that text is read there at its own size.
_WIDTH = 4.0
_POINT = 9
_BAR = 0.4
_FEW_BARS = 12


def class_sizes(ranges: Sequence[Mapping[str, int]], k: int, prefix: str, unit: str = "rows") -> str:
    """Draws how many classes are of which size.

    Args:
        ranges: As `writing.histogram` gives them.
        k: What was asked; bars below it are drawn as broken.
        prefix: Of the names inside; another for each picture of a page.
        unit: What sizes count.

    Returns:
        An `<svg>` element.
    """
    figure, axes = new_figure(5.0, 2.4)
    _font(axes)
    colours = [AFTER if one["low"] >= k else BAD for one in ranges]
    bars = axes.bar(range(len(ranges)), [one["classes"] for one in ranges], color=colours, width=0.86)
    if sum(one["classes"] > 0 for one in ranges) <= _FEW_BARS:
        # A single class beside hundreds would not be seen.
        counts = [f"{one['classes']:,}" if one["classes"] else "" for one in ranges]
        axes.bar_label(bars, counts, padding=1, color=INK, fontsize=_POINT - 1)
    few = max(1, -(-len(ranges) // 6))
    shown = list(range(0, len(ranges), few))
    axes.set_xticks(shown, [_range(ranges[i]) for i in shown])
    axes.set_xlabel(f"{unit} in the class")
    axes.set_ylabel("classes")
    _whole_numbers(axes)
    return to_svg(figure, prefix)


def distribution(found: Mapping[str, Any], prefix: str) -> str:
    """Draws a column before and after.

    Args:
        found: As `folding.fold_numbers` or `folding.fold_categories` gives it.
        prefix: Of the names inside.

    Returns:
        An `<svg>` element; empty text if nothing may be told.
    """
    if found["kind"] == "numbers":
        return _numbers(found, prefix) if found["edges"] else ""
    return _categories(found, prefix) if found["values"] else ""


def groups_pay(price: Mapping[str, Any], prefix: str) -> str:
    """Draws what the retrained model loses, group by group.

    Args:
        price: As `price.price` gives it, with groups.
        prefix: Of the names inside.
    """
    groups = price["groups"]
    figure, axes = new_figure(5.0, 0.8 + 0.24 * len(groups))
    _font(axes)
    scale = price["scale"]
    places = range(len(groups))[::-1]
    for place, group in zip(places, groups, strict=True):
        colour = BAD if group["pays_more"] else AFTER
        change = group["change"]
        axes.errorbar(
            scale * change["value"],
            place,
            xerr=None if change["margin"] is None else scale * change["margin"],
            color=colour,
            marker="D" if group["pays_more"] else "o",
            markersize=5,
            capsize=2.5,
            linewidth=1.4,
        )
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.axvline(scale * price["change"]["value"], color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set_yticks(list(places), [label(group["name"], 36) for group in groups])
    axes.set_ylim(-0.6, len(groups) - 0.4)
    axes.set_xlabel(f"change{', points' if scale == 100 else ''}; dashed: everybody")
    return to_svg(figure, prefix)


def _numbers(found: Mapping[str, Any], prefix: str) -> str:
    figure, axes = new_figure(_WIDTH, 2.1)
    _font(axes)
    bins = len(found["before"])
    places = [*range(bins)]
    before, after = [*found["before"]], [*found["after"]]
    if found["missing"]:
        places.append(bins + 1)
        before.append(found["missing"][0])
        after.append(found["missing"][1])
    axes.bar([p - _BAR / 2 for p in places], before, width=_BAR, color=BEFORE)
    axes.bar([p + _BAR / 2 for p in places], after, width=_BAR, color=AFTER)
    # An edge stands between the bins that it parts; the outermost have no other end.
    texts = [edge_text(edge) for edge in found["edges"]]
    few = max(1, -(-sum(len(text) + 1 for text in texts) // 44))
    ticks = [(i + 0.5, text) for i, text in enumerate(texts) if i % few == 0]
    if found["missing"]:
        ticks.append((bins + 1, "missing"))
    axes.set_xticks([place for place, _ in ticks], [text for _, text in ticks])
    _shares(axes.yaxis)
    return to_svg(figure, prefix)


def _categories(found: Mapping[str, Any], prefix: str) -> str:
    rows = list(zip(found["values"], found["before"], found["after"], strict=True))
    names = [label(value) if value else "(empty)" for value, _, _ in rows]
    for name, pair in (("(other)", found["other"]), ("(missing)", found["missing"])):
        if pair:
            names.append(name)
            rows.append((name, pair[0], pair[1]))
    figure, axes = new_figure(_WIDTH, 0.6 + 0.27 * len(rows))
    _font(axes)
    places = list(range(len(rows)))[::-1]
    axes.barh([p + _BAR / 2 for p in places], [row[1] for row in rows], height=_BAR, color=BEFORE)
    axes.barh([p - _BAR / 2 for p in places], [row[2] for row in rows], height=_BAR, color=AFTER)
    axes.set_yticks(places, names)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.tick_params(axis="y", length=0)
    _shares(axes.xaxis)
    return to_svg(figure, prefix)


def edge_text(edge: float) -> str:
    """Writes an edge as short as it can be without saying something else.

    Example:
        >>> [edge_text(edge) for edge in (20.0, -87.65, 1380000000.0, 45000.0)]
        ['20', '−87.65', '1,380 M', '45,000']
    """
    if edge and abs(edge) >= 1e7 and edge % 1e5 == 0:
        return f"{edge / 1e6:,.10g} M".replace("-", "−")
    return f"{edge:,.10g}".replace("-", "−")


def _range(found: Mapping[str, int]) -> str:
    low, high = found["low"], found["high"]
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _font(axes: Any) -> None:
    axes.tick_params(labelsize=_POINT)
    axes.xaxis.label.set_size(_POINT)
    axes.yaxis.label.set_size(_POINT)


def _shares(axis: Any) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=4, min_n_ticks=3))
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g}\N{NO-BREAK SPACE}%"))


def _whole_numbers(axes: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
