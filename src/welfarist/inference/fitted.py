"""A fit as inference needs it: the likelihood, where its maximum is, and the decisions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from welfarist.decisions import Comparisons
from welfarist.errors import InputError
from welfarist.losses import ComparisonLoss, Point, ScoreLoss
from welfarist.solvers.fitting import Newton
from welfarist.solvers.newton import SMALLEST_POSITIVE_POWER
from welfarist.validation import FloatArray
from welfarist.weighting import Weighting

DataLoss = ScoreLoss | ComparisonLoss

# A parameter this near to its bound, relative to it, is at it.
_AT_BOUND = 1e-3
# A flip rate, or a logarithm, this near to its bound is there: no data tell them apart.
_AT_END = 1e-9
# Deviance that rounding may add.
_NOTHING = 1e-6


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class Fitted:
    """A maximum of a likelihood, and what it is a maximum of.

    Comparisons have the likelihood of their noise model. Scores have a Gaussian one, whose
    variance is estimated by the mean squared error (n in the denominator, not n - k), where that
    likelihood is largest. Counts and sample weights say how often a decision was observed.

    Attributes
    ----------
    loss : ScoreLoss or ComparisonLoss
        Without a prior.
    point : Point
        The estimates, in the coordinates of the loss.
    weights : (d,) array
        One weight per person.
    stakeholders : tuple of str
    observations : float
        How many decisions there are, counts included.
    decided : Comparisons or None
        The single decisions, which `loss` has merged; None for scores, which it has not.
    solver : Newton
        How fits under a null are found.
    refusal : str or None
        Why there can be no inference; None if there can.
    """

    loss: DataLoss
    point: Point
    weights: FloatArray
    stakeholders: tuple[str, ...]
    observations: float
    decided: Comparisons | None = field(default=None, repr=False)
    solver: Newton = field(default_factory=Newton)
    refusal: str | None = None

    def require(self) -> Fitted:
        """Return the fit, or refuse one that has no standard errors, intervals and tests."""
        self.require_maximum()
        if isinstance(self.loss, ComparisonLoss) and self._noise_free():
            raise InputError(
                "standard errors, intervals and tests need choices with noise; found tau at its "
                f"cap, {self.loss.tau_max:g}, or that it could as well be. If the choices are "
                'noise-free, noise="none" finds the set of all rules that explain them; otherwise '
                "raise tau_max."
            )
        return self

    def _noise_free(self) -> bool:
        """Whether nothing speaks against the largest tau.

        A comparison of equals is a coin toss whatever tau is. Where only such are left unexplained
        the search ends before its cap, because the loss hardly falls any more.
        """
        loss, point = self.at_rule()
        assert isinstance(loss, ComparisonLoss)
        largest = float(np.log(loss.tau_max))
        if loss.is_perfect(self.value) or point.extras[0] >= largest - _AT_BOUND:
            return True
        capped = replace(point, extras=np.array([largest, *point.extras[1:]]))
        return self.deviance(loss.evaluate(capped).value) <= _NOTHING

    def has_noise(self, point: Point, value: float) -> bool:
        """Whether choices are left to chance at a point whose mean loss is `value`."""
        if not isinstance(self.loss, ComparisonLoss):
            return True
        largest = float(np.log(self.loss.tau_max)) - _AT_BOUND
        return not (float(point.extras[0]) >= largest or self.loss.is_perfect(value))

    def require_maximum(self) -> Fitted:
        """Return the fit, or refuse one whose estimates are no maximum of a likelihood."""
        if self.refusal is not None:
            raise InputError(self.refusal)
        self.require_spread()
        return self

    def require_spread(self) -> None:
        """Refuse scores without residuals, whose likelihood has no largest value."""
        if isinstance(self.loss, ScoreLoss) and self.loss.is_perfect(self.value):
            raise InputError(
                "a likelihood of scores needs some that the rule does not explain exactly; found "
                "residuals that are nothing but rounding. There is no noise to estimate: the "
                "estimates are as exact as the scores."
            )

    @cached_property
    def value(self) -> float:
        """The mean loss at the estimates, in the unit of the loss."""
        loss, point = self.at_rule()
        return loss.evaluate(point).value

    def at_rule(self) -> tuple[DataLoss, Point]:
        """Return the loss with weights and power held, and the point at which only extras move."""
        known = Weighting(len(self.weights), fixed=self.weights)
        loss = replace(self.loss, weighting=known, learn_power=False)
        return loss, Point(np.empty(0), self.point.p, self.point.extras)

    def log_likelihood(self, value: float) -> float:
        """Log likelihood of the decisions where the mean loss, in its own unit, is `value`."""
        if isinstance(self.loss, ScoreLoss):
            variance = value * self.loss.unit**2
            return float(-0.5 * self.observations * (np.log(2.0 * np.pi * variance) + 1.0))
        return float(-self.observations * value)

    def deviance(self, value: float) -> float:
        """Twice the log likelihood that is lost where the mean loss is `value`."""
        if isinstance(self.loss, ScoreLoss):
            return float(self.observations * np.log(value / self.value))
        return float(2.0 * self.observations * (value - self.value))

    @property
    def parameters(self) -> int:
        """How many numbers were learned; weights that sum to 1 are one fewer than people."""
        weights = max(self.loss.weighting.free - 1, 0)
        return weights + int(self.loss.learn_power) + len(self.loss.extra_names)

    @property
    def learned_weights(self) -> bool:
        """Whether there is anything to learn about the weights."""
        return self.loss.weighting.free > 1

    @property
    def extra_names(self) -> tuple[str, ...]:
        """Names of the model's own parameters: tau, rho, scale."""
        return tuple(name.removeprefix("log_") for name in self.loss.extra_names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of everything that was learned, in the order of :attr:`estimates`."""
        power = ("p",) if self.loss.learn_power else ()
        people = tuple(f"weight of {name}" for name in self.stakeholders)
        return (*power, *(people if self.learned_weights else ()), *self.extra_names)

    @cached_property
    def estimates(self) -> FloatArray:
        """What was learned: p, one weight per person, tau or scale, rho."""
        return self.estimates_at(self.point, self.weights)

    def estimates_at(self, point: Point, weights: FloatArray) -> FloatArray:
        """Return the same for another point, with one weight per person (d,)."""
        power = [point.p] if self.loss.learn_power else []
        people = weights.tolist() if self.learned_weights else []
        logarithmic = [name.startswith("log_") for name in self.loss.extra_names]
        extras = np.where(logarithmic, np.exp(point.extras), point.extras)
        return np.array([*power, *people, *extras.tolist()])

    @property
    def power_on_edge(self) -> bool:
        """Whether p is infinite, or where its search ended."""
        p = self.point.p
        if self.is_farthest(p):
            return True
        return self.loss.has_zeros and p <= (1.0 + _AT_BOUND) * SMALLEST_POSITIVE_POWER

    @property
    def only_who_counts(self) -> bool:
        """Whether weights only say who counts: at an infinite p, or where its search ended far out.

        There a weight is what its ratio log(w) / p makes of it, at a p that only the end of the
        search has chosen.
        """
        if np.isinf(self.point.p):
            return True
        return self.loss.learn_power and self.is_farthest(self.point.p)

    def is_farthest(self, p: float) -> bool:
        """Whether a power is at the end of the search, or beyond."""
        return abs(p) >= (1.0 - _AT_BOUND) * self.loss.largest_power

    @property
    def extras_on_edge(self) -> list[bool]:
        """For each of the model's own parameters, whether it is where its range ends."""
        lower, upper = self.loss.extra_bounds
        near = np.minimum(self.point.extras - lower, upper - self.point.extras)
        return [bool(gap <= _AT_END) for gap in near]
