"""A mixture of rules: each decision maker follows one of a few types.

The likelihood of what decision maker i decided is ``sum_k pi_ik L_ik``, with L_ik that of all their
decisions under the rule of type k and pi_ik how likely they belong to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.deciders.membership import Membership
from welfarist.deciders.panel import Panel
from welfarist.losses import DecisionLoss, Point
from welfarist.solvers.descent import descend
from welfarist.solvers.limits import LimitFit, fit_rule

# Steps of a type's rule before memberships are asked again: more would follow stale ones.
_STEPS = 3
# A type with fewer decision makers than this has nobody.
_NOBODY = 1e-6
# How closely a rule at a limit is fitted each time, and in how many steps.
_LIMIT_STEPS, _ROUGHLY = 20, 1e-9


@dataclass(frozen=True, eq=False)
class TypeModel:
    """What is known of a type before anything is learned.

    Attributes
    ----------
    loss : DecisionLoss
        Of all decisions, with what is free in the type's rule.
    p : float or None
        Its shape, if that is given.
    called : str or None
        The doctrine it was given as.
    """

    loss: DecisionLoss
    p: float | None = None
    called: str | None = None

    @property
    def parameters(self) -> int:
        """How many numbers are learned; weights that sum to 1 are one fewer than people."""
        loss = self.loss
        return max(loss.weighting.free - 1, 0) + int(loss.learn_power) + len(loss.parameters)

    def start(self) -> Point:
        """Return a place to begin: everybody counts, and p is the family's plain one."""
        plain = self.loss.family.plain
        p = self.p if self.p is not None else (0.0 if plain is None else plain)
        p = p if np.isinf(p) else self.loss.allowed(p)
        weights = self.loss.weighting.start()
        return Point(weights, p, self.loss.starting_extras(weights, p))

    def better(self, weighted: DecisionLoss, point: Point, steps: int = _STEPS) -> Point:
        """Return a point at which weighted decisions are likelier; `point` if there is none."""
        if not np.isinf(point.p):
            return descend(weighted, point, max_iter=steps).point
        if weighted.weighting.free > 1:
            limit = LimitFit(weighted, point.p, _LIMIT_STEPS, _ROUGHLY)
            found = limit.search(point.weights).descent
        else:
            weights = weighted.weights_at(point)
            found = fit_rule(weighted, weights, point.p, _LIMIT_STEPS, _ROUGHLY).descent
        return found.point if found.value <= weighted.evaluate(point).value else point


@dataclass(frozen=True, eq=False)
class Mixture:
    """Types, and who belongs to them.

    Attributes
    ----------
    panel : Panel
    models : tuple of TypeModel
    points : tuple of Point
        The rule and the noise of each type.
    membership : Membership
    """

    panel: Panel
    models: tuple[TypeModel, ...]
    points: tuple[Point, ...]
    membership: Membership

    @property
    def types(self) -> int:
        """How many types there are."""
        return len(self.models)

    @property
    def parameters(self) -> int:
        """How many numbers are learned."""
        return sum(model.parameters for model in self.models) + self.membership.parameters

    @cached_property
    def each(self) -> FloatArray:
        """The log likelihood (G, K) of each one's decisions under the rule of each type."""
        pairs = list(zip(self.models, self.points, strict=True))
        values = np.array([model.loss.judge(point).values for model, point in pairs])
        extras = np.array([model.loss.noise_at(point) for model, point in pairs])
        return self.panel.apart.log_likelihoods(values, extras, self.panel.loss.has_zeros)

    @cached_property
    def by_person(self) -> FloatArray:
        """The log likelihood (G,) of each one's decisions."""
        return np.asarray(logsumexp(self.each + self.membership.log_chances(), axis=1))

    @property
    def log_likelihood(self) -> float:
        """Of everybody's decisions."""
        return float(self.by_person.sum())

    @cached_property
    def belongs(self) -> FloatArray:
        """How likely each one (G, K) belongs to each type, after what they decided."""
        logs = self.each + self.membership.log_chances()
        return np.asarray(np.exp(logs - self.by_person[:, None]))

    @property
    def deserted(self) -> npt.NDArray[np.bool_]:
        """Which types (K,) nobody belongs to: their rules are as good as any other."""
        return np.asarray(self.belongs.sum(axis=0) <= _NOBODY)

    @property
    def shares(self) -> FloatArray:
        """The share (K,) of each type."""
        return self.membership.shares

    def weighted(self, k: int) -> DecisionLoss:
        """Return the loss of a type: each one's decisions count as far as they belong to it."""
        return self.models[k].loss.of_decisions(self.panel.apart.weighted(self.belongs[:, k]))

    def step(self, steps: int = _STEPS) -> Mixture:
        """Return a mixture that is at least as likely (generalised EM)."""
        return self.refitted(self.belongs, steps)

    def refitted(self, belongs: FloatArray, steps: int = _STEPS) -> Mixture:
        """Return the mixture that is likelier where each one (G, K) belongs as told."""
        points = []
        for k, (model, point) in enumerate(zip(self.models, self.points, strict=True)):
            if belongs[:, k].sum() <= _NOBODY:
                points.append(point)
                continue
            weighted = model.loss.of_decisions(self.panel.apart.weighted(belongs[:, k]))
            points.append(model.better(weighted, point, steps))
        return replace(self, points=tuple(points), membership=self.membership.fitted(belongs))

    def rule_weights(self, k: int) -> FloatArray:
        """One weight per person (d,) of a type."""
        return self.models[k].loss.weights_at(self.points[k])

    def in_order(self, order: npt.NDArray[np.intp]) -> Mixture:
        """Return the same with types in another order (K,)."""
        return Mixture(
            self.panel,
            tuple(self.models[k] for k in order),
            tuple(self.points[k] for k in order),
            self.membership.in_order(order),
        )

    def by_share(self) -> Mixture:
        """Return the same, the largest type first; of equals the one with the smaller p."""
        shares = np.round(self.shares, 9)
        powers = np.array([point.p for point in self.points])
        return self.in_order(np.lexsort((powers, -shares)))


def require_possible(mixture: Mixture) -> Mixture:
    """Return the mixture, or refuse one under which somebody's decisions cannot be."""
    impossible = np.isneginf(mixture.by_person)
    if impossible.any():
        name = mixture.panel.names[int(np.argmax(impossible))]
        raise InputError(
            "everybody's decisions must be possible under some type; found none for "
            f'{name!s}, who chose something that gives nothing. Use noise="lapse".'
        )
    return mixture
