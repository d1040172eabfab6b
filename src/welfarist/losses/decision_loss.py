"""The loss of decisions: a family's values of what people have, under a noise model.

It is built once per fit from checked decisions; solvers move a :class:`Point` and ask for an
:class:`Evaluation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import Columns, GlancedPeople, People
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses.glances import Glance
from welfarist.losses.judgement import Judgement
from welfarist.losses.observed import Observed, Response
from welfarist.losses.observed_pairs import PairResponse
from welfarist.losses.observed_scores import ScoreResponse
from welfarist.losses.point import Point, QuadraticModel
from welfarist.losses.restraint import Restraint
from welfarist.people.weighting import Weighting

# Utilities from which a gradient is worked out without the derivatives of every value.
_LARGE = 2**17
# The same of comparisons, whose gradient is then rounded less well.
_VAST = 2**24


@dataclass(frozen=True)
class DecisionLoss:
    """Mean loss of decisions as a function of weights, shape and noise.

    Attributes
    ----------
    family : Family
    people : People
    observed : Observed
        The decisions, under a noise model.
    weighting : Weighting
        What is free in the weights.
    learn_power : bool
        Whether the family's shape is learned.
    """

    family: Family
    people: People
    observed: Observed
    weighting: Weighting
    learn_power: bool

    interior = False

    @property
    def data(self) -> DecisionLoss:
        """The loss of the decisions alone: this one."""
        return self

    @property
    def shape(self) -> Parameter:
        """The family's own parameter."""
        return self.family.shape

    @property
    def search_range(self) -> tuple[float, float]:
        """The smallest and the largest shape that are searched."""
        return self.family.search_range(self.people)

    @property
    def limits(self) -> tuple[float, ...]:
        """Infinite shapes that are compared for themselves."""
        return self.family.limits(self.people)

    @property
    def has_zeros(self) -> bool:
        """Whether somebody has nothing in some action."""
        return self.people.has_zeros

    @property
    def decisions(self) -> int:
        """How many rows of data one evaluation passes over."""
        return self.observed.rows

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What is learned on the line: slopes of the weights, the family's own, and the noise's."""
        return (*self.weighting.parameters, *self.family.own, *self.observed.parameters)

    @property
    def extra_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Their smallest and largest values, in their coordinates."""
        if not self.leading:
            return self.observed.bounds
        parts = self.weighting.bounds, self.family.own_bounds, self.observed.bounds
        lower, upper = (np.concatenate(ends) for ends in zip(*parts, strict=True))
        return lower, upper

    @cached_property
    def slopes(self) -> int:
        """How many of :attr:`parameters` are slopes, which come first."""
        return len(self.weighting.parameters)

    @cached_property
    def leading(self) -> int:
        """How many of :attr:`parameters` are not the noise model's, which come last."""
        return self.slopes + len(self.family.own)

    def noise_at(self, point: Point) -> FloatArray:
        """Return the noise model's parameters at a point, in their coordinates."""
        return point.extras[self.leading :] if self.leading else point.extras

    def with_noise(self, point: Point, noise: FloatArray) -> Point:
        """Return a point whose noise model's parameters, in their coordinates, are these."""
        return replace(point, extras=np.concatenate([point.extras[: self.leading], noise]))

    def family_at(self, point: Point) -> Family:
        """Return the member of the family at a point."""
        if not self.family.own:
            return self.family
        return self.family.at(point.extras[self.slopes : self.leading])

    def weights_at(self, point: Point) -> FloatArray:
        """Return one weight per person (d,) at a point."""
        return self.weighting.weights_at(point.weights, point.extras[: self.slopes])

    def within(self, limits: tuple[FloatArray, FloatArray]) -> DecisionLoss:
        """Return the same loss with narrower bounds (m,), (m,) of :attr:`parameters`."""
        parts = slice(self.slopes), slice(self.slopes, self.leading), slice(self.leading, None)
        slopes, own, noise = ((limits[0][part], limits[1][part]) for part in parts)
        return replace(
            self,
            weighting=self.weighting.within(slopes),
            family=self.family.within(own),
            observed=self.observed.within(noise),
        )

    @property
    def resolution(self) -> float:
        """A difference in loss that is nothing but rounding."""
        return self.observed.resolution

    @property
    def squared(self) -> bool:
        """Whether the loss is a squared error rather than a negative log likelihood."""
        return self.observed.squared

    @property
    def in_parts(self) -> bool:
        """Whether decisions stay in their files, so that each evaluation reads these."""
        return self.observed.in_parts

    def in_memory(self) -> DecisionLoss:
        """Return the loss of the decisions that are in memory: all, or a random share."""
        return self.share(1.0, np.random.default_rng(0)) if self.in_parts else self

    @property
    def can_be_counted(self) -> bool:
        """Whether errors of such rules could be counted exactly instead."""
        in_memory = self.people.table is not None and not self.in_parts
        known = self.family == POWER_MEAN and in_memory
        return known and self.observed.countable and not self.slopes

    @property
    def features(self) -> dict[str, str]:
        """What not every method covers, with what a user calls it."""
        found = dict(self.observed.features)
        if self.family != POWER_MEAN:
            found["family"] = self.family.called
        if self.people.table is None:
            found["people"] = getattr(self.people, "called", "people who are not all in memory")
        if self.weighting.fixed is None:
            found["weights"] = "weights that are learned"
        if self.slopes:
            found["attributes"] = "weights by attributes"
        return found

    @property
    def can_be_glanced(self) -> bool:
        """Whether many rules can be judged at once, roughly."""
        if self.squared or self.slopes or self.family != POWER_MEAN:
            return False
        # Whether a protocol holds takes long to find out, and tables are what most people are.
        return isinstance(self.people, (Columns, GlancedPeople))

    def is_perfect(self, value: float) -> bool:
        """Whether no loss can be lower by more than rounding; nothing is where certainty costs."""
        return self.restraint is None and value <= self.resolution

    @property
    def restraint(self) -> Restraint | None:
        """What is charged for certainty and for rules far out, where decisions are few."""
        return self.observed.restraint

    @property
    def _charges_power(self) -> bool:
        return self.restraint is not None and self.family.ratios

    def allowed(self, p: float) -> float:
        """Return a shape like this one that may be searched."""
        return self.family.allowed(p, self.people)

    def judge(self, point: Point) -> Judgement:
        """Return what the rule at a point says of all actions."""
        weights = self.weights_at(point)
        family = self.family_at(point)
        welfare = family.welfare(self.people, weights, point.p)
        return Judgement(
            family, self.people, self.weighting, self.learn_power, point, weights, welfare
        )

    def evaluate(self, point: Point) -> DecisionEvaluation:
        """Return the mean loss at a point."""
        judged = self.judge(point)
        values, has_zeros = judged.welfare.value, self.people.has_zeros
        response = self.observed.respond(values, self.noise_at(point), has_zeros)
        if not self._charges_power:
            return DecisionEvaluation(response.value, judged, response)
        assert self.restraint is not None
        charge = np.array(self.restraint.of_power(point.p)) / self.observed.total
        return DecisionEvaluation(response.value + float(charge[0]), judged, response, charge)

    def evaluate_exactly(self, point: Point) -> DecisionEvaluation:
        """Return the same with observed in place of expected curvature."""
        here = self.evaluate(point)
        return replace(here, response=self.observed.exactly(here.response, self.noise_at(point)))

    def glance(self, log_weights: FloatArray, powers: FloatArray) -> Glance:
        """Look at rules with log free weights (B, k) and powers (B,), all of a power mean."""
        people = self.people
        assert isinstance(people, GlancedPeople)
        with np.errstate(divide="ignore"):
            weights = np.log(self.weighting.many_to_people(np.exp(log_weights)))
        seen = self.observed.glance(people.log_means(weights, powers), powers)
        assert seen is not None
        return seen

    def starting_extras(self, weights: FloatArray, p: float) -> FloatArray:
        """Return extras (m,) that go well with these free weights (k,) and shape; slopes are 0."""
        level = np.zeros(self.slopes)
        if self.family.own:
            level = np.concatenate([level, self.family.own_start])
        if not self.observed.parameters:
            return level
        judged = self.judge(Point(weights, p, level))
        noise = self.observed.start(judged.values, self.people.has_zeros)
        return np.concatenate([level, noise]) if self.leading else noise

    def share(self, fraction: float, rng: np.random.Generator) -> DecisionLoss:
        """Return the loss of about this share of the decisions, chosen at random."""
        part, actions = self.observed.share(fraction, rng)
        return replace(self, observed=part, people=self.people.take(actions))

    def holding(self, weights: FloatArray) -> DecisionLoss:
        """Return the loss with weights (d,) and shape held: only the noise is left to learn."""
        known = Weighting(len(weights), fixed=weights)
        return replace(self, weighting=known, learn_power=False)

    def held_at(self, point: Point) -> Point:
        """Return a point of this loss as one of :meth:`holding`, whose weights are known."""
        return Point(np.empty(0), point.p, point.extras[self.slopes :])

    def at_rule(self, weights: FloatArray, p: float, extras: FloatArray) -> Point:
        """Return the point at which weights (d,) are these, or as nearly as can be.

        `extras` are those of a loss of :meth:`holding`: all but slopes.
        """
        slopes = self.weighting.slopes_of(weights)
        return Point(self.weighting.gather(weights), p, np.concatenate([slopes, extras]))

    def restrained(self, restraint: Restraint | None) -> DecisionLoss:
        """Return the loss of the same choices, with something charged for certainty."""
        if restraint is None:
            return self
        return self.of_decisions(self.observed.restrained(restraint))

    def unrestrained(self) -> DecisionLoss:
        """Return the loss of the same decisions, with nothing charged beside it."""
        if self.restraint is None:
            return self
        return self.of_decisions(self.observed.restrained(None))

    def of_decisions(self, observed: Any) -> DecisionLoss:
        """Return the loss of other decisions about the same actions."""
        return replace(self, observed=observed)


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class DecisionEvaluation:
    """The loss of decisions at a point.

    Attributes
    ----------
    value : float
    judged : Judgement
        What the rule says of all actions.
    response : Response
        How well that explains the decisions.
    charge : (3,) array or None
        What is charged for the shape, with its first two derivatives by t.
    """

    value: float
    judged: Judgement
    response: Response
    charge: FloatArray | None = None

    def gradient(self) -> FloatArray:
        """Return the gradient at the point (q,), at a fraction of the cost of the model."""
        judged, response = self.judged, self.response
        enough = _LARGE if isinstance(response, ScoreResponse) else _VAST
        if isinstance(response, ScoreResponse | PairResponse) and judged.people.size >= enough:
            gradient = response.gradient_along(judged)
        else:
            gradient = response.gradient(judged.rows())
        if self.charge is not None and self.judged.learn_power:
            gradient[self.judged.weighting.free] += self.charge[1]
        return gradient

    def model(self) -> QuadraticModel:
        """Return gradient and positive semidefinite curvature at the point."""
        return self._with_charge(self.response.model(self.judged.rows()))

    def rough_model(self, *, bent: bool = False) -> tuple[QuadraticModel, FloatArray]:
        """Return gradient and curvature to six digits or so, which are enough for a step.

        Beside it the Hessian: the curvature itself, or if `bent` with what it lacks of that, but
        for second derivatives by two weights, which cost more than all others.
        """
        rows, response = self.judged.rows(), self.response
        left: FloatArray | float = 0.0
        if bent:
            left = self._remainder(replace(self.judged, roughly=True), rows)
        if isinstance(response, PairResponse):
            model = self._with_charge(response.model(rows, roughly=True))
        else:
            model = self._with_charge(response.model(rows))
        return model, np.asarray(model.curvature + left)

    def _with_charge(self, model: QuadraticModel) -> QuadraticModel:
        if self.charge is not None and self.judged.learn_power:
            k = self.judged.weighting.free
            model.gradient[k] += self.charge[1]
            model.curvature[k, k] += max(float(self.charge[2]), 0.0)
        return model

    def remainder(self) -> FloatArray:
        """Return what the curvature lacks of the Hessian along moves that keep the sum (q, q)."""
        return self._remainder(self.judged, self.judged.rows())

    def _remainder(self, judged: Judgement, rows: FloatArray) -> FloatArray:
        left = self.response.remainder(judged, rows)
        if self.charge is not None and self.judged.learn_power:
            k = self.judged.weighting.free
            left[k, k] += min(float(self.charge[2]), 0.0)
        return left
