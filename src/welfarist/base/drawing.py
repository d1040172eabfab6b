"""What every figure shares: matplotlib on demand, and styles that anybody can tell apart."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from welfarist.base.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Told apart with any kind of colour vision (Okabe and Ito); figures add dashes and markers, so
# that they read in grey as well.
BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE = "#56B4E9", "#CC79A7"
GREY, PALE = "0.35", "0.88"


def require_matplotlib() -> None:
    """Refuse to draw where matplotlib is not installed or cannot be, and say what to do."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError(
            'a plot needs the package matplotlib; found none. pip install "welfarist[plots]"'
        ) from None
    except ValueError:  # the variable is read when matplotlib is imported
        raise InputError(
            "the environment variable MPLBACKEND must be one of matplotlib's backends, such as "
            f"agg; found {os.environ.get('MPLBACKEND')!r}. Unset it."
        ) from None


def new_axes(width: float = 7.0, height: float = 4.5) -> Axes:
    """Return the axes of a new figure, whose size is in inches."""
    require_matplotlib()
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(figsize=(width, height), layout="constrained")
    return axes


def axes_to_use(ax: Any, width: float = 7.0, height: float = 4.5) -> Axes:
    """Return the axes that were given, or those of a new figure of this size if there are none."""
    if ax is None:
        return new_axes(width, height)
    require_matplotlib()
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InputError(
            f"ax must be axes of matplotlib; found {type(ax).__name__}. Leave it out for a new "
            "figure, or pass one of the axes of plt.subplots()."
        )
    return ax
