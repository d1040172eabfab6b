"""The statistics of a fit, under the names that users of statsmodels try first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from welfarist.base.errors import DecisionsMissingError, InputError
from welfarist.base.named_values import MaskedNamedValues, NamedValues
from welfarist.base.parameters import WEIGHT
from welfarist.base.progress import ProgressOption
from welfarist.base.validation import FloatArray, check_level, is_real
from welfarist.inference.bootstrap import RESAMPLES, Bootstrap, bootstrap
from welfarist.inference.contrasts import Contrast, contrast, linear_wald
from welfarist.inference.covariance import (
    CovarianceName,
    check_covariance,
    covariance_of,
    face_of,
    variances_of,
)
from welfarist.inference.doctrine_tests import (
    DoctrineTest,
    likelihood_ratio,
    null_of,
    power_asked,
)
from welfarist.inference.estimates import Estimates, estimates
from welfarist.inference.intervals import (
    MethodName,
    default_interval,
    interval,
    kind_for,
    pieces,
)
from welfarist.inference.power_profile import Profile, profile_of
from welfarist.inference.power_set import Pieces
from welfarist.inference.simulated_nulls import SAMPLES, Simulation
from welfarist.inference.stages import Stages, stages_of
from welfarist.inference.wald_tests import check_wald, wald
from welfarist.losses.observed import UnitName
from welfarist.results.goodness import Goodness


@dataclass(frozen=True, eq=False)
class Statistics(Goodness):
    """What a fit says about how sure it is; each is worked out when first asked for.

    Everything rests on the likelihood: that of the noise model for comparisons, for scores a
    Gaussian one whose variance is the mean squared error (n in the denominator). Counts and sample
    weights say how often a decision was observed. There are no statistics where errors were
    counted (``noise="none"`` or ``"flip"``), without convergence or without noise: asking for them
    says so. Under a prior there are standard errors and intervals, from the posterior's mode and
    curvature, but no tests, information criteria or bootstrap.
    """

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of what was learned, such as "p", "weight of person 0" and "tau"."""
        return self.likelihood.names

    @property
    def params(self) -> NamedValues:
        """What was learned (k,), in the order of `param_names`; what was given is left out.

        An array whose entries also go by name: ``params["p"]``, ``params["weight of staff"]``.
        So do those of `bse`, `tvalues`, `pvalues` and `conf_int()`.
        """
        return NamedValues.of(self.likelihood.estimates, self.param_names)

    @property
    def bse(self) -> MaskedNamedValues:
        """Standard errors of `params` (k,), masked for estimates that lie on an edge.

        A weight of 0 or an infinite p can err in one direction only, so that it has no standard
        error; the others' are those with it held there. They come from the covariance of the
        result; see :meth:`with_covariance`.
        """
        likelihood = self.likelihood
        kind = check_covariance(self.learned.covariance)
        if kind == "bootstrap":
            errors = np.sqrt(self.cov_params().diagonal())
        else:
            errors = np.sqrt(variances_of(likelihood, kind))
        names = likelihood.names
        return MaskedNamedValues.of(errors, np.isin(names, self.on_edge), names)

    @property
    def tvalues(self) -> MaskedNamedValues:
        """How many standard errors each of `params` is from 0 (k,), masked but for p and theta.

        For p that is a test of the Nash rule, p = 0; for the theta of an attribute, that it does
        not matter. Nobody can weigh less than 0, and tau, rho
        and scale cannot be negative: there 0 is an edge, where such a ratio says nothing. So it
        is for p where a utility is 0. :meth:`test` has tests of weights.
        """
        likelihood = self.likelihood
        shape = likelihood.loss.family.shape
        inner = shape.lowest < 0 < shape.highest and not likelihood.loss.has_zeros
        asked = likelihood.quantities
        inside = np.array(
            [q.attribute is not None or (q.is_shape and inner) for q in asked], dtype=bool
        )
        ratio = np.ma.masked_where(~inside, np.asarray(self.params) / self.bse)
        return MaskedNamedValues.of(ratio.data, np.ma.getmaskarray(ratio), likelihood.names)

    @property
    def pvalues(self) -> MaskedNamedValues:
        """How often `tvalues` as far from 0 arise where 0 is true (k,), masked likewise."""
        away = self.tvalues
        chances = 2.0 * norm.sf(np.abs(away.filled(0.0)))
        return MaskedNamedValues.of(chances, np.ma.getmaskarray(away), away.names)

    @property
    def on_edge(self) -> tuple[str, ...]:
        """Names of the estimates that lie where their range ends: a weight of 0, an infinite p."""
        return face_of(self.likelihood.require_curvature()).on_edge

    def cov_params(self, covariance: CovarianceName | None = None) -> FloatArray:
        """Return the covariance of `params` (k, k).

        Parameters
        ----------
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            The inverse of the observed information; the sandwich that stays right if the noise
            model is wrong; the sandwich of whole decision makers (``Comparisons(…, by=…)``), with
            the factor G / (G - 1) for G of them; that of :meth:`bootstrap`. Left out, it is that
            of the result: "clustered" where it is known who decided, and "fisher" otherwise,
            unless :meth:`with_covariance` chose another.

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
            "p", "epsilon" (inequality aversion, 1 - p), "tau", "rho" or "scale", or a name such as
            "weight of staff", "theta[age]" or "age", for a pair; or "weights" for all of them.
        level : float
            The probability, between 0 and 1.
        method : "profile", "wald" or "bootstrap", optional
            All values that a likelihood-ratio test would not reject; the estimate plus and minus
            standard errors, which is quick and does not apply on an edge; or what most of 999
            resamples give (seed 0; :meth:`bootstrap` has other numbers). Left out, it is "profile"
            for ``covariance="fisher"``, "bootstrap" for that and "wald" for the others; and
            "profile" for an estimate on an edge, unless a covariance was asked for. Under a prior
            it is "posterior": a normal distribution about the posterior's mode, in asinh p, log tau
            and the logits of weights.
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            The standard errors of a Wald interval; see :meth:`cov_params`.

        Returns
        -------
        pair of floats, or (d, 2) array for "weights"
            Ends of p may be infinite: ``(-inf, 0.4)`` says that p is at most 0.4. Where a utility
            is 0, so that only positive powers were considered, p is at least 0.

        Notes
        -----
        A deviance is compared with chi-squared of one degree of freedom; that of n scores, or of n
        comparisons that are penalised because they are few, with F of 1 and n - k, for k numbers
        that were learned. Where the estimate lies on an edge that makes the interval too wide
        rather than too narrow. An interval of p has the outer ends of a set that may be in pieces:
        see :meth:`pieces`.
        """
        found = self._interval(name, level, method, covariance)
        return found if name == "weights" else (float(found[0, 0]), float(found[0, 1]))

    def pieces(self, name: str = "p", level: float = 0.95) -> Pieces:
        """Return the parts of a profile-likelihood set, of which the interval has the outer ends.

        Few decisions can be explained by a moderate power and by one far out, and by none between:
        then there are two. Of anything but p there is one.

        Parameters
        ----------
        name : str
            "p", or whatever :meth:`interval` takes but "weights".
        level : float
            Between 0 and 1.

        Returns
        -------
        tuple of pairs of floats
            Ascending.
        """
        return pieces(self.likelihood, name, check_level(level))

    def conf_int(
        self,
        alpha: float = 0.05,
        method: MethodName | None = None,
        covariance: CovarianceName | None = None,
    ) -> NamedValues:
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
        return NamedValues.of(np.concatenate([np.empty((0, 2)), *parts]), likelihood.names)

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

    def stages(self) -> Stages:
        """Return whether later choices of rankings err like the first: a test of one temperature.

        Returns
        -------
        Stages
            The temperature of each stage, ``taus``, that of all together, ``shared``, and
            ``test``, by likelihood ratio.

        Notes
        -----
        Whichever of both was fitted, the other is found from there. The test takes decisions as
        independent of each other.

        Examples
        --------
        >>> from welfarist import ChoiceLearner, simulate
        >>> world = simulate.individuals(50, 3, p=0, random_state=1)
        >>> menus = simulate.random_menus(50, 200, 5, random_state=1)
        >>> ranked = simulate.rankings(world, menus, tau=8, places=2, random_state=1)
        >>> found = ChoiceLearner().fit(ranked).result_.stages()
        >>> len(found.taus), found.test.degrees, bool(found.test.p_value > 0.01)
        (2, 1, True)
        """
        likelihood = self.likelihood
        return likelihood.once("stages", lambda: stages_of(likelihood))

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
        kind = kind_for(method, covariance, self.learned.covariance)
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
        likelihood = self.likelihood
        kind = kind_for(method, covariance, self.learned.covariance)
        if method is None and covariance is None:
            return default_interval(likelihood, name, level, kind, self._resampled)
        return interval(likelihood, name, level, method, kind, self._resampled)

    def test(
        self,
        doctrine: str | None = None,
        *,
        p: float | str | None = None,
        epsilon: float | None = None,
        weights: Any = None,
        groups: Any = None,
        theta: Any = None,
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
        epsilon : float, optional
            The same as inequality aversion: 1 - p.
        weights : "equal", (d,) array-like or mapping, optional
            Weights, alone or together with a power.
        groups : (d,) array-like or mapping, optional
            People who share a weight.
        theta : str, list of str, mapping or 0, optional
            Of weights by attributes: an attribute, or several, that do not matter; a mapping of
            attributes to numbers, that they matter so much; 0, that none of them matters.
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            Makes it a Wald test with these standard errors, of a null that is not on an edge.
            Left out, it is that of the result where that is not "fisher", as where it is known
            who decided, and a likelihood-ratio test otherwise, or where no Wald test applies.
        resamples, random_state, n_jobs, progress
            How many samples are drawn at most under a null whose statistic follows no known
            distribution, their seed, how many processes share the work, and whether a progress
            bar is shown. As soon as 20 of them are as large, their share is the p-value. With
            ``resamples=None`` such nulls are refused, which costs nothing.

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
        asked: dict[str, Any] = dict(
            doctrine=doctrine,
            p=power_asked(likelihood, doctrine, p, epsilon),
            weights=weights,
            groups=groups,
            theta=theta,
        )
        in_place_of = None
        if covariance is not None:
            return self._wald(asked, check_covariance(covariance))
        if self.learned.covariance != "fisher":
            null_of(likelihood.require(), **asked)  # what is no null is refused as such
            try:
                return self._wald(asked, self.learned.covariance)
            except InputError:  # on an edge: the likelihood ratio applies, and says so
                in_place_of = self.learned.covariance
        simulation = None
        if resamples is not None:
            simulation = Simulation(resamples, random_state, n_jobs, progress)
        return likelihood_ratio(likelihood, **asked, simulation=simulation, in_place_of=in_place_of)

    def _wald(self, asked: dict[str, Any], kind: CovarianceName) -> DoctrineTest:
        """A test of a doctrine by standard errors of a kind, or why it does not apply."""
        likelihood = self.likelihood
        null = null_of(likelihood.require(), **asked)
        check_wald(likelihood, null, kind)
        return wald(likelihood, null, self.cov_params(kind), kind)

    def wald_test(self, null: Any, covariance: CovarianceName | None = None) -> DoctrineTest:
        """Test linear equations between the estimates, all of them together.

        Parameters
        ----------
        null : str, mapping, or list of them
            Equations such as ``"weight of patients = weight of staff"``, ``"epsilon = 1"`` or
            ``"weight of patients - 2 weight of staff = 0"``, with commas between several; what
            stands without ``=`` is 0. Names are those of `param_names`, "epsilon" for 1 - p, and
            people's names for their weights, attributes for their thetas. A mapping of names to
            numbers is a sum that is 0: ``{"patients": 1, "staff": -1}``.
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            See :meth:`cov_params`.

        Returns
        -------
        DoctrineTest
            The statistic is compared with chi-squared, a degree of freedom for each equation that
            does not follow from the others.

        Examples
        --------
        >>> import numpy as np
        >>> from welfarist import WelfareRegressor, power_mean
        >>> rng = np.random.default_rng(0)
        >>> utilities = rng.uniform(1, 10, (200, 3))
        >>> scores = power_mean(utilities, -1, [0.4, 0.3, 0.3]) + rng.normal(0, 0.3, 200)
        >>> result = WelfareRegressor().fit(utilities, scores).result_
        >>> print(result.wald_test("weight of person 1 = weight of person 2"))
        Null: weight of person 1 = weight of person 2
        Wald 3.1..., chi-squared with 1 degree of freedom, fisher standard errors
        p-value 0.07...
        """
        kind = check_covariance(self.learned.covariance if covariance is None else covariance)
        return linear_wald(self.likelihood, null, self.cov_params(kind), kind)

    def contrast(
        self,
        of: Any,
        value: float = 0.0,
        level: float = 0.95,
        covariance: CovarianceName | None = None,
    ) -> Contrast:
        """Return a linear combination of the estimates with its standard error and interval.

        Parameters
        ----------
        of : str or mapping
            ``"weight of patients - weight of staff"``, or ``{"patients": 1, "staff": -1}``; names
            as in :meth:`wald_test`.
        value : float
            What is tested.
        level : float
            Of the interval, between 0 and 1.
        covariance : "fisher", "robust", "clustered" or "bootstrap", optional
            See :meth:`cov_params`.

        Returns
        -------
        Contrast
            `estimate`, `standard_error`, `low`, `high`, `statistic`, `p_value`; prints as text.
        """
        kind = check_covariance(self.learned.covariance if covariance is None else covariance)
        return contrast(self.likelihood, of, value, level, self.cov_params(kind), kind)
