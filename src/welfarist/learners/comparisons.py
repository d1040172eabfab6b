"""Learning from comparisons."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from welfarist import caveats as caveat
from welfarist import options
from welfarist.columns import as_counts
from welfarist.decisions import Comparisons
from welfarist.errors import InputError
from welfarist.fit import FitResult
from welfarist.labels import Labels, order_of
from welfarist.layouts import people_of, refuse_layout
from welfarist.learners.base import (
    WelfareLearner,
    at_optimum,
    certifier_of,
    refuse_nothing,
    without_names,
)
from welfarist.learners.exact import ExactFit
from welfarist.losses import ComparisonLoss, Point, ZeroOneLoss
from welfarist.noise import NoiseName, preference_probability
from welfarist.progress import ProgressOption
from welfarist.solvers.base import Optimum
from welfarist.tables import split_names
from welfarist.validation import FloatArray
from welfarist.weighting import Weighting

# Above this accuracy nobody need ask whether the outcomes mean the opposite.
_DOUBTFUL = 0.75


class ComparisonClassifier(ClassifierMixin, WelfareLearner):  # type: ignore[misc]
    """Learn a welfare function from comparisons: which of two actions was preferred.

    Parameters
    ----------
    noise : "logistic", "lapse", "none" or "flip"
        How the decision maker errs: more often the closer two welfares are (logistic); that, and
        sometimes regardless of the welfares (lapse); never (none); or regardless of the welfares
        with a fixed probability (flip). The last two count errors: the rule with the fewest is
        found exactly, see :class:`Exact`.
    p, weights, groups, prior, n_starts, max_iter, tol, progress, random_state
        As in :class:`WelfareRegressor`. There is no prior where errors are counted.
    solver : "newton", "grid", "two_stage", Grid, TwoStage, "exact" or Exact
        As in :class:`WelfareRegressor`. Where errors are counted the solver is "exact", whose
        first guess of learned weights "newton" makes.
    tau_max : float
        Largest temperature; where choices are noise-free under some rule, tau ends here.
    rho : float, "error rate" or "cross-validation", optional
        The flip probability of ``noise="flip"``, below 1/2, or how to estimate it: by the share
        of errors of the fitted rule (the default; too small in small samples), or by that of
        held-out decisions. The rule that is learned does not depend on it.

    Attributes
    ----------
    p_, weights_, tau_, rho_ : float, (d,) array, float, float
        The estimates; `rho_` is 0 under logistic noise, `tau_` infinite where errors are counted.
    welfare_ : WelfareFunction
    loss_ : float
        Mean negative log likelihood on the data; the share of wrong decisions where errors are
        counted.
    classes_ : (2,) array
        Both labels, in their own order.
    first_label_ : label
        The one that means that the first was preferred.
    result_ : FitResult
        The full record; ``print(est.result_.summary())``.
    converged_, n_iter_ : bool, int

    Notes
    -----
    ``P(first preferred) = rho + (1 - 2 rho) sigmoid(tau (log M(first) - log M(second)))``, with
    rho = 0 under logistic noise [PSPS24, Sec. 5]. A tie counts as half of each outcome.

    Under flips the paper minimises the corrected loss
    ``((1 - rho) l(t, y) - rho l(t, -y)) / (1 - 2 rho)``, whose expectation is the 0-1 loss l
    without flips. Since ``l(t, -y) = 1 - l(t, y)`` it equals ``(l - rho) / (1 - 2 rho)``: it rises
    with l, so that the same rule minimises both, whatever rho is. Only the reported risk differs;
    ``result_.exact.corrected_loss`` has the corrected one beside the raw `loss_`.

    Examples
    --------
    >>> import numpy as np
    >>> from welfarist import WelfareFunction
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
        p: float | str | None = None,
        weights: options.WeightsOption = "learn",
        groups: options.NumbersOption | None = None,
        prior: options.NumbersOption | None = None,
        solver: options.SolverOption = "newton",
        tau_max: float = 1e6,
        rho: options.RhoOption = None,
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
            own: the larger number, True, "yes", "true", "first", the larger of two ordered
            categories. Of other texts the later in the alphabet is taken to mean that the first
            was preferred, with a warning.
        sample_weight : (n,) array-like, with an array X
            How often each comparison was observed.
        """
        noise = options.check_noise(self.noise)
        comparisons = self.read_decisions(X, y, sample_weight)
        refuse_nothing(comparisons.utilities)
        names = comparisons.stakeholders
        weighting = options.weighting_of(self.weights, self.groups, comparisons.people, names)
        tau_max = options.check_positive(self.tau_max, "tau_max")
        rho = options.check_rho(self.rho, noise)
        if noise in ("none", "flip"):
            self._fit_exactly(comparisons, weighting, noise, rho)
            return self
        pairs = comparisons.merged
        loss = ComparisonLoss.of(
            comparisons.utilities, pairs, weighting, self.p is None, noise == "lapse", tau_max
        )
        optimum = self._minimise(loss, pairs.total, names)
        self._conclude(comparisons, loss, optimum)
        return self

    def _conclude(self, comparisons: Comparisons, loss: ComparisonLoss, optimum: Optimum) -> None:
        names = comparisons.stakeholders
        extras = optimum.point.extras
        self.tau_ = float(np.exp(extras[0]))
        self.rho_ = float(extras[1]) if loss.lapse else 0.0
        evaluation = at_optimum(loss, optimum)
        value = evaluation.value
        if value <= loss.resolution:  # certain already: any larger tau is as good
            self.tau_ = float(loss.tau_max)
        accuracy = _accuracy(loss, evaluation.margins)
        plain = _plain_accuracy(loss, optimum) if accuracy < _DOUBTFUL else 1.0
        found = [
            *self._common_caveats(loss, optimum, names, loss.decisions, accuracy),
            *caveat.label_caveats(self._labels),
            *caveat.noise_caveats(self.tau_, loss.tau_max, value, accuracy, plain),
        ]
        self._store(
            FitResult(
                tau=self.tau_,
                rho=self.rho_ if loss.lapse else None,
                scale=None,
                loss=value,
                decisions=loss.total,
                accuracy=accuracy,
                r_squared=None,
                caveats=tuple(found),
                first_label=str(self.first_label_) if isinstance(self.first_label_, str) else None,
                certifier=certifier_of(
                    loss, value, options.power_of_option(self.p, loss.has_zeros)
                ),
                fitted=self._fitted(loss, optimum, names, loss.total, comparisons),
                decided=comparisons,
                **self._common_record(optimum, names),
            )
        )

    def _fit_exactly(
        self,
        comparisons: Comparisons,
        weighting: Weighting,
        noise: NoiseName,
        rho: options.RhoOption,
    ) -> None:
        has_zeros = bool((comparisons.utilities == 0).any())
        fit = ExactFit(
            comparisons,
            weighting,
            options.power_of_option(self.p, has_zeros),
            options.exact_of(self.solver, noise, self.prior),
            options.newton_of(self.n_starts, self.max_iter, self.tol),
        )
        rng = options.generator_of(self.random_state)
        found = fit.solve(rng)
        self.tau_ = np.inf
        self.rho_ = fit.flip_rate(rho, found, rng) if noise == "flip" else 0.0
        names = comparisons.stakeholders
        self._store(
            FitResult(
                tau=None,
                rho=self.rho_ if noise == "flip" else None,
                scale=None,
                loss=found.value,
                decisions=comparisons.merged.total,
                accuracy=1.0 - found.value,
                r_squared=None,
                caveats=(
                    *fit.caveats(found, names, errs=noise == "flip"),
                    *caveat.label_caveats(self._labels),
                ),
                first_label=str(self.first_label_) if isinstance(self.first_label_, str) else None,
                exact=fit.record(
                    found,
                    self.rho_ if noise == "flip" else None,
                    rho is not None and rho != "error rate",
                ),
                certifier=partial(replace, found.certificate),
                decided=comparisons,
                **self._common_record(fit.as_optimum(found), names),
            )
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # arbitrary targets follow no welfare function
        return tags

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label (n,) of the preferred action for each comparison."""
        first = self._margins(X) >= 0
        labels = self._labels
        return np.asarray(labels.classes[np.where(first, labels.first, 1 - labels.first)])

    def decision_function(self, X: Any) -> FloatArray:
        """Return tau times the difference in log welfare (n,); positive favours `classes_[1]`.

        Where errors are counted there is no tau, and it is the difference itself.
        """
        margins = self._margins(X)
        return margins if self._labels.first else -margins

    def _margins(self, X: Any) -> FloatArray:
        """Return tau times the difference in log welfare (n,); positive favours the first."""
        check_is_fitted(self)
        if isinstance(X, Comparisons):
            table, pairs = X.utilities, X.pairs
        else:
            rows = self._checked(self._in_order(X), reset=False)
            table = np.concatenate(np.split(rows, 2, axis=1))
            pairs = np.arange(len(table)).reshape(2, -1).T
        welfare = without_names(self.welfare_).log(table)
        with np.errstate(invalid="ignore"):
            margins = welfare[pairs[:, 0]] - welfare[pairs[:, 1]]
        margins = np.where(np.isnan(margins), 0.0, margins)  # nothing against nothing: a tie
        return self._decided(margins, table, pairs) if np.isinf(self.tau_) else self.tau_ * margins

    def _in_order(self, X: Any) -> Any:
        """A table with the people of the fitted comparisons in their order, if columns name them.

        Comparisons know people, not the columns of a table of both actions side by side.
        """
        decided = self.result_.decided
        known = None if decided is None else decided.stakeholders
        if known is None or hasattr(self, "feature_names_in_"):
            return X
        values, columns = split_names(X)
        people = None if columns is None or len(columns) != 2 * len(known) else people_of(columns)
        if people is None or sorted(people) != sorted(known):
            return X
        order = [people.index(name) for name in known]
        return values[:, [*order, *(len(known) + i for i in order)]]

    def _decided(
        self, margins: FloatArray, table: FloatArray, pairs: npt.NDArray[np.intp]
    ) -> FloatArray:
        """Margins (n,) whose signs rounding has not made: where errors are counted, they are all.

        A tie is 0; a difference that rounding had lost or turned is the smallest there is.
        """
        rule = self.welfare_
        if rule.p <= 0 and (table == 0).any():
            return margins
        loss = ZeroOneLoss.between(table, pairs[:, 0], pairs[:, 1], self.weights_)
        signs = loss.signs(self.weights_, rule.p)
        least = np.finfo(np.float64).tiny
        return np.where(np.sign(margins) == signs, margins, signs * least)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities (n, 2) of the labels in `classes_`."""
        margins = self.decision_function(X)
        if np.isinf(self.tau_):  # the better action, however small the difference
            margins = np.where(margins == 0, 0.0, np.copysign(np.inf, margins))
        probability = preference_probability(margins, self.rho_)
        return np.column_stack([1.0 - probability, probability])

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of comparisons predicted correctly; a tie is half right."""
        if isinstance(X, Comparisons):
            outcomes, sample_weight = X.outcomes, X.counts
        else:
            check_is_fitted(self)
            refuse_layout(X, y)
            outcomes = self._labels.outcomes(np.asarray(y))
        predicted = np.sign(self._margins(X))
        if outcomes.shape != predicted.shape:
            raise InputError(
                f"y must have one entry per row of X, {len(predicted)} in all; found shape "
                f"{outcomes.shape}."
            )
        return float(np.average((1 + predicted * outcomes) / 2, weights=sample_weight))

    def read_decisions(self, X: Any, y: Any = None, sample_weight: Any = None) -> Comparisons:
        """Return what `fit` takes as comparisons, and store what scikit-learn expects to find."""
        if isinstance(X, Comparisons):
            if y is not None or sample_weight is not None:
                raise InputError(
                    "Comparisons hold their outcomes and counts; found y or sample_weight as well. "
                    "Pass the comparisons alone."
                )
            self._keep(Labels(np.array([-1, 1])))
            self.n_features_in_ = 2 * X.people
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
            return X
        refuse_layout(X, y)
        table, target = self._checked(X, y)
        self._keep(Labels.of(target, order_of(y)))
        self._refuse_bad(table)
        if table.shape[1] % 2:
            raise InputError(
                "X must hold the utilities of the first action and then those of the second, an "
                f"even number of columns; found {table.shape[1]} feature(s)."
            )
        people = table.shape[1] // 2
        names = people_of(getattr(self, "feature_names_in_", None))
        made = Comparisons.from_arrays(
            table[:, :people],
            table[:, people:],
            self._labels.outcomes(target),
            counts=as_counts(sample_weight, "sample_weight", len(table)),
        )
        made.stakeholders = names
        return made

    def _keep(self, labels: Labels) -> None:
        self._labels = labels
        self.classes_ = labels.classes
        self.first_label_ = labels.first_label


def _accuracy(loss: ComparisonLoss, margins: FloatArray) -> float:
    """Share of comparisons on the right side of the rule; a tie on either side is half right."""
    return float(0.5 + 0.5 * (np.sign(margins) @ loss.graph.pairs.lead) / loss.total)


def _plain_accuracy(loss: ComparisonLoss, optimum: Optimum) -> float:
    """The accuracy of adding up everybody's utility."""
    people = len(optimum.weights)
    equal = Weighting(people, fixed=np.full(people, 1.0 / people))
    point = Point(np.empty(0), 1.0, optimum.point.extras)
    return _accuracy(loss, replace(loss, weighting=equal).evaluate(point).margins)
