"""The statistics of a fit, under the names that users of statsmodels try first."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.decisions import Comparisons, Scores
from welfarist.errors import InputError
from welfarist.inference.covariance import CovarianceName, covariance_of, face_of
from welfarist.inference.doctrine_tests import DoctrineTest, likelihood_ratio
from welfarist.inference.fitted import Fitted
from welfarist.inference.intervals import MethodName, interval
from welfarist.inference.power_profile import Profile, profile_of
from welfarist.validation import FloatArray


class Statistics:
    """What a fit says about how sure it is; each is worked out when asked for.

    Everything rests on the likelihood: that of the noise model for comparisons, for scores a
    Gaussian one whose variance is the mean squared error (n in the denominator). Counts and sample
    weights say how often a decision was observed. There are no statistics where errors were
    counted (``noise="none"`` or ``"flip"``), under a prior, without convergence or without noise:
    asking for them says so.
    """

    fitted: Fitted | None
    decided: Comparisons | Scores | None

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of what was learned, such as "p", "weight of person 0" and "tau"."""
        return self._likelihood().names

    @property
    def params(self) -> FloatArray:
        """What was learned (k,), in the order of `param_names`; what was given is left out."""
        return self._likelihood().estimates.copy()

    @property
    def bse(self) -> np.ma.MaskedArray[Any, Any]:
        """Standard errors of `params` (k,), masked for estimates that lie on an edge.

        A weight of 0 or an infinite p can err in one direction only, so that it has no standard
        error; the others' are those with it held there.
        """
        fitted = self._likelihood()
        errors = np.sqrt(covariance_of(fitted, "fisher").diagonal())
        return np.ma.MaskedArray(errors, mask=np.isin(fitted.names, self.on_edge))

    @property
    def on_edge(self) -> tuple[str, ...]:
        """Names of the estimates that lie where their range ends: a weight of 0, an infinite p."""
        return face_of(self._likelihood().require()).on_edge

    @property
    def llf(self) -> float:
        """Log likelihood of the decisions; a tie counts as half of each outcome."""
        fitted = self._likelihood()
        fitted.require_spread()
        return fitted.log_likelihood(fitted.value)

    @property
    def aic(self) -> float:
        """Akaike's information criterion: twice the learned numbers less twice `llf`.

        As in statsmodels, the variance of scores does not count as learned. Weights that sum to 1
        are one fewer than people.
        """
        return 2.0 * self._likelihood().require_maximum().parameters - 2.0 * self.llf

    @property
    def bic(self) -> float:
        """The Bayesian information criterion: log n for each learned number less twice `llf`."""
        fitted = self._likelihood().require_maximum()
        return float(np.log(fitted.observations)) * fitted.parameters - 2.0 * self.llf

    def cov_params(self, covariance: CovarianceName = "fisher") -> FloatArray:
        """Return the covariance of `params` (k, k).

        Parameters
        ----------
        covariance : "fisher", "robust" or "clustered"
            The inverse of the observed information; the sandwich that stays right if the noise
            model is wrong; the sandwich of whole decision makers (``Comparisons(…, by=…)``), with
            the factor G / (G - 1) for G of them.

        Notes
        -----
        Estimates on an edge are held there: their rows are 0. Rows of the weights add up to 0.
        """
        return covariance_of(self._likelihood(), covariance)

    def interval(
        self,
        name: str,
        level: float = 0.95,
        method: MethodName | None = None,
        covariance: CovarianceName = "fisher",
    ) -> Any:
        """Return an interval that holds the true value with the given probability.

        Parameters
        ----------
        name : str
            "p", "tau", "rho" or "scale", or a name such as "weight of staff", for a pair; or
            "weights" for all of them.
        level : float
            The probability, between 0 and 1.
        method : "profile" or "wald", optional
            All values that a likelihood-ratio test would not reject; or the estimate plus and
            minus standard errors, which is quick and does not apply on an edge. Left out, it is
            "profile" for ``covariance="fisher"`` and "wald" for the others.
        covariance : "fisher", "robust" or "clustered"
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
        found = interval(self._likelihood(), name, level, method, covariance)
        return found if name == "weights" else (float(found[0, 0]), float(found[0, 1]))

    def conf_int(
        self,
        alpha: float = 0.05,
        method: MethodName | None = None,
        covariance: CovarianceName = "fisher",
    ) -> FloatArray:
        """Return the intervals of all `params` (k, 2) at level ``1 - alpha``; see `interval`."""
        fitted = self._likelihood()
        every = [*(["p"] if fitted.loss.learn_power else [])]
        every += [*(["weights"] if fitted.learned_weights else []), *fitted.extra_names]
        parts = [interval(fitted, name, 1.0 - alpha, method, covariance) for name in every]
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
            them.
        """
        return profile_of(self._likelihood(), points, level)

    def test(
        self,
        doctrine: str | None = None,
        *,
        p: float | str | None = None,
        weights: Any = None,
        groups: Any = None,
    ) -> DoctrineTest:
        """Test whether the decision maker could have followed a doctrine, by likelihood ratio.

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

        Returns
        -------
        DoctrineTest
            Null, statistic, its distribution under the null, p-value; prints as text.

        Notes
        -----
        The test takes decisions as independent. If they come from few people who decided often,
        ``interval(…, covariance="clustered")`` does not. A null on an edge (an infinite p, a
        weight of 0) is compared with a mixture of two distributions where that is known to be
        right, and refused otherwise.
        """
        return likelihood_ratio(self._likelihood(), doctrine, p=p, weights=weights, groups=groups)

    def _likelihood(self) -> Fitted:
        if self.fitted is None and self.decided is None:
            raise InputError(
                "standard errors, intervals, tests and information criteria need the decisions; "
                "found a record without them. Ask the fit itself, before without_data()."
            )
        if self.fitted is None:
            raise InputError(
                "standard errors, intervals, tests and information criteria need a likelihood; "
                'found a fit that counts errors, which has none. Fit with noise="logistic" or '
                '"lapse"; result_.exact has the set of powers that are as good.'
            )
        return self.fitted
