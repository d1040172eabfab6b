"""Everybody's own rule: one dot a decision maker, with the population behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from welfarist.base.drawing import BLUE, ORANGE, PALE, axes_to_use
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_level
from welfarist.counting.loss_steps import compact, expanded
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.families.base import Family
from welfarist.show.plots.legends import legend_below
from welfarist.show.plots.names import shown
from welfarist.show.plots.power_axis import Placing, placing, prepare
from welfarist.show.plots.sources import deciders_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# So many people have their names beside them; with more than so many, intervals are thin and pale.
_NAMED, _FEW = 30, 60
# Beside fewer there is no room for a label of the axis.
_SHORT = 12
# Intervals that can be told apart in a figure; of more people only so many are drawn.
_MOST_INTERVALS = 200
# Steps of the curve of the population, and the least width of its kernel as a share of the axis.
_STEPS, _NARROWEST = 400, 0.004
_BINS = 2000
# Where the line of powers is taken to end, short of infinity.
_ALMOST = 0.999
# In inches: what every figure needs, what each person adds, and the height of a crowd.
_BASE, _EACH, _CROWD = 2.4, 0.22, 5.4
_LONGEST = 24
# In inches: room for what is written at an axis, above the legend.
_BELOW_DOCTRINES, _BELOW_NUMBERS = 0.68, 0.5
# Numbers that a message names.
_MOST_KNOWN = 5


@dataclass(frozen=True)
class _Scale:
    """Where a number of somebody's rule is drawn.

    Attributes
    ----------
    name : str
        "p", "tau" or "weight of …".
    of : str
        Whose weight it is; empty if it is none.
    place : callable
        Where values are drawn.
    family : Family or None
        Whose shape the number is; None if it is none.
    """

    name: str
    of: str
    place: Placing
    family: Family | None = None

    def even(self, places: FloatArray) -> FloatArray:
        """Return places on the scale on which the population is even-handed.

        The line of powers is bent more the farther out: a density along it would show two humps
        where there is one. Its height is that along asinh p instead.
        """
        if self.family is None or self.place is not compact:
            return places
        return np.asarray(np.arcsinh(expanded(np.clip(places, -_ALMOST, _ALMOST))))

    def prepare(self, axes: Axes, places: FloatArray) -> None:
        """Make the horizontal axis that of the number; `places` are to be in sight."""
        if self.family is not None:
            prepare(axes, self.family)
            return
        if self.name == "tau":
            _decades(axes, float(places.min()), float(places.max()))
            axes.set_xlabel("temperature tau: the larger, the fewer errors")
        else:
            axes.set_xlim(-0.02, 1.02)
            axes.set_xlabel(f"weight of {shown(self.of)} (share of the total)")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)


def individuals(
    result: DecidersResult,
    ax: Axes | None = None,
    *,
    number: str | None = None,
    level: float = 0.95,
) -> Axes:
    """Draw everybody on the line of powers, in order, with the population behind.

    A dot is what is believed of somebody, a bar its interval; the curve behind is how rules are
    distributed among people, with its median and quartiles. Where the population is made of types,
    a bar for each stands in place of the curve.

    Parameters
    ----------
    result : DecidersResult
        Or the fitted :class:`welfarist.Deciders`.
    ax : matplotlib axes, optional
        Where to draw; if left out, a new figure.
    number : str, optional
        "p", "tau" or "weight of …" with somebody's name. Left out, it is the power, or the first
        weight where the power was given.
    level : float
        Of the intervals. With more than 200 people, 200 intervals are drawn.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import welfarist as wf
    >>> utilities = np.random.default_rng(0).uniform(1, 10, (20, 2))
    >>> pairs, who = wf.simulate.random_pairs(20, 1000), np.repeat(np.arange(20), 50)
    >>> rules = [wf.WelfareFunction(p, [0.5, 0.5]) for p in np.linspace(-3, 1, 20)]
    >>> logs = np.array([rule.log(utilities) for rule in rules])[who]
    >>> apart = logs[np.arange(1000), pairs[:, 0]] - logs[np.arange(1000), pairs[:, 1]]
    >>> noise = np.random.default_rng(1).logistic(scale=0.05, size=1000)
    >>> decisions = wf.Comparisons(utilities, pairs, np.sign(apart + noise), by=who)
    >>> equal = wf.ComparisonClassifier(weights="equal")
    >>> found = wf.Deciders(equal, n_nodes=512).fit(decisions)
    >>> wf.plots.individuals(found).get_ylabel()
    '20 decision makers, ordered by p'
    """
    result, level = deciders_of(result), check_level(level)
    scale = _scale_of(result, number)
    columns = result.individual_columns(level)
    ends = np.column_stack([columns[f"{scale.name}_low"], columns[f"{scale.name}_high"]])
    values = np.asarray(columns[scale.name], dtype=np.float64)
    order = np.argsort(values, kind="stable")
    dots, bars = scale.place(values[order]), scale.place(ends[order])
    axes = axes_to_use(ax, height=height_for_people(len(order)))
    scale.prepare(axes, bars)
    _draw_population(axes, result, scale, len(order))
    _draw_people(axes, dots, bars, level)
    _name_rows(axes, [columns["who"][i] for i in order], scale.name)
    legend_below(axes, _BELOW_DOCTRINES if scale.family is not None else _BELOW_NUMBERS)
    return axes


def height_for_people(people: int) -> float:
    """Return the height in inches of a figure of so many people."""
    return _BASE + _EACH * max(people, 4) if people <= _NAMED else _CROWD


def _scale_of(result: DecidersResult, number: str | None) -> _Scale:
    family = result.panel.loss.family
    name = family.shape.name
    weights = {f"weight of {who}": who for who in result.stakeholders}
    if number is None:
        number = name if result.panel.loss.learn_power else next(iter(weights))
    if number == name:
        return _Scale(name, "", placing(family), family)
    if number == "tau":
        return _Scale("tau", "", _log10)
    if number in weights:
        return _Scale(number, weights[number], _as_it_is)
    known = [name, "tau", *weights]
    more = ", …" if len(known) > _MOST_KNOWN else ""
    raise InputError(
        f"number must be one of {', '.join(known[:_MOST_KNOWN])}{more}; found {number!r}."
    )


def _log10(values: npt.ArrayLike) -> FloatArray:
    return np.asarray(np.log10(np.asarray(values, dtype=np.float64)))


def _as_it_is(values: npt.ArrayLike) -> FloatArray:
    return np.asarray(values, dtype=np.float64)


def _decades(axes: Axes, low: float, high: float) -> None:
    """Ticks at 1, 2 and 5 times powers of ten, or at the powers alone where there are many."""
    first, last = int(np.floor(low)), int(np.ceil(high))
    parts = (1.0, 2.0, 5.0) if last - first <= 2 else (1.0,)
    ticks = [part * 10.0**n for n in range(first, last + 1) for part in parts]
    room = 0.03 * (high - low) + 0.02
    axes.set_xlim(low - room, high + room)
    seen = [tick for tick in ticks if low - room <= np.log10(tick) <= high + room]
    axes.set_xticks(np.log10(seen).tolist(), [f"{tick:g}" for tick in seen])


def _draw_population(axes: Axes, result: DecidersResult, scale: _Scale, people: int) -> None:
    """How the number is distributed among people, as high as the crowd, with its quartiles."""
    beliefs, population = result.beliefs, result.population
    values = scale.place(population.values(scale.name))
    if population.kind == "types":
        heights = beliefs.anybody / beliefs.anybody.max() * people
        axes.vlines(
            values, -0.5, heights - 0.5, color=PALE, linewidth=9.0, zorder=1,
            label="shares of types",
        )  # fmt: skip
    else:
        x = np.linspace(*axes.get_xlim(), _STEPS)
        curve = density(scale.even(values), beliefs.anybody, scale.even(x))
        curve *= people / curve.max()
        axes.fill_between(
            x, -0.5, curve - 0.5, color=PALE, linewidth=0, zorder=0.5, label="the population"
        )
    low, middle, high = scale.place(population.quantiles(scale.name))
    axes.axvline(middle, color=ORANGE, linewidth=1.6, zorder=1.5, label="its median")
    for i, end in enumerate((low, high)):
        axes.axvline(
            end, color=ORANGE, linewidth=1.2, linestyle="--", zorder=1.5,
            label=None if i else "its quartiles: half of people lie between",
        )  # fmt: skip


def density(values: FloatArray, chances: FloatArray, x: FloatArray) -> FloatArray:
    """Return a smooth density (n,) at places x of values (S,) with chances (S,), of any scale.

    A histogram is smoothed with a normal kernel of Silverman's width.
    """
    chances = chances / chances.sum()
    mean = float(chances @ values)
    spread = float(np.sqrt(chances @ (values - mean) ** 2))
    effective = 1.0 / float((chances**2).sum())
    kernel = max(0.9 * spread * effective**-0.2, _NARROWEST * float(x[-1] - x[0]))
    ends = float(min(x[0], values.min())), float(max(x[-1], values.max()))
    counts, edges = np.histogram(values, bins=_BINS, range=ends, weights=chances)
    centres = 0.5 * (edges[1:] + edges[:-1])
    apart = (x[:, None] - centres[counts > 0]) / kernel
    return np.asarray(np.exp(-0.5 * apart * apart) @ counts[counts > 0])


def _draw_people(axes: Axes, dots: FloatArray, bars: FloatArray, level: float) -> None:
    people = len(dots)
    rows = np.arange(people)
    few = people <= _FEW
    kept = rows[:: -(-people // _MOST_INTERVALS)]
    some = "" if len(kept) == people else f" of {len(kept)} of them"
    axes.hlines(
        kept, *bars[kept].T, color=BLUE, linewidth=1.8 if few else 0.6,
        alpha=1.0 if few else 0.35, zorder=2, label=f"{100 * level:g}% interval{some}",
    )  # fmt: skip
    size = 6.0 if few else 3.0 if people <= _MOST_INTERVALS else 1.6
    axes.plot(dots, rows, "o", color=BLUE, markersize=size, zorder=3, label="one decision maker")
    axes.set_ylim(-0.5, people + 0.02 * people)


def _name_rows(axes: Axes, names: list[str], number: str) -> None:
    people = len(names)
    axes.spines["left"].set_visible(False)
    if people <= _NAMED:
        axes.set_yticks(np.arange(people), [shown(name, _LONGEST) for name in names], fontsize=8)
        axes.tick_params(axis="y", length=0)
    else:
        axes.set_yticks([])
    if people <= _SHORT:
        return
    what = "weight" if number.startswith("weight of ") else number
    axes.set_ylabel(f"{people:,} decision makers, ordered by {what}")
