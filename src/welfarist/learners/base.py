"""What both learners share: how options reach the solver and results the attributes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from welfarist.base.data_frames import (
    collected,
    collected_column,
    refuse_text,
    refuse_twins,
)
from welfarist.base.engines import is_client
from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray, as_shift, utilities_error
from welfarist.decisions.same_people import in_order_of
from welfarist.decisions.scanned.decisions import is_scanned
from welfarist.families.known import family_of
from welfarist.learners import options
from welfarist.learners.assembly import (
    Description,
    Names,
    Setup,
    likelihood_of,
    record_of,
)
from welfarist.learners.estimated import refuse_far_power, with_errors_said
from welfarist.learners.scoring import teach_scorers
from welfarist.learners.smoothing import smoothed
from welfarist.learners.targets import target_error
from welfarist.learners.warm_starts import warmed
from welfarist.losses import DecisionEvaluation, DecisionLoss
from welfarist.people.utility_tables import refuse_missing
from welfarist.proofs import certified
from welfarist.results import caveats as caveat
from welfarist.results.learned import Caveat
from welfarist.results.record import FitResult
from welfarist.solvers.base import Optimum, Solver

# What pickles of version 0.1.0 call for; their proofs are made anew with the record.
_certified = certified


# Options that learners of version 0.1.0 did not have.
_SINCE_0_1 = {
    "family": "power", "shift": 0.0, "keep_data": False, "warm_start": False, "verbose": 0,
    "small_sample": "none", "engine": None, "resume": None, "effort": "auto",
    "margin": "auto",
}  # fmt: skip


class WelfareLearner(BaseEstimator):  # type: ignore[misc]
    """What all learners share: how options reach the solver and results the attributes.

    A kind of decisions has a learner of its own, which says what it `takes` and fills in the
    methods below.
    """

    takes: Any
    result_: FitResult

    def fit_decisions(self, decided: Any) -> Any:
        """Learn from decisions that were checked before, such as ``result_.decided``."""
        raise NotImplementedError

    def _with_people_in_order(self, decided: Any) -> Any:
        """Return decisions about the people of the fit, matched by name where both have names."""
        return in_order_of(decided, self.result_.named_stakeholders)

    def read_decisions(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Return what `fit` takes as decisions, and store what scikit-learn expects to find."""
        raise NotImplementedError

    def reading_caveats(self) -> list[Caveat]:
        """What must be said of how decisions were read."""
        return []

    def held_out_gain(self, part: Any) -> float:
        """How much of decisions that were not fitted is got right, in the kind's own measure."""
        raise NotImplementedError

    def held_out_loss(self, part: Any) -> float | None:  # noqa: ARG002 - of choices alone
        """Negative log likelihood of decisions that were not fitted; None where it is not asked."""
        return None

    def without_proof(self) -> Any:
        """Return a learner that finds the same kind of rule, and does not prove it best."""
        return self

    @staticmethod
    def options_of(observed: Any) -> dict[str, Any]:
        """The options of its own that a fit was made with."""
        raise NotImplementedError

    def _learn(self, setup: Setup, decided: Any, loss: DecisionLoss) -> None:
        """Find the best rule, and store the record of the fit."""
        refuse_far_power(setup.p, loss)
        solver = options.solver_of(self.solver, setup.newton)
        if options.check_flag(self.warm_start, "warm_start"):
            last, interior = getattr(self, "result_", None), setup.concentration is not None
            solver = warmed(solver, loss, last, setup.p, interior)
        candidates = setup.candidates
        if candidates:
            setup, loss, optimum = smoothed(
                setup, loss, candidates, lambda own, posed: self._minimise(own, posed, solver)
            )
        else:
            loss, optimum = self._minimise(setup, loss, solver)
        if not np.isfinite(optimum.value):
            raise InputError(
                "a search must begin where decisions are possible; found none of "
                f"{len(optimum.start_values)} places whose loss is a number. Raise n_starts, leave "
                "out what is 0 or far too large, or fix what you know: p or the weights."
            )
        said = self._describe(setup, decided, loss, optimum)
        likelihood = likelihood_of(setup, decided, loss, optimum)
        said = with_errors_said(said, likelihood)
        self._store(record_of(setup, decided, optimum, said, likelihood))

    def _minimise(
        self, setup: Setup, loss: DecisionLoss, solver: Solver
    ) -> tuple[DecisionLoss, Optimum]:
        """Find the best rule; return it with the loss of which it is the best."""
        return loss, setup.minimise(loss, solver)

    def _describe(
        self, setup: Setup, decided: Any, loss: DecisionLoss, optimum: Optimum
    ) -> Description:
        """What there is to say about a fit to decisions of this kind."""
        raise NotImplementedError

    def with_data(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Give a fitted learner that was pickled its decisions back, from what `fit` was given.

        What needs them (standard errors, intervals, tests, checks) can then be asked again. Other
        decisions than those that were fitted are refused.
        """
        check_is_fitted(self)
        if is_scanned(X):
            self.result_ = self.result_.with_data(X)
            return self
        reader = clone(self)
        self.result_ = self.result_.with_data(reader.read_decisions(X, y, sample_weight))
        return self

    def __sklearn_clone__(self) -> Any:
        """Return a learner with the same options; a client of a cluster is shared, not copied."""
        if not is_client(self.engine):
            return super().__sklearn_clone__()
        given = self.get_params(deep=False)
        client = given.pop("engine")
        return type(self)(**{n: clone(v, safe=False) for n, v in given.items()}, engine=client)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        if is_client(state.get("engine")):
            state = {**state, "engine": None}
        result = state.get("result_")
        if self.keep_data and result is not None and result.decided is not None:
            state = {**state, "result_": result.with_data()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A learner that was pickled by version 0.1.0 knew power means only, and fewer options.
        super().__setstate__({**_SINCE_0_1, **state})
        teach_scorers()

    def _store(self, result: FitResult) -> None:
        self.result_ = result
        self.p_ = result.p
        self.weights_ = result.weights
        self.__dict__.pop("theta_", None)  # of an earlier fit
        if result.theta:
            self.theta_ = dict(result.theta)
        self.loss_ = result.loss
        self.converged_ = result.converged
        self.n_iter_ = result.n_iter
        self.welfare_ = result.welfare
        if self.verbose:
            told = f"loss {result.loss:.10g} after {result.n_iter} steps in all"
            Progress(False, int(self.verbose)).say(f"{result!r}, {told}", 1)
        caveat.give(result.caveats)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = family_of(self.family).least >= 0
        return tags

    def _checked(self, X: Any, y: Any = None, **checks: Any) -> Any:
        """Let scikit-learn check shapes, names and types; it says nothing about the entries."""
        if checks == {"y_numeric": True} and _are_plain(X, y):
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
            return X, y
        X, y = collected(X), collected_column(y)
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

    def _least(self) -> float:
        """The smallest utility that may be passed, before the shift is added."""
        return family_of(self.family).least - as_shift(self.shift)

    def _refuse_bad(self, table: FloatArray) -> None:
        """Name the entry, after the words that scikit-learn's users search for."""
        refuse_missing(table, getattr(self, "feature_names_in_", None))
        least = self._least()
        if (table < least).any():
            found = utilities_error(table, least)
            raise InputError(f"Negative values in data passed to {type(self).__name__}: {found}")


def _are_plain(X: Any, y: Any) -> bool:
    """Whether a table and its scores leave scikit-learn nothing to change, name or refuse.

    Its checks take a tenth of a small fit.
    """
    if not (type(X) is np.ndarray and type(y) is np.ndarray):
        return False
    if not (X.dtype == np.float64 and y.dtype == np.float64 and X.ndim == 2 and X.size):
        return False
    return y.shape == (len(X),) and bool(np.isfinite(y).all())


def refuse_nothing(utilities: FloatArray) -> None:
    """Refuse actions that give nothing to anybody: every rule finds all of them equally good."""
    if not utilities.any():
        raise InputError(
            "utilities must be above 0 somewhere; found 0 for everybody in every action, of which "
            "every rule says the same. There is nothing to learn: check the columns."
        )


def as_names(columns: Any) -> Names:
    """Column names as stakeholder names, if there are any."""
    return None if columns is None else tuple(str(name) for name in columns)


def at_optimum(loss: DecisionLoss, optimum: Optimum) -> DecisionEvaluation:
    """The loss of the data at the optimum, without the prior."""
    if isinstance(optimum.evaluation, DecisionEvaluation):  # of this very loss: there is no prior
        return optimum.evaluation
    return loss.holding(optimum.weights).evaluate(loss.held_at(optimum.point))
