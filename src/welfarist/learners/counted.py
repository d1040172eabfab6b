"""Learning from comparisons without noise or with flips: the fewest wrong decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.counting import flips
from welfarist.counting.exact_solver import Exact, ExactOptimum
from welfarist.counting.findings import Counted, ExactRecord
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions import Comparisons
from welfarist.decisions.impossible import impossible_rows
from welfarist.families.rule import WelfareFunction
from welfarist.learners import options
from welfarist.learners.assembly import Description, Setup
from welfarist.losses import loss_of_comparisons, within_search
from welfarist.noise.choices import LOGISTIC, RHO
from welfarist.results import caveats as caveat
from welfarist.results.learned import Caveat

# The cap of tau in the logistic fit from which learned weights start.
_TAU_MAX = 1e6
# Steps and tolerance of the logistic fit to a fold, whose rule is improved by sweeps anyway.
_STEPS = 30
_ROUGHLY = 1e-6


@dataclass(frozen=True)
class CountedFit:
    """Comparisons to be explained with the fewest errors.

    Attributes
    ----------
    comparisons : Comparisons
    setup : Setup
    solver : Exact
    """

    comparisons: Comparisons
    setup: Setup
    solver: Exact

    @cached_property
    def loss(self) -> ZeroOneLoss:
        """The share of wrong decisions."""
        data = self.comparisons
        made = ZeroOneLoss.of(data.utilities, data.merged, self.setup.weighting)
        return replace(made, guess=self._logistic)

    def solve(self, rng: np.random.Generator) -> ExactOptimum:
        """Find weights and power with the fewest errors."""
        self.solver.check(self.loss)
        return self.solver.minimise(self.loss, rng, p=self.setup.p)

    def flip_rate(
        self, rho: options.RhoOption, found: ExactOptimum, rng: np.random.Generator
    ) -> float:
        """The flip probability: given, the fitted error rate, or that of held-out decisions."""
        if rho == "cross-validation":
            held_out = flips.rho_by_cross_validation(
                self.comparisons, lambda part: self._rule_of(part, rng), rng=rng
            )
            return held_out.rho
        if rho is None or isinstance(rho, str):
            return flips.rho_from_error_rate(self.comparisons, found.value)
        return rho

    def describe(
        self, found: ExactOptimum, rho: float | None, option: options.RhoOption, said: list[Caveat]
    ) -> Description:
        """What there is to say about the rule; `said` are further caveats."""
        return Description(
            loss=found.value,
            extras={} if rho is None else {RHO.name: rho},
            parameters=() if rho is None else (RHO,),
            caveats=(*self._caveats(found, errs=rho is not None), *said),
            accuracy=1.0 - found.value,
            exact=self._record(found, rho, option is not None and option != "error rate"),
            certifier=partial(replace, found.certificate),
        )

    def _record(self, found: ExactOptimum, rho: float | None, independent_rho: bool) -> ExactRecord:
        """What the result keeps beside the estimates."""
        sweep = found.sweep
        counted = Counted.of(
            self.comparisons,
            0 if sweep is None else int(sweep.crossings.identical.sum()),
            0 if sweep is None else len(sweep.crossings.undecided),
        )
        return ExactRecord(
            found.intervals,
            None if sweep is None else sweep.steps,
            found.explanations,
            counted,
            None if rho is None else flips.corrected_risk(found.value, rho),
            independent_rho,
        )

    def _caveats(self, found: ExactOptimum, *, errs: bool) -> list[Caveat]:
        """What a reader of the estimates must know; `errs` is whether errors were expected."""
        loss, setup, learned = self.loss, self.setup, self.setup.p is None
        people = setup.weighting.people
        plain = 1.0 - loss.value(np.full(people, 1.0 / people), 1.0)
        logs = loss.utilities.logs
        identified = caveat.identification_caveats(
            logs, setup.weighting, learned, found, setup.people, True
        )
        return [
            *caveat.power_caveats(found, learned, loss.utilities.has_zeros, np.inf),
            *identified,
            *caveat.exact_caveats(found.intervals, learned, 1.0 - found.value, plain),
            *([] if errs else caveat.unexplained_caveats(found.value - loss.unavoidable)),
        ]

    def _rule_of(self, part: Comparisons, rng: np.random.Generator) -> WelfareFunction:
        """The rule that some of the comparisons lead to."""
        newton = self.setup.newton
        newton = replace(newton, max_iter=min(newton.max_iter, _STEPS), tolerance=_ROUGHLY)
        loss = replace(self, comparisons=part, setup=replace(self.setup, newton=newton)).loss
        found = self.solver.sketch(loss, rng, self.setup.p)
        return WelfareFunction(found.p, found.weights)

    def _logistic(self, rng: np.random.Generator) -> tuple[FloatArray, float]:
        """Weights (d,) and power of the logistic fit, which is nearly always close by."""
        setup, data = self.setup, self.comparisons
        learned = setup.p is None
        if self.loss.utilities.has_zeros:  # what no rule explains says nothing about which is best
            data = data[np.delete(np.arange(len(data)), impossible_rows(data, setup.weighting))]
            if not (data.counts > 0).any():
                return setup.weighting.to_people(setup.weighting.start()), setup.p or 1.0
        loss: Any = loss_of_comparisons(
            data, setup.family, setup.weighting, learned, LOGISTIC, _TAU_MAX
        )
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
