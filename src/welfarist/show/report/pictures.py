"""Figures as part of a page: drawn apart from everything else, the same bytes every time."""

from __future__ import annotations

import base64
import importlib.util
import io
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from welfarist.base.drawing import require_matplotlib
from welfarist.show.report.markup import NOTHING, Html, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Text stays text, which a browser sets in any script; what would differ from one run to the next
# (random names, the date) is fixed.
_SETTINGS = {"svg.hashsalt": "welfarist", "svg.fonttype": "none", "font.size": 10.0}
# In inches, of a figure that is wider than high. No figure is wider: on a phone, where it has two
# thirds of that, its letters can still be read.
WIDE = (5.8, 3.2)
# Settings of matplotlib and of warnings are the whole process's, whichever thread draws.
_ONE_AT_A_TIME = threading.Lock()


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def drawn(
    draw: Callable[[Axes], object], size: tuple[float, float], alt: str, caption: str
) -> Html:
    """Return a figure of a size in inches as HTML; nothing where matplotlib is not installed."""
    if not can_draw():
        return NOTHING
    require_matplotlib()
    from matplotlib import style
    from matplotlib.figure import Figure

    with _ONE_AT_A_TIME, style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # The font that measures a text need not be the one that shows it.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    code = base64.b64encode(buffer.getvalue()).decode("ascii")
    kind = "tall" if size[1] > size[0] else ""
    return picture(f"data:image/svg+xml;base64,{code}", alt, caption, kind)
