"""What one more unit counts for, at each level of what somebody has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.drawing import BLUE, GREY, axes_to_use
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.additive.family import AdditiveFamily
from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.show.plots.sources import result_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 300
# What is beyond these shares of all utilities is not drawn: few have as little or as much.
_TAILS = 0.01, 0.99


def unit_worth(result: Any, ax: Axes | None = None) -> Axes:
    """Draw what one more unit counts for at each level of utility, beside the mean over them.

    For an additive rule that curve is the finding; for a power mean it is ``u^(p - 1)``, for a
    Kolm-Pollak function ``exp(-alpha u)``. Where the line falls, a unit counts more for somebody
    who has less.

    Parameters
    ----------
    result : FitResult
        Of one of these families, or the fitted learner, with its decisions.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.

    Returns
    -------
    matplotlib axes
    """
    found = result_of(result)
    table = getattr(found.decided, "utilities", None)
    if not isinstance(table, np.ndarray):
        raise InputError(
            "what a unit counts for is drawn over the utilities of the fit; found a fit without "
            "them. Use with_data, or fit again."
        )
    known = table[np.isfinite(table)] + found.shift
    low, high = np.quantile(known, _TAILS)
    levels = np.linspace(low, high, _POINTS)
    worth = _worth(found, levels)
    axes = axes_to_use(ax, 5.6, 3.8)
    axes.axhline(1.0, color=GREY, linestyle="--", linewidth=1.2)
    axes.plot(levels, worth / worth.mean(), color=BLUE, linewidth=2.2)
    axes.set_ylim(bottom=0.0)
    axes.set_xlim(low, high)
    axes.set_xlabel("utility" if not found.shift else f"utility + {found.shift:g}")
    axes.set_ylabel("what one more unit counts for\n(1: the mean over the scale)")
    axes.plot(known[:400], np.zeros(len(known[:400])), "|", color=GREY, clip_on=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes


def _worth(result: Any, levels: FloatArray) -> FloatArray:
    """What a unit counts for (n,) at levels (n,), up to a factor."""
    family, p = result.family, result.p
    if isinstance(family, AdditiveFamily):
        return family.marginal(levels, p)
    if isinstance(family, KolmPollakFamily) and np.isfinite(p):
        return np.asarray(np.exp(-p * (levels - levels.mean())))
    if family == POWER_MEAN and np.isfinite(p) and (levels > 0).all():
        return np.asarray(np.exp((p - 1.0) * np.log(levels / levels.mean())))
    raise InputError(
        "what a unit counts for at each level is known of additive rules, power means of positive "
        f"utilities and Kolm-Pollak functions with a finite shape; found a {family.noun} with "
        f"{family.shape.name} = {p:g}."
    )
