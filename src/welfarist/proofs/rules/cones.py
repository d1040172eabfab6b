"""Many convex problems at once, each on a cone, minimised with proof.

A sum of convex functions, each of something linear in ``y = c (1, delta)``: c is a scale, delta a
place in a box around 0. Over all scales and all places that is a cone (cut off where the scale
ends), so that the problem stays convex. Newton's method goes towards the minimum; wherever it is,
the tangent plane there is nowhere above the function, and its least value on the cone is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

_EPS = float(np.finfo(np.float64).eps)
# A sum of products is good to this many units of rounding of its terms' sizes.
_SUM = 256.0 * _EPS
_MOST_STEPS = 16
# A scale may grow by this factor in a step, and shrink to this share.
_GROWTH, _SHRINKING = 4.0, 0.1
# How closely to solve where the bound is short of the goal, as a share of the shortfall.
_COARSE = 0.05
# Share of the distance to the goal that is given away to make slopes along the cone positive.
_TILT = 0.1
# How much higher than the lowest a value may be, as a share of its distance from the goal.
_SLACK = 0.25
# Steps for a bound that cannot reach the goal.
_FEW_STEPS = 4
_RIDGE = 1e-8
_TINY = 1e-300


class Functions(Protocol):
    """Convex functions f_r, one a row."""

    def all(self, t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums (B,), slopes (B, r) and bends (B, r) at arguments (B, r)."""
        ...


@dataclass(frozen=True, eq=False)
class Cones:
    """Minimise ``sum_r f_r(y . form_r + offset_r)`` over B cones.

    Attributes
    ----------
    forms : (B, D + 1, r) array
    offsets : (r,) array or 0
    widths : (B, D) array
        ``|y_i| <= width_i y_0``.
    smallest, largest : float
        Ends of y_0, the scale; the same where it is known.
    functions : Functions
    """

    forms: FloatArray
    offsets: FloatArray | float
    widths: FloatArray
    smallest: float
    largest: float
    functions: Functions

    @property
    def scaled(self) -> bool:
        """Whether there is a scale to be found."""
        return self.smallest < self.largest

    def take(self, rows: npt.NDArray[Any]) -> Cones:
        """Return some of the problems."""
        return Cones(
            self.forms[rows], self.offsets, self.widths[rows],
            self.smallest, self.largest, self.functions,
        )  # fmt: skip

    def arguments(self, y: FloatArray) -> FloatArray:
        """Return what the functions are asked at, (B, r)."""
        return np.asarray(np.matmul(y[:, None], self.forms)[:, 0] + self.offsets)


@dataclass(frozen=True, eq=False)
class Minima:
    """What is known of many minima.

    Attributes
    ----------
    lower_bound : (B,) array
        Proven.
    value : (B,) array
        The least value found.
    y : (B, D + 1) array
        Where.
    pull : (B, r) array
        Slopes of the functions there.
    """

    lower_bound: FloatArray
    value: FloatArray
    y: FloatArray
    pull: FloatArray


def minimise(problems: Cones, scale: FloatArray, goal: float, precision: float) -> Minima:
    """Bound many problems from below, each from the middle of its cone at a scale (B,).

    A bound is good enough if it is within `precision` of the minimum. Stops where a bound has
    reached the goal, or is as close as is worth it.
    """
    size, dim = problems.widths.shape
    y = np.zeros((size, dim + 1))
    y[:, 0] = np.clip(scale, problems.smallest, problems.largest)
    best, least = np.zeros(size), np.full(size, np.inf)
    where, aim, last = y.copy(), y.copy(), y.copy()
    pull = np.zeros((size, problems.forms.shape[2]))
    going = np.arange(size)
    for step in range(_MOST_STEPS):
        now = problems if len(going) == size else problems.take(going)
        here = aim[going]
        t = now.arguments(here)
        value, slope, bend = now.functions.all(t)
        gradient = np.matmul(now.forms, slope[:, :, None])[:, :, 0]
        bound = _tangent_bound(now, here, t, value, slope, gradient)
        best[going] = np.maximum(best[going], bound)
        lower = value < least[going]
        slack = _SLACK * np.abs(goal - least[going])
        fine = ~(value > least[going] + np.where(np.isfinite(slack), slack, np.inf))
        kept = going[lower]
        least[kept], where[kept], pull[kept] = value[lower], here[lower], slope[lower]
        short = np.maximum(goal - best[going], 0.0)
        enough = np.maximum(_COARSE * short, precision)
        left = (short > 0) & (least[going] - best[going] > enough)
        if step >= _FEW_STEPS:  # where the minimum itself is below the goal, no bound reaches it
            left &= least[going] >= goal
        if not left.any():
            break
        back, on = going[left & ~fine], left & fine
        aim[back] = 0.5 * (aim[back] + last[back])  # too far: go half of the way
        last[going[on]] = here[on]
        if on.any():
            spared = _TILT * np.maximum(np.abs(goal - value[on]), precision)
            tilt = spared / np.maximum(here[on, 0], _TINY)
            part = problems.take(going[on])
            aim[going[on]] = _newton(part, here[on], gradient[on], bend[on], tilt)
        going = going[left]
    return Minima(best, least, where, pull)


