"""Profile likelihoods: what is lost when one parameter is held and the others are at their best.

Each curve runs over a coordinate in which the loss is nearly a parabola: for p asinh(p), for tau
its logarithm, a weight as it is. A fit at a new place starts from the nearest one known, so that
a curve costs a few steps a place.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from welfarist.base.errors import InputError, NotConvergedWarning
from welfarist.base.validation import FloatArray
from welfarist.inference.likelihood import Likelihood, is_estimated
from welfarist.inference.other_branches import other_starts, power_in_doubt
from welfarist.losses import DecisionLoss, Point
from welfarist.people.weighting import HeldWeight
from welfarist.solvers.descent import Descent, descend
from welfarist.solvers.limits import LimitFit, Rule, fit_rule
from welfarist.solvers.simplex import onto_simplex

# From this |p| on weights matter through log(w) / p, which is kept when p moves.
_RATIO_POWER = 1.0
# From this |p| on it is worth searching who counts at the limit.
TOWARDS = 5.0
# Deviance that rounding, or the solver's tolerance, may add or take. Half of it, in log
# likelihood, moves an end that is two standard errors away by a thousandth of one.
_ROUNDING = 4e-3
_PER_DECISION = 1e-9
# How closely the end of an interval is found, in the curve's coordinate.
_FINE = 1e-7
# A promised gain in deviance that no fit along the curve goes on for.
_NEGLIGIBLE = 1e-8
GROWTH = 1.6  # by which steps outward grow
BRANCH = 1e-3  # a deviance lower by this belongs to another optimum
ROUNDS = 5  # better branches that are followed at the end of an interval
# The smallest weight that is told from 0, and the largest at which the others still count.
NEARLY_NONE = 1e-6
NEARLY_ALL = 1.0 - 1e-6
_MODERATE = 2.0  # the size of another power to start from where p went far
_FAR_ALONG = 20.0  # in the coordinate of a shape whose range has no end
_FARTHEST = 300.0  # a logarithm of a scale at which a score's loss no longer changes
MANY_OPTIMA = (
    "the search for the end of an interval found ever better optima and stopped, so that the "
    "interval may be too short. Fix what you know: p, the weights or groups."
)


class Curve:
    """A profile over one coordinate.

    Attributes
    ----------
    centre : float
        Where the estimate is.
    lower, upper : float
        Where the coordinate's range ends.
    stride : float
        How far the first step outward goes.
    """

    def __init__(
        self,
        likelihood: Likelihood,
        point: Point,
        centre: float,
        ends: tuple[float, float],
        stride: float,
    ) -> None:
        self.centre = centre
        self.lower, self.upper = ends
        self.stride = stride
        self._likelihood = likelihood
        self._points = {centre: point}
        self._deviances: dict[float, float] = {}
        self._values: dict[float, float] = {}
        self._converged: dict[float, bool] = {}
        self._tolerance = max(likelihood.solver.tolerance, _relative(likelihood, _NEGLIGIBLE))

    def at(self, x: float) -> float:
        """Return the deviance at x, twice the log likelihood that is lost there."""
        if x not in self._deviances:
            near = self._points[min(self._points, key=lambda other: abs(other - x))]
            self._settle(x, self._starts(x, near), near=True)
        return self._deviances[x]

    def from_equal_weights(self, x: float) -> float:
        """Return the deviance at x, from a start at equal weights as well if that finds better.

        And from other branches of the profile, where there may be some.
        """
        if is_estimated(self._likelihood):  # each look costs as much as many others
            return self._deviances[x]
        if self._held(x).weighting.free > 1:
            self._settle(x, [self._afresh(x)], near=False)
        self._from_other_branches(x)
        return self._deviances[x]

    def _from_other_branches(self, x: float) -> None:
        held = self._held(x)
        p = None if held.learn_power else self._held_power(x)
        for start in other_starts(self._likelihood, held, p):
            self._settle(x, [start], near=False)

    def _held_power(self, x: float) -> float:  # noqa: ARG002
        """The power at x, where it is not learned there."""
        return self._likelihood.point.p

    def allowed_again(self, x: float, direction: float, allowed: float) -> float | None:  # noqa: ARG002
        """Where beyond x the deviance is no more than `allowed` once more, if it is known to be."""
        return None

    def from_neighbour(self, x: float, other: float) -> float:
        """Return the deviance at x, from what was found at another place if that is better."""
        self._settle(x, self._starts(x, self._points[other]), near=False)
        return self._deviances[x]

    def from_one_person(self, x: float, other: float) -> float:
        """Return the deviance at x, if that is better from all weight on one person.

        Which is who counts most at another place; with one person every power is as good.
        """
        free = self._points[other].weights
        if len(free) > 1 and not is_estimated(self._likelihood):
            start = self._starts(x, self._points[other])[0]
            vertex = np.zeros(len(free))
            vertex[np.argmax(free)] = 1.0
            self._settle(x, [replace(start, weights=vertex)], near=False)
        return self._deviances[x]

    def warn(self, x: float) -> None:
        """Say so if the fit at x, where an interval ends, did not converge."""
        if not self._converged[x]:
            message = (
                "the fit at the end of an interval did not converge, so that the interval may be "
                "too short. Fit again with a larger max_iter."
            )
            warnings.warn(message, NotConvergedWarning, stacklevel=2)

    def is_endless(self, x: float) -> bool:  # noqa: ARG002
        """Whether only the end of the search for p makes an interval end at x."""
        return False

    def drop_beyond(self, x: float, direction: float) -> None:
        """Forget what was found beyond x on one side, on the way to a worse optimum than here."""
        for other in [y for y in self._deviances if direction * (y - x) > 0]:
            del self._deviances[other], self._points[other]
            del self._values[other], self._converged[other]

    def _held(self, x: float) -> DecisionLoss:
        """The loss in which the coordinate is held at x."""
        raise NotImplementedError

    def _starts(self, x: float, near: Point) -> list[Point]:
        """Points of :meth:`_held` made from what was found nearby."""
        raise NotImplementedError

    def _afresh(self, x: float) -> Point:
        """A point of :meth:`_held` with equal weights."""
        start = self._starts(x, self._points[x])[0]
        return replace(start, weights=self._held(x).weighting.start())

    def _found(self, x: float, point: Point) -> Point:  # noqa: ARG002
        """What to remember of a point of :meth:`_held`."""
        return point

    def _settle(self, x: float, starts: list[Point], near: bool) -> None:
        """Fit from the most promising start, and keep the result if it is the best at x."""
        loss = self._held(x)
        start = min(starts, key=lambda point: loss.evaluate(point).value)
        beat = self._values.get(x, np.inf)  # what creeps towards a higher loss is given up
        found = self._descend(loss, start, near, beat)
        if not found.converged and found.value < beat:
            found = self._descend(loss, found.point, near=False, beat=beat)
        deviance = deviance_of(self._likelihood, found.value)
        if np.isnan(deviance):  # beyond what a family of one's own can work out
            deviance = np.inf
        if deviance < self._deviances.get(x, np.inf) or x not in self._deviances:
            self._deviances[x] = deviance
            self._values[x] = found.value
            self._points[x] = self._found(x, found.point)
            self._converged[x] = found.converged

    def _descend(self, loss: DecisionLoss, start: Point, near: bool, beat: float) -> Descent:
        solver = self._likelihood.solver
        return descend(
            loss,
            start,
            max_iter=solver.max_iter,
            tolerance=self._tolerance,
            near=near,
            beat=beat,
        )


class PowerCurve(Curve):
    """The profile over the family's shape, in its coordinate: for a power mean asinh(p)."""

    def __init__(self, likelihood: Likelihood, stride: float) -> None:
        self.coordinate = likelihood.loss.family.shape.coordinate
        low, high = (self.coordinate.into(end) for end in likelihood.loss.search_range)
        centre = min(max(self.coordinate.into(likelihood.point.p), low), high)
        # A range without end is looked at as far as anything could change.
        low = max(low, centre - _FAR_ALONG) if np.isinf(low) else low
        high = min(high, centre + _FAR_ALONG) if np.isinf(high) else high
        self._loss = replace(likelihood.loss, learn_power=False)
        point = replace(likelihood.point, p=self.coordinate.back(centre))
        super().__init__(likelihood, point, centre, (low, high), stride)

    def at_limit(self, sign: float, thoroughly: bool) -> float:
        """Return the deviance at p = -inf or inf; `thoroughly` searches who counts there."""
        return deviance_of(self._likelihood, limit_rule(self._likelihood, sign, thoroughly).value)

    def allows_limit(self, sign: float, thoroughly: bool, allowed: float) -> bool:
        """Whether the deviance at p = -inf or inf is no more than `allowed`."""
        return self.at_limit(sign, thoroughly) <= allowed

    def place_between(self, inner: float, outer: float, allowed: float) -> float:
        """Where between two places the deviance is what is allowed."""
        return place_between(self.at, inner, outer, allowed)

    def looked_for(self, allowed: float) -> None:
        """Note how much deviance is looked for; here it makes no difference."""

    def _held(self, x: float) -> DecisionLoss:  # noqa: ARG002
        return self._loss

    def _held_power(self, x: float) -> float:
        return self.coordinate.back(x)

    def _starts(self, x: float, near: Point) -> list[Point]:
        p = self.coordinate.back(x)
        starts = [replace(near, p=p)]
        far_out = self._loss.family.ratios and abs(p) >= _RATIO_POWER
        if len(near.weights) and near.p * p > 0 and far_out:
            starts.append(Point(_stretched(near.weights, p / near.p), p, near.extras))
        if self._loss.slopes and near.p * p > 0 and far_out:  # so that w^(1/p) stays
            starts.append(
                replace(near, p=p, extras=self._stretched_slopes(near.extras, p / near.p))
            )
        return starts

    def _stretched_slopes(self, extras: FloatArray, factor: float) -> FloatArray:
        """Extras (m,) whose slopes grow by a factor, as far as they are searched."""
        slopes = self._loss.slopes
        longer = np.concatenate([factor * extras[:slopes], extras[slopes:]])
        return np.asarray(np.clip(longer, *self._loss.extra_bounds))


