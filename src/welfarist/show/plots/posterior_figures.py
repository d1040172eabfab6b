"""What is believed of the power, before and after decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.asking.posterior import Posterior
from welfarist.asking.telling import Numbers
from welfarist.base.drawing import BLUE, GREY, PALE, VERMILLION, axes_to_use
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_level
from welfarist.counting.loss_steps import compact
from welfarist.show.plots.power_axis import prepare
from welfarist.show.symbols import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Places at which a density is drawn, and the narrowest kernel in the width of half the axis.
_PLACES, _NARROWEST = 401, 0.01
# Silverman's factor for a kernel of a spread and a number of draws.
_SILVERMAN = 0.9


def posterior(belief: Posterior, ax: Axes | None = None, level: float = 0.95) -> Axes:
    """Draw what is believed of the power, before and after decisions, from p = -inf to p = inf.

    The interval is shaded, the doctrines are marked below the axis. Densities are along the axis as
    it is drawn, so that areas are probabilities.

    Parameters
    ----------
    belief : Posterior
        Such as the `posterior` of an interview.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.
    level : float
        Of the interval.

    Returns
    -------
    matplotlib axes
    """
    if not isinstance(belief, Posterior):
        raise InputError(
            f"what is drawn must be a Posterior; found {type(belief).__name__}. Pass "
            "the posterior of an interview, or one made of decisions."
        )
    level = check_level(level)
    axes = axes_to_use(ax)
    prepare(axes)
    ends = belief.interval("p", level)
    low, high = compact(np.array(ends))
    name = f"{level * 100:g}% interval"
    axes.axvspan(low, high, color=PALE, zorder=0, label=name)
    for end in (low, high):  # a narrow interval can be seen as well
        axes.axvline(end, color="0.6", linewidth=0.8, zorder=0)
    places = np.linspace(-1.0, 1.0, _PLACES)
    before, after = (_density(x, places) for x in (belief.numbers_before(), belief.numbers))
    axes.plot(places, before, color=GREY, linestyle="--", linewidth=1.5, label="before")
    total = f"after {belief.total:.15g} decisions"
    axes.plot(places, after, color=BLUE, linewidth=2.0, label=total)
    middle = float(compact(belief.estimate("p")))
    there = float(np.interp(middle, places, after))
    axes.plot([middle], [there], "D", color=VERMILLION, markersize=7, label="median")
    axes.set_ylim(0.0, 1.12 * float(max(before.max(), after.max())))
    axes.set_ylabel("how likely each power is")
    axes.set_yticks([])
    shown = [rounded(p, ends) for p in (belief.estimate("p"), *ends)]
    axes.set_title(f"p = {shown[0]}, {name} {shown[1]} to {shown[2]}")
    axes.legend(loc="upper right" if middle < 0 else "upper left", edgecolor="none", fontsize=9)
    return axes


def _density(numbers: Numbers, places: FloatArray) -> FloatArray:
    """Density (k,) of the power along the axis, mirrored at its ends so that nothing is lost."""
    values, shares = compact(numbers.columns["p"]), numbers.shares
    mean = shares @ values
    spread = float(np.sqrt(shares @ (values - mean) ** 2))
    many = 1.0 / float(shares @ shares)
    width = max(_SILVERMAN * spread * many**-0.2, _NARROWEST)
    found: Any = 0.0
    for mirrored in (values, -2.0 - values, 2.0 - values):
        away = (places[:, None] - mirrored) / width
        found = found + np.exp(-0.5 * away**2) @ shares
    return np.asarray(found / (width * np.sqrt(2.0 * np.pi)))
