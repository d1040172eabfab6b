"""What was learned: estimates, how the solver ended, and the caveats."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from welfarist.certificates import Certificate
from welfarist.decisions import Comparisons, Scores
from welfarist.exact import ExactRecord
from welfarist.goodness.results import Checks
from welfarist.inference.covariance import CovarianceName
from welfarist.inference.fitted import Fitted
from welfarist.inference.intervals import MethodName
from welfarist.inference.results import Statistics
from welfarist.summary import Summary, summarise
from welfarist.validation import FloatArray
from welfarist.welfare import WelfareFunction


@dataclass(frozen=True)
class Caveat:
    """Something a reader of the estimates must know.

    Attributes
    ----------
    kind : type
        The warning that was given.
    message : str
    """

    kind: type[Warning]
    message: str


@dataclass(frozen=True, eq=False, repr=False)  # arrays have no single answer to ==
class FitResult(Statistics, Checks):
    """The full record of a fit, with its statistics and checks.

    Attributes
    ----------
    p : float
        The power, in [-inf, inf].
    weights : (d,) array
        One weight per person, summing to 1.
    stakeholders : tuple of str
        The people's names; "person 0", "person 1", … if they had none.
    tau, rho, scale : float or None
        Temperature and flip probability of the choices, scale of the scores; None where the
        model has none.
    loss : float
        Mean loss of the decisions: squared error of scores, negative log likelihood of
        comparisons, share of wrong ones where errors were counted. The prior is not part of it.
    decisions : float
        How many decisions were observed, counts included.
    accuracy : float or None
        Share of the comparisons the rule gets right; a tie is half right.
    r_squared : float or None
        Share of the scores' variance the rule explains; None for comparisons, and for scores
        that do not vary.
    converged : bool
    reason : str
        Why the solver stopped.
    n_iter : int
        Steps taken, all starts together.
    start_values : (n_starts,) array
        The objective each start reached: their spread shows how many optima there are.
    agreeing : int
        How many starts reached the best one.
    caveats : tuple of Caveat
    given : tuple of str
        What the user fixed: "p", "weights".
    weight_notes : tuple of str
        What the summary says of each weight: that it was given, is equal, or the person's group.
    first_label : str or None
        The label that was taken to mean that the first action was preferred, if it was text.
    exact : ExactRecord or None
        Where errors were counted (``noise="none"`` or ``"flip"``): every power that is as good,
        the loss at all powers, the set of rules that explain everything.
    certifier : callable or None
        Proves how good the fit is; called by `certificate`.
    fitted : Fitted or None
        The likelihood, its maximum and the decisions, for standard errors, intervals and tests;
        None where errors were counted.
    decided : Comparisons, Scores or None
        The decisions that were fitted; None in what :meth:`without_data` returns.
    covariance : "fisher", "robust", "clustered" or "bootstrap"
        Which standard errors are the result's own; see :meth:`with_covariance`.

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

    p: float
    weights: FloatArray
    stakeholders: tuple[str, ...]
    tau: float | None
    rho: float | None
    scale: float | None
    loss: float
    decisions: float
    accuracy: float | None
    r_squared: float | None
    converged: bool
    reason: str
    n_iter: int
    start_values: FloatArray = field(repr=False)
    agreeing: int
    caveats: tuple[Caveat, ...] = ()
    given: tuple[str, ...] = ()
    weight_notes: tuple[str, ...] = ()
    first_label: str | None = None
    exact: ExactRecord | None = None
    certifier: Callable[[], Certificate] | None = field(default=None, repr=False)
    fitted: Fitted | None = field(default=None, repr=False)
    decided: Comparisons | Scores | None = field(default=None, repr=False)
    covariance: CovarianceName = "fisher"

    @cached_property
    def certificate(self) -> Certificate | None:
        """A proven lower bound on the loss of any rule, and the gap to it.

        There is one where weights are known, and where errors were counted; for smooth losses it
        is worked out when first asked for, which takes longer than the fit. None otherwise.
        """
        return None if self.certifier is None else self.certifier()

    @property
    def welfare(self) -> WelfareFunction:
        """The welfare function that was learned."""
        return WelfareFunction(self.p, self.weights, self.stakeholders)

    @property
    def spread(self) -> float:
        """Relative difference between the worst and the best optimum the starts found."""
        best = float(self.start_values.min())
        return float((self.start_values.max() - best) / max(abs(best), np.finfo(float).tiny))

    def without_data(self) -> FitResult:
        """Return the record without the decisions, to be stored or passed on.

        It keeps the estimates, the caveats, the summary and a certificate that has been asked
        for. What needs the decisions (standard errors, tests, checks) says so when asked. Of the
        exact method's answer the set of rules that explain everything is left out.

        Examples
        --------
        >>> from welfarist import WelfareRegressor
        >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
        >>> result = WelfareRegressor().fit(utilities, [2.0, 3.0, 4.0, 4.0, 3.0]).result_
        >>> result.without_data().decided is None
        True
        """
        proof = self.certificate if self.exact is not None else vars(self).get("certificate")
        return replace(
            self,
            exact=None if self.exact is None else replace(self.exact, explanations=None),
            certifier=None if proof is None else partial(replace, proof),
            fitted=None,
            decided=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates as plain numbers, by name."""
        return {
            "p": self.p,
            "doctrine": self.welfare.doctrine,
            "inequality_aversion": self.welfare.inequality_aversion,
            "weights": dict(zip(self.stakeholders, self.weights.tolist(), strict=True)),
            "tau": self.tau,
            "rho": self.rho,
            "scale": self.scale,
            "loss": self.loss,
            "accuracy": self.accuracy,
            "r_squared": self.r_squared,
            "given": list(self.given),
            "decisions": self.decisions,
            "converged": self.converged,
            "n_iter": self.n_iter,
            "n_starts": len(self.start_values),
            "caveats": [caveat.message for caveat in self.caveats],
        }

    def report(
        self,
        path: str | os.PathLike[str],
        title: str | None = None,
        *,
        level: float = 0.95,
        method: MethodName | None = None,
        people: tuple[Any, Any] | None = None,
        note: str | None = None,
    ) -> None:
        """Write a report for readers who know nothing of the method, as one HTML file.

        Its intervals are those of :meth:`summary` with the same `level` and `method`.

        Parameters
        ----------
        path : str or path
            Where to write; an old file is replaced.
        title : str, optional
            The heading.
        level, method, people, note
            As in :func:`welfarist.write_report`.
        """
        from welfarist.report import write_report  # which needs this class

        write_report(self, path, title=title, level=level, method=method, people=people, note=note)

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
        return summarise(self, level, method, covariance)

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


def named_people(names: Sequence[str] | None, people: int) -> tuple[str, ...]:
    """Return the given names, or numbered ones."""
    return tuple(names) if names is not None else tuple(f"person {i}" for i in range(people))