class WeightCurve(Curve):
    """The profile over one free weight."""

    def __init__(self, likelihood: Likelihood, held: int, stride: float) -> None:
        self._index = held
        centre = min(float(likelihood.point.weights[held]), NEARLY_ALL)
        ends = min(NEARLY_NONE, centre), NEARLY_ALL
        super().__init__(likelihood, likelihood.point, centre, ends, stride)

    def is_endless(self, x: float) -> bool:
        """Whether p went as far as it may: on the ridge log(w) = p c a weight goes on with p."""
        return self._likelihood.loss.learn_power and self._likelihood.is_farthest(self._points[x].p)

    def allowed_again(self, x: float, direction: float, allowed: float) -> float | None:
        """Where beyond x a branch far out is allowed, on which weights go to 0 or to 1."""
        if not power_in_doubt(self._likelihood):
            return None
        edge = self.upper if direction > 0 else self.lower
        middle = np.sqrt(x * edge) if direction < 0 else 1.0 - np.sqrt((1.0 - x) * (1.0 - edge))
        for place in (edge, float(middle)):
            if direction * (place - x) > 0:
                self._from_other_branches(place)
                if self._deviances.get(place, np.inf) <= allowed:
                    return place
        return None

    def _held(self, x: float) -> DecisionLoss:
        inner = self._likelihood.loss.weighting
        return replace(self._likelihood.loss, weighting=HeldWeight.of(inner, self._index, x))

    def _starts(self, x: float, near: Point) -> list[Point]:
        others = np.delete(near.weights, self._index)
        counted = float(others.sum()) > 0
        shares = onto_simplex(others) if counted else self._held(x).weighting.start()
        return [replace(near, weights=shares)]

    def _found(self, x: float, point: Point) -> Point:
        return replace(point, weights=np.insert((1.0 - x) * point.weights, self._index, x))