def _tangent_bound(
    problems: Cones, y: FloatArray, t: FloatArray, value: FloatArray, slope: FloatArray,
    gradient: FloatArray,
) -> FloatArray:  # fmt: skip
    """The least value (B,) of the tangent plane on the cone, less what rounding may have added."""
    reach = problems.widths
    along = gradient[:, 0] - (reach * np.abs(gradient[:, 1:])).sum(axis=1)
    sizes = (
        np.abs(problems.forms[:, 0])
        + np.matmul(reach[:, None], np.abs(problems.forms[:, 1:]))[:, 0]
    )
    blur = _SUM * (np.abs(slope) * sizes).sum(axis=1)  # of `along`
    doubt = _SUM * (value + (np.abs(slope) * (np.abs(t) + y[:, :1] * sizes)).sum(axis=1))
    along = along - blur
    end = np.where(along >= 0, problems.smallest, problems.largest)
    with np.errstate(invalid="ignore", over="ignore"):
        bound = value - (gradient * y).sum(axis=1) + along * end - doubt
    return np.where(bound > 0, bound, 0.0)


def _newton(
    problems: Cones, y: FloatArray, gradient: FloatArray, bend: FloatArray, tilt: FloatArray
) -> FloatArray:
    """One step (B, D + 1) of Newton's method, held at the sides that it would leave the cone by."""
    forms, widths, scale = problems.forms, problems.widths, y[:, :1]
    curvature = np.matmul(forms * bend[:, None], forms.transpose(0, 2, 1))
    pushed = gradient.copy()
    if problems.scaled:
        pushed[:, 0] -= tilt
    edge = widths * scale
    at_edge = (np.abs(y[:, 1:]) >= edge * (1.0 - 1e-9)) & (pushed[:, 1:] * y[:, 1:] <= 0)
    sides = np.where(at_edge, np.sign(y[:, 1:]), 0.0)
    held = at_edge | (widths == 0)
    for _ in range(y.shape[1]):
        aim = y + _move(problems, curvature, pushed, y, held, sides)
        if problems.scaled:
            aim[:, :1] = np.clip(
                np.where(np.isfinite(aim[:, :1]), aim[:, :1], scale),
                np.maximum(problems.smallest, _SHRINKING * scale),
                np.minimum(problems.largest, _GROWTH * scale),
            )
        edge = widths * aim[:, :1]
        beyond = ~(np.abs(aim[:, 1:]) <= edge * (1.0 + 1e-9)) & ~held
        if not beyond.any():
            break
        sides = np.where(beyond, np.sign(np.nan_to_num(aim[:, 1:])), sides)
        held = held | beyond
    aim[:, 1:] = np.clip(np.nan_to_num(aim[:, 1:]), -edge, edge)
    return np.asarray(aim)


def _move(
    problems: Cones, curvature: FloatArray, pushed: FloatArray, y: FloatArray,
    held: npt.NDArray[np.bool_], sides: FloatArray,
) -> FloatArray:  # fmt: skip
    """The move (B, D + 1) to the model's minimum where some numbers follow the scale."""
    count = y.shape[1]
    ways = np.broadcast_to(np.eye(count), (len(y), count, count)).copy()
    rows, which = np.nonzero(held)
    ways[rows, which + 1, which + 1] = 0.0
    ways[rows, which + 1, 0] = (sides * problems.widths)[rows, which]
    # What is held goes to its side first.
    first = np.zeros_like(y)
    first[:, 1:] = np.where(held, sides * problems.widths * y[:, :1] - y[:, 1:], 0.0)
    if not problems.scaled:
        ways[:, :, 0] = 0.0
    slope = pushed + np.matmul(curvature, first[:, :, None])[:, :, 0]
    turned = ways.transpose(0, 2, 1)
    reduced = np.matmul(turned, np.matmul(curvature, ways))
    diagonal = np.einsum("bii->bi", reduced)
    unit = 1.0 / np.sqrt(np.where(diagonal > _TINY, diagonal, 1.0))
    reduced = reduced * unit[:, :, None] * unit[:, None]
    np.einsum("bii->bi", reduced)[:] = 1.0 + _RIDGE
    step = np.linalg.solve(reduced, np.matmul(turned, slope[:, :, None]) * unit[:, :, None])
    return np.asarray(first - np.matmul(ways, step * unit[:, :, None])[:, :, 0])
