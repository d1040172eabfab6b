"""Learning from choices from menus, rankings, and best and worst."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from welfarist.base.errors import InputError
from welfarist.base.progress import ProgressOption
from welfarist.base.validation import FloatArray
from welfarist.decisions import Choices
from welfarist.decisions.choices import as_choices
from welfarist.decisions.impossible import refuse_impossible_choices
from welfarist.decisions.scanned.choices import ScannedChoices
from welfarist.decisions.scanned.decisions import is_scanned
from welfarist.inference.stages import seem_alike, stages_of
from welfarist.learners import options
from welfarist.learners.assembly import Description, Setup, likelihood_of, record_of
from welfarist.learners.base import WelfareLearner, refuse_nothing
from welfarist.learners.chooser import Chooser
from welfarist.learners.choosing import describe_choices
from welfarist.learners.counted import CountedChoices, without_proof
from welfarist.learners.scanned import (
    choices_in_memory,
    refuse_beside_files,
    require_likelihood,
    rounds_of,
)
from welfarist.learners.small_samples import SmallSampleOption, check_small_sample, minimised
from welfarist.losses import DecisionLoss, loss_of_choices
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.losses.scanned.loss import loss_of_scanned_choices
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.noise.menus import Softmax
from welfarist.people.presence import refuse_apart
from welfarist.people.source import is_source
from welfarist.people.weights_option import NumbersOption, WeightsOption
from welfarist.results import caveats as caveat
from welfarist.results.learned import Caveat
from welfarist.solvers.base import Optimum, Solver
from welfarist.solvers.effort import EffortName

# Temperatures by stage are searched where their score has a p-value below this: so many times what
# is worth saying that score and likelihood ratio, which agree in large samples, may differ.
_WORTH_A_SEARCH = 0.1


class ChoiceLearner(WelfareLearner):
    """Learn a welfare function from choices: which action of a menu was taken.

    Parameters
    ----------
    noise : "logistic", "lapse", "none" or "flip"
        How the decision maker errs: more often the closer welfares are (logistic); that, and
        sometimes regardless of the welfares (lapse); never (none); or regardless of the welfares
        with a fixed probability (flip). The last two count errors, one for each menu: the rule
        with the fewest is found exactly, see :class:`Exact`.
    tau_by_stage : bool
        Whether each choice of a ranking has a temperature of its own: the first from all, the
        second from what is left, and so on. Later ones tend to be noisier.
    size_effect : bool
        Whether how many people an action affects counts for itself, as ``gamma log(size)`` beside
        log welfare, which is a mean: gamma = 0 compares means, 1 totals. Where menus mix groups of
        different size and it is left out, p is off.
    margin
        As in :class:`ComparisonClassifier`: what noise acts on.
    family, p, weights, groups, prior, shift, solver, effort, n_starts, max_iter, tol, progress
        As in :class:`ComparisonClassifier`; `solver` is "newton", or "exact" where errors are
        counted.
    rho : float, "error rate" or "cross-validation", optional
        The flip probability of ``noise="flip"``, as in :class:`ComparisonClassifier`: a choice is
        made by chance with probability 2 rho.
    tau_max, small_sample, random_state, warm_start, verbose, keep_data, engine, resume
        As in :class:`ComparisonClassifier`.

    Attributes
    ----------
    p_, weights_, tau_, rho_ : float, (d,) array, float, float
        The estimates; `rho_` is 0 under logistic noise, `tau_` infinite where errors are counted.
    taus_ : (s,) array
        The temperature of each choice of a ranking; of one where they share it.
    gamma_ : float
        The size effect, 0 where it was not learned.
    outside_ : float or None
        The welfare at which none of these is as good; None where that could not be chosen.
    theta_ : dict
        By how much the logarithm of a weight changes with a unit of each attribute; only there
        with weights by attributes.
    welfare_ : WelfareFunction, or the rule of another family
    loss_ : float
        Mean negative log likelihood of the choices; the share of wrong ones where errors are
        counted.
    result_ : FitResult
        The full record; ``print(est.result_.summary())``.
    converged_, n_iter_ : bool, int

    Notes
    -----
    ``P(a from S) = (1 - 2 rho) M(a)^tau / sum over b in S of M(b)^tau + 2 rho / K`` for a menu S
    of K actions, with rho = 0 under logistic noise: a comparison is the menu of two. A ranking is
    the product of its choices; the worst of a menu is chosen with -tau.

    Examples
    --------
    >>> import numpy as np
    >>> from welfarist import Choices, WelfareFunction
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (60, 2))
    >>> menus = rng.permuted(np.tile(np.arange(60), (600, 1)), axis=1)[:, :4]
    >>> truth = WelfareFunction(-1, [0.7, 0.3])
    >>> value = 20 * truth.log(utilities)[menus] + rng.gumbel(size=(600, 4))
    >>> chosen = menus[np.arange(600), value.argmax(axis=1)]
    >>> est = ChoiceLearner().fit(Choices(utilities, menus, chosen))
    >>> bool(abs(est.p_ - -1) < 0.3), est.weights_.round(1)
    (True, array([0.7, 0.3]))
    """

    takes = Choices

    def __init__(
        self,
        *,
        noise: options.NoiseOption = "logistic",
        tau_by_stage: bool = False,
        size_effect: bool = False,
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
        self.tau_by_stage = tau_by_stage
        self.size_effect = size_effect
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

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from choices.

        Parameters
        ----------
        X : Choices, what Choices.scan gives, or Comparisons
        y : None
            Choices hold what was chosen.
        """
        noise = self._noise()
        if isinstance(X, ScannedChoices):
            return self._fit_scanned(X, noise, y)
        choices = self.read_decisions(X, y)
        if noise is None:
            setup, seen, rho = self._checked_options(choices)
            self._count_errors(setup, choices, seen, rho)
            return self
        setup, loss = self.posed(choices)
        self._learn(setup, choices, loss)
        return self

    def _checked_options(self, choices: Choices) -> tuple[Setup, Choices, options.RhoOption]:
        """Check options against choices; return these with their shift, and rho."""
        setup = Setup.of(self, choices)
        if choices.outside and choices.refused == len(choices):
            raise InputError(
                "some decision must have taken an action; found none of these in all of them, from "
                "which no rule can be learned."
            )
        if choices.outside and not setup.family.level.is_ratio:
            raise InputError(
                "the welfare of none of these is learned on a scale with a zero; found "
                f"{setup.family.called}, which has none. Leave outside out, or use power means."
            )
        self.n_features_in_ = choices.people
        seen = choices.shifted(setup.shift, least=setup.family.least)
        elsewhere = is_source(seen.utilities)
        refuse_nothing(seen.utilities if elsewhere else np.nan_to_num(seen.utilities))
        if setup.weighting.free > 1 and not elsewhere:
            refuse_apart(seen.utilities, setup.people, setup.weighting)
        rho = options.check_rho(self.rho, self.noise)
        check_small_sample(self.small_sample)
        return setup, seen, rho

    def posed(self, decided: Choices) -> tuple[Setup, DecisionLoss]:
        """Return what is known and the loss that is to be minimised, of checked choices."""
        noise = self._noise()
        assert noise is not None
        setup, seen, _ = self._checked_options(decided)
        loss = loss_of_choices(
            seen,
            setup.family,
            setup.weighting,
            setup.learn_power,
            noise,
            options.check_positive(self.tau_max, "tau_max"),
            tau_by_stage=options.check_flag(self.tau_by_stage, "tau_by_stage"),
            size_effect=self._has_size_effect(seen),
        )
        setup = setup.knowing(loss.has_zeros)
        if loss.has_zeros and not noise.forgives:
            refuse_impossible_choices(seen, setup.weighting, noise.called)
        return setup, loss

    def _fit_scanned(self, decided: ScannedChoices, noise: ChoiceNoise | None, y: Any) -> Self:
        """Learn from choices that stay in their files, if there are too many for memory."""
        setup = Setup.of(self, decided)
        refuse_beside_files(y, None)
        if len(decided) <= decided.share:  # few enough for whatever is asked
            return self.fit(choices_in_memory(decided, rounds_of(self, decided)))
        noise = require_likelihood(self, noise, options.solver_of(self.solver, setup.newton))
        for name in ("tau_by_stage", "size_effect"):
            if options.check_flag(getattr(self, name), name):
                raise InputError(
                    f"{name} must be left out for choices that stay in their files, which are "
                    "single ones that affect everybody. Fit a share of them in memory."
                )
        tau_max = options.check_positive(self.tau_max, "tau_max")
        options.check_rho(self.rho, self.noise)
        check_small_sample(self.small_sample)
        seen = decided.shifted(setup.shift, least=setup.family.least)
        refuse_nothing(seen.utilities)
        rounds = rounds_of(self, decided)
        self.n_features_in_ = decided.people
        loss = loss_of_scanned_choices(
            rounds, seen, setup.family, setup.weighting, setup.learn_power, noise, tau_max
        )
        self._learn(setup.knowing(loss.has_zeros), decided, loss)
        return self

    def _noise(self) -> ChoiceNoise | None:
        """The noise model; None where errors are counted."""
        noise = options.noise_of(self.noise)
        if noise not in (LOGISTIC, LAPSE, None):
            raise InputError(
                'noise must be "logistic", "lapse", "none" or "flip" for choices from menus; found '
                f"{self.noise!r}. Between two actions ComparisonClassifier takes models of your "
                "own."
            )
        return noise

    def _count_errors(
        self, setup: Setup, choices: Choices, seen: Choices, rho: options.RhoOption
    ) -> None:
        """Learn the rule with the fewest errors; `seen` are the choices with their shift."""
        options.check_flag(self.tau_by_stage, "tau_by_stage")
        options.check_flag(self.size_effect, "size_effect")
        fit = CountedChoices.of(self, setup, seen)
        found, self.rho_, said = fit.conclude(self.noise, rho, self._said(choices))
        self.tau_, self.taus_ = np.inf, np.array([np.inf])
        self.gamma_, self.outside_ = 0.0, None
        self._store(record_of(fit.setup, choices, found, said))

    def without_proof(self) -> Self:
        """Return a learner that finds the same kind of rule, and does not prove it best."""
        quick: Self = without_proof(self)
        return quick

    def _has_size_effect(self, seen: Choices) -> bool:
        """Whether a size effect is asked for, which needs groups of different size in one menu."""
        if not options.check_flag(self.size_effect, "size_effect"):
            return False
        sizes = np.append((~np.isnan(seen.utilities)).sum(axis=1), 0)[seen.menus.rows]
        inside = seen.menus.rows < seen.actions
        low = -seen.menus.largest(np.where(inside, -sizes, -np.inf).astype(float))
        if not (seen.menus.largest(sizes.astype(float)) > low).any():
            raise InputError(
                "size_effect needs menus whose actions affect different numbers of people; found "
                "none. Leave it out, or mark who is absent by NaN and say Choices(…, absent=True)."
            )
        return True

    def fit_decisions(self, decided: Choices) -> Self:
        """Learn from choices that were checked before, such as ``result_.decided``."""
        return self.fit(decided)

    @staticmethod
    def options_of(observed: Any) -> dict[str, Any]:
        """The options of its own that a fit to choices was made with."""
        return dict(
            noise=observed.noise.option,
            tau_max=observed.tau_max,
            small_sample="none" if observed.restraint is None else "auto",
            **observed.options,
        )

    def held_out_gain(self, part: Choices) -> float:
        """How many first choices that were not fitted are predicted correctly."""
        return float(self._compared(part)[1].hits() @ part.told)

    def held_out_loss(self, part: Choices) -> float | None:
        """Negative log likelihood of choices that were not fitted, those of rankings included.

        None of a rule that never errs: one error among them, and it would be infinite.
        """
        return None if self.noise == "none" else self._lost(part)

    def _minimise(
        self, setup: Setup, loss: DecisionLoss, solver: Solver
    ) -> tuple[DecisionLoss, Optimum]:
        """Find the best rule, and charge for certainty where decisions are few or clear."""
        return minimised(setup, loss, solver, self.small_sample)

    def _describe(
        self, setup: Setup, decided: Choices, loss: DecisionLoss, optimum: Optimum
    ) -> Description:
        said = describe_choices(
            setup, loss, optimum, [*self._said(decided), *_of_stages(setup, decided, loss, optimum)]
        )
        self._take_extras(said.extras, loss)
        return said

    def _take_extras(self, extras: Any, loss: DecisionLoss) -> None:
        """Store what was learned beside the rule."""
        observed = loss.in_memory().observed
        assert isinstance(observed, ObservedMenus)
        names = [parameter.name for parameter in observed.parameters]
        self.taus_ = np.array([extras[names[place]] for place in observed.extras.taus])
        self.tau_, self.rho_ = float(self.taus_[0]), extras.get("rho", 0.0)
        self.gamma_, self.outside_ = extras.get("gamma", 0.0), extras.get("outside")

    def _said(self, decided: Choices) -> list[Caveat]:
        """What must be said of how choices were read."""
        if is_scanned(decided):
            return []
        said = caveat.menu_caveats(decided.without_choice, len(decided))
        if decided.outside:
            said += caveat.outside_caveats(decided.refused, len(decided))
        if self.tau_by_stage and not decided.in_stages:
            said += caveat.one_stage_caveats()
        return said

    def read_decisions(self, X: Any, y: Any = None, sample_weight: Any = None) -> Choices:
        """Return what `fit` takes as choices."""
        if y is not None or sample_weight is not None:
            raise InputError(
                "Choices hold what was chosen and how often; found y or sample_weight as well. "
                "Pass them alone."
            )
        found = as_choices(X)
        if found is None:
            instead = "Choices(utilities, menus, chosen) makes them."
            if hasattr(X, "decisions"):  # as files give them
                instead = "Pass its decisions."
            raise InputError(
                f"a ChoiceLearner needs Choices or Comparisons; found {type(X).__name__}. {instead}"
            )
        return found

    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """Return the row number (n,) of the best action of each menu; -1 for none of these.

        Of a ranking it is what is ranked first. Of equally good actions it is the first listed.
        """
        choices, here = self._compared(X)
        best = np.flatnonzero(here.best())
        whose = np.searchsorted(here.menus.starts, best, side="right") - 1
        rows = here.menus.rows[best[np.diff(whose, prepend=-1) > 0]]
        return np.where(rows < choices.actions, rows, -1).astype(np.intp)

    def predict_proba(self, X: Any) -> list[FloatArray]:
        """Return how likely each action of each menu is to be chosen: n arrays, menu by menu.

        Where none of these can be chosen too, it is the last entry.
        """
        check_is_fitted(self)
        choices = self._with_people_in_order(self.read_decisions(X))
        menus = choices.first_menus()
        return np.split(self._chooser().chances(choices, menus, self.rho_), menus.starts[1:-1])

    def score(self, X: Any, y: Any = None) -> float:
        """Return the share of first choices that are predicted; of equals each has its share.

        A menu of one is no choice, and does not count.
        """
        check_is_fitted(self)
        choices = _telling(self.read_decisions(X, y))
        return choices.share_right(self.held_out_gain(choices))

    def log_loss(self, X: Any) -> float:
        """Return the mean negative log likelihood of choices, those of rankings included.

        A menu of one is no choice, and does not count.
        """
        check_is_fitted(self)
        choices = _telling(self.read_decisions(X))
        return self._lost(choices) / choices.choices_made

    def _lost(self, choices: Choices) -> float:
        """The negative log likelihood of choices; menus of one lose nothing."""
        choices = self._with_people_in_order(choices)
        return self._chooser().loss(choices, choices.merged[0], self.rho_)

    def _compared(self, X: Any) -> tuple[Choices, Softmax]:
        """How the actions compare of the menu from which each decision took the best."""
        check_is_fitted(self)
        choices = self._with_people_in_order(self.read_decisions(X))
        return choices, self._chooser().compare(choices, choices.first_menus())

    def _chooser(self) -> Chooser:
        """Whoever chooses by the rule that was learned."""
        result = self.result_
        return Chooser(
            result.nameless_welfare, result.family, self.taus_, self.gamma_, self.outside_
        )


def _telling(choices: Choices) -> Choices:
    """Return choices that a rule can be judged by; refuse those that say nothing."""
    if choices.says_nothing:
        raise InputError(
            "a rule is judged by menus that count and offer a choice; found none with two actions "
            "or more."
        )
    return choices


def _of_stages(
    setup: Setup, decided: Choices, loss: DecisionLoss, optimum: Optimum
) -> list[Caveat]:
    """Say when one temperature was fitted to rankings whose later choices have another."""
    observed: Any = loss.in_memory().observed
    if observed.stages == 1 or observed.extras.stages > 1 or loss.is_perfect(optimum.value):
        return []
    try:
        likelihood = likelihood_of(setup, decided, loss, optimum)
        if seem_alike(likelihood, _WORTH_A_SEARCH):
            return []
        found = stages_of(likelihood, quickly=True)
    except InputError:  # there is no maximum: without convergence, or under a prior
        return []
    return caveat.stage_caveats(found, bool((observed.menus.sign < 0).any()))
