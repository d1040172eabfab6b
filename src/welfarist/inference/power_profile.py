"""The profile of the power: how well each p explains the decisions, at its own best weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.counting.loss_steps import compact, expanded
from welfarist.families.base import Family
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.inference.intervals import interval, pieces
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.power_set import Pieces
from welfarist.inference.profile import PowerCurve
from welfarist.inference.reference import allowed_deviance

_FEWEST = 11
# The share of the places that goes to the neighbourhood of the interval.
_NEAR = 0.5
# That neighbourhood goes beyond the interval by this share of its width.
_BEYOND = 0.75
# How far out on the line p / (1 + |p|), whose ends are at 1, places are spread evenly: p = 49.
_OUTERMOST = 0.98
# How far to step first from the estimate, in asinh(p); the grid decides on the rest.
_STRIDE = 0.5


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class Profile:
    """How well each power explains the decisions when everything else is at its best.

    Attributes
    ----------
    p : (m,) array
        Powers, ascending, from -inf to inf; from just above 0 where a utility is 0. In another
        family its own parameter, along the range that is searched.
    deviance : (m,) array
        Twice the log likelihood that each loses against the fit.
    loss : (m,) array
        The mean loss at each, in the unit of the fit's `loss`.
    estimate : float
        The power that was learned.
    interval : pair of floats
        All powers whose deviance is at most `allowed`, unless `interval_by` says otherwise.
    level : float
        Of the interval.
    allowed : float
        The deviance at the ends of a profile-likelihood interval.
    interval_by : str
        How the interval was made.
    family : Family
        Whose parameter `p` is.
    pieces : tuple of pairs
        The parts of the set of which `interval` has the outer ends, where there are several.
    """

    p: FloatArray
    deviance: FloatArray
    loss: FloatArray
    estimate: float
    interval: tuple[float, float]
    level: float
    allowed: float
    interval_by: str = "profile likelihood"
    family: Family = POWER_MEAN
    pieces: Pieces = ()

    @property
    def relative_likelihood(self) -> FloatArray:
        """The likelihood of each power over that of the estimate (m,): 1 at the estimate."""
        return np.exp(-0.5 * self.deviance)

    @property
    def at_limits(self) -> tuple[float | None, float | None]:
        """The deviance at p = -inf, None where a utility is 0, and at p = inf.

        None where the range of a family's parameter ends before.
        """
        first = float(self.deviance[0]) if np.isneginf(self.p[0]) else None
        return first, float(self.deviance[-1]) if np.isposinf(self.p[-1]) else None

    def to_frame(self) -> Any:
        """Return the profile as a data frame, of pandas or polars: p, deviance, likelihood, loss.

        Examples
        --------
        >>> profile = Profile(
        ...     p=np.array([-np.inf, 0.0, np.inf]),
        ...     deviance=np.array([9.0, 0.0, 4.0]),
        ...     loss=np.array([0.7, 0.6, 0.65]),
        ...     estimate=0.0,
        ...     interval=(-1.0, 1.0),
        ...     level=0.95,
        ...     allowed=3.84,
        ... )
        >>> list(profile.to_frame().columns)
        ['p', 'deviance', 'relative_likelihood', 'loss']
        """
        return to_frame(
            {
                "p": self.p.tolist(),
                "deviance": self.deviance.tolist(),
                "relative_likelihood": self.relative_likelihood.tolist(),
                "loss": self.loss.tolist(),
            }
        )


def profile_of(likelihood: Likelihood, points: int = 101, level: float = 0.95) -> Profile:
    """Return the profile of the power at about `points` places and both limits.

    Parameters
    ----------
    likelihood : Likelihood
    points : int
        At least 11. Half of them lie around the interval, the rest along the line.
    level : float
        Of the interval, between 0 and 1.
    """
    if not isinstance(points, int | np.integer) or isinstance(points, bool) or points < _FEWEST:
        raise InputError(f"points must be a whole number from {_FEWEST} on; found {points!r}.")
    if not likelihood.loss.learn_power:
        name = likelihood.loss.shape.name
        raise InputError(
            f"a profile over {name} needs a fit that learned {name}; found that {name} = "
            f"{likelihood.point.p:g} was given. Fit without it."
        )
    likelihood.require()
    if likelihood.loss.in_parts:
        raise InputError(
            "a profile needs decisions in memory; found decisions that stay in their files, which "
            'would be read hundreds of times. Use interval("p", method="wald"), or fit a share.'
        )
    return likelihood.once(
        ("profile", int(points), level), lambda: _profile(likelihood, int(points), level)
    )


def _profile(likelihood: Likelihood, points: int, level: float) -> Profile:
    shape = likelihood.loss.family.shape
    low, high = interval(likelihood, shape.name, level)[0]
    parts = pieces(likelihood, shape.name, level)
    curve = PowerCurve(likelihood, _STRIDE)
    places = _places(curve, (float(low), float(high)), points)
    deviances = _along(curve, places)
    powers = np.array([curve.coordinate.back(x) for x in places])
    deviance = np.array([deviances[x] for x in places])
    for limit in likelihood.loss.limits:
        at_limit, end = [max(curve.at_limit(limit, thoroughly=True), 0.0)], [limit]
        powers = np.concatenate([end, powers] if limit < 0 else [powers, end])
        deviance = np.concatenate([at_limit, deviance] if limit < 0 else [deviance, at_limit])
    return Profile(
        powers,
        deviance,
        likelihood.loss.observed.loss_at(deviance, likelihood.value),
        float(likelihood.point.p),
        (float(low), float(high)),
        float(level),
        allowed_deviance(likelihood, level),
        family=likelihood.loss.family,
        pieces=parts if len(parts) > 1 else (),
    )


def _places(curve: PowerCurve, ends: tuple[float, float], points: int) -> list[float]:
    """Places t, ascending: close together around the interval, sparse far from it."""
    into, back = np.vectorize(curve.coordinate.into), np.vectorize(curve.coordinate.back)
    low, high = (min(max(float(into(end)), curve.lower), curve.upper) for end in ends)
    beyond = _BEYOND * max(high - low, 1e-6)
    near = round(_NEAR * points)
    # In the measure in which the line is drawn, so that a wide interval is drawn evenly.
    inner = compact(back([max(low - beyond, curve.lower), min(high + beyond, curve.upper)]))
    first, last = np.clip(inner, -_OUTERMOST, _OUTERMOST).tolist()
    around = expanded(np.linspace(first, last, near))
    along = expanded(np.linspace(-_OUTERMOST, _OUTERMOST, points - near))
    line = np.concatenate([around, along])
    # Beyond its range a shape may have no coordinate, as below 0 on a logarithmic line.
    inside = line[(line > back(curve.lower)) & (line < back(curve.upper))]
    every = np.concatenate([into(inside), [low, high, curve.centre, curve.lower, curve.upper]])
    return np.unique(np.clip(every, curve.lower, curve.upper)).tolist()  # type: ignore[no-any-return]


def _along(curve: PowerCurve, places: list[float]) -> dict[float, float]:
    """The deviance at every place; each fit starts from its neighbour towards the estimate.

    Starts that know nothing of the path are tried as well. A deviance that falls on the way out
    hints at a better optimum that was met too late: it is followed back towards the estimate.
    """
    for side in (-1.0, 1.0):
        path = sorted((x for x in places if side * (x - curve.centre) >= 0), key=lambda x: side * x)
        inner = curve.centre
        for x in path:
            curve.at(x)
            curve.from_equal_weights(x)
            curve.from_one_person(x, inner)
            inner = x
        for outer, x in zip(path[:0:-1], path[-2::-1], strict=True):
            if curve.at(outer) < curve.at(x):
                curve.from_neighbour(x, outer)
    return {x: curve.at(x) for x in places}
