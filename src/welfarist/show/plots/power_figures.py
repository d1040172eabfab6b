"""How well each power explains the decisions: its likelihood, and its loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.drawing import BLUE, ORANGE, PALE, VERMILLION, axes_to_use
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.counting.loss_steps import LossSteps, PowerInterval, compact, expanded
from welfarist.families.base import Family
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.inference.intervals import MethodName, errors_in_words
from welfarist.inference.power_profile import Profile
from welfarist.results.record import FitResult
from welfarist.show.plots.power_axis import Placing, placing, prepare, prepare_near, width_of
from welfarist.show.plots.sources import result_of
from welfarist.show.symbols import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A stretch shorter than this share of half the axis shows as its ends alone.
_VISIBLE = 0.01

# A likelihood is drawn at these many places between two powers of the profile.
_FINE = 9
# An interval of less than this share of the whole line is drawn by itself, with this much of its
# width on either side.
_NARROW, _BEYOND = 0.03, 0.7


def profile(
    result: FitResult | Profile,
    ax: Axes | None = None,
    level: float = 0.95,
    *,
    method: MethodName | None = None,
) -> Axes:
    """Draw how well each power explains the decisions, from p = -inf to p = inf.

    The height is the likelihood of a power, everything else at its best, over that of the power
    that was learned. The interval is shaded, the doctrines are marked below the axis. Of an
    interval too narrow to be seen on the whole line only its neighbourhood is drawn. The legend
    says how the interval was made. In another family it is its own parameter that is drawn, along
    the range that it has.

    Parameters
    ----------
    result : FitResult or Profile
        A fit that learned p, or the fitted learner; or its ``profile()``, so as not to work it
        out again.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.
    level : float
        Of the interval; a Profile has its own.
    method : "profile", "wald" or "bootstrap", optional
        How the interval is made. Left out, it is what goes with the result's standard errors; see
        :meth:`welfarist.FitResult.with_covariance`. A Profile has its own.

    Returns
    -------
    matplotlib axes
    """
    found = result if isinstance(result, Profile) else own_profile(result, level, method)
    axes = axes_to_use(ax)
    narrow, shape = _is_narrow(found), found.family.shape.name
    place: Placing = np.asarray if narrow else placing(found.family)
    if narrow:
        prepare_near(axes, *_neighbourhood(found), found.family)
    else:
        prepare(axes, found.family)
    name = f"{found.level * 100:g}% interval"
    label: str | None = f"{name},\n{found.interval_by}"
    for piece in found.pieces or (found.interval,):
        low, high = place(piece)
        axes.axvspan(low, high, color=PALE, zorder=0, label=label)
        for end in (low, high):  # a narrow interval can be seen as well
            axes.axvline(end, color="0.6", linewidth=0.8, zorder=0)
        label = None
    powers, heights = _smooth(found)
    axes.plot(place(powers), heights, color=BLUE, linewidth=2.0, label="relative likelihood")
    best = [place(found.estimate)]
    axes.plot(best, [1.0], "D", color=VERMILLION, markersize=7, label=f"best {shape}")
    if not narrow:
        _dot_limits(axes, found.p, found.relative_likelihood)
        _note_zeros(axes, found)
    axes.set_ylim(0.0, 1.08)
    axes.set_ylabel(f"likelihood compared with the best {shape}")
    parts = [" to ".join(_written(found, piece)) for piece in found.pieces or (found.interval,)]
    axes.set_title(f"{_estimate(found)}, {name} {' and '.join(parts)}")
    left = float(placing(found.family)(found.estimate)) < _middle(found.family)
    axes.legend(loc="upper right" if left else "upper left", edgecolor="none", fontsize=9)
    return axes


def _written(found: Profile, shapes: Sequence[float]) -> list[str]:
    """Shapes with as many digits as the interval needs."""
    return [rounded(p, found.interval, found.family.doctrines) for p in shapes]


def _estimate(found: Profile) -> str:
    return f"{found.family.shape.name} = {_written(found, [found.estimate])[0]}"


def _middle(family: Family) -> float:
    """The middle of the whole axis."""
    ends = placing(family)([family.shape.lowest, family.shape.highest])
    return float(ends.mean())


def own_profile(result: FitResult, level: float, method: MethodName | None) -> Profile:
    """Return the profile of a result with the interval that the summary has.

    Where there is none, as at an infinite p with standard errors, it is that of the likelihood.
    """
    result = result_of(result)
    found = result.profile(level=level)
    rows = result.estimates(level, method).rows
    power = next(row for row in rows if row.quantity.is_shape)
    if power.low is None or power.high is None or power.method == "profile":
        return found
    by = "bootstrap" if power.method == "bootstrap" else errors_in_words(result.covariance)
    return replace(found, interval=(power.low, power.high), interval_by=by, pieces=())


def _is_narrow(found: Profile) -> bool:
    """Whether the interval would be a spike on the whole line."""
    low, high = placing(found.family)(found.interval)
    widest = _NARROW * width_of(found.family)
    return bool(np.isfinite(found.interval).all() and 0 < high - low < widest)


def _neighbourhood(found: Profile) -> tuple[float, float]:
    """What is drawn around a narrow interval: as far as the profile has places close together."""
    low, high = found.interval
    beyond = _BEYOND * (high - low)
    left, right = low - beyond, high + beyond
    if found.family == POWER_MEAN:
        return (left if found.p[0] < 0 else max(left, 0.0)), right
    return max(left, float(found.p[0])), min(right, float(found.p[-1]))


def loss(result: FitResult | Profile, ax: Axes | None = None) -> Axes:
    """Draw the loss against the power, from p = -inf to p = inf, with the best powers marked.

    In another family it is drawn against the family's own parameter.
    Where a likelihood was fitted, the other parameters are at their best for each power. Where
    errors were counted (``noise="none"`` or ``"flip"``), the learned weights are kept, and the
    share of errors is a step function that is known exactly.

    Parameters
    ----------
    result : FitResult or Profile
        A fit that learned p, or the fitted learner; or its ``profile()``.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.

    Returns
    -------
    matplotlib axes
    """
    learned = None if isinstance(result, Profile) else result_of(result)
    exact = None if learned is None else learned.exact
    if exact is None:
        found = result if isinstance(result, Profile) else result_of(result).profile()
        axes = axes_to_use(ax)
        _draw_loss(axes, found)
        return axes
    if exact.steps is None:
        raise InputError(
            "a loss against p needs a fit that learned p; found that p was given. Fit without it."
        )
    axes = axes_to_use(ax)
    _draw_steps(axes, exact.steps, exact.intervals)
    return axes


def _draw_loss(axes: Axes, found: Profile) -> None:
    prepare(axes, found.family)
    place, finite = placing(found.family), np.isfinite(found.p)
    axes.plot(place(found.p[finite]), found.loss[finite], color=BLUE, linewidth=2.0)
    _dot_limits(axes, found.p, found.loss)
    best = float(place(found.estimate))
    axes.plot([best], [found.loss.min()], "D", color=VERMILLION, markersize=7)
    _note_zeros(axes, found)
    axes.set_ylabel("mean loss, other parameters at their best")
    axes.set_title(f"the loss is lowest at {_estimate(found)}")


def is_seen(stretch: PowerInterval) -> bool:
    """Whether a stretch of powers is long enough to be seen as one in a figure of all of them."""
    low, high = compact([stretch.low, stretch.high])
    return bool(high - low >= _VISIBLE)


def _draw_steps(axes: Axes, steps: LossSteps, intervals: tuple[PowerInterval, ...]) -> None:
    prepare(axes)
    edges = compact([steps.lowest, *steps.powers, np.inf])
    axes.stairs(
        steps.between, edges, baseline=None, color=BLUE, linewidth=1.5, label="share of errors"
    )
    ends = [(1.0, steps.at_infinity)]
    ends += [] if steps.at_lowest is None else [(-1.0, steps.at_lowest)]
    axes.plot(*zip(*ends, strict=True), "o", color=BLUE, markersize=4)
    for number, best in enumerate(intervals):
        label = "lowest" if number == 0 else None
        stretch = compact([best.low, best.high]), [steps.minimum] * 2
        how: dict[str, Any]
        if is_seen(best):
            how = {"linewidth": 5.0, "marker": "|", "markersize": 12, "solid_capstyle": "butt"}
        else:  # of a bar nothing but its ends would be left
            how = {"linewidth": 0.0, "marker": "D", "markersize": 7}
        axes.plot(*stretch, color=ORANGE, markeredgecolor="black", label=label, **how)
    if steps.lowest >= 0:
        _grey_out(axes)
    axes.set_ylim(bottom=min(0.0, steps.minimum) - 0.02 * float(steps.between.max()))
    axes.set_ylabel("share of decisions the rule gets wrong")
    axes.set_title(f"fewest errors: {steps.minimum:.1%} of the decisions")
    axes.legend(loc="upper center", frameon=False, fontsize=9)


def _dot_limits(axes: Axes, powers: FloatArray, heights: FloatArray) -> None:
    """Draw the limits as dots of their own: with learned weights a curve may jump there."""
    ends = np.isinf(powers)
    axes.plot(compact(powers[ends]), heights[ends], "o", color=BLUE, markersize=4)


def _smooth(found: Profile) -> tuple[FloatArray, FloatArray]:
    """Powers and their relative likelihood, finer than it was computed.

    The root of the deviance, with the side of the estimate as its sign, is nearly a straight line
    around the estimate; the likelihood is not.
    """
    finite = np.isfinite(found.p)
    place, best = compact(found.p[finite]), float(compact(found.estimate))
    root = np.sign(place - best) * np.sqrt(found.deviance[finite])
    steps = np.arange(_FINE) / _FINE
    fine = (place[:-1, None] + np.diff(place)[:, None] * steps).reshape(-1)
    fine = np.append(fine, place[-1])
    return expanded(fine), np.exp(-0.5 * np.square(np.interp(fine, place, root)))


def _note_zeros(axes: Axes, found: Profile) -> None:
    """Say so where a utility of 0 rules out powers of 0 and below."""
    if found.family == POWER_MEAN and found.p[0] >= 0:
        _grey_out(axes)


def _grey_out(axes: Axes) -> None:
    """Grey out powers of 0 and below."""
    left = axes.get_xlim()[0]
    axes.axvspan(left, 0.0, facecolor="none", edgecolor="0.8", hatch="//", linewidth=0, zorder=0)
    axes.text(
        -0.5,
        0.35,
        "not considered:\nsome utility is 0",
        transform=axes.get_xaxis_transform(),
        ha="center",
        va="center",
        fontsize=9,
        backgroundcolor="white",
    )
