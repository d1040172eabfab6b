"""The statistics of a fit, under the names that users of statsmodels try first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from welfarist.base.errors import DecisionsMissingError, InputError
from welfarist.base.parameters import WEIGHT
from welfarist.base.progress import ProgressOption
from welfarist.base.validation import FloatArray, check_level, is_real
from welfarist.inference.bootstrap import RESAMPLES, Bootstrap, bootstrap
from welfarist.inference.covariance import (
    CovarianceName,
    check_covariance,
    covariance_of,
    face_of,
)
from welfarist.inference.doctrine_tests import DoctrineTest, likelihood_ratio, null_of
from welfarist.inference.estimates import Estimates, estimates
from welfarist.inference.intervals import MethodName, interval
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.power_profile import Profile, profile_of
from welfarist.inference.simulated_nulls import SAMPLES, Simulation
from welfarist.inference.wald_tests import check_wald, wald
from welfarist.losses.observed import UnitName
from welfarist.results.data_left_out import refuse
from welfarist.results.learned import Learned


@dataclass(frozen=True, eq=False)
class Statistics:
    """What a fit says about how sure it is; each is worked out when first asked for.

    Everything rests on the likelihood: that of the noise model for comparisons, for scores a
    Gaussian one whose variance is the mean squared error (n in the denominator). Counts and sample
    weights say how often a decision was observed. There are no statistics where errors were
    counted (``noise="none"`` or ``"flip"``), under a prior, without convergence or without noise:
    asking for them says so.
    """

    learned: Learned

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of what was learned, such as "p", "weight of person 0" and "tau"."""
        return self.likelihood.names

    @property
    def params(self) -> FloatArray:
        """What was learned (k,), in the order of `param_names`; what was given is left out."""
        return self.likelihood.estimates.copy()

    @property
    def bse(self) -> np.ma.MaskedArray[Any, Any]:
        """Standard errors of `params` (k,), masked for estimates that lie on an edge.

        A weight of 0 or an infinite p can err in one direction only, so that it has no standard
        error; the others' are those with it held there. They come from the covariance of the
        result; see :meth:`with_covariance`.
        """
        likelihood = self.likelihood
        errors = np.sqrt(self.cov_params().diagonal())
        return np.ma.MaskedArray(errors, mask=np.isin(likelihood.names, self.on_edge))

    @property
    def nobs(self) -> float:
        """How many decisions were observed, counts included; the same as `decisions`."""
        return self.learned.decisions

    @property
    def tvalues(self) -> np.ma.MaskedArray[Any, Any]:
        """How many standard errors each of `params` is away from 0 (k,), masked but for p.

        For p that is a test of the Nash rule, p = 0. Nobody can weigh less than 0, and tau, rho
        and scale cannot be negative: there 0 is an edge, where such a ratio says nothing. So it
        is for p where a utility is 0. :meth:`test` has tests of weights.
        """
        likelihood = self.likelihood
        shape = likelihood.loss.family.shape
        inner = shape.lowest < 0 < shape.highest and not likelihood.loss.has_zeros
        inside = np.array([q.is_shape and inner for q in likelihood.quantities], dtype=bool)
        return np.ma.masked_where(~inside, self.params / self.bse)

    @property
    def pvalues(self) -> np.ma.MaskedArray[Any, Any]:
        """How often `tvalues` as far from 0 arise where 0 is true (k,), masked but for p."""
        away = self.tvalues
        chances = 2.0 * norm.sf(np.abs(away.filled(0.0)))
        return np.ma.MaskedArray(chances, mask=np.ma.getmaskarray(away))

    @property
    def on_edge(self) -> tuple[str, ...]:
        """Names of the estimates that lie where their range ends: a weight of 0, an infinite p."""
        return face_of(self.likelihood.require()).on_edge

    @property
    def llf(self) -> float:
        """Log likelihood of the decisions; a tie counts as half of each outcome."""
        likelihood = self.likelihood
        likelihood.require_spread()
        return likelihood.log_likelihood(likelihood.value)

    @property
    def aic(self) -> float:
        """Akaike's information criterion: twice the learned numbers less twice `llf`.

        As in statsmodels, the variance of scores does not count as learned. Weights that sum to 1
        are one fewer than people, also at an infinite p, where they only say who counts.
        """
        return 2.0 * self.likelihood.require_maximum().parameters - 2.0 * self.llf

    @property
    def bic(self) -> float:
        """The Bayesian information criterion: log n for each learned number less twice `llf`."""
        likelihood = self.likelihood.require_maximum()
        return float(np.log(likelihood.observations)) * likelihood.parameters - 2.0 * self.llf

    def cov_params(self, covariance: CovarianceName | None = None) -> FloatArray:
        """Return the covariance of `params` (k, k).

        Parameters
        ----------
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            The inverse of the observed information; the sandwich that stays right if the noise
            model is wrong; the sandwich of whole decision makers (``Comparisons(…, by=…)``), with
            the factor G / (G - 1) for G of them; that of :meth:`bootstrap`. Left out, it is that
            of the result: "fisher" unless :meth:`with_covariance` chose another.

        Notes
        -----
        Estimates on an edge are held there, but not by a bootstrap: their rows are 0. Rows of the
        weights add up to 0.
        """
        kind = check_covariance(self.learned.covariance if covariance is None else covariance)
        likelihood = self.likelihood
        if kind == "bootstrap":
            return self._resampled().cov_params()
        return covariance_of(likelihood, kind).copy()

    def bootstrap(
        self,
        resamples: int = RESAMPLES,
        *,
        unit: UnitName | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        progress: ProgressOption = "auto",
    ) -> Bootstrap:
        """Draw the decisions again and again, with replacement, and fit the rule each time.

        Parameters
        ----------
        resamples : int
            How often.
        unit : "decisions" or "clusters", optional
            What is drawn: single decisions, or whole decision makers with all their decisions.
            Left out, it is "clusters" where it is known who decided (``Comparisons(…, by=…)``).
        random_state : int, Generator or RandomState
            Seed. The same one gives the same digits, however many processes there are.
        n_jobs : int, optional
            How many processes share the work; one if left out. A script needs
            ``if __name__ == "__main__":`` around a call with more than one.
        progress : bool or "auto"
            Whether to show a progress bar; "auto" does in a terminal.

        Returns
        -------
        Bootstrap
            The draws, with `cov_params()`, `bse` and `interval(name, level)`.

        Notes
        -----
        A fit from the estimates takes milliseconds. Where the data hardly determine p, resamples
        are searched as thoroughly as the data were, which can take a second each. Counts and
        sample weights are how often a decision was observed; their sum is rounded to a whole
        number of draws.
        """
        return bootstrap(
            self.likelihood,
            resamples,
            unit=unit,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )

    def _resampled(self) -> Bootstrap:
        """The bootstrap of intervals and covariances: its defaults, drawn once."""
        return self.likelihood.once("bootstrap", self.bootstrap)

    def interval(
        self,
        name: str,
        level: float = 0.95,
        method: MethodName | None = None,
        covariance: CovarianceName | None = None,
    ) -> Any:
        """Return an interval that holds the true value with the given probability.

        Parameters
        ----------
        name : str
            "p", "tau", "rho" or "scale", or a name such as "weight of staff", for a pair; or
            "weights" for all of them.
        level : float
            The probability, between 0 and 1.
        method : "profile", "wald" or "bootstrap", optional
            All values that a likelihood-ratio test would not reject; the estimate plus and minus
            standard errors, which is quick and does not apply on an edge; or what most of 999
            resamples give (seed 0; :meth:`bootstrap` has other numbers). Left out, it is "profile"
            for ``covariance="fisher"``, "bootstrap" for that and "wald" for the others.
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            The standard errors of a Wald interval; see :meth:`cov_params`.

        Returns
        -------
        pair of floats, or (d, 2) array for "weights"
            Ends of p may be infinite: ``(-inf, 0.4)`` says that p is at most 0.4. Where a utility
            is 0, so that only positive powers were considered, p is at least 0.

        Notes
        -----
        A deviance is compared with chi-squared of one degree of freedom. Where the estimate lies
        on an edge that makes the interval too wide rather than too narrow.
        """
        found = self._interval(name, level, method, covariance)
        return found if name == "weights" else (float(found[0, 0]), float(found[0, 1]))

    def conf_int(
        self,
        alpha: float = 0.05,
        method: MethodName | None = None,
        covariance: CovarianceName | None = None,
    ) -> FloatArray:
        """Return the intervals of all `params` (k, 2) at level ``1 - alpha``; see `interval`.

        Where an infinite p was given or learned, weights only say who counts, and their intervals
        are their whole range.
        """
        likelihood = self.likelihood
        if not is_real(alpha) or not 0 < alpha < 1:
            raise InputError(
                "alpha must be a number between 0 and 1, such as 0.05 for 95% intervals; found "
                f"{alpha!r}."
            )
        every = [q.name for q in likelihood.quantities if not q.is_weight]
        if likelihood.learned_weights:
            every.insert(int(likelihood.loss.learn_power), WEIGHT.name)
        parts = [self._interval(name, 1.0 - alpha, method, covariance) for name in every]
        return np.concatenate([np.empty((0, 2)), *parts])

    def profile(self, points: int = 101, level: float = 0.95) -> Profile:
        """Return how well each power explains the decisions, everything else at its best.

        Parameters
        ----------
        points : int
            About how many powers, 11 at least: most around the interval, the rest along the
            line, and both limits.
        level : float
            Of the interval that comes with it, between 0 and 1.

        Returns
        -------
        Profile
            Powers, deviances, losses, the estimate and its interval; ``wf.plots.profile`` draws
            them, with the interval of the result's covariance.
        """
        found = profile_of(self.likelihood, points, check_level(level))
        arrays = {name: getattr(found, name).copy() for name in ("p", "deviance", "loss")}
        return replace(found, **arrays)

    def estimates(
        self,
        level: float | None = 0.95,
        method: MethodName | None = None,
        covariance: CovarianceName | None = None,
    ) -> Estimates:
        """Return everything that was learned, with standard errors and intervals, in one record.

        What cannot be said is left out, and the record says why. The arguments are those of
        :meth:`interval`; a `level` of None leaves out standard errors and intervals. Without a
        `method`, profile likelihoods are replaced by standard errors where they take seconds.
        """
        kind = self.learned.covariance if covariance is None else covariance
        likelihood = self.likelihood
        try:
            return likelihood.once(
                ("estimates", level, method, kind),
                lambda: estimates(likelihood, level, method, kind, self._resampled),
            )
        except DecisionsMissingError as refusal:  # some was worked out before, but not this
            bare = estimates(likelihood, None, method, kind, self._resampled)
            return replace(bare, refusals=(f"No intervals: {refusal}",))

    def _interval(
        self,
        name: str,
        level: float,
        method: MethodName | None,
        covariance: CovarianceName | None,
    ) -> FloatArray:
        """The interval (1, 2), or those of all weights (d, 2), from what was asked for."""
        kind = self.learned.covariance if covariance is None else covariance
        if method == "profile" and covariance is None:  # a choice of this one interval
            kind = "fisher"
        return interval(self.likelihood, name, level, method, kind, self._resampled)

    def test(
        self,
        doctrine: str | None = None,
        *,
        p: float | str | None = None,
        weights: Any = None,
        groups: Any = None,
        covariance: CovarianceName | None = None,
        resamples: int | None = SAMPLES,
        random_state: Any = 0,
        n_jobs: int | None = None,
        progress: ProgressOption = "auto",
    ) -> DoctrineTest:
        """Test whether the decision maker could have followed a doctrine.

        Parameters
        ----------
        doctrine : str, optional
            "utilitarian", "Nash", "egalitarian" and so on: the power it stands for.
        p : float or str, optional
            Another power.
        weights : "equal", (d,) array-like or mapping, optional
            Weights, alone or together with a power.
        groups : (d,) array-like or mapping, optional
            People who share a weight.
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            Makes it a Wald test with these standard errors, of a null that is not on an edge.
            Left out, it is that of the result if :meth:`with_covariance` chose one, and a
            likelihood-ratio test otherwise.
        resamples, random_state, n_jobs, progress
            Samples that are drawn under a null whose statistic follows no known distribution,
            their seed, how many processes share the work, and whether a progress bar is shown.
            With ``resamples=None`` such nulls are refused, which costs nothing.

        Returns
        -------
        DoctrineTest
            Null, statistic, its distribution under the null, p-value; prints as text.

        Notes
        -----
        A likelihood ratio takes decisions as independent; ``covariance="clustered"`` does not. A
        null on an edge (an infinite p, a weight of 0) is compared with a mixture of two
        distributions where that is known to be right. Elsewhere, as for p = -inf with learned
        weights, decisions are drawn from the best fit under the null and both rules are fitted to
        them, which can take a minute: a p-value is then at least 1 / (resamples + 1).
        """
        likelihood = self.likelihood
        if covariance is None and self.learned.covariance != "fisher":
            covariance = self.learned.covariance
        if covariance is not None:
            kind = check_covariance(covariance)
            null = null_of(likelihood.require(), doctrine, p, weights, groups)
            check_wald(likelihood, null, kind)
            return wald(likelihood, null, self.cov_params(kind), kind)
        simulation = None
        if resamples is not None:
            simulation = Simulation(resamples, random_state, n_jobs, progress)
        return likelihood_ratio(
            likelihood, doctrine, p=p, weights=weights, groups=groups, simulation=simulation
        )

    @property
    def likelihood(self) -> Likelihood:
        """The likelihood, or why there is none."""
        found = self.learned.likelihood
        if found is None and self.learned.decided is None:
            refuse("standard errors, intervals, tests and information criteria need")
        if found is None:
            raise InputError(
                "standard errors, intervals, tests and information criteria need a likelihood; "
                'found a fit that counts errors, which has none. Fit with noise="logistic" or '
                '"lapse"; result_.exact has the set of powers that are as good.'
            )
        return found