class ExtraCurve(Curve):
    """The profile over one of the numbers on the line: log tau, log scale, rho, or a slope.

    Where p went far, other powers may do better at other values: the limits are compared at every
    place, and a start at a moderate power is tried where an interval may end.
    """

    def __init__(self, likelihood: Likelihood, held: int, stride: float) -> None:
        loss, point = likelihood.loss, likelihood.point
        if np.isinf(point.p):
            farthest = float(np.copysign(loss.search_range[1], point.p))
            if loss.learn_power:
                point = replace(point, p=farthest)
            elif not loss.slopes:
                loss, point = likelihood.at_rule()
        self._loss, self._index = loss, held
        self._limits = _limits_to_compare(likelihood)
        smallest, largest = (float(bound[held]) for bound in loss.extra_bounds)
        centre = float(point.extras[held])
        ends = max(smallest, centre - _FARTHEST), min(largest, centre + _FARTHEST)
        super().__init__(likelihood, point, centre, ends, stride)

    def from_equal_weights(self, x: float) -> float:
        """Return the deviance at x, from equal weights and a moderate power as well."""
        if self._limits:
            p = self._likelihood.point.p
            moderate = float(np.copysign(_MODERATE / self._loss.family.like_power(1.0), p))
            self._settle(x, [replace(self._afresh(x), p=moderate)], near=False)
        return super().from_equal_weights(x)

    def _held(self, x: float) -> DecisionLoss:
        lower, upper = (bound.copy() for bound in self._loss.extra_bounds)
        lower[self._index] = upper[self._index] = x
        return self._loss.within((lower, upper))

    def _starts(self, x: float, near: Point) -> list[Point]:
        extras = near.extras.copy()
        extras[self._index] = x
        return [replace(near, extras=extras)]

    def _settle(self, x: float, starts: list[Point], near: bool) -> None:
        super()._settle(x, starts, near)
        solver = self._likelihood.solver
        for p, weights in self._limits:
            rule = fit_rule(self._held(x), weights, p, solver.max_iter, solver.tolerance)
            deviance = deviance_of(self._likelihood, rule.value)
            if deviance < self._deviances[x]:  # what is kept for other places has a finite power
                self._deviances[x], self._converged[x] = deviance, rule.descent.converged


