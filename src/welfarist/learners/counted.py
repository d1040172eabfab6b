"""Learning from decisions without noise or with flips: the fewest wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.counting import flips
from welfarist.counting.exact_solver import Exact, ExactOptimum
from welfarist.counting.findings import Counted, CountedMenus, ExactRecord
from welfarist.counting.menus import MenuErrors, slips
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions import Choices
from welfarist.decisions.impossible import impossible_choices, impossible_rows
from welfarist.families.rule import WelfareFunction
from welfarist.learners import options
from welfarist.learners.assembly import Description, Setup
from welfarist.learners.warm_starts import refuse_others
from welfarist.losses import (
    DecisionLoss,
    loss_of_choices,
    loss_of_comparisons,
    within_search,
)
from welfarist.noise.choices import LOGISTIC, RHO
from welfarist.results import caveats as caveat
from welfarist.results.learned import Caveat

# The cap of tau in the logistic fit from which learned weights start.
_TAU_MAX = 1e6
# Steps and tolerance of the logistic fit to a fold, whose rule is improved by sweeps anyway.
_STEPS = 30
_ROUGHLY = 1e-6


class Concluded(NamedTuple):
    """What was found, the flip probability, and what there is to say."""

    found: ExactOptimum
    rho: float
    said: Description


def without_proof(learner: Any) -> Any:
    """Return a learner that finds the same kind of rule, and does not prove it best."""
    if options.noise_of(learner.noise) is not None:
        return learner
    solver = options.exact_of(learner.solver, learner.noise, learner.prior)
    return clone(learner).set_params(solver=replace(solver, time_limit=0.0), rho=None)


@dataclass(frozen=True)
class CountedFit:
    """Decisions to be explained with the fewest errors.

    Attributes
    ----------
    decided : Comparisons or Choices
    setup : Setup
    solver : Exact
    """

    decided: Any
    setup: Setup
    solver: Exact

    @classmethod
    def of(cls, learner: Any, setup: Setup, seen: Any) -> Self:
        """Check what a learner was told, for decisions with their shift."""
        solver = options.exact_of(learner.solver, learner.noise, learner.prior)
        refuse_others(not options.check_flag(learner.warm_start, "warm_start"))
        options.require_countable(setup.family, seen.utilities, learner.noise, setup.weighting)
        return cls(seen, setup.knowing(bool((seen.utilities == 0).any())), solver)

    def conclude(self, noise: object, rho: options.RhoOption, said: list[Caveat]) -> Concluded:
        """Learn the rule with the fewest errors; `said` are further caveats."""
        rng = self.setup.generator()
        found = self.solve(rng)
        flips = noise == "flip"
        rate = self.flip_rate(rho, found, rng) if flips else 0.0
        return Concluded(found, rate, self.describe(found, rate if flips else None, rho, said))

    @cached_property
    def loss(self) -> ZeroOneLoss:
        """The share of wrong decisions."""
        return replace(self._made(), guess=self._logistic)

    def _made(self) -> ZeroOneLoss:
        data = self.decided
        return ZeroOneLoss.of(data.utilities, data.merged, self.setup.weighting)

    def solve(self, rng: np.random.Generator) -> ExactOptimum:
        """Find weights and power with the fewest errors."""
        self.solver.check(self.loss)
        return self.solver.minimise(self.loss, rng, p=self.setup.p)

    def flip_rate(
        self, rho: options.RhoOption, found: ExactOptimum, rng: np.random.Generator
    ) -> float:
        """The flip probability: given, the fitted error rate, or that of held-out decisions."""
        if rho == "cross-validation":
            return self._held_out(lambda part: self._rule_of(part, rng), rng).rho
        if rho is None or isinstance(rho, str):
            return self._error_rate(found)
        return rho

    def _held_out(
        self, fit: Callable[[Any], WelfareFunction], rng: np.random.Generator
    ) -> flips.HeldOutErrors:
        return flips.rho_by_cross_validation(self.decided, fit, rng=rng)

    def _error_rate(self, found: ExactOptimum) -> float:
        return flips.rho_from_error_rate(self.decided, found.value)

    def describe(
        self, found: ExactOptimum, rho: float | None, option: options.RhoOption, said: list[Caveat]
    ) -> Description:
        """What there is to say about the rule; `said` are further caveats."""
        return Description(
            loss=found.value,
            extras={} if rho is None else {RHO.name: rho},
            parameters=() if rho is None else (RHO,),
            caveats=(*self._caveats(found, errs=rho is not None), *said),
            accuracy=self._accuracy(found),
            exact=self._record(found, rho, option is not None and option != "error rate"),
            certifier=partial(replace, found.certificate),
        )

    def _record(self, found: ExactOptimum, rho: float | None, independent_rho: bool) -> ExactRecord:
        """What the result keeps beside the estimates."""
        sweep = found.sweep
        counted = self._counted(
            0 if sweep is None else int(sweep.crossings.identical.sum()),
            0 if sweep is None else len(sweep.crossings.undecided),
        )
        return ExactRecord(
            found.intervals,
            None if sweep is None else sweep.steps,
            found.explanations,
            counted,
            None if rho is None else flips.corrected_risk(found.value, rho, self._exposure),
            independent_rho,
        )

    def _counted(self, identical: int, undecided: int) -> Counted:
        return Counted.of(self.decided, identical, undecided)

    def _accuracy(self, found: ExactOptimum) -> float:
        """The share of decisions that the rule predicts."""
        return 1.0 - found.value

    @property
    def _exposure(self) -> float:
        """How many errors a flip rate of one would make on average."""
        return 1.0

    @property
    def _both_ways(self) -> str:
        """How decisions may contradict each other."""
        return "the same two actions were decided both ways"

    def _caveats(self, found: ExactOptimum, *, errs: bool) -> list[Caveat]:
        """What a reader of the estimates must know; `errs` is whether errors were expected."""
        loss, setup, learned = self.loss, self.setup, self.setup.p is None
        avoidable = found.value - loss.unavoidable
        people = setup.weighting.people
        rules = [(found.weights, found.p), (np.full(people, 1.0 / people), 1.0)]
        plain = loss.value(*rules[1])
        opposite = 1.0 - min(loss.opposite().value(*rule) for rule in rules)
        table = loss.utilities.table
        identified: list[Caveat] = []
        if table is not None:
            identified = caveat.identification_caveats(
                table, setup.weighting, learned, found, setup.people, True
            )
        # As often as a choice between two would be right, by which chance is one half.
        right, plainly = (1.0 - wrong / self._exposure for wrong in (found.value, plain))
        return [
            *caveat.power_caveats(found, learned, loss.utilities.has_zeros, np.inf),
            *identified,
            *caveat.exact_caveats(found.intervals, learned, right, plainly, opposite),
            *([] if errs else caveat.unexplained_caveats(avoidable, self._both_ways)),
        ]

    def _rule_of(self, part: Any, rng: np.random.Generator) -> WelfareFunction:
        """The rule that some of the decisions lead to."""
        newton = self.setup.newton
        newton = replace(newton, max_iter=min(newton.max_iter, _STEPS), tolerance=_ROUGHLY)
        loss = replace(self, decided=part, setup=replace(self.setup, newton=newton)).loss
        found = self.solver.sketch(loss, rng, self.setup.p)
        return WelfareFunction(found.p, found.weights)

    def _logistic(self, rng: np.random.Generator) -> tuple[FloatArray, float]:
        """Weights (d,) and power of the logistic fit, which is nearly always close by."""
        setup, data = self.setup, self.decided
        learned = setup.p is None
        if self.loss.utilities.has_zeros:  # what no rule explains says nothing about which is best
            data = data[np.delete(np.arange(len(data)), self._impossible())]
            if not (data.counts > 0).any():
                return setup.weighting.to_people(setup.weighting.start()), setup.p or 1.0
        loss: Any = self._smooth(data, setup.family, setup.weighting, learned, LOGISTIC, _TAU_MAX)
        found = setup.newton.minimise(
            loss,
            rng,
            p=within_search(setup.p, loss),
            observations=loss.observed.total,
            progress=Progress(False),
        )
        power = found.point.p
        if learned and self.loss.utilities.has_zeros and power <= 0:
            power = 1.0  # only positive powers are counted where somebody has nothing
        return found.weights, power

    def _impossible(self) -> Any:
        """The rows of decisions that no rule explains."""
        return impossible_rows(self.decided, self.setup.weighting)

    @property
    def _smooth(self) -> Callable[..., DecisionLoss]:
        """How the likelihood of such decisions is built."""
        return loss_of_comparisons


@dataclass(frozen=True)
class CountedChoices(CountedFit):
    """Choices from menus to be explained with the fewest errors: one a menu at most."""

    @classmethod
    def of(cls, learner: Any, setup: Setup, seen: Any) -> Self:
        """Check what a learner was told, for choices with their shift."""
        refuse_uncountable(learner, setup, seen)
        return super().of(learner, setup, seen)

    def _made(self) -> ZeroOneLoss:
        data = self.decided
        return MenuErrors.of_menus(data.utilities, data.merged[0], self.setup.weighting)

    def _held_out(
        self, fit: Callable[[Any], WelfareFunction], rng: np.random.Generator
    ) -> flips.HeldOutErrors:
        return slips.rho_by_held_out_choices(self.decided, fit, rng=rng)

    def _error_rate(self, found: ExactOptimum) -> float:
        return slips.rho_of_choices(self.decided, WelfareFunction(found.p, found.weights))

    def _counted(self, identical: int, undecided: int) -> Counted:
        return CountedMenus.of_choices(self.decided, identical, undecided)

    def _accuracy(self, found: ExactOptimum) -> float:
        """The share of first choices that the rule predicts."""
        if not self.decided.in_stages:
            return 1.0 - found.value
        first = self.decided.first_menus().times(self.decided.counts)
        loss = MenuErrors.of_menus(self.decided.utilities, first, self.setup.weighting)
        return 1.0 - loss.value(found.weights, found.p)

    @cached_property
    def _exposure(self) -> float:
        """How many errors a slip rate of one would make on average."""
        return slips.exposure(self.decided)

    @property
    def _both_ways(self) -> str:
        """How choices may contradict each other."""
        return "choices from the same menu differ"

    def _impossible(self) -> Any:
        """The rows of choices that no rule explains."""
        return impossible_choices(self.decided, self.setup.weighting)

    @property
    def _smooth(self) -> Callable[..., DecisionLoss]:
        """How the likelihood of choices is built."""
        return loss_of_choices


def refuse_uncountable(learner: Any, setup: Setup, seen: Choices) -> None:
    """Refuse what is beside the rule where errors are counted: there is only the rule."""
    asked = {
        "none of these as a choice": (seen.outside, "Choices without outside=True"),
        "size_effect=True": (learner.size_effect, "size_effect=False"),
        "tau_by_stage=True": (learner.tau_by_stage, "tau_by_stage=False"),
    }
    for found, (is_there, instead) in asked.items():
        if is_there:
            raise InputError(
                f'noise="{learner.noise}" counts errors of the rule alone; found {found}, which '
                f'a likelihood is needed to learn. Use noise="logistic", or {instead}.'
            )
    if setup.weighting.free > 1 and np.isnan(seen.utilities).any():
        raise InputError(
            f'noise="{learner.noise}" learns weights of people who are all affected by everything; '
            "found some who are absent from some actions, among whom weights would be shared "
            'anew. Give the weights (such as weights="equal"), or use noise="logistic".'
        )
