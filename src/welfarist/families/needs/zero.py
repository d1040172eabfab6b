"""Where zero is: a number below all utilities, and the coordinate in which it is searched."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, inf, log
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.parameters import Coordinate, Parameter
from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns

# How far below the smallest utility zero is searched, in the span of all utilities.
NEAREST, FARTHEST = 1e-3, 1e2


@dataclass(frozen=True)
class _Into:
    least: float
    span: float

    def __call__(self, x: float) -> float:
        return -log((self.least - x) / self.span) if x < self.least else inf


@dataclass(frozen=True)
class _Back:
    least: float
    span: float

    def __call__(self, t: float) -> float:
        return self.least - self.span * exp(-t)


@dataclass(frozen=True)
class _Below:
    least: float
    sign: float

    def __call__(self, x: float) -> float:
        return self.sign * (self.least - x)


def below(least: float, span: float) -> Coordinate:
    """Return the coordinate of a zero: minus the log of its distance from the smallest utility.

    Examples
    --------
    >>> zero = below(1.0, 9.0)
    >>> zero.into(-8.0), zero.back(0.0)
    (-0.0, -8.0)
    """
    name = f"below {least!r} in spans of {span!r}"
    into, back = _Into(least, span), _Back(least, span)
    return Coordinate(name, into, back, _Below(least, 1.0), _Below(least, -1.0))


def zero_of(least: float, span: float) -> Parameter:
    """Return the parameter of a zero below utilities that begin at `least` and span `span`."""
    lowest, highest = (least - far * span for far in (FARTHEST, NEAREST))
    return Parameter("zero", "zero of the scale", lowest, highest, below(least, span), 0.3)


@dataclass(frozen=True)
class Beyond(Columns):
    """People who are all in memory, with what they have on its own scale.

    Attributes
    ----------
    logs : (d, N) array
        What each person has.
    unit : float
        In which what is left beyond the zero is measured: it keeps logarithms small.
    """

    unit: float = 1.0
    _last: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def above(self, zero: float) -> Columns:
        """Return logarithms (d, N) of what everybody has beyond a zero, in the unit.

        The last one is kept, since values and their derivatives are asked for one after the other.
        """
        if self._last.get("zero") != zero:
            self._last.update(zero=zero, columns=Columns(np.log((self.logs - zero) / self.unit)))
        found: Columns = self._last["columns"]
        return found

    def take(self, actions: npt.NDArray[Any]) -> Beyond:
        """Return some of the actions, on the same unit."""
        logs = np.ascontiguousarray(self.logs[:, actions])
        return Beyond(logs, self.shift, False, self.unit)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_last": {}}


def typical_unit(utilities: FloatArray) -> float:
    """Return a unit of what people have (d, N) beyond a zero: the span, 1 if there is none."""
    span = float(np.ptp(utilities)) if utilities.size else 0.0
    return span if 0.0 < span < inf else 1.0
