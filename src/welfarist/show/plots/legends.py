"""Legends where they cover nothing: below the axis, at a distance in inches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def legend_below(
    axes: Axes, inches: float, handles: Sequence[Any] | None = None, columns: int = 2
) -> None:
    """Explain marks below a figure, whatever its height; `handles` stand for those it has."""
    from matplotlib.transforms import ScaledTranslation

    down = ScaledTranslation(0.0, -inches, axes.figure.dpi_scale_trans)
    axes.legend(
        handles=axes.get_legend_handles_labels()[0] if handles is None else list(handles),
        loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=axes.transAxes + down,
        ncols=columns, frameon=False, borderaxespad=0.0,
    )  # fmt: skip
