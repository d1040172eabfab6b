"""Parameters: what is learned beside the weights, and how solvers, intervals and tables treat it.

A parameter answers for itself what would otherwise be looked up by its name: where its range ends,
in which coordinate a solver steps, how far a profile first looks, what it is called in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import asinh, copysign, inf, sinh

import numpy as np


def _same(x: float) -> float:
    return x


def _one(x: float) -> float:  # noqa: ARG001 - a straight line is as steep everywhere
    return 1.0


def _none(x: float) -> float:  # noqa: ARG001 - and bends nowhere
    return 0.0


@dataclass(frozen=True)
class Coordinate:
    """A change of variable x(t), in which a loss is nearly a parabola.

    Attributes
    ----------
    name : str
    into, back : callables
        From x to t, and from t to x.
    steepness, bend : callables
        dx/dt and its derivative by t, as functions of x.
    """

    name: str
    into: Callable[[float], float] = field(repr=False)
    back: Callable[[float], float] = field(repr=False)
    steepness: Callable[[float], float] = field(repr=False)
    bend: Callable[[float], float] = field(repr=False)

    def __reduce__(self) -> tuple[Callable[..., Coordinate], tuple[object, ...]]:
        if _COORDINATES.get(self.name) is self:  # one of those below stays itself
            return coordinate, (self.name,)
        return Coordinate, (self.name, self.into, self.back, self.steepness, self.bend)


def _log(x: float) -> float:
    return float(np.log(x))


# Far out a place has no number of its own any more: it is at infinity, which ranges may hold.
_LARGEST_LOG = 709.0


def _exp(x: float) -> float:
    return float(np.exp(x)) if x < _LARGEST_LOG else inf


def _sinh(x: float) -> float:
    return sinh(x) if abs(x) < _LARGEST_LOG else copysign(inf, x)


def _steep(x: float) -> float:
    return float(np.hypot(1.0, x))


# A step of one is a sensible step both near 0 and far out, where a loss changes with log |x|.
ASINH = Coordinate("asinh", asinh, _sinh, _steep, _same)
LOG = Coordinate("log", _log, _exp, _same, _same)
IDENTITY = Coordinate("identity", _same, _same, _one, _none)


_COORDINATES = {made.name: made for made in (ASINH, LOG, IDENTITY)}


def coordinate(name: str) -> Coordinate:
    """Return one of the coordinates above by its name."""
    return _COORDINATES[name]


@dataclass(frozen=True)
class _Times:
    """Multiplication by a number, which two coordinates may have in common."""

    factor: float

    def __call__(self, x: float) -> float:
        return self.factor * x


@dataclass(frozen=True)
class _Always:
    """The same number everywhere."""

    value: float

    def __call__(self, x: float) -> float:  # noqa: ARG002 - a straight line
        return self.value


def in_units_of(unit: float) -> Coordinate:
    """Return the coordinate of a number that is measured in a unit: ``x = unit t``.

    Examples
    --------
    >>> years = in_units_of(10.0)
    >>> years.into(25.0), years.back(2.5)
    (2.5, 25.0)
    """
    name = f"units of {unit!r}"
    return Coordinate(name, _Times(1.0 / unit), _Times(unit), _Always(unit), _none)


@dataclass(frozen=True)
class Parameter:
    """A number that is learned.

    Attributes
    ----------
    name : str
        What it goes by: "p", "tau".
    words : str
        What a table calls it: "temperature tau".
    lowest, highest : float
        Where its range ends.
    coordinate : Coordinate
        What a solver steps in; where it stands is kept in it, but for the shape of a family, which
        is kept as it is.
    first_step, shortest_step, longest_step : float
        How far a profile first looks where no standard error is known, and at least and at most
        where one is, in the coordinate.
    skewed : bool
        Whether estimates are too large on average, so that a bootstrap reflects its draws.
    """

    name: str
    words: str
    lowest: float = -inf
    highest: float = inf
    coordinate: Coordinate = IDENTITY
    first_step: float = 0.1
    shortest_step: float = 1e-6
    longest_step: float = 1.0
    skewed: bool = False


# A weight of one person: all of them are learned together, on a simplex.
WEIGHT = Parameter("weights", "weight", 0.0, 1.0, IDENTITY, 0.05, 1e-4, 0.3)
