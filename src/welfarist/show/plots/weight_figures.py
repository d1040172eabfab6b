"""Who counts how much: one dot a person, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import numpy.typing as npt

from welfarist.base.drawing import BLUE, GREY, axes_to_use
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.inference.intervals import errors_in_words
from welfarist.results.record import FitResult
from welfarist.show.plots.names import shown
from welfarist.show.plots.sources import result_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Order = Literal["given", "weight"]

_WEIGHT = "weight (share of the total)"
_WEIGHT_OF_EACH = "weight of each person in the group (share of the total)"
# In inches: what every figure needs, and what each person adds; less where there are many.
_BASE, _EACH, _EACH_OF_MANY, _MANY = 1.3, 0.3, 0.2, 30


def weights(
    result: FitResult,
    ax: Axes | None = None,
    *,
    order: Order = "given",
    level: float | None = 0.95,
    intervals: FloatArray | None = None,
) -> Axes:
    """Draw each person's weight with its interval, beside the line of equal weights.

    People in groups share a weight, and each group has one dot: the weight of each of its members.
    Where p is so far out that weights mislead, their reach is drawn (see
    ``result_.reach``), without intervals.

    Parameters
    ----------
    result : FitResult
        Or the fitted learner.
    ax : matplotlib axes, optional
        Where to draw; if left out, a new figure that grows with the number of people.
    order : "given" or "weight"
        People in the order of the data, or by weight, the largest above.
    level : float or None
        Of the intervals; None draws none, which saves time where there are many people. A fit
        that has none (weights that were given, a prior, counted errors) is drawn without, and so
        is somebody who has none. They are those of the summary, with the result's covariance.
    intervals : (d, 2) array, optional
        Intervals that were worked out before.

    Returns
    -------
    matplotlib axes
    """
    if order not in get_args(Order):
        raise InputError(f'order must be "given" or "weight"; found {order!r}.')
    result = result_of(result)
    labels, people = _drawn(result)
    count, ends = len(people), None
    far = result.reach is not None
    values = (result.weights if result.reach is None else result.reach)[people]
    if not far:
        ends = intervals if intervals is not None else intervals_of(result, level)
        ends = None if ends is None else ends[people]
    axes = axes_to_use(ax, height=height_for(count))
    row = np.arange(count, dtype=np.intp)
    if order == "weight":
        row = np.empty(count, dtype=np.intp)
        row[np.argsort(-values, kind="stable")] = np.arange(count)
    _draw(axes, values, row, ends, equal=None if far else 1.0 / len(result.weights))
    names = np.empty(count, dtype=object)
    names[row] = [shown(label) for label in labels]
    size = 10 if count <= _MANY else 8
    axes.set_yticks(np.arange(count), names.tolist(), fontsize=size)
    axes.set_ylim(count - 0.4, -0.6)
    weight = _WEIGHT if result.members is None else _WEIGHT_OF_EACH
    what = "reach: weight to the power 1/|p|, the largest 1" if far else weight
    certain = f" with {level * 100:g}% interval" if ends is not None and level else ""
    if certain and intervals is None and result.covariance != "fisher":
        bootstrap = result.covariance == "bootstrap"
        certain += f", {'bootstrap' if bootstrap else errors_in_words(result.covariance)}"
        rows = result.estimates(level).rows
        if any(row.quantity.is_weight and row.method == "profile" for row in rows):
            certain += "; on an edge, profile likelihood"
    axes.set_xlabel(what + certain)
    return axes


def _drawn(result: FitResult) -> tuple[list[str], list[int]]:
    """What the dots are called, and whose weight each shows: people, or one of each group."""
    groups = result.members
    if groups is None:
        return list(result.stakeholders), list(range(len(result.weights)))
    labels = [f"{group} ({len(members)})" for group, members in groups.items()]
    return labels, [members[0] for members in groups.values()]


def dots_of(result: FitResult) -> int:
    """Return how many dots there are: one for each person, or for each group."""
    return len(result.weights) if result.members is None else len(result.members)


def height_for(dots: int) -> float:
    """Return the height in inches at which every name can be read."""
    each = _EACH if dots <= _MANY else _EACH_OF_MANY
    return _BASE + each * max(dots, 2)


def intervals_of(result: FitResult, level: float | None) -> FloatArray | None:
    """Return the intervals (d, 2) of the weights, NaN for who has none; None without any."""
    if level is None or result.likelihood is None:
        return None
    rows = [row for row in result.estimates(level).rows if row.quantity.is_weight]
    found = np.array([(row.low, row.high) for row in rows], dtype=np.float64).reshape(-1, 2)
    return None if np.isnan(found).all() else found


def _draw(
    axes: Axes,
    values: FloatArray,
    row: npt.NDArray[np.intp],
    ends: FloatArray | None,
    equal: float | None,
) -> None:
    if equal is not None:
        axes.axvline(
            equal, color=GREY, linestyle="--", linewidth=1.0, label=f"equal weight {equal:.3g}"
        )
    if ends is not None:
        known = ~np.isnan(ends).any(axis=1)
        axes.hlines(row[known], *ends[known].T, color=BLUE, linewidth=2.0)
    counted = values > 0
    axes.plot(values[counted], row[counted], "o", color=BLUE, markersize=6)
    if not counted.all():
        axes.plot(
            values[~counted], row[~counted], "o", color=BLUE, mfc="white", label="does not count"
        )
    axes.set_xlim(left=0.0)
    left, right = axes.get_xlim()
    axes.set_xlim(left - 0.02 * right, min(1.02, right * 1.05))
    axes.grid(axis="y", color="0.93", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False, borderaxespad=0.2
        )
