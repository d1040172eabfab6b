"""Indifference curves: what two people may get so that a rule finds it equally good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.doctrines import DOCTRINES
from welfarist.drawing import BLUE, GREEN, ORANGE, VERMILLION, axes_to_use
from welfarist.errors import InputError
from welfarist.fit import FitResult
from welfarist.judged import groups_of, typical_utilities
from welfarist.plots.names import person_of, shown
from welfarist.plots.power_axis import rounded
from welfarist.plots.sources import result_of
from welfarist.power_mean import log_power_mean
from welfarist.validation import FloatArray, as_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Doctrines beside the fitted rule: colour, dashes, width. Dashes tell them apart in grey.
_STYLES: dict[str, tuple[str, Any, float]] = {
    "utilitarian": (ORANGE, (0, (6, 2)), 1.6),
    "Nash": (GREEN, (0, (1, 1.4)), 2.0),
    "egalitarian": (VERMILLION, (0, (6, 2, 1, 2)), 1.6),
}
_ANGLES = 600
_HALVINGS = 70
# How far the axes go, in multiples of the farthest point.
_REACH = 2.2
# Log welfares within this are equal.
_SAME = 1e-10


def indifference(
    result: FitResult,
    people: tuple[Any, Any] | None = None,
    ax: Axes | None = None,
    *,
    through: Sequence[tuple[float, float]] | None = None,
) -> Axes:
    """Draw what two people may get so that the rule finds it equally good.

    The curve of the learned rule is drawn beside those of the utilitarian, Nash and egalitarian
    rules with the same weights. Everything above and to the right of a curve is better.

    Parameters
    ----------
    result : FitResult
        Or the fitted learner.
    people : pair of names or numbers, optional
        Whose utilities are on the axes; left out, the two with the largest weights, of different
        groups where people are in groups.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.
    through : sequence of pairs, optional
        The points that curves go through: utilities of the first and the second person. Left out,
        their medians over the actions.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    What others have does not bend or move a curve at a finite p, because it adds the same to both
    sides. At p = -inf, where they would stop these two from counting, they are taken to be better
    off than these two; at p = inf, worse off.
    """
    result = result_of(result)
    pair = pair_of(result, people)
    base = typical_utilities(result)
    points = _points(base[list(pair)], through)
    axes = axes_to_use(ax, 5.6, 5.2)
    top = _REACH * points.max(axis=0)
    rules: list[tuple[str, float, tuple[str, Any, float]]] = [
        (f"learned, p = {rounded(result.p)}", result.p, (BLUE, "-", 2.6))
    ]
    powers = {doctrine.name: doctrine.p for doctrine in DOCTRINES}
    rules += [(name, powers[name], style) for name, style in _STYLES.items()]
    for number, point in enumerate(points):
        for name, p, (colour, dashes, width) in rules:
            curve = curve_through(result.weights[list(pair)], p, point, top)
            label = name if number == 0 else None
            axes.plot(*curve.T, color=colour, linestyle=dashes, linewidth=width, label=label)
    axes.plot(*points.T, "o", color="black", markersize=6, zorder=3)
    _label(axes, result, pair, top)
    return axes


def curve_through(weights: FloatArray, p: float, point: FloatArray, top: FloatArray) -> FloatArray:
    """Return points (m, 2) of the border of what is as good as `point` (2,), up to `top` (2,).

    `weights` (2,) are those of the two people; only their ratio matters. On every ray from the
    origin welfare rises, or stays where it is; the border is where it first reaches that of the
    point. What lies beyond twice `top` is left out.
    """
    weights = weights / weights.sum()
    level = float(log_power_mean(point, p, weights))
    # Rays are even in units of the axes; two of them meet the corners that rules can have.
    directions = [np.arctan2(point[1] / top[1], point[0] / top[0]), np.arctan2(top[0], top[1])]
    angles = np.sort(np.concatenate([np.linspace(1e-4, np.pi / 2 - 1e-4, _ANGLES), directions]))
    rays = np.column_stack([np.cos(angles), np.sin(angles)]) * top

    def reaches(radius: FloatArray) -> Any:
        return log_power_mean(rays * radius[:, None], p, weights) >= level - _SAME * (
            1.0 + abs(level)
        )

    low, high = np.full(len(rays), 1e-9), np.full(len(rays), 4.0)
    found = reaches(high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        enough = reaches(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(np.where(found[:, None], rays * high[:, None], np.nan))


def pair_of(result: FitResult, people: object) -> tuple[int, int]:
    """Return the numbers of two people given by name or number.

    None means the heaviest, of different groups where there are groups: inside one, people count
    the same by construction.
    """
    if len(result.weights) < 2:
        raise InputError("an indifference curve needs two people; found a fit with one.")
    if people is None:
        order = np.argsort(-result.weights, kind="stable").tolist()
        groups = groups_of(result) or {}
        inside = next((members for members in groups.values() if order[0] in members), ())
        others = [person for person in order[1:] if person not in inside]
        first, second = sorted([order[0], (others or order[1:])[0]])
        return first, second
    if not isinstance(people, tuple | list) or len(people) != 2:
        raise InputError(f"people must be two names or numbers; found {people!r}.")
    first, second = (person_of(who, result.stakeholders) for who in people)
    if first == second:
        raise InputError(f"people must be two different ones; found {people[0]!r} twice.")
    if result.weights[first] == 0 and result.weights[second] == 0:
        raise InputError(
            "an indifference curve needs somebody who counts; found a weight of 0 for both "
            f"{result.stakeholders[first]} and {result.stakeholders[second]}. Choose others."
        )
    return first, second


def _points(typical: FloatArray, through: object) -> FloatArray:
    points = typical[None, :] if through is None else as_numbers(through, "through")
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise InputError(
            "through must be pairs of utilities, such as [(2, 3), (4, 5)]; found shape "
            f"{points.shape}."
        )
    if not ((points > 0) & np.isfinite(points)).all():
        raise InputError("indifference curves go through points with positive, finite utilities.")
    return points.astype(np.float64)


def _label(axes: Axes, result: FitResult, pair: tuple[int, int], top: FloatArray) -> None:
    axes.set_xlim(0.0, top[0])
    axes.set_ylim(0.0, top[1])
    first, second = (shown(result.stakeholders[person]) for person in pair)
    note = "" if len(result.weights) == 2 else "\n(egalitarian: everybody else is better off)"
    axes.set_xlabel(f"utility of {first}{note}", parse_math=False)
    axes.set_ylabel(f"utility of {second}", parse_math=False)
    axes.set_title("outcomes on one curve are equally good", fontsize=11)
    axes.legend(loc="upper right", frameon=True, framealpha=0.9, edgecolor="none", fontsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
