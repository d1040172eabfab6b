"""The likelihood of a fit: what was maximised, where its maximum is, and the decisions.

Inference is functions of it. What one of them has worked out is kept with it, so that a summary, a
report and a figure of the same fit do each piece of work once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.parameters import WEIGHT, Parameter
from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.family import POWER
from welfarist.losses import DecisionLoss, Point
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.losses.observed import OneByOne
from welfarist.noise.base import TAU
from welfarist.noise.choices import RHO
from welfarist.noise.scores import SCALE
from welfarist.solvers.newton import Newton

Found = TypeVar("Found")

# What economists call 1 - p, where the family has it.
AVERSIONS = ("epsilon", "inequality aversion")
# A parameter this near to its bound, relative to it, is at it.
_AT_BOUND = 1e-3
# A flip rate, or a logarithm, this near to its bound is there: no data tell them apart.
_AT_END = 1e-9
# Deviance that rounding may add.
_NOTHING = 1e-6


@dataclass(frozen=True)
class Quantity:
    """A number that was learned.

    Attributes
    ----------
    name : str
        "p", "weight of staff", "tau".
    parameter : Parameter
        What it is one of: all weights are of one parameter.
    person : int or None
        Whose weight it is.
    is_shape : bool
        Whether it is the family's own parameter.
    attribute : str or None
        Whose slope it is: that of the weights along an attribute.
    """

    name: str
    parameter: Parameter
    person: int | None = None
    is_shape: bool = False
    attribute: str | None = None

    @property
    def is_weight(self) -> bool:
        """Whether it is somebody's weight."""
        return self.person is not None