def _limits_to_compare(likelihood: Likelihood) -> list[tuple[float, FloatArray]]:
    """Infinite powers, with the weights of who counts there, if p went far; else none."""
    loss, p = likelihood.loss, likelihood.point.p
    if not loss.learn_power or abs(loss.family.like_power(p)) <= TOWARDS:
        return []
    found = []
    for end in loss.limits:
        found.append((end, limit_rule(likelihood, end, thoroughly=False).weights))
        if np.copysign(1.0, end) * p > 0:
            found.append((end, limit_rule(likelihood, end, thoroughly=True).weights))
    return found


def limit_rule(likelihood: Likelihood, end: float, thoroughly: bool) -> Rule:
    """Return the best rule at p = -inf or inf; `thoroughly` searches who counts there."""
    sign = float(np.copysign(1.0, end))
    return likelihood.once(
        ("limit", sign, thoroughly), lambda: _limit_rule(likelihood, sign, thoroughly)
    )


def _limit_rule(likelihood: Likelihood, sign: float, thoroughly: bool) -> Rule:
    solver, loss = likelihood.solver, likelihood.loss
    limit = likelihood.once(
        ("limit fit", sign),
        lambda: LimitFit(loss, sign * np.inf, solver.max_iter, solver.tolerance),
    )
    order = loss.weighting.gather(likelihood.weights)
    return limit.search(order) if thoroughly else limit.with_everybody()


def _relative(likelihood: Likelihood, deviance: float) -> float:
    """The share of the loss that stands behind a small deviance."""
    if likelihood.loss.squared:
        return deviance / likelihood.observations
    return deviance / (2.0 * likelihood.observations * max(abs(likelihood.value), 1e-300))


def deviance_of(likelihood: Likelihood, value: float) -> float:
    """Return twice the log likelihood lost where the loss is `value`; refuse what beats the fit."""
    found = likelihood.deviance(value)
    if found < -_ROUNDING - _PER_DECISION * likelihood.observations:
        raise InputError(
            "intervals and tests need the best fit there is; found another one whose log "
            f"likelihood is larger by {-found / 2:.3g}. Fit again with a larger n_starts."
        )
    return max(found, 0.0)


