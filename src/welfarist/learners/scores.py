"""Learning from scores."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from welfarist.base.data_frames import row_names
from welfarist.base.errors import InputError
from welfarist.base.progress import ProgressOption
from welfarist.base.validation import FloatArray, owned
from welfarist.decisions import Scores
from welfarist.decisions.checked_columns import as_counts
from welfarist.decisions.magnitudes import check_magnitudes
from welfarist.decisions.scanned.scores import ScannedScores
from welfarist.families.additive.family import AdditiveFamily
from welfarist.families.additive.own import OwnCurvesFamily
from welfarist.learners import options
from welfarist.learners.assembly import Description, Setup, common_caveats
from welfarist.learners.base import (
    WelfareLearner,
    as_names,
    at_optimum,
    refuse_nothing,
)
from welfarist.learners.scanned import refuse_beside_files, scores_in_memory
from welfarist.learners.scoring import refuse_other_outcomes, teach_scorers
from welfarist.losses import DecisionLoss, loss_of_scores
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.losses.observed_scores import ObservedScores, ScoreResponse
from welfarist.noise.scores import SCALE, SIGMA
from welfarist.people.estimated.drawing import averaged
from welfarist.people.source import has_errors, is_source
from welfarist.people.utility_tables import distinct_up_to
from welfarist.people.weights_option import NumbersOption, WeightsOption
from welfarist.proofs import certifier_of
from welfarist.results import caveats as caveat
from welfarist.solvers.base import Optimum
from welfarist.solvers.effort import EffortName

# The logarithm of the largest number, and nearly minus that of the smallest with all its digits.
_LARGEST_LOG = 708.0
# Numbers below this have fewer digits than others.
_FULL_PRECISION = float(np.finfo(np.float64).tiny)


class WelfareRegressor(RegressorMixin, WelfareLearner):  # type: ignore[misc]
    """Learn a welfare function from scores: y = M(u; w, p), by least squares.

    Parameters
    ----------
    family : "power" or Family
        The family of welfare functions: power means, or one of your own.
    p : float or str, optional
        The power, in [-inf, inf], or a doctrine's name such as "Nash"; learned if left out, or
        "learn". In a family of your own its parameter.
    weights : "learn", "equal", (d,) array-like, mapping or ByAttributes
        Learn the weights, give everybody the same, or take them as known: in the order of the
        people, or by their names. With :class:`ByAttributes` they follow from people's attributes.
    groups : (d,) array-like or mapping, optional
        A group label per person, or the names of the people in each group; weights are then
        learned per group and shared equally inside.
    scale : bool
        Whether scores are on another scale than utilities: y = c M(u), with c > 0 learned.
    prior : float, array-like or mapping, optional
        Concentration of a Dirichlet prior on the learned weights, at least 1; keeps them away
        from 0. None is maximum likelihood.
    shift : float
        A constant that is added to every utility before anything else, where their scale has no
        natural zero; the rule that is learned adds it as well. Scores that are on the utilities'
        scale are shifted with them, ``y + shift = M(u + shift)``; with `scale` they are not.
    solver : "newton", "grid", "two_stage", Grid or TwoStage
        Joint second-order steps in all parameters; or the paper's own methods, for comparison,
        with settings of their own if given as an object.
    effort : "low", "auto" or "high"
        How hard "newton" searches where its first starts do not agree: not at all beyond these;
        with more starts, and flocks of them where most have missed the best; or with more of both,
        even where starts agree.
        See :doc:`/solver`; ``result_.search`` says what was seen.
    n_starts : int or "auto"
        How many starts of "newton"; "auto" stops when they agree and goes on when they do not.
    max_iter : int
        Largest number of steps per start of "newton".
    tol : float
        Relative decrease of the loss below which a start of "newton" has converged.
    progress : bool or "auto"
        Whether the slow solvers show a progress bar; "auto" does in a terminal.
    random_state : int, Generator or RandomState, optional
        Seed of the random starts; left out, it is a fixed seed, so that fits can be repeated.
    warm_start : bool
        Whether `fit` also searches from what the learner learned before ("newton" only). The
        starts of a cold fit are made all the same, so that no worse optimum is taken for the
        best: they end early where they run into the one that was known. A solution about other
        people or of another family says nothing, and the fit is a cold one.
    verbose : int
        How much is printed on the way: nothing, how the search ended (1), every start (2).
    keep_data : bool
        Whether a fitted learner takes the decisions along when it is pickled. If not, its
        `result_` keeps all that has been worked out, and :meth:`with_data` gives them back.
    engine : None, int, dask.distributed.Client or str
        Who reads decisions that stay in their files (:meth:`Comparisons.scan`): two threads, so
        many, or the workers of a Dask cluster, by its client or the address of its scheduler.
        Digits are the same.
    resume : str or path, optional
        A file in which the rounds over such decisions are kept as they finish. A fit that finds it
        goes on from there, with the same digits.

    Attributes
    ----------
    p_, weights_, scale_ : float, (d,) array, float
        The estimates; `scale_` is 1 if it was not learned.
    theta_ : dict
        By how much the logarithm of a weight changes with a unit of each attribute; only there
        with weights by attributes.
    welfare_ : WelfareFunction, or the rule of another family
    loss_ : float
        Mean squared error on the data.
    result_ : FitResult
        The full record; ``print(est.result_.summary())``.
    converged_, n_iter_ : bool, int

    Examples
    --------
    >>> import numpy as np
    >>> from welfarist import WelfareFunction
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (50, 3))
    >>> scores = WelfareFunction(0, [0.2, 0.3, 0.5])(utilities)
    >>> est = WelfareRegressor().fit(utilities, scores)
    >>> abs(round(est.p_, 6)), est.weights_.round(6)
    (0.0, array([0.2, 0.3, 0.5]))
    """

    takes = Scores

    def __init__(
        self,
        *,
        family: options.FamilyOption = "power",
        p: float | str | None = None,
        weights: WeightsOption = "learn",
        groups: NumbersOption | None = None,
        scale: bool = False,
        prior: NumbersOption | None = None,
        shift: float = 0.0,
        solver: options.SolverOption = "newton",
        effort: EffortName = "auto",
        n_starts: options.StartsOption = "auto",
        max_iter: int = 200,
        tol: float = 1e-12,
        progress: ProgressOption = "auto",
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        keep_data: bool = False,
        engine: Any = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> None:
        self.family = family
        self.p = p
        self.weights = weights
        self.groups = groups
        self.scale = scale
        self.prior = prior
        self.shift = shift
        self.solver = solver
        self.effort = effort
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.progress = progress
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.keep_data = keep_data
        self.engine = engine
        self.resume = resume

    def fit(self, U: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from scores.

        Parameters
        ----------
        U : Scores, what Scores.scan gives, or (N, d) array-like, data frame or Sketch
            The utilities, one row per action; an index of names is kept. Or :class:`Scores`, which
            hold their values.
        y : (N,) array-like
            The scores.
        sample_weight : (N,) array-like, optional
            How much each score counts.
        """
        options.check_flag(self.scale, "scale")
        if isinstance(U, ScannedScores):
            refuse_beside_files(y, sample_weight)
            U = scores_in_memory(U, self)
        return self.fit_scores(self.read_decisions(U, y, sample_weight))

    def read_decisions(self, X: Any, y: Any = None, sample_weight: Any = None) -> Scores:
        """Return what `fit` takes as scores, and store what scikit-learn expects to find."""
        if isinstance(X, Scores):
            teach_scorers()
            refuse_other_outcomes(X, y, sample_weight)
            self.n_features_in_ = X.people
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
            if X.stakeholders is not None:
                self.feature_names_in_ = np.array(X.stakeholders, dtype=object)
            return X
        if is_source(X):
            return self.read_decisions(Scores.of(X, y, sample_weight))
        table, target = self._checked(X, y, y_numeric=True)
        self._refuse_bad(table)
        counts = as_counts(sample_weight, "sample_weight", len(table))
        scores = Scores.of(
            owned(table, X),
            owned(target, y),
            owned(counts, sample_weight),
            row_names(X),
            self._least(),
            copy=False,
        )
        names = as_names(getattr(self, "feature_names_in_", None))
        return replace(scores, stakeholders=names)

    def fit_scores(self, scores: Scores) -> Self:
        """Learn from scores that were checked before, such as ``result_.decided``."""
        scale = options.check_flag(self.scale, "scale")
        setup = Setup.of(self, scores)
        if isinstance(setup.family, AdditiveFamily | OwnCurvesFamily):
            raise InputError(
                "scores are on a scale, which values of an additive rule are not; found "
                f"{setup.family.called}. Learn it from comparisons or choices."
            )
        seen = scores.shifted(setup.shift, 0.0 if scale else setup.shift, least=setup.family.least)
        refuse_nothing(seen.utilities)
        _refuse_unscalable(scores, scale)
        check_magnitudes(seen, scale)
        loss = loss_of_scores(seen, setup.family, setup.weighting, setup.learn_power, scale)
        self._learn(setup.knowing(loss.has_zeros), scores, loss)
        return self

    def fit_decisions(self, decided: Scores) -> Self:
        """Learn from scores that were checked before; the same as `fit_scores`."""
        return self.fit_scores(decided)

    @staticmethod
    def options_of(observed: Any) -> dict[str, Any]:
        """The options of its own that a fit to scores was made with."""
        return dict(scale=observed.scale)

    def held_out_gain(self, part: Scores) -> float:
        """Minus the sum of squared errors on scores that were not fitted."""
        errors = part.values - self._predicted(part.utilities)
        return -float(part.counts @ np.square(errors))

    def _describe(
        self, setup: Setup, decided: Scores, loss: DecisionLoss, optimum: Optimum
    ) -> Description:
        loss, optimum, sigma = _with_best_guess(loss, optimum)
        observed = cast(ObservedScores, loss.observed)
        here = at_optimum(loss, optimum)
        predicted = cast(ScoreResponse, here.response).predicted.score
        # A large table is not copied without need.
        counted = decided.shifted(setup.shift, least=setup.family.least).utilities
        if not decided.counts.all():
            counted = counted[decided.counts > 0]
        data = observed.scores * observed.size, observed.sample_weight, predicted * observed.size
        enough = counted.shape[1] + 2
        different = len(counted) if is_source(counted) else distinct_up_to(counted, enough)
        value = here.value * observed.size * observed.size
        self.scale_ = _as_scale(loss.noise_at(optimum.point)[0]) if observed.scale else 1.0
        return Description(
            loss=value,
            extras=({SCALE.name: self.scale_} if observed.scale else {}) | sigma,
            caveats=(
                *common_caveats(setup, loss, optimum, different),
                *caveat.score_caveats(counted, *data, observed.scale, setup.family),
            ),
            r_squared=caveat.r_squared(*data),
            parameters=(*observed.parameters, *((SIGMA,) if sigma else ())),
            certifier=None if sigma else certifier_of(loss, value, setup.p),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # arbitrary targets are no power means
        return tags

    def predict(self, U: Any) -> FloatArray:
        """Return the predicted scores (N,) of actions (N, d)."""
        check_is_fitted(self)
        if isinstance(U, Scores):  # which were checked before
            return self._predicted(self._with_people_in_order(U).utilities)
        if has_errors(U) and self.result_.named_stakeholders is not None:
            U = U.in_order(self.result_.named_stakeholders)
        return self._predicted(U if is_source(U) else self._checked(U, reset=False))

    def _predicted(self, table: Any) -> FloatArray:
        """What the rule says the scores (N,) of actions (N, d) are: the mean, if with errors."""
        if has_errors(table):
            return averaged(table, self._predicted)
        rule = self.result_.nameless_welfare
        welfare = rule(table)
        found = self.scale_ * welfare
        few_digits = welfare < _FULL_PRECISION
        if self.result_.family.level.is_ratio and few_digits.any():
            found[few_digits] = np.exp(rule.value(table[few_digits]) + np.log(self.scale_))
        return np.asarray(found - self.result_.score_offset)

    def score(self, U: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of the scores' variance that the rule explains (R squared)."""
        if isinstance(U, Scores):
            refuse_other_outcomes(U, y, sample_weight)
            y, sample_weight = U.values, U.counts
        return float(super().score(U, y, sample_weight))


def _with_best_guess(
    loss: DecisionLoss, optimum: Optimum
) -> tuple[DecisionLoss, Optimum, dict[str, float]]:
    """Return a loss whose predictions can be looked at, its point, and the noise that was learned.

    Of utilities with errors it is that of the best guess; others are as they came.
    """
    if not isinstance(loss, EstimatedLoss):
        return loss, optimum, {}
    point = replace(optimum.point, extras=optimum.point.extras[:-1])
    sigma = float(np.exp(optimum.point.extras[-1]))
    exact = loss.without_errors()
    return exact, replace(optimum, point=point, evaluation=None), {SIGMA.name: sigma}


def _as_scale(log_scale: float) -> float:
    """The scale of a logarithm, which must fit into double precision."""
    if not abs(log_scale) < _LARGEST_LOG:
        raise InputError(
            "the scale of scores beside utilities must be a number; found one of about "
            f"10^{log_scale / np.log(10.0):.0f}. Choose another unit for utilities or for scores."
        )
    return float(np.exp(log_scale))


def _refuse_unscalable(scores: Scores, scale: bool) -> None:
    """A positive scale needs scores that are positive somewhere."""
    if scale and scores.values[scores.counts > 0].max() <= 0:
        raise InputError(
            "scores must be positive somewhere for scale=True, because y = c M(u) with c > 0; "
            f"found none above {scores.values.max():g}. Larger scores must mean better actions: "
            "change their sign or add a constant."
        )
