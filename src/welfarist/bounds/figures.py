"""The bounds drawn against the number of decisions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.drawing import BLUE, ORANGE, axes_to_use
from welfarist.base.errors import InputError
from welfarist.bounds.parameters import Weights, check_people, check_samples
from welfarist.bounds.planning import (
    Task,
    described,
    excess_risk,
    largest_excess_risk,
    samples_needed,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES: dict[Weights, tuple[str, str]] = {"known": (BLUE, "-"), "unknown": (ORANGE, "--")}
_POINTS = 200


def plot(
    task: Task,
    *,
    d: int,
    n: tuple[float, float] = (100, 10**9),
    error: float | None = None,
    delta: float = 0.05,
    u_min: float | None = None,
    u_max: float | None = None,
    rho: float | None = None,
    tau_max: float | None = None,
    c: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the bound on the excess risk against the number of decisions, both axes logarithmic.

    One line for known weights and one for unknown ones. Where a bound exceeds what any rule can
    lose (:func:`largest_excess_risk`) it says nothing, and the background is grey.

    Parameters
    ----------
    task : "scores", "comparisons", "flip" or "logistic"
        What is observed.
    d : int
        Number of people.
    n : (int, int)
        The smallest and the largest number of decisions.
    error : float, optional
        An excess risk to guarantee: the number of decisions needed is marked on each line, and
        the lines go on at least that far.
    delta : float
        How often the bound may fail, in (0, 1).
    u_min, u_max, rho, tau_max, c : float
        The task's own parameters, as in :func:`excess_risk`.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> ax = plot("comparisons", d=18, error=0.1)
    >>> ax.get_title()
    'comparisons, 18 people, 95 % certain'
    """
    if not isinstance(n, tuple | list) or len(n) != 2:
        raise InputError(
            "n must be the smallest and the largest number of decisions, such as (100, 10**9); "
            f"found {n!r:.60}."
        )
    first, last = (check_samples(end) for end in n)
    if first >= last:
        raise InputError(f"n must go from fewer decisions to more; found {first} to {last}.")
    given: dict[str, Any] = dict(
        d=d, delta=delta, u_min=u_min, u_max=u_max, rho=rho, tau_max=tau_max, c=c
    )
    needed: dict[Weights, int] = {}
    if error is not None:
        needed = {w: samples_needed(task, error=error, weights=w, **given) for w in _STYLES}
        last = max(last, *needed.values())
    samples = [round(x) for x in np.geomspace(float(first), float(last), _POINTS)]
    lines = {
        weights: [excess_risk(task, n=k, weights=weights, **given) for k in samples]
        for weights in _STYLES
    }
    axes = axes_to_use(ax)
    for weights, line in lines.items():
        colour, dashes = _STYLES[weights]
        axes.plot(samples, line, dashes, color=colour, linewidth=2.5, label=f"{weights} weights")
        if error is not None:
            _mark(axes, needed[weights], error, weights)
    _label(axes, task, check_people(d), float(delta))
    shade(axes, largest_excess_risk(task, u_min=u_min, u_max=u_max, tau_max=tau_max))
    return axes


def _mark(axes: Axes, needed: int, error: float, weights: Weights) -> None:
    """Mark where a line reaches the error, with the number of decisions beside it."""
    axes.axhline(error, color="black", linewidth=0.8, linestyle=":")
    axes.plot([needed], [error], "o", color=_STYLES[weights][0], markeredgecolor="black")
    axes.annotate(
        f"{needed:,}" if needed < 10**15 else f"{needed:.2g}",
        (needed, error),
        xytext=(-6, -6),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=9,
    )


def shade(axes: Axes, ceiling: float) -> None:
    """Grey out bounds that say nothing."""
    low, high = axes.get_ylim()
    if high > ceiling > 0:
        axes.axhspan(ceiling, high, color="0.92", zorder=0)
        # The lines run from the upper left to the lower right.
        axes.text(
            0.985,
            0.97,
            "in the grey area the bound says nothing",
            transform=axes.transAxes,
            fontsize=9,
            ha="right",
            va="top",
        )
        axes.axhline(ceiling, color="0.4", linewidth=0.8)
    axes.set_ylim(low, high)


def _label(axes: Axes, task: Task, people: int, delta: float) -> None:
    observed, loss = described(task)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("number of decisions")
    axes.set_ylabel(f"bound on the excess risk ({loss})")
    confidence = 100.0 * (1.0 - delta)
    digits = max(0, math.ceil(-math.log10(delta)) - 2)
    axes.set_title(f"{observed}, {people} people, {confidence:.{digits}f} % certain")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