def weight_name(stakeholder: str) -> str:
    """What somebody's weight is called.

    Examples
    --------
    >>> weight_name("staff")
    'weight of staff'
    """
    return f"weight of {stakeholder}"


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class Likelihood:
    """A maximum of a likelihood, and what it is a maximum of.

    Choices have the likelihood of their noise model. Scores have a Gaussian one, whose variance is
    estimated by the mean squared error (n in the denominator, not n - k), where that likelihood is
    largest. Counts and sample weights say how often a decision was observed.

    Attributes
    ----------
    loss : DecisionLoss
        Without a prior.
    point : Point
        The estimates, in the coordinates of the loss.
    weights : (d,) array
        One weight per person.
    stakeholders : tuple of str
    decided : Comparisons or Scores
        The single decisions, which `loss` may have merged.
    solver : Newton
        How fits under a null are found.
    refusal : str or None
        Why there can be no inference; None if there can.
    prior : (k,) array or None
        Concentrations of a Dirichlet prior on the free weights, under which `point` is the mode of
        the posterior and not a maximum of the likelihood.
    """

    loss: DecisionLoss
    point: Point
    weights: FloatArray
    stakeholders: tuple[str, ...]
    decided: Any = field(default=None, repr=False)
    solver: Newton = field(default_factory=Newton)
    refusal: str | None = None
    prior: FloatArray | None = field(default=None, repr=False)
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        # What can be worked out again need not travel; without decisions nothing can.
        return dict(vars(self)) if self.decided is None else {**vars(self), "_known": {}}

    def once(self, what: Hashable, work: Callable[[], Found]) -> Found:
        """Return the outcome of some work, which is done when first asked for."""
        if what not in self._known:
            self._known[what] = work()
        found: Found = self._known[what]
        return found

    @property
    def known(self) -> dict[Hashable, Any]:
        """What has been worked out, by what it is."""
        return self._known

    @property
    def observations(self) -> float:
        """How many decisions there are, counts included."""
        return self.loss.observed.total

    def require(self) -> Likelihood:
        """Return the likelihood, or refuse one without standard errors, intervals and tests."""
        self.require_maximum()
        return self.require_curvature()

    def require_curvature(self) -> Likelihood:
        """Return the likelihood, or refuse one whose curvature says nothing about its estimates.

        Under a prior they are the mode of the posterior, which has a curvature too.
        """
        if self.refusal is not None:
            raise InputError(self.refusal)
        self.require_spread()
        if self.noise_free:
            found = self.loss.observed.if_noise_free(self.loss.can_be_counted)
            raise InputError(
                f"standard errors, intervals and tests need choices with noise; found {found}"
            )
        return self

    @property
    def noise_free(self) -> bool:
        """Whether nothing speaks against choices without noise."""
        return self.once("noise-free", self._noise_free)

    def _noise_free(self) -> bool:
        """Whether nothing speaks against choices without noise.

        A comparison of equals is a coin toss whatever tau is. Where only such are left unexplained
        the search ends before its cap, because the loss hardly falls any more.
        """
        loss, point = self.at_rule()
        if loss.restraint is not None:  # which charges for it
            return False
        noise = loss.noise_at(point)
        capped = loss.observed.without_noise(noise)
        if capped is None:
            return False
        if loss.is_perfect(self.value) or loss.observed.is_without_noise(noise):
            return True
        known, best = loss.in_memory(), self.value  # a share tells as much as everything
        if known is not loss:
            best = known.evaluate(point).value
        value = known.evaluate(known.with_noise(point, capped)).value
        return known.observed.deviance(value, best) <= _NOTHING

    def has_noise(self, point: Point, value: float) -> bool:
        """Whether choices are left to chance at a point whose mean loss is `value`."""
        observed, noise = self.loss.observed, self.loss.noise_at(point)
        if self.loss.restraint is not None or observed.without_noise(noise) is None:
            return True
        return not (observed.is_without_noise(noise) or self.loss.is_perfect(value))

    def ends_of(self, i: int) -> tuple[float, float]:
        """Return where the range of an estimate ends; that of p at 0 where a utility is 0."""
        quantity = self.quantities[i]
        lowest, highest = quantity.parameter.lowest, quantity.parameter.highest
        if quantity.is_shape and self.loss.search_range[0] > 0:  # 0 and below were not searched
            lowest = max(lowest, 0.0)
        return lowest, highest

    def require_maximum(self) -> Likelihood:
        """Return the likelihood, or refuse one whose estimates are no maximum of it."""
        if self.refusal is not None:
            raise InputError(self.refusal)
        if self.prior is not None:
            raise InputError(
                "tests, profiles, the bootstrap, checks and information criteria need a maximum of "
                "the likelihood; found a fit under a prior, whose estimates are drawn away from "
                "it. Fit with prior=None."
            )
        self.require_spread()
        return self

    def require_spread(self) -> None:
        """Refuse scores without residuals, whose likelihood has no largest value."""
        if self.loss.squared and self.loss.is_perfect(self.value):
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

    @cached_property
    def value_of_decisions(self) -> float:
        """The same without what is charged where decisions are few."""
        loss, point = self.at_rule()
        return loss.evaluate(point).response.of_decisions

    @cached_property
    def single(self) -> OneByOne:
        """The decisions one by one."""
        return self.loss.observed.one_by_one(self.decided)

    def at_rule(self) -> tuple[DecisionLoss, Point]:
        """Return the loss with weights and shape held, and the point at which only extras move."""
        return self.loss.holding(self.weights), self.loss.held_at(self.point)

    def log_likelihood(self, value: float) -> float:
        """Log likelihood of the decisions where the mean loss, in its own unit, is `value`."""
        return self.loss.observed.log_likelihood(value)

    def deviance(self, value: float) -> float:
        """Twice the log likelihood that is lost where the mean loss is `value`."""
        return self.loss.observed.deviance(value, self.value)

    @property
    def parameters(self) -> int:
        """How many numbers were learned; weights that sum to 1 are one fewer than people."""
        weights = max(self.loss.weighting.free - 1, 0)
        return weights + int(self.loss.learn_power) + len(self.loss.parameters)

    @property
    def learned_weights(self) -> bool:
        """Whether there is anything to learn about the weights."""
        return self.loss.weighting.free > 1

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Everything that was learned, in the order of :attr:`estimates`."""
        shape = self.loss.family.shape
        found = [Quantity(shape.name, shape, is_shape=True)] if self.loss.learn_power else []
        if self.learned_weights:
            people = enumerate(self.stakeholders)
            found += [Quantity(weight_name(name), WEIGHT, i) for i, name in people]
        weighting = self.loss.weighting
        pairs = zip(weighting.theta(self.point.extras), weighting.parameters, strict=True)
        found += [Quantity(slope.name, slope, attribute=name) for name, slope in pairs]
        noise = self.loss.parameters[len(weighting.parameters) :]
        return (*found, *(Quantity(extra.name, extra) for extra in noise))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of everything that was learned, in the order of :attr:`estimates`."""
        return tuple(quantity.name for quantity in self.quantities)

    def is_aversion(self, name: str) -> bool:
        """Whether a name stands for 1 - p, of a p that was learned."""
        known = self.loss.learn_power and self.loss.family.has_aversion
        return known and name in AVERSIONS and name not in self.names

    def places(self, name: str) -> list[int]:
        """Return the places of the estimates that go by a name: of all weights for "weights"."""
        place = self._place_of.get(name)
        return chosen_places(self.quantities, name) if place is None else [place]

    @cached_property
    def _place_of(self) -> dict[str, int]:
        """The first place of each name, unless it stands for all weights."""
        found = {name: i for i, name in reversed(list(enumerate(self.names)))}
        return {name: i for name, i in found.items() if name != WEIGHT.name}

    @cached_property
    def estimates(self) -> FloatArray:
        """What was learned: the shape, one weight per person or slopes, tau or scale, rho."""
        return self.estimates_at(self.point, self.weights)

    def estimates_at(self, point: Point, weights: FloatArray) -> FloatArray:
        """Return the same for another point, with one weight per person (d,)."""
        shape = [point.p] if self.loss.learn_power else []
        people = weights.tolist() if self.learned_weights else []
        pairs = zip(self.loss.parameters, point.extras.tolist(), strict=True)
        extras = [parameter.coordinate.back(value) for parameter, value in pairs]
        return np.array([*shape, *people, *extras])

    @property
    def noise(self) -> FloatArray:
        """The noise model's parameters, in their coordinates."""
        return self.loss.noise_at(self.point)

    @property
    def power_on_edge(self) -> bool:
        """Whether the shape is infinite, or where its search ended."""
        p, (low, high) = self.point.p, self.loss.search_range
        return p <= low + _AT_BOUND * abs(low) or p >= high - _AT_BOUND * abs(high)

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
        """Whether a power is at the end of the search towards an infinite one, or beyond."""
        low, high = self.loss.search_range
        return any(
            p >= (1.0 - _AT_BOUND) * high if end > 0 else p <= (1.0 - _AT_BOUND) * low
            for end in self.loss.limits
        )

    @property
    def extras_on_edge(self) -> list[bool]:
        """For each of the noise model's parameters, whether it is where its range ends."""
        lower, upper = self.loss.extra_bounds
        near = np.minimum(self.point.extras - lower, upper - self.point.extras)
        return [bool(gap <= _AT_END) for gap in near]


