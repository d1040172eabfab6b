"""The scikit-learn estimators: validate, call the solver, store what was learned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from welfarist import caveats as caveat
from welfarist import options
from welfarist.decisions import Comparisons, Scores, as_counts, distinct_up_to
from welfarist.errors import InputError
from welfarist.fit import Caveat, FitResult, named_people
from welfarist.losses import ComparisonLoss, Point, ScoreLoss
from welfarist.losses.prior import with_prior
from welfarist.noise import preference_probability
from welfarist.progress import Progress, ProgressOption
from welfarist.solvers.base import Optimum
from welfarist.validation import FloatArray, utilities_error
from welfarist.weighting import Weighting
from welfarist.welfare import WelfareFunction

# Above this accuracy nobody need ask whether the outcomes mean the opposite.
_DOUBTFUL = 0.75


class _WelfareLearner(BaseEstimator):  # type: ignore[misc]
    """What both learners share: how options reach the solver and results the attributes."""

    def _minimise(self, loss: Any, observations: float, has_zeros: bool) -> Optimum:
        solver = options.solver_of(self.solver, self.n_starts, self.max_iter, self.tol)
        concentration = options.concentration_of(self.prior, loss.weighting)
        penalised = with_prior(loss, concentration, observations)
        solver.check(penalised)
        return solver.minimise(
            penalised,
            options.generator_of(self.random_state),
            p=options.power_of_option(self.p, has_zeros),
            observations=observations,
            progress=Progress(self.progress),
        )

    def _common_caveats(
        self,
        loss: Any,
        optimum: Optimum,
        names: tuple[str, ...],
        decisions: int,
        accuracy: float | None = None,
    ) -> list[Caveat]:
        """What may have to be said of scores and of comparisons, which have an accuracy."""
        learned, has_prior = self.p is None, self.prior is not None
        identified = caveat.identification_caveats(
            loss.utilities.logs, loss.weighting, learned, optimum, names, accuracy is not None
        )
        counted = caveat.count_caveats(
            decisions, loss.weighting, learned, loss.extra_names, has_prior
        )
        return [
            *caveat.convergence_caveats(optimum),
            *caveat.power_caveats(optimum, learned, loss.has_zeros, accuracy == 1.0, has_prior),
            *identified,
            *counted,
        ]

    def _common_record(self, optimum: Optimum) -> dict[str, Any]:
        """The fields of a result that scores and comparisons fill in alike."""
        given = ("p", "weights")
        known = (self.p is not None, not isinstance(self.weights, str) or self.weights != "learn")
        nothing = optimum.reason == "nothing to learn"
        return dict(
            p=optimum.point.p,
            weights=optimum.weights,
            converged=optimum.converged,
            reason="everything was given" if nothing else optimum.reason,
            n_iter=optimum.n_iter,
            start_values=optimum.start_values,
            agreeing=optimum.agreeing,
            given=tuple(name for name, is_known in zip(given, known, strict=True) if is_known),
            weight_notes=options.weight_notes(self.weights, self.groups, len(optimum.weights)),
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
        given = {} if y is None and checks.get("reset") is False else {"y": y}
        return validate_data(self, X, dtype=np.float64, ensure_all_finite=False, **given, **checks)

    def _refuse_negative(self, table: FloatArray) -> None:
        """Name the entry, after the words that scikit-learn's users search for."""
        if (table < 0).any():
            raise InputError(
                f"Negative values in data passed to {type(self).__name__}: {utilities_error(table)}"
            )


