"""The full record of a fit: what was learned, and everything that can be asked of it."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import fields, replace
from functools import cached_property, partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from welfarist.base.errors import InputError
from welfarist.base.front_door import public
from welfarist.base.progress import Progress, ProgressOption
from welfarist.checks import Calibration, Misfit, Residuals, Surprises
from welfarist.checks.axioms import Axioms, axioms_of
from welfarist.checks.kinds import Checks, checks_of
from welfarist.checks.misfit import naming_the_family
from welfarist.inference.clusters import check_choice
from welfarist.inference.covariance import CovarianceName
from welfarist.inference.intervals import MethodName
from welfarist.inference.utility_errors import (
    OpinionName,
    SecondOpinion,
    UtilityErrors,
    second_opinion,
    utility_errors_of,
)
from welfarist.inference.utility_scales import RATIOS, ScaleTable, scales_of
from welfarist.noise.choices import RHO
from welfarist.proofs import certifier_of
from welfarist.proofs.certificate import Certificate
from welfarist.proofs.rules import prove
from welfarist.results.data_left_out import (
    LeftOut,
    exact_without_data,
    likelihood_again,
    outline_of,
    refuse,
)
from welfarist.results.learned import Caveat, Learned
from welfarist.results.statistics import Statistics
from welfarist.results.summarising import summarise
from welfarist.results.summary import Summary
from welfarist.results.version_0_1 import upgraded_record

__all__ = ["Caveat", "FitResult"]

Given = ParamSpec("Given")
Found = TypeVar("Found")


def handed_on(
    method: Callable[Concatenate[Statistics, Given], Found],
) -> Callable[Concatenate[FitResult, Given], Found]:
    """Return a method of a record that asks its statistics, with the same arguments."""

    @wraps(method)
    def ask(self: FitResult, /, *args: Given.args, **options: Given.kwargs) -> Found:
        return method(self.statistics, *args, **options)

    return ask


def asked(attribute: Any) -> Any:
    """Return a property of a record that is that of its statistics."""
    return property(lambda self: attribute.fget(self.statistics), doc=attribute.__doc__)


class FitResult(Learned):
    """The full record of a fit, and everything that can be asked of it.

    Its numbers are described in :class:`~welfarist.results.learned.Learned`; how its statistics are
    meant, in :class:`~welfarist.results.statistics.Statistics`. What has been worked out once is
    kept with it.

    Examples
    --------
    >>> import numpy as np
    >>> from welfarist import WelfareRegressor, power_mean
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (200, 2))
    >>> scores = power_mean(utilities, p=-1, weights=[0.6, 0.4]) + rng.normal(0, 0.3, 200)
    >>> result = WelfareRegressor().fit(utilities, scores).result_
    >>> result.param_names
    ('p', 'weight of person 0', 'weight of person 1')
    >>> low, high = result.interval("p")
    >>> low < -1 < high
    True
    >>> result.test("Nash").p_value < 0.001
    True
    """

    def __getstate__(self) -> dict[str, Any]:
        kept = self if self.keeps_data or self.decided is None else self.without_data()
        # What can be worked out again need not travel.
        return {name: entry for name, entry in vars(kept).items() if name != "_of_its_kind"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(upgraded_record(state))

    def __copy__(self) -> FitResult:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> FitResult:
        # A copy in memory has its decisions, unlike one that is stored.
        own = {f.name: deepcopy(getattr(self, f.name), memo) for f in fields(self)}
        return FitResult(**own)

    def without_data(self) -> FitResult:
        """Return the record without the decisions, to be stored or passed on; so pickles are.

        It keeps the estimates, the caveats, the summary, a certificate that has been asked for,
        and every statistic that has been worked out. What needs the decisions says so when asked,
        and :meth:`with_data` gives them back. Of the exact method's answer the set of rules that
        explain everything is left out, but for the ranges of weights if they have been asked for.

        Examples
        --------
        >>> from welfarist import WelfareRegressor
        >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
        >>> result = WelfareRegressor().fit(utilities, [2.0, 3.0, 4.0, 4.0, 3.0]).result_
        >>> light = result.without_data()
        >>> light.decided is None
        True
        >>> light.with_data(result.decided).decided is result.decided
        True
        """
        proof = self.certificate if self.exact is not None else vars(self).get("certificate")
        if self.decided is None:
            return replace(self, keeps_data=False)
        return replace(
            self,
            exact=exact_without_data(self.exact),
            certifier=None if proof is None else partial(replace, proof),
            likelihood=None if self.likelihood is None else outline_of(self.likelihood),
            decided=None,
            keeps_data=False,
            left_out=LeftOut.of(self),
        )

    def with_data(self, decided: Any = None) -> FitResult:
        """Return the record with its decisions, which its pickles hold from then on.

        Parameters
        ----------
        decided : Comparisons or Scores, optional
            The decisions that were fitted, for a record without them; others are refused. Left
            out, the record must have its own.

        Examples
        --------
        >>> import pickle
        >>> from welfarist import WelfareRegressor
        >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
        >>> result = WelfareRegressor().fit(utilities, [2.1, 2.9, 4.0, 4.1, 2.9]).result_
        >>> pickle.loads(pickle.dumps(result)).decided is None
        True
        >>> pickle.loads(pickle.dumps(result.with_data())).interval("p") == result.interval("p")
        True
        """
        if self.decided is not None:
            if decided is not None and not self.decided.same_as(decided):
                raise InputError(
                    "with_data needs the decisions that were fitted; found others. Leave them out: "
                    "this record has its own."
                )
            return replace(self, keeps_data=True)
        if self.left_out is None:
            raise InputError(
                "with_data needs a record that knows which decisions it was learned from; found "
                "one that was made without them before. Fit again."
            )
        if decided is None:
            refuse("a record with data needs")
        self.left_out.require_same(decided, self.kind)
        return self._given_back(decided)

    def _given_back(self, decided: Any) -> FitResult:
        likelihood, certifier, exact = self.likelihood, self.certifier, self.exact
        if likelihood is not None:
            likelihood = likelihood_again(likelihood, decided, self.shift)
            given = self.p if "p" in self.given else None
            certifier = certifier or certifier_of(likelihood.loss, self.loss, given)
        if exact is not None:
            rules = self.left_out.rules_again(decided, self.groups, self.shift)
            exact = replace(exact, explanations=rules)
        return replace(
            self,
            likelihood=likelihood,
            certifier=certifier,
            exact=exact,
            decided=decided,
            keeps_data=True,
            left_out=None,
        )

    def with_covariance(self, covariance: CovarianceName) -> FitResult:
        """Return the same result with other standard errors, which are its own from then on.

        They are those of `bse` and `cov_params`, and of intervals: profile likelihood for
        "fisher", Wald for "robust" and "clustered", bootstrap for "bootstrap". Tests are
        likelihood ratios for "fisher" and Wald tests for the others. A fit to decisions of which
        it is known who made them (``Comparisons(…, by=…)``) is "clustered" from the start, if
        there are more decision makers than learned numbers; others are "fisher".

        Parameters
        ----------
        covariance : "fisher", "robust", "clustered" or "bootstrap"
            See :meth:`cov_params`. "clustered" is refused where nobody said who decided.

        Notes
        -----
        Where an estimate or a null lies on an edge no Wald interval and no Wald test applies.
        There the likelihood answers instead, and says so; it takes decisions as independent.

        Examples
        --------
        >>> from welfarist import WelfareRegressor
        >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0], [3.0, 3.0]]
        >>> fit = WelfareRegressor(weights="equal").fit(utilities, [2.1, 3.0, 4.0, 3.9, 3.0, 3.1])
        >>> robust = fit.result_.with_covariance("robust")
        >>> robust.covariance, bool(robust.bse == robust.cov_params("robust") ** 0.5)
        ('robust', True)
        """
        return replace(self, covariance=check_choice(self.likelihood, self.decided, covariance))

    def prove(
        self, seconds: float = 60.0, gap: float = 1e-4, progress: ProgressOption = "auto"
    ) -> Certificate:
        """Prove how good the fit is where weights were learned; `certificate` has it from then on.

        All weights and powers are cut into boxes, and on each the loss is bounded from below,
        until no box can hold a loss that is lower by more than the gap. That is for few people,
        and takes longer for comparisons than for scores; otherwise the bound is what time gives.

        Parameters
        ----------
        seconds : float
            Processor time to spend at most. What is proven by then, or when the keyboard
            interrupts, is returned.
        gap : float
            How close the bound must come, as a share of the loss (at least of 1e-6).
        progress : bool or "auto"
            Whether to show a bar.

        Returns
        -------
        Certificate
            Where one exists without a search, because weights are known or errors were counted,
            it is that one.

        Notes
        -----
        It covers power means of people who each have a weight to be learned and all have
        something, under logistic noise or for scores, over the powers that fits are searched in.
        A likelihood that is penalised because decisions are few has no proof: fit with
        ``small_sample="none"``.

        Examples
        --------
        >>> from welfarist import WelfareRegressor
        >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
        >>> result = WelfareRegressor().fit(utilities, [2.1, 3.5, 4.0, 4.4, 2.9]).result_
        >>> proof = result.prove()
        >>> proof.gap <= 1e-4 * proof.loss
        True
        """
        known = None if self.certifier is None else self.certificate
        if known is not None:
            return known
        bar = Progress(progress)
        what = "a proof needs"
        if self.decided is None:
            refuse(what)
        likelihood = self.likelihood
        if likelihood is None or likelihood.prior is not None:
            found = "none" if likelihood is None else "one with a prior"
            raise InputError(f"{what} a likelihood without a prior; found {found}.")
        power = self.p if "p" in self.given else None
        proof = prove(likelihood.loss, self.loss, p=power, gap=gap, seconds=seconds, progress=bar)
        vars(self)["certificate"] = proof
        return proof

    @property
    def statistics(self) -> Statistics:
        """Standard errors, intervals and tests; the record hands questions about them on."""
        return Statistics(self)

    # What it says about how sure it is.
    param_names = asked(Statistics.param_names)
    params = asked(Statistics.params)
    bse = asked(Statistics.bse)
    nobs = asked(Statistics.nobs)
    tvalues = asked(Statistics.tvalues)
    pvalues = asked(Statistics.pvalues)
    on_edge = asked(Statistics.on_edge)
    n_clusters = asked(Statistics.n_clusters)
    llf = asked(Statistics.llf)
    llnull = asked(Statistics.llnull)
    prsquared = asked(Statistics.prsquared)
    rsquared = asked(Statistics.rsquared)
    aic = asked(Statistics.aic)
    bic = asked(Statistics.bic)
    cov_params = handed_on(Statistics.cov_params)
    bootstrap = handed_on(Statistics.bootstrap)
    interval = handed_on(Statistics.interval)
    pieces = handed_on(Statistics.pieces)
    conf_int = handed_on(Statistics.conf_int)
    profile = handed_on(Statistics.profile)
    estimates = handed_on(Statistics.estimates)
    stages = handed_on(Statistics.stages)
    test = handed_on(Statistics.test)
    wald_test = handed_on(Statistics.wald_test)
    contrast = handed_on(Statistics.contrast)

    @property
    def utility_errors(self) -> UtilityErrors:
        """How errors of utilities show: their share of the noise, and what a naive fit would say.

        Of decisions about :class:`~welfarist.People`, whose utilities are estimates.

        Examples
        --------
        >>> import numpy as np
        >>> from welfarist import People, WelfareRegressor, power_mean
        >>> rng = np.random.default_rng(0)
        >>> true = rng.lognormal(0, 0.7, (300, 2))
        >>> scores = power_mean(true, p=-1, weights=[0.6, 0.4]) + rng.normal(0, 0.1, 300)
        >>> measured = true * rng.lognormal(0, 0.3, true.shape)
        >>> result = WelfareRegressor().fit(People(measured, log_se=0.3), scores).result_
        >>> print(result.utility_errors)
        Utilities are estimates, with errors of about 0.28 in logarithms, which are allowed for: ...
        """
        likelihood = self.statistics.likelihood
        return likelihood.once("utility errors", lambda: utility_errors_of(likelihood))

    def scales(self, ratios: Sequence[float] = RATIOS) -> ScaleTable:
        """Return what the rule would be if utilities from answers were on other scales.

        Of decisions about :class:`~welfarist.People` whose utilities were learned from answers,
        which do not tell how many times better somebody's best action is than the worst.

        Parameters
        ----------
        ratios : sequence of float
            How many times better, for everybody.
        """
        likelihood = self.statistics.likelihood
        return likelihood.once(("scales", tuple(ratios)), lambda: scales_of(likelihood, ratios))

    def second_opinion(
        self, method: OpinionName = "simex", *, draws: int = 50, random_state: Any = 0
    ) -> SecondOpinion:
        """Return estimates that allow for errors of utilities by another method.

        Parameters
        ----------
        method : "simex", "imputation" or "two-step"
            Simulation-extrapolation adds errors on purpose and follows estimates back to none;
            multiple imputation fits to utilities as they could be, and combines by Rubin's rules,
            which leaves tau too small; two steps fit to the best guess, with standard errors that
            know how uncertain it is (Murphy and Topel).
        draws : int
            How many tables of utilities are drawn.
        random_state : int, Generator or RandomState
        """
        likelihood = self.statistics.likelihood
        return second_opinion(likelihood, method, draws=draws, random_state=random_state)

    def calibration(self, bins: int = 10) -> Calibration:
        """Return how often the more likely action was chosen, beside how often the rule says.

        Parameters
        ----------
        bins : int
            How many bins of about equal counts; equal probabilities share one.

        Examples
        --------
        >>> from welfarist import ComparisonClassifier, simulate
        >>> world = simulate.individuals(100, 3, p=0, random_state=1)
        >>> pairs = simulate.random_pairs(100, 1000, random_state=1)
        >>> decided = simulate.comparisons(world, pairs, tau=5, random_state=1)
        >>> found = ComparisonClassifier().fit(decided).result_.calibration(bins=5)
        >>> bool(found.gap < 0.05 and found.p_value > 0.01)
        True
        """
        return self._checks("calibration").calibration(bins)

    def surprises(self, count: int = 10) -> Surprises:
        """Return the decisions that the rule least expected, the largest surprise first.

        Parameters
        ----------
        count : int
            How many at most.

        Notes
        -----
        For comparisons these are decisions against the rule, the least likely first; where errors
        are counted, the clearest first. Ties are left out. For scores they are those with the
        largest residuals. Rows are those of the data that were fitted.

        Examples
        --------
        >>> from welfarist import Comparisons, ComparisonClassifier
        >>> actions = [[8.0, 1.0], [2.0, 2.0], [1.0, 9.0]]
        >>> pairs, outcomes = [[0, 1], [1, 2], [2, 0]], [1, -1, -1]
        >>> decided = Comparisons(actions, pairs, outcomes, names=["bus", "school", "clinic"])
        >>> fit = ComparisonClassifier(noise="flip", p="Nash", weights="equal").fit(decided)
        >>> print(fit.result_.surprises())
        1 of 3 decisions went against the rule
          row 2: chose bus over clinic though the rule prefers the other: welfare 2.828 against 3...
        """
        return self._checks("surprises").surprises(count)

    def residuals(self) -> Residuals:
        """Return the residuals of scores, and whether rounding alone explains them.

        Examples
        --------
        >>> import numpy as np
        >>> from welfarist import WelfareFunction, WelfareRegressor
        >>> utilities = np.random.default_rng(0).uniform(1, 10, (200, 3)).round(2)
        >>> scores = WelfareFunction(0, [0.2, 0.3, 0.5])(utilities).round(2)
        >>> WelfareRegressor().fit(utilities, scores).result_.residuals().rounding.compatible
        True
        """
        return self._checks("residuals").residuals()

    def misfit(self) -> Misfit:
        """Return checks of the fit against alternatives to its family of rules.

        Where there can be no checks, the answer carries the reason.

        Examples
        --------
        >>> from welfarist import ComparisonClassifier, simulate
        >>> world = simulate.individuals(100, 3, p=0, random_state=1)
        >>> pairs = simulate.random_pairs(100, 1000, random_state=1)
        >>> decided = simulate.comparisons(world, pairs, tau=5, random_state=1)
        >>> ComparisonClassifier().fit(decided).result_.misfit().verdict
        'No sign that the family is wrong.'
        """
        if self.likelihood is None:
            return self._checks("misfit").misfit()
        return self.likelihood.once("misfit", self._misfit)

    def axioms(self) -> Axioms:
        """Return tests of the axioms: which properties of the rule decisions speak against.

        Scale and translation invariance, separability, anonymity, Pareto and transfer; where one
        cannot be tested, it carries the reason. The first two are asked of the best power mean and
        of the best Kolm-Pollak function for these decisions, whatever family was fitted. Decisions
        without noise (``noise="none"``) are tested exactly: whether some go round in a circle.

        Examples
        --------
        >>> from welfarist import ComparisonClassifier
        >>> from welfarist.app.demo import past_decisions
        >>> tests = ComparisonClassifier().fit(past_decisions()).result_.axioms()
        >>> tests["scale invariance"].rejected
        False
        """
        if self.likelihood is None:
            certain = self.exact is not None and RHO.name not in self.extras
            return axioms_of(None, self.shift, self.decided if certain else None)
        return self.likelihood.once("axioms", lambda: axioms_of(self.likelihood, self.shift))

    def _misfit(self) -> Misfit:
        found: Misfit = self._checks("misfit").misfit()
        return naming_the_family(found, self.likelihood, self.shift)

    def report(
        self,
        path: str | os.PathLike[str],
        title: str | None = None,
        *,
        level: float = 0.95,
        method: MethodName | None = None,
        people: tuple[Any, Any] | None = None,
        note: str | None = None,
        unit: str | None = None,
        files: Sequence[str] = (),
        date: str | datetime.date | None = None,
        remarks: Sequence[str] = (),
        recommendation: Any = None,
    ) -> None:
        """Write a report for readers who know nothing of the method, as one HTML file.

        Its intervals are those of :meth:`summary` with the same `level` and `method`.

        Parameters
        ----------
        path : str or path
            Where to write; an old file is replaced.
        title : str, optional
            The heading.
        level, method, people, note, unit, files, date, remarks, recommendation
            As in :func:`welfarist.write_report`.
        """
        public("write_report")(
            self, path, title=title, level=level, method=method, people=people, note=note,
            unit=unit, files=files, date=date, remarks=remarks, recommendation=recommendation,
        )  # fmt: skip

    def shifts(self, shifts: Sequence[float] | None = None, level: float = 0.95) -> Any:
        """Return how p moves with a constant that is added to every utility, as a table.

        Parameters
        ----------
        shifts : list of float, optional
            The constants; left out, six from 0 to the largest utility, and the fit's own.
        level : float
            Of the intervals of p.
        """
        return public("shift_table")(self, shifts=shifts, level=level)

    def recommend(self, actions: Any, **options: Any) -> Any:
        """Return which of some actions to take and how sure that is, as a data frame.

        Parameters
        ----------
        actions : (N, d) array-like or data frame
            One row an action; columns of a data frame are matched to people by name.
        **options
            Those of :func:`welfarist.recommend`, which returns the record behind the frame: it
            says why, what would change it, and whether to ask further questions first.

        Returns
        -------
        data frame
            A row for each action, in order of expected regret: action, welfare with low and high,
            p_best, regret (in percent; in units of welfare by families for which that has no
            natural zero), dominated, p_top, never_best and place.
        """
        return public("recommend")(self, actions, **options).to_frame()

    def summary(
        self,
        level: float | None = 0.95,
        method: MethodName | None = None,
        covariance: CovarianceName | None = None,
    ) -> Summary:
        """Return a table of the estimates: a text, with :meth:`Summary.as_html` and other forms.

        Parameters
        ----------
        level : float, optional
            Probability with which an interval holds the true value; None leaves out intervals and
            standard errors.
        method : "profile", "wald" or "bootstrap", optional
            How intervals are made. Left out, it is what goes with the covariance; for "fisher"
            profile likelihood where that takes a fraction of a second, and standard errors for
            the weights, or for everything, where it would take longer. A line below the table
            says which.
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            Where standard errors come from; left out, it is that of the result, see
            :meth:`with_covariance`.

        Notes
        -----
        Where there can be no intervals (a prior, choices without noise, a fit that did not
        converge) the table stands without, and a line says why. A certificate is shown if there
        is one that costs nothing: where errors were counted, or once `certificate` was asked for.

        Where rules explain every decision (``noise="none"``), beside each weight stands its range
        over all of them, which takes seconds when first asked for; for more than 20 people or
        5,000 decisions only if ``result_.exact.explanations.weight_ranges`` has been asked for.

        Examples
        --------
        >>> from welfarist import WelfareRegressor
        >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
        >>> scores = [2.0, 3.0, 4.0, 4.0, 3.0]
        >>> print(WelfareRegressor().fit(utilities, scores).result_.summary())
        Learned from 5 decisions
                               estimate
          power p                0.0000  Nash
          inequality aversion    1.0000
          weight of person 0     0.5000
          weight of person 1     0.5000
          mean loss         ...
          R squared              1.0000
        Converged: ...
        No intervals: a likelihood of scores needs some that the rule does not explain exactly; ...
        """
        names = {
            "log-likelihood": "llf",
            "null log-likelihood": "llnull",
            "pseudo R squared": "prsquared",
            "AIC": "aic",
            "BIC": "bic",
        }
        criteria = {words: partial(getattr, self, name) for words, name in names.items()}
        return summarise(
            self, self.estimates, criteria, level, method, covariance, self._found_since()
        )

    def to_frame(
        self,
        level: float | None = 0.95,
        method: MethodName | None = None,
        covariance: CovarianceName | None = None,
    ) -> Any:
        """Return the estimates of :meth:`summary` as a data frame, one row a parameter.

        The columns are parameter, estimate, standard_error, low, high, method and note.
        """
        return self.summary(level, method, covariance).to_frame()

    def __repr__(self) -> str:
        power = f"p={self.p:.4g} ({self.welfare.doctrine})"
        of = f"{len(self.weights)} people, {self.decisions:.15g} decisions"
        return f"FitResult({power}, {of}, {'' if self.converged else 'not '}converged)"

    def _found_since(self) -> tuple[str, ...]:
        """What checks add to the caveats: that the family does not describe the decisions."""
        misfit = None
        if self.decided is not None:
            misfit = self.misfit()
        elif self.likelihood is not None:  # as far as it was known when the decisions were left out
            misfit = self.likelihood.known.get("misfit")
        return (misfit.verdict,) if misfit is not None and misfit.clear else ()

    def _checks(self, what: str) -> Checks:
        """The checks that go with the kind of decisions, which must be there."""
        if self.decided is None:
            refuse(f"{what} needs")
        return self._of_its_kind

    @cached_property
    def _of_its_kind(self) -> Checks:
        return checks_of(self)
