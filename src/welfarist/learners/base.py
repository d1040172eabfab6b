"""What both learners share: how options reach the solver and results the attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from welfarist import caveats as caveat
from welfarist import options
from welfarist.certificates import Certificate
from welfarist.decisions import Comparisons, refuse_missing
from welfarist.errors import InputError
from welfarist.fit import Caveat, FitResult, named_people
from welfarist.inference.fitted import Fitted
from welfarist.learners.targets import target_error
from welfarist.losses import Point, ScoreLoss
from welfarist.losses.base import within_search
from welfarist.losses.prior import with_prior
from welfarist.progress import Progress
from welfarist.solvers.base import Optimum
from welfarist.solvers.global_optimum import can_certify, certify
from welfarist.tables import refuse_text, refuse_twins
from welfarist.validation import FloatArray, utilities_error
from welfarist.weighting import Weighting
from welfarist.welfare import WelfareFunction

Names = tuple[str, ...] | None


class WelfareLearner(BaseEstimator):  # type: ignore[misc]
    """What both learners share: how options reach the solver and results the attributes."""

    def _minimise(self, loss: Any, observations: float, names: Names) -> Optimum:
        solver = options.solver_of(self.solver, self.n_starts, self.max_iter, self.tol)
        concentration = options.concentration_of(self.prior, loss.weighting, self.groups, names)
        penalised = with_prior(loss, concentration, observations)
        solver.check(penalised)
        return solver.minimise(
            penalised,
            options.generator_of(self.random_state),
            p=within_search(options.power_of_option(self.p, loss.has_zeros), loss),
            observations=observations,
            progress=Progress(self.progress),
        )

    def _common_caveats(
        self,
        loss: Any,
        optimum: Optimum,
        names: Names,
        decisions: int,
        accuracy: float | None = None,
    ) -> list[Caveat]:
        """What may have to be said of scores and of comparisons, which have an accuracy."""
        learned, has_prior = self.p is None, self.prior is not None
        people = named_people(names, len(optimum.weights))
        identified = caveat.identification_caveats(
            loss.utilities.logs, loss.weighting, learned, optimum, people, accuracy is not None
        )
        counted = caveat.count_caveats(
            decisions, loss.weighting, learned, loss.extra_names, has_prior
        )
        given = options.power_of_option(self.p, loss.has_zeros)
        return [
            *caveat.convergence_caveats(optimum),
            *caveat.far_caveats(given, within_search(given, loss)),
            *caveat.power_caveats(
                optimum, learned, loss.has_zeros, loss.largest_power, accuracy == 1.0, has_prior
            ),
            *identified,
            *counted,
        ]

    def _common_record(self, optimum: Optimum, names: Names) -> dict[str, Any]:
        """The fields of a result that scores and comparisons fill in alike."""
        given = ("p", "weights")
        known = (self.p is not None, not isinstance(self.weights, str) or self.weights != "learn")
        nothing = optimum.reason == "nothing to learn"
        return dict(
            p=optimum.point.p,
            weights=optimum.weights,
            stakeholders=named_people(names, len(optimum.weights)),
            converged=optimum.converged,
            reason="everything was given" if nothing else optimum.reason,
            n_iter=optimum.n_iter,
            start_values=optimum.start_values,
            agreeing=optimum.agreeing,
            given=tuple(name for name, is_known in zip(given, known, strict=True) if is_known),
            weight_notes=options.weight_notes(
                self.weights, self.groups, len(optimum.weights), names
            ),
        )

    def _fitted(
        self,
        loss: Any,
        optimum: Optimum,
        names: Names,
        observations: float,
        decided: Comparisons | None = None,
    ) -> Fitted:
        """The likelihood and its maximum, or why there are no statistics of this fit."""
        needs = "standard errors, intervals, tests and information criteria need"
        refusal = None
        if options.concentration_of(self.prior, loss.weighting, self.groups, names) is not None:
            refusal = (
                f"{needs} a maximum of the likelihood; found a fit under a prior, whose estimates "
                "are drawn away from it. Fit with prior=None."
            )
        elif not optimum.converged:
            refusal = (
                f"{needs} a fit that converged; found one that did not: {optimum.reason}. Raise "
                "max_iter or n_starts."
            )
        return Fitted(
            loss,
            optimum.point,
            optimum.weights,
            named_people(names, len(optimum.weights)),
            observations,
            decided,
            options.newton_of(self.n_starts, self.max_iter, self.tol),
            refusal,
        )

    def _store(self, result: FitResult) -> None:
        self.result_ = result
        self.p_ = result.p
        self.weights_ = result.weights
        self.loss_ = result.loss
        self.converged_ = result.converged
        self.n_iter_ = result.n_iter
        self.welfare_ = result.welfare
        caveat.give(result.caveats)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _checked(self, X: Any, y: Any = None, **checks: Any) -> Any:
        """Let scikit-learn check shapes, names and types; it says nothing about the entries."""
        refuse_twins(X)
        given = {} if y is None and checks.get("reset") is False else {"y": y}
        checks = dict(dtype=np.float64, ensure_all_finite=False, **given, **checks)
        try:
            return validate_data(self, X, **checks)
        except ValueError as problem:
            if "could not convert string" in str(problem):
                refuse_text(X)
            if "got scalar array" in str(problem):
                raise InputError(
                    f"X must be a table with one row per decision; found {X!r:.60}. Reshape your "
                    "data: [[4.0, 1.0]] is one row."
                ) from None
            explained = target_error(problem, X, y)
            if explained is None:
                raise
            raise explained from None

    def _refuse_bad(self, table: FloatArray) -> None:
        """Name the entry, after the words that scikit-learn's users search for."""
        refuse_missing(table, getattr(self, "feature_names_in_", None))
        if (table < 0).any():
            raise InputError(
                f"Negative values in data passed to {type(self).__name__}: {utilities_error(table)}"
            )


def refuse_nothing(utilities: FloatArray) -> None:
    """Refuse actions that give nothing to anybody: every rule finds all of them equally good."""
    if not utilities.any():
        raise InputError(
            "utilities must be above 0 somewhere; found 0 for everybody in every action, of which "
            "every rule says the same. There is nothing to learn: check the columns."
        )


def certifier_of(loss: Any, value: float, p: float | None) -> Callable[[], Certificate] | None:
    """Return what proves how good a fit with known weights is; None where there is no proof.

    `value` is the mean loss in the data's own unit.
    """
    return partial(_certified, loss, value, p) if can_certify(loss) else None


def _certified(loss: Any, value: float, p: float | None) -> Certificate:
    unit = loss.unit**2 if isinstance(loss, ScoreLoss) else 1.0
    proof = certify(loss, value / unit, p=p)
    return Certificate(value, proof.lower_bound * unit, proof.method)


def as_names(columns: Any) -> Names:
    """Column names as stakeholder names, if there are any."""
    return None if columns is None else tuple(str(name) for name in columns)


def at_optimum(loss: Any, optimum: Optimum) -> Any:
    """The loss of the data at the optimum, without the prior."""
    fixed = Weighting(len(optimum.weights), fixed=optimum.weights)
    point = Point(np.empty(0), optimum.point.p, optimum.point.extras)
    return replace(loss, weighting=fixed).evaluate(point)


def without_names(welfare: WelfareFunction) -> WelfareFunction:
    """The rule without names: scikit-learn has checked the columns already."""
    return WelfareFunction(welfare.p, welfare.weights)