class WelfareRegressor(RegressorMixin, _WelfareLearner):  # type: ignore[misc]
    """Learn a welfare function from scores: y = M(u; w, p), by least squares.

    Parameters
    ----------
    p : float, optional
        The power, in [-inf, inf]; learned if left out.
    weights : "learn", "equal" or (d,) array-like
        Learn the weights, give everybody the same, or take them as known.
    groups : (d,) array-like, optional
        A group label per person; weights are then learned per group and shared equally inside.
    scale : bool
        Whether scores are on another scale than utilities: y = c M(u), with c > 0 learned.
    prior : float or array-like, optional
        Concentration of a Dirichlet prior on the learned weights, at least 1; keeps them away
        from 0. None is maximum likelihood.
    solver : "newton", "grid", "two_stage", Grid or TwoStage
        Joint second-order steps in all parameters; or the paper's own methods, for comparison,
        with settings of their own if given as an object.
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

    Attributes
    ----------
    p_, weights_, scale_ : float, (d,) array, float
        The estimates; `scale_` is 1 if it was not learned.
    welfare_ : WelfareFunction
    loss_ : float
        Mean squared error on the data.
    result_ : FitResult
        The full record; ``print(est.result_.summary())``.
    converged_, n_iter_ : bool, int

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (50, 3))
    >>> scores = WelfareFunction(0, [0.2, 0.3, 0.5])(utilities)
    >>> est = WelfareRegressor().fit(utilities, scores)
    >>> abs(round(est.p_, 6)), est.weights_.round(6)
    (0.0, array([0.2, 0.3, 0.5]))
    """

    def __init__(
        self,
        *,
        p: float | None = None,
        weights: options.WeightsOption = "learn",
        groups: npt.ArrayLike | None = None,
        scale: bool = False,
        prior: npt.ArrayLike | None = None,
        solver: options.SolverOption = "newton",
        n_starts: options.StartsOption = "auto",
        max_iter: int = 200,
        tol: float = 1e-12,
        progress: ProgressOption = "auto",
        random_state: Any = None,
    ) -> None:
        self.p = p
        self.weights = weights
        self.groups = groups
        self.scale = scale
        self.prior = prior
        self.solver = solver
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.progress = progress
        self.random_state = random_state

    def fit(self, U: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from utilities (N, d) and scores (N,), weighted by `sample_weight` (N,)."""
        scale = options.check_flag(self.scale, "scale")
        table, target = self._checked(U, y, y_numeric=True)
        self._refuse_negative(table)
        scores = Scores.of(table, target, sample_weight)
        _refuse_unscalable(scores, scale)
        people = table.shape[1]
        names = getattr(self, "feature_names_in_", None)
        weighting = options.weighting_of(self.weights, self.groups, people)
        loss = ScoreLoss.of(scores, weighting, self.p is None, scale)
        optimum = self._minimise(loss, float(scores.counts.sum()), loss.has_zeros)
        self._conclude(scores, loss, optimum, named_people(names, people))
        return self

    def _conclude(
        self, scores: Scores, loss: ScoreLoss, optimum: Optimum, names: tuple[str, ...]
    ) -> None:
        evaluation = _known(loss, optimum)
        counted = scores.utilities[scores.counts > 0]
        data = loss.scores, loss.sample_weight, evaluation.welfare
        found = [
            *self._common_caveats(loss, optimum, names, distinct_up_to(counted, len(names) + 2)),
            *caveat.score_caveats(counted, *data, loss.scale),
        ]
        self.scale_ = float(np.exp(optimum.point.extras[0])) if loss.scale else 1.0
        self._store(
            FitResult(
                stakeholders=names,
                tau=None,
                rho=None,
                scale=self.scale_ if loss.scale else None,
                loss=evaluation.value,
                decisions=float(scores.counts.sum()),
                accuracy=None,
                r_squared=caveat.r_squared(*data),
                caveats=tuple(found),
                **self._common_record(optimum),
            )
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # arbitrary targets are no power means
        return tags

    def predict(self, U: Any) -> FloatArray:
        """Return the predicted scores (N,) of actions (N, d)."""
        check_is_fitted(self)
        table = self._checked(U, reset=False)
        return np.asarray(self.scale_ * _rule(self.welfare_)(table))


class ComparisonClassifier(ClassifierMixin, _WelfareLearner):  # type: ignore[misc]
    """Learn a welfare function from comparisons: which of two actions was preferred.

    Parameters
    ----------
    noise : "logistic" or "lapse"
        How the decision maker errs: more often the closer two welfares are (logistic), or that
        and sometimes regardless of the welfares (lapse).
    p, weights, groups, prior, solver, n_starts, max_iter, tol, progress, random_state
        As in :class:`WelfareRegressor`.
    tau_max : float
        Largest temperature; where choices are noise-free under some rule, tau ends here.
    rho : float, optional
        Reserved for the known flip probability of ``noise="flip"``.

    Attributes
    ----------
    p_, weights_, tau_, rho_ : float, (d,) array, float, float
        The estimates; `rho_` is 0 under logistic noise.
    welfare_ : WelfareFunction
    loss_ : float
        Mean negative log likelihood on the data.
    classes_ : (2,) array
        The label of "the second was preferred" and that of "the first was preferred".
    result_ : FitResult
        The full record; ``print(est.result_.summary())``.
    converged_, n_iter_ : bool, int

    Notes
    -----
    ``P(first preferred) = rho + (1 - 2 rho) sigmoid(tau (log M(first) - log M(second)))``, with
    rho = 0 under logistic noise [PSPS24, Sec. 5]. A tie counts as half of each outcome.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (60, 2))
    >>> pairs = rng.permuted(np.tile(np.arange(60), (900, 1)), axis=1)[:, :2]
    >>> truth = WelfareFunction(-1, [0.7, 0.3])
    >>> margin = 20 * (truth.log(utilities[pairs[:, 0]]) - truth.log(utilities[pairs[:, 1]]))
    >>> outcomes = np.where(rng.random(900) < 1 / (1 + np.exp(-margin)), 1, -1)
    >>> est = ComparisonClassifier().fit(Comparisons(utilities, pairs, outcomes))
    >>> bool(abs(est.p_ - -1) < 0.2), est.weights_.round(1)
    (True, array([0.7, 0.3]))
    """

    def __init__(
        self,
        *,
        noise: str = "logistic",
        p: float | None = None,
        weights: options.WeightsOption = "learn",
        groups: npt.ArrayLike | None = None,
        prior: npt.ArrayLike | None = None,
        solver: options.SolverOption = "newton",
        tau_max: float = 1e6,
        rho: float | None = None,
        n_starts: options.StartsOption = "auto",
        max_iter: int = 200,
        tol: float = 1e-12,
        progress: ProgressOption = "auto",
        random_state: Any = None,
    ) -> None:
        self.noise = noise
        self.p = p
        self.weights = weights
        self.groups = groups
        self.prior = prior
        self.solver = solver
        self.tau_max = tau_max
        self.rho = rho
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.progress = progress
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from comparisons.

        Parameters
        ----------
        X : Comparisons, or (n, 2 d) array-like
            The comparisons; or the utilities of the first action and then of the second, one
            comparison per row.
        y : (n,) array-like, with an array X
            +1 if the first was preferred, -1 if the second, 0 for a tie; or two labels of your
            own, of which the larger (1, True, "yes") means that the first was preferred.
        sample_weight : (n,) array-like, with an array X
            How often each comparison was observed.
        """
        noise = options.check_noise(self.noise)
        comparisons = self._take_over(X, y, sample_weight)
        names = named_people(comparisons.stakeholders, comparisons.people)
        weighting = options.weighting_of(self.weights, self.groups, comparisons.people)
        tau_max = options.check_positive(self.tau_max, "tau_max")
        options.check_rho(self.rho, noise)
        pairs = comparisons.merged
        loss = ComparisonLoss.of(
            comparisons.utilities, pairs, weighting, self.p is None, noise == "lapse", tau_max
        )
        optimum = self._minimise(loss, pairs.total, loss.has_zeros)
        self._conclude(loss, optimum, names)
        return self

    def _conclude(self, loss: ComparisonLoss, optimum: Optimum, names: tuple[str, ...]) -> None:
        extras = optimum.point.extras
        self.tau_ = float(np.exp(extras[0]))
        self.rho_ = float(extras[1]) if loss.lapse else 0.0
        evaluation = _known(loss, optimum)
        value = evaluation.value
        if value <= loss.resolution:  # certain already: any larger tau is as good
            self.tau_ = float(loss.tau_max)
        accuracy = _accuracy(loss, evaluation.margins)
        plain = _plain_accuracy(loss, optimum) if accuracy < _DOUBTFUL else 1.0
        found = [
            *self._common_caveats(loss, optimum, names, loss.decisions, accuracy),
            *caveat.noise_caveats(self.tau_, loss.tau_max, value, accuracy, plain),
        ]
        self._store(
            FitResult(
                stakeholders=names,
                tau=self.tau_,
                rho=self.rho_ if loss.lapse else None,
                scale=None,
                loss=value,
                decisions=loss.total,
                accuracy=accuracy,
                r_squared=None,
                caveats=tuple(found),
                **self._common_record(optimum),
            )
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # arbitrary targets follow no welfare function
        return tags

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label (n,) of the preferred action for each comparison."""
        first = self.decision_function(X) >= 0
        return np.asarray(self.classes_[first.astype(int)])

    def decision_function(self, X: Any) -> FloatArray:
        """Return tau times the difference in log welfare (n,); positive favours the first."""
        check_is_fitted(self)
        if isinstance(X, Comparisons):
            welfare = _rule(self.welfare_).log(X.utilities)
            first, second = welfare[X.pairs[:, 0]], welfare[X.pairs[:, 1]]
        else:
            table = self._checked(X, reset=False)
            people = table.shape[1] // 2
            rule = _rule(self.welfare_)
            first, second = rule.log(table[:, :people]), rule.log(table[:, people:])
        with np.errstate(invalid="ignore"):
            margins = self.tau_ * (first - second)
        return np.where(np.isnan(margins), 0.0, margins)  # nothing against nothing: a tie

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities (n, 2) that the second and that the first is preferred."""
        probability = preference_probability(self.decision_function(X), self.rho_)
        return np.column_stack([1.0 - probability, probability])

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of comparisons predicted correctly; a tie is half right."""
        if isinstance(X, Comparisons):
            outcomes, sample_weight = X.outcomes, X.counts
        else:
            outcomes = self._outcomes(np.asarray(y))
        predicted = np.where(self.decision_function(X) >= 0, 1, -1)
        return float(np.average((1 + predicted * outcomes) / 2, weights=sample_weight))

    def _take_over(self, X: Any, y: Any, sample_weight: Any) -> Comparisons:
        """Return the comparisons, and store what scikit-learn expects to find."""
        if isinstance(X, Comparisons):
            if y is not None or sample_weight is not None:
                raise InputError(
                    "Comparisons hold their outcomes and counts; found y or sample_weight as well. "
                    "Pass the comparisons alone."
                )
            self.classes_ = np.array([-1, 1])
            self.n_features_in_ = 2 * X.people
            return X
        table, target = self._checked(X, y)
        self.classes_ = _two_labels(target)
        self._refuse_negative(table)
        if table.shape[1] % 2:
            raise InputError(
                "X must hold the utilities of the first action and then those of the second, an "
                f"even number of columns; found {table.shape[1]} feature(s)."
            )
        people = table.shape[1] // 2
        made = Comparisons.from_arrays(
            table[:, :people],
            table[:, people:],
            self._outcomes(target),
            counts=as_counts(sample_weight, "sample_weight", len(table)),
        )
        made.stakeholders = _stems(getattr(self, "feature_names_in_", None))
        return made

    def _outcomes(self, y: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
        """Return +1, -1 and 0 for labels as the user gave them."""
        outcomes = np.where(y == self.classes_[1], 1, np.where(y == self.classes_[0], -1, 0))
        unknown = (outcomes == 0) & ~(y == 0) if y.dtype.kind in "iuf" else outcomes == 0
        if unknown.any():
            raise InputError(
                f"y must hold {self.classes_[0]!r} and {self.classes_[1]!r} (or 0 for a tie); "
                f"found {y[unknown][0]!r} at row {int(np.argmax(unknown))}."
            )
        return outcomes.astype(np.int8)


def _two_labels(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the labels of "second preferred" and "first preferred"."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError("y must hold outcomes for every row; found NaN or infinite ones.")
    labels = np.unique(y)
    if y.dtype.kind in "iuf" and set(labels.tolist()) <= {-1, 0, 1} and -1 in labels:
        return np.array([-1, 1], dtype=y.dtype)
    if y.dtype.kind == "f" and not (y == np.floor(y)).all():
        raise InputError("Unknown label type: y must hold outcomes; found continuous numbers.")
    if len(labels) > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is multiclass: y must "
            f"be +1, -1 or 0, or hold two labels; found {len(labels)} different ones."
        )
    if len(labels) == 1:
        if y.dtype.kind in "iuf" and labels[0] == 1:
            return np.array([-1, 1], dtype=y.dtype)
        raise InputError(
            f"y must tell which action was preferred; found only one class, {labels[0]!r}, whose "
            "meaning is unclear. Use +1 and -1."
        )
    return labels


def _stems(names: Any) -> tuple[str, ...] | None:
    """Stakeholders from column names such as self_x, other_x, self_y, other_y."""
    if names is None:
        return None
    half = len(names) // 2
    first, second = [str(n) for n in names[:half]], [str(n) for n in names[half:]]
    for length in range(min(map(len, first)) - 1, 0, -1):
        endings = {n[-length:] for n in first}, {n[-length:] for n in second}
        stems = [n[:-length].rstrip("_. -") for n in first]
        if len(endings[0]) == len(endings[1]) == 1 and stems == [
            n[:-length].rstrip("_. -") for n in second
        ]:
            return tuple(stems) if all(stems) and len(set(stems)) == half else tuple(first)
    return tuple(first)


def _accuracy(loss: ComparisonLoss, margins: FloatArray) -> float:
    """Share of comparisons on the right side of the rule; a tie is half right."""
    pairs = loss.graph.pairs
    ahead = np.where(margins >= 0, pairs.lead, -pairs.lead).sum()
    return float(0.5 + 0.5 * ahead / loss.total)


def _plain_accuracy(loss: ComparisonLoss, optimum: Optimum) -> float:
    """The accuracy of adding up everybody's utility."""
    people = len(optimum.weights)
    equal = Weighting(people, fixed=np.full(people, 1.0 / people))
    point = Point(np.empty(0), 1.0, optimum.point.extras)
    return _accuracy(loss, replace(loss, weighting=equal).evaluate(point).margins)


def _refuse_unscalable(scores: Scores, scale: bool) -> None:
    """A positive scale needs scores that are positive somewhere."""
    if scale and scores.values[scores.counts > 0].max() <= 0:
        raise InputError(
            "scores must be positive somewhere for scale=True, because y = c M(u) with c > 0; "
            f"found none above {scores.values.max():g}. Larger scores must mean better actions: "
            "change their sign or add a constant."
        )


def _known(loss: Any, optimum: Optimum) -> Any:
    """The loss of the data at the optimum, without the prior."""
    fixed = Weighting(len(optimum.weights), fixed=optimum.weights)
    point = Point(np.empty(0), optimum.point.p, optimum.point.extras)
    return replace(loss, weighting=fixed).evaluate(point)


def _rule(welfare: WelfareFunction) -> WelfareFunction:
    """The rule without names: scikit-learn has checked the columns already."""
    return WelfareFunction(welfare.p, welfare.weights)