def _stretched(weights: FloatArray, factor: float) -> FloatArray:
    """Weights (k,) whose ratios log(w) / p are kept when p grows by a factor."""
    counted = weights > 0
    exponents = factor * np.log(np.where(counted, weights, 1.0))
    exponents -= exponents[counted].max()
    return onto_simplex(np.where(counted, np.exp(np.clip(exponents, -600.0, 0.0)), 0.0))


def end_of(curve: Curve, direction: float, allowed: float) -> float | None:
    """Return where the deviance first exceeds `allowed` on one side of the centre.

    None if it never does up to the edge of the curve. What is found is checked by a start that
    knows nothing of the path there; if that finds a better fit, the search goes on from it.
    """
    edge = curve.upper if direction > 0 else curve.lower
    inner = curve.centre
    for _ in range(ROUNDS):
        bracket = _beyond(curve, inner, direction, edge, allowed)
        if bracket is None:
            return None
        found = place_between(curve.at, *bracket, allowed)
        if curve.from_equal_weights(found) >= allowed - BRANCH:
            again = curve.allowed_again(found, direction, allowed)
            if again is None:
                curve.warn(found)
                return found
            inner = again
            continue
        curve.drop_beyond(found, direction)
        inner = found
    warnings.warn(MANY_OPTIMA, NotConvergedWarning, stacklevel=2)
    return inner


def _beyond(
    curve: Curve, inner: float, direction: float, edge: float, allowed: float
) -> tuple[float, float] | None:
    """Step outward until the deviance exceeds what is allowed; return the last two places."""
    stride = curve.stride
    while inner != edge:
        outer = inner + direction * stride
        outer = min(outer, edge) if direction > 0 else max(outer, edge)
        if curve.at(outer) > allowed and curve.from_equal_weights(outer) > allowed:
            return inner, outer
        inner, stride = outer, stride * GROWTH
    return None


def place_between(
    deviance: Callable[[float], float], inner: float, outer: float, allowed: float
) -> float:
    """Where the deviance is what is allowed; its root is nearly a straight line."""

    def excess(x: float) -> float:
        return float(np.sqrt(deviance(x)) - np.sqrt(allowed))

    if excess(inner) >= 0:  # the centre itself, from which the best fit lies at infinity
        return inner
    return float(brentq(excess, inner, outer, xtol=_FINE, rtol=1e-8))


def undetermined_weights(likelihood: Likelihood, allowed: float) -> list[int]:
    """Return the free weights that may be anything from 0 to 1.

    Where an infinite power is allowed weights only say who counts: everybody who does, if not
    alone, may have any weight. A search over finite powers would creep towards that for long, and
    would end where its range does.
    """
    return likelihood.once(("undetermined", allowed), lambda: _undetermined(likelihood, allowed))


def _undetermined(likelihood: Likelihood, allowed: float) -> list[int]:
    loss, p = likelihood.loss, likelihood.point.p
    found = np.zeros(loss.weighting.free, dtype=bool)
    if not loss.learn_power:
        return []
    for end in loss.limits:
        rules = [limit_rule(likelihood, end, thoroughly=False)]
        if end * p > 0 and abs(loss.family.like_power(p)) > TOWARDS:
            rules.append(limit_rule(likelihood, end, thoroughly=True))
        for rule in rules:
            counts = loss.weighting.gather(rule.weights) > 0
            if counts.sum() > 1 and deviance_of(likelihood, rule.value) <= allowed:
                found |= counts
    return [int(i) for i in np.flatnonzero(found)]


@dataclass(frozen=True)
class Ends:
    """What an interval ends with where its curve does not: the ends of the parameter's range."""

    lowest: float
    highest: float
    report: Callable[[float], float]


def interval_of(curve: Curve, ends: Ends, allowed: float) -> tuple[float, float]:
    """Return the interval of a weight, tau, rho or scale whose deviance is at most `allowed`."""
    found = []
    for sign, last in ((-1.0, ends.lowest), (1.0, ends.highest)):
        end = end_of(curve, sign, allowed)
        found.append(last if end is None or curve.is_endless(end) else ends.report(end))
    return found[0], found[1]
