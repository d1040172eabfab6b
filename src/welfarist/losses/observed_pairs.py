"""Comparisons under a noise model of choices: negative log likelihood and its derivatives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import exp

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.decisions import Comparisons
from welfarist.decisions.merged_pairs import MergedPairs
from welfarist.losses.charged_margins import along, concave, concave_of
from welfarist.losses.glances_at_pairs import PairGlance
from welfarist.losses.graph import ComparisonGraph
from welfarist.losses.judgement import Judgement
from welfarist.losses.point import QuadraticModel
from welfarist.losses.restraint import Caution, Restraint
from welfarist.losses.single_pairs import SinglePairs
from welfarist.noise.base import SMALLEST_TAU, Choice, ChoiceNoise, in_steps
from welfarist.noise.certain import choice_of
from welfarist.noise.choices import LOGISTIC

# A mean loss below this means that every outcome has probability 1 up to rounding.
_ROUNDING = 1e-13
# Drawing actions keeps more comparisons per action than drawing comparisons, if each action
# takes part in at least this many.
_DENSE = 4.0
# A temperature this near to its cap, in logarithms, is at it.
_AT_CAP = 1e-3
# Pairs from which curvature may be rough.
_VERY_MANY = 100_000


@dataclass(frozen=True)
class ObservedPairs:
    """Mean negative log likelihood of comparisons.

    Domain: tau in (0, tau_max]; the noise model's own parameters in their ranges.

    Formula: see :mod:`welfarist.noise`, with margins ``z = tau (V(first) - V(second))``.

    Attributes
    ----------
    graph : ComparisonGraph
        Each compared pair once.
    total : float
        How many comparisons were observed.
    noise : ChoiceNoise
    tau_max : float
    limits : pair of arrays or None
        Bounds of the parameters, if they were narrowed.
    restraint : Restraint or None
        What is charged for certainty, where decisions are few.
    step : float
        How far apart values are in a typical case, in their unit: tau is searched in one over it.
    """

    graph: ComparisonGraph
    total: float
    noise: ChoiceNoise
    tau_max: float
    limits: tuple[FloatArray, FloatArray] | None = None
    restraint: Restraint | None = None
    step: float = 1.0

    squared = False
    countable = True
    in_parts = False
    unit = 1.0
    sees_level = False

    @classmethod
    def of(
        cls, pairs: MergedPairs, actions: int, noise: ChoiceNoise, tau_max: float
    ) -> tuple[ObservedPairs, npt.NDArray[np.intp]]:
        """Take over merged comparisons; return them, and the actions that they mention."""
        pairs, used = pairs.renumbered(actions)
        return cls(ComparisonGraph(pairs, len(used)), pairs.total, noise, tau_max), used

    @property
    def comparisons(self) -> float:
        """How many comparisons of two actions the decisions are worth."""
        return self.total

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The temperature, and what else the noise model learns."""
        return self.noise.parameters

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values; `limits` if those were narrowed."""
        if self.limits is not None:
            return self.limits
        return in_steps(self.noise.bounds(self.tau_max), self.step)

    @property
    def tau_ends(self) -> tuple[float, float]:
        """The smallest and the largest temperature that are searched."""
        return SMALLEST_TAU / self.step, self.tau_max / self.step

    def glance(self, values: FloatArray, powers: FloatArray) -> PairGlance:
        """Look at what many rules make of the actions (B, N), with powers (B,)."""
        known = self.graph.pairs, self.noise, self.bounds, self.restraint
        return PairGlance.at(*known, values, powers)

    def if_noise_free(self, countable: bool) -> str:
        """What to say where choices could be without noise, and errors may be countable."""
        found = f"tau at its cap, {self.tau_ends[1]:g}, or that it could as well be."
        if not countable:
            return f"{found} Raise tau_max, unless the choices are noise-free."
        return (
            f'{found} If the choices are noise-free, noise="none" finds the set of all rules that '
            "explain them; otherwise raise tau_max."
        )

    @property
    def rows(self) -> int:
        """How many distinct pairs were compared."""
        return len(self.graph.pairs)

    @property
    def resolution(self) -> float:
        """Below this every outcome is certain."""
        return _ROUNDING

    @property
    def features(self) -> dict[str, str]:
        """Noise other than logistic, and restraint, are not covered by every method."""
        found = {} if self.noise == LOGISTIC else {"noise": self.noise.called}
        if self.restraint is not None:
            found["restraint"] = "a penalised likelihood"
        return found

    def within(self, limits: tuple[FloatArray, FloatArray]) -> ObservedPairs:
        """Return the same decisions, with narrower bounds (m,), (m,) of the parameters."""
        return replace(self, limits=limits)

    def respond(self, values: FloatArray, extras: FloatArray, has_zeros: bool) -> PairResponse:
        """Return how well values (N,), tau and the noise model's own explain the outcomes."""
        margins = self.graph.differences(values, has_zeros)
        margins *= exp(extras[0])
        return self._response(margins, extras, has_zeros, observed=False)

    def exactly(self, response: PairResponse, extras: FloatArray) -> PairResponse:
        """Return the response with observed second derivatives."""
        margins, certain = response.margins, response.certain
        if certain is not None:
            margins = np.where(certain == 0, margins, np.copysign(np.inf, certain))
        return self._response(margins, extras, certain is not None, observed=True)

    def _response(
        self, margins: FloatArray, extras: FloatArray, has_zeros: bool, observed: bool
    ) -> PairResponse:
        """Return the response at margins (n,), which may be infinite if `has_zeros`."""
        given = extras[1:], self.graph.pairs.count, self.graph.pairs.lead
        certain = None
        if has_zeros:
            choice, finite = choice_of(self.noise, margins, *given, observed=observed)
            if finite is not margins:
                certain = np.where(np.isinf(margins), np.sign(margins), 0.0)
                margins = finite
        else:
            choice = (self.noise.observed if observed else self.noise.choice)(margins, *given)
        response = PairResponse(choice.loss / self.total, self, extras, margins, choice, certain)
        if self.restraint is not None:
            response.caution = self.restraint.of_margins(margins, response.doubtful)
            response.surest = tuple(map(float, self.restraint.of_temperature(extras[0])))
            response.value += (response.caution.value + response.surest[0]) / self.total
        return response

    def restrained(self, restraint: Restraint | None) -> ObservedPairs:
        """Return the same decisions, with something charged for certainty."""
        return replace(self, restraint=restraint)

    def with_counts(self, count: FloatArray, lead: FloatArray) -> ObservedPairs:
        """Return the same pairs (n,), compared another number of times.

        A pair may have been compared no times.
        """
        total = float(count.sum())
        return replace(self, graph=self.graph.with_counts(count, lead), total=total)

    def start(self, values: FloatArray, has_zeros: bool) -> FloatArray:
        """Return a temperature at which the typical margin is one, and what goes with it."""
        margins, pairs = self.graph.differences(values, has_zeros), self.graph.pairs
        if has_zeros and np.isinf(margins).any():  # which no temperature changes
            finite = np.isfinite(margins)
            margins, pairs = margins[finite], pairs.take(finite)
        typical = float(np.mean(np.abs(margins))) if len(margins) else 1.0
        log_tau = -np.log(max(typical, 1e-300))
        extras = self.noise.start(margins, log_tau, pairs.count, pairs.lead)
        return np.asarray(np.clip(extras, *self.bounds))

    def share(
        self, fraction: float, rng: np.random.Generator
    ) -> tuple[ObservedPairs, npt.NDArray[np.intp]]:
        """Return about this share of the comparisons, and the actions that they mention."""
        pairs, actions = self.graph.pairs, self.graph.actions
        if len(pairs) >= _DENSE * actions:
            kept = rng.random(actions) < np.sqrt(fraction)
            chosen = kept[pairs.first] & kept[pairs.second]
        else:
            chosen = rng.random(len(pairs)) < fraction
        part, used = pairs.take(chosen).renumbered(actions)
        drawn = replace(self, graph=ComparisonGraph(part, len(used)), total=part.total)
        return drawn, used

    def log_likelihood(self, value: float) -> float:
        """Return the log likelihood of all comparisons where the mean loss is `value`."""
        return float(-self.total * value)

    def deviance(self, value: float, best: float) -> float:
        """Return twice the log likelihood that `value` loses against the mean loss `best`."""
        return float(2.0 * self.total * (value - best))

    def loss_at(self, deviance: FloatArray, best: float) -> FloatArray:
        """Return the mean losses (n,) that stand behind deviances (n,)."""
        return np.asarray(best + deviance / (2.0 * self.total))

    def without_noise(self, extras: FloatArray) -> FloatArray:
        """Return the parameters with tau at its cap."""
        return np.array([np.log(self.tau_ends[1]), *extras[1:]])

    def is_without_noise(self, extras: FloatArray) -> bool:
        """Whether tau is at its cap."""
        return bool(float(extras[0]) >= float(np.log(self.tau_ends[1])) - _AT_CAP)

    def one_by_one(self, decided: Comparisons) -> SinglePairs:
        """Return the comparisons one by one."""
        return SinglePairs(self, decided)

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> PairSampler:
        """Return what draws outcomes from a rule."""
        del value
        z = self.graph.differences(judged.values, judged.people.has_zeros) * np.exp(extras[0])
        counts = np.rint(self.graph.pairs.count)
        return PairSampler(self, counts, self.noise.probability(z, extras[1:]))

    def null_loss(self) -> float:
        """Return the mean loss of flipping a coin."""
        return float(np.log(2.0))

    def least_loss(self) -> float:
        """Return the mean loss if every pair had the chances that were observed.

        None is known to be the least where something is charged beside it.
        """
        if self.restraint is not None:
            return -np.inf
        count, lead = self.graph.pairs.count, self.graph.pairs.lead
        counted = count > 0
        share = 0.5 * (1.0 + lead[counted] / count[counted])
        surprise = -(xlogy(share, share) + xlogy(1.0 - share, 1.0 - share))
        return float(count[counted] @ surprise) / self.total

    def accuracy(self, response: PairResponse) -> float:
        """Share of comparisons on the right side of a rule; a tie on either side is half right.

        It is 1 where every one is right, and never more: counts need not be whole.
        """
        signs, pairs = response.signs, self.graph.pairs
        if (signs * pairs.lead >= pairs.count).all():
            return 1.0
        return min(float(0.5 + 0.5 * (signs @ pairs.lead) / self.total), 1.0)

    def goes_against(self, response: PairResponse) -> bool:
        """Whether the worse action of some pair was preferred, however seldom."""
        signs, pairs = response.signs, self.graph.pairs
        return bool(((signs != 0) & (signs * pairs.lead < pairs.count)).any())


