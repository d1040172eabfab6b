"""Learning from comparisons."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from welfarist.base.data_frames import collected_column, split_names
from welfarist.base.errors import InputError
from welfarist.base.progress import ProgressOption
from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions import Choices, Comparisons
from welfarist.decisions.checked_columns import as_counts
from welfarist.decisions.comparisons import as_comparisons
from welfarist.decisions.impossible import refuse_impossible
from welfarist.decisions.labels import Labels, order_of
from welfarist.decisions.paired_columns import people_of, refuse_layout
from welfarist.decisions.same_people import about
from welfarist.decisions.scaled_apart import scaled_apart
from welfarist.decisions.scanned.comparisons import ScannedComparisons
from welfarist.learners import options
from welfarist.learners.assembly import Description, Setup, record_of
from welfarist.learners.base import WelfareLearner, refuse_nothing
from welfarist.learners.choosing import describe_choices
from welfarist.learners.counted import CountedFit, without_proof
from welfarist.learners.scanned import (
    comparisons_in_memory,
    refuse_beside_files,
    require_likelihood,
    rounds_of,
)
from welfarist.learners.scoring import refuse_other_outcomes, teach_scorers
from welfarist.learners.small_samples import (
    SmallSampleOption,
    check_small_sample,
    minimised,
)
from welfarist.losses import DecisionLoss, loss_of_comparisons
from welfarist.losses.scanned.loss import loss_of_scanned_comparisons
from welfarist.noise.base import TAU, ChoiceNoise
from welfarist.noise.choices import RHO, preference_probability
from welfarist.noise.margins import differences
from welfarist.people.estimated.drawing import averaged
from welfarist.people.source import has_errors
from welfarist.people.weights_option import NumbersOption, WeightsOption
from welfarist.results import caveats as caveat
from welfarist.results.learned import Caveat
from welfarist.solvers.base import Optimum, Solver
from welfarist.solvers.effort import EffortName


class ComparisonClassifier(ClassifierMixin, WelfareLearner):  # type: ignore[misc]
    """Learn a welfare function from comparisons: which of two actions was preferred.

    Parameters
    ----------
    noise : "logistic", "lapse", "none", "flip" or ChoiceNoise
        How the decision maker errs: more often the closer two welfares are (logistic); that, and
        sometimes regardless of the welfares (lapse); never (none); or regardless of the welfares
        with a fixed probability (flip). The last two count errors: the rule with the fewest is
        found exactly, see :class:`Exact`. Or a noise model of your own.
    margin : "auto", "ratio" or "difference"
        What noise acts on: ratios of welfare, so that 10% more is as hard to see whatever there
        is; or differences, so that tau is measured in one over the unit of utility. "auto" is as
        the family has it: ratios for power means. Which of both it is, BIC tells.
    family, p, weights, groups, prior, shift, effort, n_starts, max_iter, tol, progress,
    random_state
        As in :class:`WelfareRegressor`. There is no prior where errors are counted.
    warm_start, verbose, keep_data
        As in :class:`WelfareRegressor`. There is no warm start where errors are counted.
    engine, resume
        As in :class:`WelfareRegressor`: who reads decisions that stay in their files.
    solver : "newton", "grid", "two_stage", Grid, TwoStage, "exact" or Exact
        As in :class:`WelfareRegressor`. Where errors are counted the solver is "exact", whose
        first guess of learned weights "newton" makes.
    tau_max : float
        Largest temperature; where choices are noise-free under some rule, tau ends here.
    small_sample : "auto" or "none"
        Whether the likelihood is penalised where decisions are few (below 50 for each number that
        is learned) or leave hardly any doubt, as choices without noise do. Estimates are then
        finite, and intervals nearly as honest as with many; see :doc:`/explanation/small_samples`.
        Not under a prior, nor with another solver than "newton". "none" maximises the likelihood
        alone.
    rho : float, "error rate" or "cross-validation", optional
        The flip probability of ``noise="flip"``, below 1/2, or how to estimate it: by the share
        of errors of the fitted rule (the default; too small in small samples), or by that of
        held-out decisions. The rule that is learned does not depend on it.

    Attributes
    ----------
    p_, weights_, tau_, rho_ : float, (d,) array, float, float
        The estimates; `rho_` is 0 under logistic noise, `tau_` infinite where errors are counted.
    theta_ : dict
        By how much the logarithm of a weight changes with a unit of each attribute; only there
        with weights by attributes.
    welfare_ : WelfareFunction, or the rule of another family
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

    takes = Comparisons

    def __init__(
        self,
        *,
        noise: options.NoiseOption = "logistic",
        family: options.FamilyOption = "power",
        margin: options.MarginOption = "auto",
        p: float | str | None = None,
        weights: WeightsOption = "learn",
        groups: NumbersOption | None = None,
        prior: NumbersOption | None = None,
        shift: float = 0.0,
        solver: options.SolverOption = "newton",
        tau_max: float = 1e6,
        small_sample: SmallSampleOption = "auto",
        rho: options.RhoOption = None,
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
        self.noise = noise
        self.family = family
        self.margin = margin
        self.p = p
        self.weights = weights
        self.groups = groups
        self.prior = prior
        self.shift = shift
        self.solver = solver
        self.tau_max = tau_max
        self.small_sample = small_sample
        self.rho = rho
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from comparisons.

        Parameters
        ----------
        X : Comparisons, what Comparisons.scan gives, or (n, 2 d) array-like
            The comparisons, or those in files; or the utilities of the first action and then of
            the second, one comparison per row.
        y : (n,) array-like, with an array X
            +1 if the first was preferred, -1 if the second, 0 for a tie; or two labels of your
            own: the larger number, True, "yes", "true", "first", the larger of two ordered
            categories. Of other texts the later in the alphabet is taken to mean that the first
            was preferred, with a warning. Comparisons hold their outcomes; a y beside them must
            be the same.
        sample_weight : (n,) array-like, with an array X
            How often each comparison was observed.
        """
        noise = options.noise_of(self.noise)
        if isinstance(X, ScannedComparisons):
            return self._fit_scanned(X, noise, y, sample_weight)
        comparisons = self.read_decisions(X, y, sample_weight)
        if noise is None:
            setup, seen, rho = self._checked_options(comparisons)
            self._count_errors(setup, comparisons, seen, rho)
            return self
        setup, loss = self.posed(comparisons)
        self._learn(setup, comparisons, loss)
        return self

    def _checked_options(
        self, comparisons: Comparisons
    ) -> tuple[Setup, Comparisons, options.RhoOption]:
        """Check options against comparisons; return these with their shift, and rho."""
        setup = Setup.of(self, comparisons)
        seen = comparisons.shifted(setup.shift, least=setup.family.least)
        refuse_nothing(seen.utilities)
        options.check_positive(self.tau_max, "tau_max")
        rho = options.check_rho(self.rho, self.noise)
        check_small_sample(self.small_sample)
        return setup, seen, rho

    def posed(self, decided: Comparisons) -> tuple[Setup, DecisionLoss]:
        """Return what is known and the loss that is to be minimised, of checked comparisons."""
        noise = options.noise_of(self.noise)
        assert noise is not None
        setup, seen, _ = self._checked_options(decided)
        loss = loss_of_comparisons(
            seen, setup.family, setup.weighting, setup.learn_power, noise, float(self.tau_max)
        )
        setup = setup.knowing(loss.has_zeros)
        if loss.has_zeros and not noise.forgives:
            refuse_impossible(seen, setup.weighting, noise.called)
        return setup, loss

    def _fit_scanned(
        self, decided: ScannedComparisons, noise: ChoiceNoise | None, y: Any, sample_weight: Any
    ) -> Self:
        """Learn from comparisons that stay in their files, if there are too many for memory."""
        setup = Setup.of(self, decided)
        refuse_beside_files(y, sample_weight)
        if len(decided) <= decided.share:  # few enough for whatever is asked
            return self.fit(comparisons_in_memory(decided, rounds_of(self, decided)))
        noise = require_likelihood(self, noise, options.solver_of(self.solver, setup.newton))
        tau_max = options.check_positive(self.tau_max, "tau_max")
        options.check_rho(self.rho, self.noise)
        check_small_sample(self.small_sample)
        seen = decided.shifted(setup.shift, least=setup.family.least)
        refuse_nothing(seen.utilities)
        rounds = rounds_of(self, decided)
        few = comparisons_in_memory(decided, rounds)
        if few is not None:
            return self.fit(few)
        self._note_comparisons(decided)
        loss = loss_of_scanned_comparisons(
            rounds, seen, setup.family, setup.weighting, setup.learn_power, noise, tau_max
        )
        self._learn(setup.knowing(loss.has_zeros), decided, loss)
        return self

    def fit_decisions(self, decided: Comparisons) -> Self:
        """Learn from comparisons that were checked before, such as ``result_.decided``."""
        return self.fit(decided)

    def without_proof(self) -> Self:
        """Return a learner that finds the same kind of rule, and does not prove it best."""
        quick: Self = without_proof(self)
        return quick

    @staticmethod
    def options_of(observed: Any) -> dict[str, Any]:
        """The options of its own that a fit to comparisons was made with."""
        restraint = "none" if observed.restraint is None else "auto"
        return dict(noise=observed.noise.option, tau_max=observed.tau_max, small_sample=restraint)

    def reading_caveats(self) -> list[Caveat]:
        """What must be said of how decisions were read: what labels mean, both actions' scales."""
        return [*caveat.label_caveats(self._labels), *caveat.scaling_caveats(self._apart)]

    def held_out_gain(self, part: Comparisons) -> float:
        """How many comparisons that were not fitted are predicted correctly, ties half."""
        return float(self.score(part) * part.counts.sum())

    def _minimise(
        self, setup: Setup, loss: DecisionLoss, solver: Solver
    ) -> tuple[DecisionLoss, Optimum]:
        """Find the best rule, and charge for certainty where decisions are few or clear."""
        return minimised(setup, loss, solver, self.small_sample)

    def _describe(
        self,
        setup: Setup,
        decided: Comparisons,  # noqa: ARG002 - the loss knows all that is needed
        loss: DecisionLoss,
        optimum: Optimum,
    ) -> Description:
        said = describe_choices(setup, loss, optimum, self.reading_caveats(), self._text_label())
        self.tau_, self.rho_ = said.extras[TAU.name], said.extras.get(RHO.name, 0.0)
        return said

    def _count_errors(
        self, setup: Setup, comparisons: Comparisons, seen: Comparisons, rho: options.RhoOption
    ) -> None:
        """Learn the rule with the fewest errors; `seen` are the comparisons with their shift."""
        fit = CountedFit.of(self, setup, seen)
        found, self.rho_, said = fit.conclude(self.noise, rho, self.reading_caveats())
        self.tau_ = np.inf
        said = replace(said, first_label=self._text_label())
        self._store(record_of(fit.setup, comparisons, found, said))

    def _text_label(self) -> str | None:
        """The label that means that the first was preferred, if it is text."""
        return str(self.first_label_) if isinstance(self.first_label_, str) else None

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
        known = as_comparisons(X)
        if known is not None:
            known = self._with_people_in_order(known)
            table, pairs = known.utilities, known.pairs
        else:
            rows = self._checked(self._in_order(X), reset=False)
            table = np.concatenate(np.split(rows, 2, axis=1))
            pairs = np.arange(len(table)).reshape(2, -1).T
        rule = self.result_.nameless_welfare
        welfare = averaged(table, rule.value) if has_errors(table) else rule.value(table)
        margins = differences(welfare[pairs[:, 0]], welfare[pairs[:, 1]])
        return self._decided(margins, table, pairs) if np.isinf(self.tau_) else self.tau_ * margins

    def _in_order(self, X: Any) -> Any:
        """A table with the people of the fitted comparisons in their order, if columns name them.

        Comparisons know people, not the columns of a table of both actions side by side.
        """
        # A learner of version 0.1.0 knows them from its decisions only.
        known = getattr(self, "_people", getattr(self.result_.decided, "stakeholders", None))
        if known is None or hasattr(self, "feature_names_in_"):
            return X
        values, columns = split_names(X)
        people = None if columns is None or len(columns) != 2 * len(known) else people_of(columns)
        if people is None or sorted(people) != sorted(known):
            return X
        place = {name: i for i, name in enumerate(people)}
        order = [place[name] for name in known]
        return values[:, [*order, *(len(known) + i for i in order)]]

    def _decided(
        self, margins: FloatArray, table: FloatArray, pairs: npt.NDArray[np.intp]
    ) -> FloatArray:
        """Margins (n,) whose signs rounding has not made: where errors are counted, they are all.

        A tie is 0; a difference that rounding had lost or turned is the smallest there is.
        """
        rule = self.welfare_
        table = table + rule.shift
        if rule.p <= 0 and (table == 0).any():
            return margins
        loss = ZeroOneLoss.between(table, pairs[:, 0], pairs[:, 1], self.weights_)
        signs = loss.signs(self.weights_, rule.p)
        least = np.finfo(np.float64).tiny
        return np.where(np.sign(margins) == signs, margins, signs * least)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities (n, 2) of the labels in `classes_`.

        Of utilities with errors they are means over what utilities could be.
        """
        known = as_comparisons(X)
        if known is None or not has_errors(known.utilities):
            return self._chances(self.decision_function(X))
        check_is_fitted(self)
        known = self._with_people_in_order(known)
        names = known.stakeholders
        return averaged(
            known.utilities,
            lambda table: self._chances(self.decision_function(about(known, table, names))),
        )

    def _chances(self, margins: FloatArray) -> FloatArray:
        """The probabilities (n, 2) of the labels where margins (n,) favour the second."""
        noise = self.result_.noise
        # Each for itself: one less the other would lose the digits of a small one.
        if noise is None:  # the better action, however small the difference
            margins = np.where(margins == 0, 0.0, np.copysign(np.inf, margins))
            both = [preference_probability(z, self.rho_) for z in (-margins, margins)]
        else:
            own = np.array([self.result_.extras[parameter.name] for parameter in noise.own])
            both = [noise.probability(z, own) for z in (-margins, margins)]
        return np.column_stack(both)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of comparisons predicted correctly; a tie is half right."""
        known = as_comparisons(X)
        if known is not None:
            refuse_other_outcomes(known, y, sample_weight)
            outcomes, sample_weight = known.outcomes, known.counts
        else:
            check_is_fitted(self)
            y = collected_column(y)
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
        known = as_comparisons(X)
        if known is not None:
            refuse_other_outcomes(known, y, sample_weight)
            self._note_comparisons(known)
            return known
        if isinstance(X, Choices):
            raise InputError(
                "a ComparisonClassifier needs decisions between two actions; found Choices from "
                "menus. Fit them with a ChoiceLearner."
            )
        y = collected_column(y)
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
            least=self._least(),
        )
        made.stakeholders = names
        self._people = names
        self._look_at_scales(made)
        return made

    def _note_comparisons(self, known: Comparisons | ScannedComparisons) -> None:
        """Store what scikit-learn expects to find."""
        teach_scorers()
        self._keep(Labels(np.array([-1, 1])))
        self.n_features_in_ = 2 * known.people
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        self._people = known.stakeholders
        self._look_at_scales(known)

    def _look_at_scales(self, decided: Any) -> None:
        """Note whether both actions seem to be scaled each by itself; a common table is not."""
        apart = None
        if not decided.numbered:
            apart = scaled_apart(decided.utilities, decided.pairs, decided.stakeholders)
        self._apart = apart

    def _keep(self, labels: Labels) -> None:
        self._labels = labels
        self.classes_ = labels.classes
        self.first_label_ = labels.first_label
