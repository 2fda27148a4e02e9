"""Figures of matplotlib as SVG that stands in a page: its text is the page's, and so are its colours.

Colours are named by what they mean; a page's style sheet says what they are, on light and on dark.
"""

from __future__ import annotations

import io
import re
from typing import Any

# matplotlib knows no colour that is the reader's; these are replaced when the picture is written.
INK = "#010203"
BEFORE = "#010204"
AFTER = "#010205"
BAD = "#010206"
_MEANT = {INK: "currentColor", BEFORE: "var(--before)", AFTER: "var(--after)", BAD: "var(--bad)"}


def new_figure(width: float = 7.6, height: float = 4.2) -> tuple[Any, Any]:
    """Returns a figure and its axes, which have lines at the left and at the bottom only.

    Args:
        width: Inches; about 96 pixels of a page each.
        height: Likewise.
    """
    from matplotlib.figure import Figure

    # A figure of its own: pyplot would keep it, and may want a screen.
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(INK)
    axes.tick_params(colors=INK, which="both")
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    return figure, axes


def label(text: str, most: int = 22) -> str:
    r"""Makes any text fit for matplotlib: short, one line, no formula.

    Args:
        text: Any text.
        most: Most characters.

    Example:
        >>> label("Ulm")
        'Ulm'
        >>> label("a price of $5 or $6, whichever")
        'a price of \\$5 or \\$6,…'
    """
    plain = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    short = plain if len(plain) <= most else f"{plain[: most - 1].rstrip()}…"
    return short.replace("$", r"\$")


def to_svg(figure: Any, prefix: str = "") -> str:
    """Writes a figure.

    Args:
        figure: A figure of matplotlib.
        prefix: Set before every name inside, so that several pictures can stand in one page.

    Returns:
        An `<svg>` element.
    """
    import warnings

    import matplotlib as mpl

    buffer = io.StringIO()
    # Text stays text: it is read aloud, found and copied. The salt makes the same picture of the same figures.
    settings = {"svg.fonttype": "none", "svg.hashsalt": f"tfx_anonymizer{prefix}", "font.family": "sans-serif"}
    with mpl.rc_context(settings), warnings.catch_warnings():
        # The page's font has the letters that the one which is only measured with has not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", transparent=True, metadata=nothing)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    for stands_for, meant in _MEANT.items():
        text = text.replace(stands_for, meant)
    if prefix:
        text = re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\g<1>{prefix}-", text)
    # To whoever hears the page the picture is one thing, named where it stands.
    return text.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
