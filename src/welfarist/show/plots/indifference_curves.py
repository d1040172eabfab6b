"""Indifference curves: what two people may get so that a rule finds it equally good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.drawing import BLUE, GREEN, ORANGE, VERMILLION, axes_to_use
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers
from welfarist.families.power_mean.doctrines import DOCTRINES
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.power_mean.mean import log_power_mean
from welfarist.results.learned_from import typical_utilities
from welfarist.results.record import FitResult
from welfarist.show.plots.names import person_of, shown
from welfarist.show.plots.power_axis import reached_doctrines
from welfarist.show.plots.sources import result_of
from welfarist.show.symbols import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Doctrines beside the fitted rule: colour, dashes, width. Dashes tell them apart in grey. Those of
# another family take the styles in turn.
Style = tuple[str, Any, float]
_STYLES: dict[str, Style] = {
    "utilitarian": (ORANGE, (0, (6, 2)), 1.6),
    "Nash": (GREEN, (0, (1, 1.4)), 2.0),
    "egalitarian": (VERMILLION, (0, (6, 2, 1, 2)), 1.6),
}
_LEARNED: Style = (BLUE, "-", 2.6)
_ANGLES = 600
# Places along each axis at which a rule of another family is asked, and where they begin: nothing
# at all may have no welfare.
_PLACES, _FIRST = 300, 1e-3
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
    rules with the same weights. Everything above and to the right of a curve is better. In another
    family the first three of its own doctrines are drawn.

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
        their medians over the actions. Like the axes they include the constant that the rule adds
        to every utility, if it does.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    What others have does not bend or move a curve at a finite p, because it adds the same to both
    sides. At p = -inf, where they would stop these two from counting, they are taken to be better
    off than these two; at p = inf, worse off. In another family everybody else has their median
    utility.
    """
    result = result_of(result)
    pair = pair_of(result, people)
    base = typical_utilities(result)
    points = _points(base[list(pair)], through)
    axes = axes_to_use(ax, 5.6, 5.2)
    top = _REACH * points.max(axis=0)
    family = result.family
    number_of = rounded(result.p, doctrines=family.doctrines)
    rules = {f"learned, {family.shape.name} = {number_of}": (result.p, _LEARNED)}
    pairs = zip(doctrines_beside(result).items(), _STYLES.values(), strict=False)
    rules |= {name: (p, style) for (name, p), style in pairs}
    for number, point in enumerate(points):
        for name, (p, (colour, dashes, width)) in rules.items():
            if family == POWER_MEAN:
                curve = curve_through(result.weights[list(pair)], p, point, top)
            else:
                rule = family.rule(p, result.weights)
                curve = contour_through(rule, base, pair, point, top)
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


def contour_through(
    rule: Any, base: FloatArray, pair: tuple[int, int], point: FloatArray, top: FloatArray
) -> FloatArray:
    """Return points (m, 2) that a rule of any family finds as good as `point` (2,), up to `top`.

    `base` (d,) is what everybody else has. Pieces of the curve are apart by a row of NaN.
    """
    from contourpy import contour_generator  # comes with matplotlib

    first, second = (np.linspace(_FIRST, 1.0, _PLACES) * end for end in top)
    table = np.tile(base, (_PLACES, _PLACES, 1))
    table[..., pair[0]], table[..., pair[1]] = first[None, :], second[:, None]
    there = base.copy()
    there[list(pair)] = point
    with np.errstate(all="ignore"):
        values = np.ma.masked_invalid(rule.value(table))
        level = float(rule.value(there))
    pieces = contour_generator(first, second, values).lines(level)
    gap = np.full((1, 2), np.nan)
    return np.concatenate([gap, *(part for piece in pieces for part in (piece, gap))])


def doctrines_beside(result: FitResult) -> dict[str, float]:
    """Return the shapes of the doctrines that are set beside the learned rule, by name.

    In another family they are the first three that give typical utilities a value. Far out there
    are none: with weights that are next to nothing a doctrine looks at one person only.
    """
    if result.weights_mislead:
        return {}
    if result.family == POWER_MEAN:
        powers = {doctrine.name: doctrine.p for doctrine in DOCTRINES}
        return {name: powers[name] for name in _STYLES}
    base, found = typical_utilities(result), {}
    for doctrine in reached_doctrines(result.family):
        with np.errstate(all="ignore"):
            value = result.family.rule(doctrine.p, result.weights).value(base)
        if np.isfinite(value):
            found[doctrine.name] = doctrine.p
    return dict(list(found.items())[: len(_STYLES)])


def pair_of(result: FitResult, people: object) -> tuple[int, int]:
    """Return the numbers of two people given by name or number.

    None means the heaviest, of different groups where there are groups: inside one, people count
    the same by construction.
    """
    if len(result.weights) < 2:
        raise InputError("an indifference curve needs two people; found a fit with one.")
    if people is None and result.family.by_place:
        return 0, 1
    if people is None:
        order = np.argsort(-result.weights, kind="stable").tolist()
        groups = result.members or {}
        inside = next((members for members in groups.values() if order[0] in members), ())
        others = [person for person in order[1:] if person not in inside]
        first, second = sorted([order[0], (others or order[1:])[0]])
        return first, second
    if not isinstance(people, tuple | list) or len(people) != 2:
        raise InputError(f"people must be two names or numbers; found {people!r}.")
    first, second = (person_of(who, result.affected) for who in people)
    if first == second:
        raise InputError(f"people must be two different ones; found {people[0]!r} twice.")
    nobody = result.weights[first] == 0 and result.weights[second] == 0
    if nobody and not result.family.by_place:
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
    first, second = (shown(result.affected[person]) for person in pair)
    others = "egalitarian: everybody else is better off"
    if result.family != POWER_MEAN:
        others = "everybody else has their median utility"
    alone = len(result.weights) == 2 or result.weights_mislead
    note = "" if alone else f"\n({others})"
    utility = "utility" if not result.shift else f"utility + {result.shift:g}"
    axes.set_xlabel(f"{utility} of {first}{note}")
    axes.set_ylabel(f"{utility} of {second}")
    axes.set_title("outcomes on one curve are equally good", fontsize=11)
    axes.legend(loc="upper right", frameon=True, framealpha=0.9, edgecolor="none", fontsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
