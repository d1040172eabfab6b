"""Steps for a number with a unit, for which 1 is neither small nor large by itself."""

from __future__ import annotations

from dataclasses import dataclass

from welfarist.base.parameters import ASINH, Coordinate


@dataclass(frozen=True)
class _Into:
    unit: float

    def __call__(self, x: float) -> float:
        return ASINH.into(x / self.unit)


@dataclass(frozen=True)
class _Back:
    unit: float

    def __call__(self, t: float) -> float:
        return ASINH.back(t) * self.unit


@dataclass(frozen=True)
class _Steepness:
    unit: float

    def __call__(self, x: float) -> float:
        return ASINH.steepness(x / self.unit) * self.unit


def asinh_in_units(unit: float) -> Coordinate:
    """Return the coordinate ``t = asinh(x / unit)``: even near 0, and in ratios far out.

    Examples
    --------
    >>> per_euro = asinh_in_units(0.01)
    >>> round(per_euro.into(0.02), 4), round(per_euro.back(1.0), 4)
    (1.4436, 0.0118)
    """
    name = f"asinh in units of {unit!r}"
    return Coordinate(name, _Into(unit), _Back(unit), _Steepness(unit), ASINH.bend)
