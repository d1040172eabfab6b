"""Types of decision makers by their weights: on a square, in a triangle, or as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.drawing import GREY, axes_to_use
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_level
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.types_result import TypesResult
from welfarist.show.plots import triangle
from welfarist.show.plots.legends import legend_below
from welfarist.show.plots.names import shown
from welfarist.show.plots.power_axis import placing, prepare_upright
from welfarist.show.plots.sources import deciders_of, types_of
from welfarist.show.plots.type_marks import colour_of, disks, entries
from welfarist.show.symbols import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In inches: room for what is written at the axis of weights, above the legend.
_BELOW = 0.55
# In inches: what a table of weights needs, what each type and each person add, and the widest.
_TABLE, _TYPE, _PERSON, _WIDEST = (2.6, 1.5), 0.38, 0.62, 12.0
# With more people than this there is no room for numbers in a table.
_WRITTEN = 14
_LONGEST = 26
# Beyond the ends of the axes, as a share of them.
_ROOM = 0.06


def types(
    result: TypesResult,
    ax: Axes | None = None,
    *,
    individuals: DecidersResult | None = None,
    level: float | None = 0.95,
) -> Axes:
    """Draw the types by who counts how much, each as large as its share of people.

    With two people a disk stands at the weight of the first and on the line of powers; with three
    in a triangle of weights, whose corners are those who would count alone; with more there is a
    table of weights, the darker the larger. A hatched disk is a type that may follow no rule of the
    family.

    Parameters
    ----------
    result : TypesResult
        Or the fitted :class:`welfarist.Types`.
    ax : matplotlib axes, optional
        Where to draw; if left out, a new figure.
    individuals : DecidersResult, optional
        Or the fitted :class:`welfarist.Deciders` of the same decisions: everybody as a dot behind,
        in the colour of the likeliest type. A table has none.
    level : float, optional
        Of the intervals, which are crosses; None leaves them out.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import welfarist as wf
    >>> utilities = np.random.default_rng(0).uniform(1, 10, (20, 2))
    >>> pairs, who = wf.simulate.random_pairs(20, 240), np.repeat(np.arange(12), 20)
    >>> rules = [wf.WelfareFunction(1, [0.8, 0.2]), wf.WelfareFunction(-1, [0.4, 0.6])]
    >>> logs = np.array([rule.log(utilities) for rule in rules])[who % 2]
    >>> apart = logs[np.arange(240), pairs[:, 0]] - logs[np.arange(240), pairs[:, 1]]
    >>> noise = np.random.default_rng(1).logistic(scale=0.1, size=240)
    >>> decisions = wf.Comparisons(utilities, pairs, np.sign(apart + noise), by=who)
    >>> found = wf.Types(n_types=2, population=False, n_starts=2).fit(decisions)
    >>> wf.plots.types(found).get_xlabel()
    'weight of person 0 (share of the total; the rest is that of person 1)'
    """
    result = types_of(result)
    level = None if level is None else check_level(level)
    people = None if individuals is None else deciders_of(individuals)
    if people is not None and people.stakeholders != result.stakeholders:
        raise InputError(
            "individuals must be about the same people as the types; found others. Fit both to "
            "the same decisions."
        )
    if len(result.stakeholders) == 2:
        return _square(axes_to_use(ax, height=5.4), result, people, level)
    if len(result.stakeholders) == 3:
        return _triangle(axes_to_use(ax, width=6.4, height=6.0), result, people, level)
    return _table(axes_to_use(ax, *table_size(result)), result)


def table_size(result: TypesResult) -> tuple[float, float]:
    """Return width and height in inches of a table of weights."""
    wide, high = _TABLE
    return (
        min(wide + _PERSON * len(result.stakeholders), _WIDEST),
        high + _TYPE * max(result.n_types, 2),
    )


def _square(
    axes: Axes, result: TypesResult, people: DecidersResult | None, level: float | None
) -> Axes:
    family = result.mixture.panel.loss.family
    place = placing(family)
    prepare_upright(axes, family)
    _make_room(axes)
    weights = np.array([one.weights for one in result.types])
    places = np.column_stack([weights[:, 0], place([one.p for one in result.types])])
    if people is not None:
        columns = people.individual_columns()
        dots = columns[f"weight of {result.stakeholders[0]}"], place(columns[family.shape.name])
        _scatter(axes, np.column_stack(dots), result, people)
    if level is not None:
        for k, ends in enumerate(_ends(result, level)):
            first = ends.get(f"weight of {result.stakeholders[0]}")
            shape = ends.get(family.shape.name)
            style: dict[str, Any] = {"color": colour_of(k), "linewidth": 1.6, "zorder": 3}
            if first is not None:
                axes.hlines(places[k, 1], *first, **style)
            if shape is not None:
                axes.vlines(places[k, 0], *place(shape), **style)
    disks(axes, places, result)
    one, other = (shown(name, _LONGEST) for name in result.stakeholders)
    axes.set_xlabel(f"weight of {one} (share of the total; the rest is that of {other})")
    legend_below(axes, _BELOW, [*entries(result), *_crosses(level), *_dots(people)], columns=1)
    return axes


def _make_room(axes: Axes) -> None:
    """Leave room for disks at the ends of both axes, so that they cover no number."""
    low, high = axes.get_ylim()
    room = _ROOM * (high - low)
    axes.set_ylim(low - room, high + room)
    axes.set_xlim(-_ROOM, 1.0 + _ROOM)


def _triangle(
    axes: Axes, result: TypesResult, people: DecidersResult | None, level: float | None
) -> Axes:
    triangle.prepare(axes, result.stakeholders)
    weights = np.array([one.weights for one in result.types])
    if people is not None:
        columns = people.individual_columns()
        own = np.column_stack([columns[f"weight of {who}"] for who in result.stakeholders])
        _scatter(axes, triangle.places(own), result, people)
    if level is not None:
        for k, ends in enumerate(_ends(result, level)):
            for j, who in enumerate(result.stakeholders):
                within = ends.get(f"weight of {who}")
                if within is not None:
                    line = triangle.places(triangle.towards(weights[k], j, np.array(within)))
                    axes.plot(*line.T, color=colour_of(k), linewidth=1.6, zorder=3)
    disks(axes, triangle.places(weights), result)
    legend_below(axes, 0.1, [*entries(result), *_crosses(level), *_dots(people)], columns=1)
    return axes


def _table(axes: Axes, result: TypesResult) -> Axes:
    weights = np.array([one.weights for one in result.types])
    axes.imshow(weights, cmap="Blues", vmin=0.0, vmax=max(0.5, weights.max()), aspect="auto")
    count, people = weights.shape
    if people <= _WRITTEN:
        for k in range(count):
            for j in range(people):
                dark = weights[k, j] > 0.6 * max(0.5, weights.max())
                axes.text(
                    j, k, f"{weights[k, j]:.2f}", ha="center", va="center", fontsize=9,
                    color="white" if dark else "black",
                )  # fmt: skip
    shape = result.mixture.panel.loss.family.shape.name
    names = [
        f"type {k + 1}: {one.share:.0%}, {shape} = {rounded(one.p)}{' (?)' if one.doubtful else ''}"
        for k, one in enumerate(result.types)
    ]
    axes.set_yticks(np.arange(count), names)
    axes.set_xticks(
        np.arange(people), [shown(who, _LONGEST) for who in result.stakeholders], rotation=40,
        ha="right", rotation_mode="anchor", fontsize=9 if people <= _WRITTEN else 7,
    )  # fmt: skip
    doubtful = any(one.doubtful for one in result.types)
    axes.set_title(
        "weights by type" + (" (?: may follow no such rule)" if doubtful else ""), fontsize=10
    )
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(1, people) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, count) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2.0)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    return axes


def _ends(result: TypesResult, level: float) -> list[dict[str, tuple[float, float]]]:
    """The ends of those intervals of each type that there are, by the name of the number."""
    found: list[dict[str, tuple[float, float]]] = [{} for _ in result.types]
    for row in result.estimates(level):
        if row.low is not None and row.high is not None:
            found[row.type][row.parameter] = row.low, row.high
    return found


def _scatter(axes: Axes, places: FloatArray, result: TypesResult, people: DecidersResult) -> None:
    """Everybody as a dot in the colour of the likeliest type; grey who belongs to none."""
    likeliest = dict(zip(result.names, result.membership.argmax(axis=1).tolist(), strict=True))
    kinds = [likeliest.get(name) for name in people.names]
    colours = [GREY if k is None else colour_of(k) for k in kinds]
    x, y = places.T
    axes.scatter(x, y, c=colours, s=9.0, alpha=0.45, linewidths=0, zorder=2)


def _crosses(level: float | None) -> list[Any]:
    from matplotlib.lines import Line2D

    if level is None:
        return []
    return [Line2D([], [], color=GREY, linewidth=1.6, label=f"{100 * level:g}% intervals")]


def _dots(people: DecidersResult | None) -> list[Any]:
    from matplotlib.lines import Line2D

    if people is None:
        return []
    style: dict[str, Any] = {"marker": "o", "linestyle": "", "color": GREY, "markersize": 3}
    label = "one decision maker, in the colour of the likeliest type"
    return [Line2D([], [], **style, label=label)]
