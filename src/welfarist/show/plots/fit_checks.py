"""Does the rule describe the decisions: calibration of choices, residuals of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from welfarist.base.drawing import BLUE, GREY, axes_to_use
from welfarist.checks.calibration import Calibration
from welfarist.checks.residuals import Residuals
from welfarist.results.record import FitResult
from welfarist.show.plots.sources import result_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def calibration(result: FitResult | Calibration, ax: Axes | None = None, *, bins: int = 10) -> Axes:
    """Draw how often the better action was chosen against how often the rule says it is.

    Better is what the rule finds better, so that chances go from one half to 1; of a menu it is
    what the rule finds best, whose chance may be less. Dots on the
    dashed line mean that they can be taken at their word; the bars are 95% intervals of what was
    observed.

    Parameters
    ----------
    result : FitResult
        Of comparisons or choices, or a learner fitted to them; or what its ``calibration()``
        returned.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.
    bins : int
        In how many groups decisions are counted.

    Returns
    -------
    matplotlib axes
    """
    found = result if isinstance(result, Calibration) else result_of(result).calibration(bins)
    predicted, observed = found.predicted, found.observed
    axes = axes_to_use(ax, 5.2, 5.0)
    least = 0.0 if found.from_menus else 0.5
    axes.plot([least, 1], [least, 1], "--", color=GREY, linewidth=1.2, label="as predicted")
    spread = np.maximum([observed - found.low, found.high - observed], 0.0)
    axes.errorbar(
        predicted,
        observed,
        yerr=spread,
        fmt="o",
        color=BLUE,
        markersize=6,
        elinewidth=1.6,
        capsize=3,
        label="observed, with 95% interval",
        clip_on=False,
    )
    edge = least - 0.01
    axes.set(xlim=(edge, 1.01), ylim=(min(edge, float(np.min(found.low)) - 0.01), 1.01))
    which = "best" if found.from_menus else "better"
    axes.set_xlabel(f"chance of the {which} action, as the rule says")
    axes.set_ylabel("how often it was chosen")
    return _finish(axes)


def residuals(result: FitResult | Residuals, ax: Axes | None = None) -> Axes:
    """Draw what the rule leaves of the scores against what it predicts.

    A cloud around the line without a shape means that the rule describes the scores.

    Parameters
    ----------
    result : FitResult
        Of scores, or a learner fitted to them; or what its ``residuals()`` returned.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.

    Returns
    -------
    matplotlib axes
    """
    found = result if isinstance(result, Residuals) else result_of(result).residuals()
    fitted, residual = found.fitted, found.residual
    axes = axes_to_use(ax, 7.0, 4.2)
    axes.axhline(0.0, color=GREY, linestyle="--", linewidth=1.2, label="score as predicted")
    # Many dots are drawn smaller and paler, so that the middle of the cloud keeps a shape.
    many = len(fitted) > 1000
    axes.plot(
        fitted,
        residual,
        "o",
        color=BLUE,
        alpha=0.35 if many else 0.7,
        markersize=3 if many else 5,
        markeredgewidth=0,
        label="an action",
    )
    axes.set_xlabel("score the rule predicts")
    axes.set_ylabel("score less prediction")
    return _finish(axes)


def _finish(axes: Axes) -> Axes:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=2,
        frameon=False,
        borderaxespad=0.2,
        fontsize=9,
    )
    return axes