def is_estimated(likelihood: Likelihood | None) -> bool:
    """Whether a likelihood is one of utilities with errors."""
    return likelihood is not None and isinstance(likelihood.loss, EstimatedLoss)


def turned(ends: FloatArray) -> FloatArray:
    """Return the intervals (r, 2) of 1 - p from those of p."""
    return np.asarray(1.0 - ends[:, ::-1])


def quantities_named(names: tuple[str, ...]) -> tuple[Quantity, ...]:
    """Return the quantities of a fit of version 0.1.0, which kept only their names."""
    known = {parameter.name: parameter for parameter in (POWER, TAU, RHO, SCALE)}
    found, people = [], 0
    for name in names:
        if name in known:
            found.append(Quantity(name, known[name], is_shape=known[name] is POWER))
        else:
            found.append(Quantity(name, WEIGHT, people))
            people += 1
    return tuple(found)


def chosen_places(quantities: tuple[Quantity, ...], name: str) -> list[int]:
    """Return the places of the estimates that go by a name: of all weights for "weights".

    A theta also goes by its attribute.
    """
    weights = [i for i, quantity in enumerate(quantities) if quantity.is_weight]
    if name == WEIGHT.name and weights:
        return weights
    names = [quantity.name for quantity in quantities]
    if name in names:
        return [names.index(name)]
    attributes = [quantity.attribute for quantity in quantities]
    if name in attributes:
        return [attributes.index(name)]
    known = [*names, *([WEIGHT.name] if weights else [])]
    if not known:
        raise InputError(
            f"an interval must be of something that was learned; found {name!r} of a fit in which "
            "everything was given. Fit without p or weights."
        )
    raise InputError(
        f"an interval must be of something that was learned: {', '.join(known)}; found {name!r}."
    )
