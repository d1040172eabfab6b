"""What one more unit counts for, at each level of what somebody has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    axes_to_use,
)
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.additive.family import AdditiveFamily
from welfarist.families.additive.own import OwnCurvesFamily
from welfarist.families.differences.family import OnDifferences
from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.show.plots.sources import result_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 300
_COLOURS = BLUE, ORANGE, GREEN, VERMILLION, SKY, PURPLE
# What is beyond these shares of all utilities is not drawn: few have as little or as much.
_TAILS = 0.01, 0.99


def unit_worth(result: Any, ax: Axes | None = None) -> Axes:
    """Draw what one more unit counts for at each level of utility, beside the mean over them.

    For an additive rule that curve is the finding; for a power mean it is ``u^(p - 1)``, for a
    Kolm-Pollak function ``exp(-alpha u)``. Where the line falls, a unit counts more for somebody
    who has less. Where everybody has a curve of their own, those who count most are drawn, each
    over the utilities of that person, with weights: a line that is twice as high is a unit that is
    worth twice as much.

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
    if isinstance(found.family, OwnCurvesFamily):
        return _own_worth(found, table + found.shift, axes_to_use(ax, 5.6, 3.8))
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


def _own_worth(result: Any, table: FloatArray, axes: Axes) -> Axes:
    """Draw what a unit counts for of each person over what this person has, a table (N, d)."""
    family, weights = result.family, np.asarray(result.weights)
    heavy = np.argsort(-weights, kind="stable")[: len(_COLOURS)]
    drawn = sorted(int(i) for i in heavy if weights[i] > 0)
    lines, total = [], 0.0
    for person in drawn:
        column = table[:, person]
        low, high = np.quantile(column[np.isfinite(column)], _TAILS)
        levels = np.linspace(low, high, _POINTS)
        worth = family.marginal(levels, result.p, person) * weights[person]
        lines.append((levels, worth / np.ptp(family.knots[person])))
        total += float(lines[-1][1].mean())
    for (levels, worth), person, colour in zip(lines, drawn, _COLOURS, strict=False):
        share = worth / (total / len(drawn))
        label = str(result.stakeholders[person])
        axes.plot(levels, share, color=colour, linewidth=2.2, label=label)
    axes.axhline(1.0, color=GREY, linestyle="--", linewidth=1.2)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("utility" if not result.shift else f"utility + {result.shift:g}")
    axes.set_ylabel("what one more unit counts for\n(1: the mean over people and scales)")
    axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes


def _worth(result: Any, levels: FloatArray) -> FloatArray:
    """What a unit counts for (n,) at levels (n,), up to a factor."""
    family, p = result.family, result.p
    if isinstance(family, OnDifferences):  # what a unit counts for has nothing to do with noise
        family = family.of
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