@dataclass(frozen=True)
class PairSampler:
    """Comparisons of the same pairs, as often as observed (n,), preferring the first (n,)."""

    observed: ObservedPairs
    count: FloatArray
    chance: FloatArray

    actions = None

    @property
    def size(self) -> float:
        """How many comparisons there are."""
        return float(self.count.sum())

    def draw(self, rng: np.random.Generator) -> ObservedPairs:
        """Return new outcomes of the same pairs."""
        wins = rng.binomial(self.count.astype(np.int64), self.chance)
        return self.observed.with_counts(self.count, 2.0 * wins - self.count)


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class PairResponse:
    """The negative log likelihood at values of the actions.

    Attributes
    ----------
    value : float
    observed : ObservedPairs
    extras : (m,) array
    margins : (n,) array
        tau times the difference in value, for every pair; 0 where it is infinite.
    choice : Choice
        Derivatives of each pair's loss.
    certain : (n,) array or None
        The sign of an infinite margin, 0 where it is finite; None if all are.
    caution : Caution or None
        What is charged beside it, and its derivatives.
    surest : tuple of floats
        What is charged for the temperature, and its first two derivatives.
    """

    value: float
    observed: ObservedPairs
    extras: FloatArray
    margins: FloatArray
    choice: Choice
    certain: FloatArray | None = None
    caution: Caution | None = None
    surest: tuple[float, ...] = (0.0, 0.0, 0.0)

    @property
    def of_decisions(self) -> float:
        """The loss of the decisions alone, without what is charged beside it."""
        return self.choice.loss / self.observed.total

    @property
    def doubtful(self) -> FloatArray:
        """How often each pair was compared (n,), 0 where no rule leaves the outcome in doubt."""
        count = self.observed.graph.pairs.count
        return count if self.certain is None else np.where(self.certain == 0, count, 0.0)

    def doubt(self, most: int | None = None) -> float:
        """How many decisions are in doubt: one whose outcome is a coin's counts as one.

        Of the first pairs only, `most` of them, if asked for.
        """
        chance = self.observed.noise.probability(self.margins[:most], self.extras[1:])
        return 4.0 * float(self.doubtful[:most] @ (chance * (1.0 - chance)))

    @property
    def signs(self) -> FloatArray:
        """Which action of each pair is better (n,): 1 the first, -1 the second, 0 for a tie."""
        signs = np.sign(self.margins)
        return signs if self.certain is None else signs + self.certain

    def gradient(self, rows: FloatArray) -> FloatArray:
        """Return the gradient."""
        return self._gradient(rows - np.add.reduce(rows, axis=1, keepdims=True) / rows.shape[1])

    def gradient_along(self, judged: Judgement) -> FloatArray:
        """Return the gradient from what is judged, without derivatives of every value."""
        return np.concatenate([judged.along(self.pull()), self.noise_gradient()])

    def noise_gradient(self) -> FloatArray:
        """Return the derivatives (m,) by log tau and what else is learned of the noise."""
        own = [] if self.choice.own is None else self.choice.own.by_own.sum(axis=-1)
        by_tau = self._by_margin() @ self.margins + self.surest[1]
        return np.array([by_tau, *own]) / self.observed.total

    def pull(self) -> FloatArray:
        """Return the derivative of all that is minimised by each value (N,)."""
        scale = exp(self.extras[0]) / self.observed.total
        return self.observed.graph.scatter(self._by_margin() * scale)

    @property
    def stiffness(self) -> FloatArray:
        """Expected second derivatives by each value alone (N,)."""
        square = exp(2.0 * self.extras[0]) / self.observed.total
        at_first, at_second = self.observed.graph.ends(self._spread() * square)
        return at_first + at_second

    def twice(
        self, values: FloatArray, extras: FloatArray, exactly: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Return second derivatives by values and log tau, times a move (N,), (1,) of these.

        What is not expected, or makes them concave, is part of them if `exactly`. The temperature
        must be all that is learned of the noise.
        """
        graph, z, caution = self.observed.graph, self.margins, self.caution
        tau, by_tau, per = exp(self.extras[0]), float(extras[0]), 1.0 / self.observed.total
        moved = graph.differences(values) * tau
        moved += by_tau * z
        pulled = self._spread() * moved
        by_temperature = self.surest[2] * by_tau
        if caution is not None:
            pulled += (caution.steep @ moved) @ caution.steep
        if exactly:
            by_margin = self._by_margin()
            by_temperature += tau * float(by_margin @ graph.differences(values))
            by_temperature += by_tau * float(by_margin @ z)
            if caution is not None:
                pulled += caution.bend * moved
                pulled += (caution.raising @ moved) @ caution.raising
                pulled -= (caution.lowering @ moved) @ caution.lowering
        by_temperature += float(pulled @ z)
        if exactly:
            pulled += by_margin * by_tau
        return graph.scatter(pulled * (tau * per)), np.array([by_temperature * per])

    def _spread(self) -> FloatArray:
        """Expected second derivatives (n,) of each pair by its margin."""
        if self.caution is None:
            return self.choice.information
        return self.choice.information + self.caution.curvature

    def model(self, rows: FloatArray, *, roughly: bool = False) -> QuadraticModel:
        """Return gradient and Fisher matrix, that of very many pairs `roughly` if asked for."""
        table = self.observed.graph.table(rows)
        if table is not None:
            return self._small_model(table)
        choice, z, graph = self.choice, self.margins, self.observed.graph
        per = 1.0 / self.observed.total
        tau = exp(self.extras[0])
        rows -= np.add.reduce(rows, axis=1, keepdims=True) / rows.shape[1]
        q = len(rows)
        size = q + len(self.extras)
        curvature = np.empty((size, size))
        spread = choice.information
        if self.caution is not None:
            spread = spread + self.caution.curvature
        form = graph.rough_form if roughly and len(spread) > _VERY_MANY else graph.laplacian_form
        curvature[:q, :q] = form(rows, spread * (tau * tau * per))
        curvature[:q, q] = rows @ graph.scatter(spread * z * (tau * per))
        curvature[q, q] = (spread @ np.square(z)) * per
        if choice.own is not None:
            for i, cross in enumerate(choice.own.cross, q + 1):
                curvature[:q, i] = rows @ graph.scatter(cross * (tau * per))
                curvature[q, i] = curvature[i, q] = (cross @ z) * per
            curvature[q + 1 :, q + 1 :] = choice.own.information.sum(axis=-1) * per
        curvature[q:, :q] = curvature[:q, q:].T
        if self.caution is not None:
            steep = self._along(rows, self.caution.steep)
            curvature[: q + 1, : q + 1] += steep @ steep.T * per
            curvature[q, q] += self.surest[2] * per
        return QuadraticModel(self._gradient(rows), curvature)

    def _small_model(self, table: FloatArray) -> QuadraticModel:
        """The same from derivatives of each pair's difference (q, n), where these are few."""
        choice, per, q = self.choice, 1.0 / self.observed.total, len(table)
        size = q + len(self.extras)
        design = self._design(table)
        spread, by_margin = choice.information, self._by_margin()
        if self.caution is not None:
            spread = spread + self.caution.curvature
        gradient = np.empty(size)
        gradient[: q + 1] = design @ by_margin
        curvature = np.empty((size, size))
        curvature[: q + 1, : q + 1] = (design * spread) @ design.T
        if choice.own is not None:
            gradient[q + 1 :] = choice.own.by_own.sum(axis=-1)
            curvature[: q + 1, q + 1 :] = design @ choice.own.cross.T
            curvature[q + 1 :, : q + 1] = curvature[: q + 1, q + 1 :].T
            curvature[q + 1 :, q + 1 :] = choice.own.information.sum(axis=-1)
        if self.caution is not None:
            steep = design @ self.caution.steep.T
            curvature[: q + 1, : q + 1] += steep @ steep.T
            gradient[q] += self.surest[1]
            curvature[q, q] += self.surest[2]
        gradient *= per
        curvature *= per
        return QuadraticModel(gradient, curvature)

    def _design(self, table: FloatArray) -> FloatArray:
        """Derivatives of the margins (q + 1, n), from those of each pair's difference (q, n)."""
        q = len(table)
        design = np.empty((q + 1, table.shape[1]))
        np.multiply(table, exp(self.extras[0]), out=design[:q])
        design[q] = self.margins
        return design

    def remainder(self, judged: Judgement, rows: FloatArray) -> FloatArray:
        """Return the bending of the values and of tau, which the Fisher matrix leaves out."""
        per_margin = self._by_margin() / self.observed.total
        pull = self.observed.graph.scatter(per_margin * exp(self.extras[0]))
        q = len(rows)
        left = np.zeros((q + len(self.extras),) * 2)
        left[:q, :q] = judged.bending(rows, pull)
        left[:q, q] = left[q, :q] = rows @ pull
        left[q, q] = per_margin @ self.margins
        if self.caution is not None:
            left[: q + 1, : q + 1] += self._concave(rows)
        return left

    def _concave(self, rows: FloatArray) -> FloatArray:
        """What the model leaves out of the caution's second derivatives (q + 1, q + 1)."""
        assert self.caution is not None
        graph, per = self.observed.graph, 1.0 / self.observed.total
        table = graph.table(rows)
        if table is not None:
            return concave_of(self._design(table), self.caution, per)
        return concave(graph, self.margins, exp(self.extras[0]), rows, self.caution, per)

    def _by_margin(self) -> FloatArray:
        """Derivatives (n,) by the margins of all that is minimised."""
        if self.caution is None:
            return self.choice.by_margin
        return self.choice.by_margin + self.caution.by_margin

    def _along(self, rows: FloatArray, by_margins: FloatArray) -> FloatArray:
        """Derivatives (q + 1, r) by weights, shape and log tau, from r by the margins (r, n)."""
        tau = exp(self.extras[0])
        return along(self.observed.graph, self.margins, tau, rows, by_margins)

    def _gradient(self, rows: FloatArray) -> FloatArray:
        """The gradient (q,) from centred derivatives of the values (k + 1, N)."""
        choice = self.choice
        per = 1.0 / self.observed.total
        q = len(rows)
        gradient = np.empty(q + len(self.extras))
        by_margin = self._by_margin()
        scaled = by_margin * (exp(self.extras[0]) * per)
        gradient[:q] = rows @ self.observed.graph.scatter(scaled)
        gradient[q] = (by_margin @ self.margins + self.surest[1]) * per
        if choice.own is not None:
            gradient[q + 1 :] = choice.own.by_own.sum(axis=-1) * per
        return gradient
