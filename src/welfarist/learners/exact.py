"""Learning from comparisons without noise or with flips: the fewest wrong decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from welfarist import caveats as caveat
from welfarist import flips, options
from welfarist.decisions import Comparisons
from welfarist.exact import Counted, ExactRecord
from welfarist.fit import Caveat, named_people
from welfarist.losses import ComparisonLoss, Point, ZeroOneLoss
from welfarist.losses.base import within_search
from welfarist.progress import Progress
from welfarist.solvers.base import Optimum
from welfarist.solvers.exact import Exact, ExactOptimum
from welfarist.solvers.fitting import Newton
from welfarist.validation import FloatArray
from welfarist.weighting import Weighting
from welfarist.welfare import WelfareFunction


@dataclass(frozen=True)
class ExactFit:
    """Comparisons to be explained with the fewest errors.

    Attributes
    ----------
    comparisons : Comparisons
    weighting : Weighting
        What is known about the weights.
    p : float or None
        The power, if it is given.
    solver : Exact
    smooth : Newton
        Finds the logistic fit from which learned weights start.
    """

    comparisons: Comparisons
    weighting: Weighting
    p: float | None
    solver: Exact
    smooth: Newton

    @cached_property
    def loss(self) -> ZeroOneLoss:
        """The share of wrong decisions."""
        return ZeroOneLoss.of(self.comparisons.utilities, self.comparisons.merged, self.weighting)

    def solve(self, rng: np.random.Generator) -> ExactOptimum:
        """Find weights and power with the fewest errors."""
        return self.solver.minimise(self.loss, rng, p=self.p, start=lambda: self._logistic(rng))

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

    def record(self, found: ExactOptimum, rho: float | None, independent_rho: bool) -> ExactRecord:
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

    def as_optimum(self, found: ExactOptimum) -> Optimum:
        """The optimum as smooth solvers give it."""
        point = Point(self.weighting.gather(found.weights), found.p, np.empty(0))
        values = np.array([found.value])
        return Optimum(
            point, found.weights, found.value, True, found.reason, found.n_iter, values, 1
        )

    def caveats(
        self, found: ExactOptimum, names: tuple[str, ...] | None, *, errs: bool
    ) -> list[Caveat]:
        """What a reader of the estimates must know; `errs` is whether errors were expected."""
        loss, learned = self.loss, self.p is None
        optimum, people = self.as_optimum(found), named_people(names, self.weighting.people)
        equal = np.full(self.weighting.people, 1.0 / self.weighting.people)
        plain = 1.0 - loss.value(equal, 1.0)
        logs = loss.utilities.logs
        return [
            *caveat.power_caveats(optimum, learned, loss.utilities.has_zeros, np.inf),
            *caveat.identification_caveats(logs, self.weighting, learned, optimum, people, True),
            *caveat.exact_caveats(found.intervals, learned, 1.0 - found.value, plain),
            *([] if errs else caveat.unexplained_caveats(found.value - loss.unavoidable)),
        ]

    def _rule_of(self, part: Comparisons, rng: np.random.Generator) -> WelfareFunction:
        """The rule that some of the comparisons lead to."""
        unproven = replace(self.solver, time_limit=0.0)
        found = replace(self, comparisons=part, solver=unproven).solve(rng)
        return WelfareFunction(found.p, found.weights)

    def _logistic(self, rng: np.random.Generator) -> tuple[FloatArray, float]:
        """Weights (d,) and power of the logistic fit, which is nearly always close by."""
        data = self.comparisons
        loss = ComparisonLoss.of(
            data.utilities, data.merged, self.weighting, self.p is None, False, 1e6
        )
        found = self.smooth.minimise(
            loss,
            rng,
            p=within_search(self.p, loss),
            observations=loss.total,
            progress=Progress(False),
        )
        return found.weights, found.point.p
