"""Who belongs to which type, and how many types there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from welfarist.base.drawing import BLUE, GREEN, ORANGE, VERMILLION, axes_to_use
from welfarist.base.validation import FloatArray
from welfarist.deciders.candidates import best_of
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.types_result import TypesResult
from welfarist.show.plots.legends import legend_below
from welfarist.show.plots.names import shown
from welfarist.show.plots.sources import several_of, types_of
from welfarist.show.plots.type_marks import colour_of, hatch_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# So many people have their names below them; with so many, bars have gaps between them.
_NAMED = 30
_LONGEST = 18
# Letters that fit below the axis in one line.
_LETTERS = 90
# In inches: room for what is written at an axis, above the legend.
_BELOW = 0.5


def membership(result: TypesResult, ax: Axes | None = None) -> Axes:
    """Draw how likely everybody belongs to each type, as bars one beside the other.

    People are sorted by their likeliest type, then by the second, those first of whom it is surest:
    where colours meet in sharp corners, it is clear who belongs where.

    Parameters
    ----------
    result : TypesResult
        Or the fitted :class:`welfarist.Types`.
    ax : matplotlib axes, optional
        Where to draw; if left out, a new figure.

    Returns
    -------
    matplotlib axes
    """
    result = types_of(result)
    belongs = result.membership
    order = sorted_people(belongs)
    likeliest = belongs.argmax(axis=1)
    axes = axes_to_use(ax, height=4.0)
    people, count = belongs.shape
    edges = np.arange(people + 1)
    below = np.zeros(people + 1)
    for k in range(count):
        above = below + np.append(belongs[order, k], belongs[order[-1], k])
        members = counted(int((likeliest == k).sum()))
        axes.fill_between(
            edges, below, above, step="post", facecolor=colour_of(k), edgecolor="white",
            linewidth=0.0, hatch=hatch_of(k), label=f"type {k + 1}: {members}",
        )  # fmt: skip
        below = above
    if people <= _NAMED:
        axes.vlines(edges[1:-1], 0.0, 1.0, color="white", linewidth=1.5)
    axes.set_xlim(0, people)
    axes.set_ylim(0.0, 1.0)
    axes.set_ylabel("how likely it is each type")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    _name_people(axes, [result.names[i] for i in order])
    _legend_above(axes, count)
    return axes


def sorted_people(belongs: FloatArray) -> npt.NDArray[np.intp]:
    """Return people (G,) in the order of their likeliest and second type, the surest first.

    Examples
    --------
    >>> sorted_people(np.array([[0.6, 0.4], [0.1, 0.9], [0.9, 0.1]])).tolist()
    [2, 0, 1]
    """
    ranked = np.argsort(-belongs, axis=1, kind="stable")
    second = ranked[:, min(1, belongs.shape[1] - 1)]
    return np.lexsort((-belongs.max(axis=1), second, ranked[:, 0]))


def counted(people: int) -> str:
    """Return a number of people in words."""
    return "1 person" if people == 1 else f"{people:,} people"


def _name_people(axes: Axes, names: list[str]) -> None:
    if len(names) > _NAMED:
        axes.set_xlabel(f"{len(names):,} decision makers, sorted by their likeliest type")
        return
    texts = [shown(name, _LONGEST) for name in names]
    flat = len(names) * (max(map(len, texts)) + 1) <= _LETTERS
    style: dict[str, Any] = (
        {} if flat else {"rotation": 60, "ha": "right", "rotation_mode": "anchor"}
    )
    axes.set_xticks(np.arange(len(names)) + 0.5, texts, fontsize=8, **style)
    axes.tick_params(axis="x", length=0)


def _legend_above(axes: Axes, count: int) -> None:
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=min(count, 3), frameon=False,
        borderaxespad=0.3, fontsize=9, handlelength=1.6, columnspacing=1.2,
    )  # fmt: skip


def number_of_types(result: TypesResult | DecidersResult, ax: Axes | None = None) -> Axes:
    """Draw how well each number of types describes the decisions: BIC and ICL, lower is better.

    One rule for all is the first place. The normal population, in which people differ by degree, is
    a line across; a ring marks what has the lowest BIC of all.

    Parameters
    ----------
    result : TypesResult or DecidersResult
        Or the fitted learner.
    ax : matplotlib axes, optional
        Where to draw; if left out, a new figure.

    Returns
    -------
    matplotlib axes
    """
    result = several_of(result)
    axes = axes_to_use(ax, height=4.2)
    tried = sorted(
        (one for one in result.candidates if one.types is not None), key=lambda one: one.types or 0
    )
    numbers = [one.types for one in tried if one.types is not None]
    axes.plot(numbers, [one.bic for one in tried], "o-", color=BLUE, label="BIC", zorder=3)
    if len(tried) > 1:
        both = [(one.types, one.icl) for one in tried if one.icl is not None]
        axes.plot(
            *np.array(both, dtype=np.float64).T, "s--", color=GREEN, markersize=5, zorder=2,
            label="ICL, which also asks that types can be told apart",
        )  # fmt: skip
    best = best_of(result.candidates)
    lowest = " (the lowest)" if best.types is None else ""
    for one in result.candidates:
        if one.types is None:
            axes.axhline(
                one.bic, color=VERMILLION, linestyle="-.", linewidth=1.4,
                label="BIC of a normal population: people differ by degree" + lowest,
            )  # fmt: skip
    if best.types is not None:
        ring: dict[str, Any] = {
            "markersize": 15,
            "mfc": "none",
            "mec": ORANGE,
            "mew": 2.0,
            "linestyle": "",
        }
        axes.plot(best.types, best.bic, "o", **ring, label="the lowest BIC", zorder=4)
    names = {1: "one\nrule"}
    ticks = sorted({1, *numbers})
    axes.set_xticks(ticks, [names.get(n, f"{n}\ntypes") for n in ticks])
    axes.set_xlim(ticks[0] - 0.4, ticks[-1] + 0.4)
    axes.set_ylabel("lower is better")
    axes.grid(axis="y", color="0.93", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    legend_below(axes, _BELOW, columns=1)
    return axes
