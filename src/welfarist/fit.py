"""What was learned: estimates, how the solver ended, and the caveats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from welfarist.certificates import Certificate
from welfarist.doctrines import DOCTRINES
from welfarist.exact import ExactRecord
from welfarist.inference.fitted import Fitted
from welfarist.inference.results import Statistics
from welfarist.validation import FloatArray
from welfarist.welfare import WelfareFunction

# A share of errors that is proven up to this is proven.
_ROUNDING = 1e-12
# A power this near to a named one is called so in a summary.
_CLOSE = 0.05


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


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class FitResult(Statistics):
    """The full record of a fit, with its statistics.

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

    def summary(self) -> str:
        """Return the estimates as a table of text.

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
          power p              0.0000   Nash
          inequality aversion  1.0000
          weight of person 0   0.5000
          weight of person 1   0.5000
          mean loss         ...
          R squared            1.0000
        Converged: ...
        """
        lines: list[tuple[str, float, str]] = [
            ("power p", self.p + 0.0 if abs(self.p) > 5e-5 else 0.0, self._doctrine()),
            ("inequality aversion", 1.0 - self.p, ""),
        ]
        notes = self.weight_notes or ("",) * len(self.weights)
        ranges = [] if self.exact is None else self.exact.weight_notes(self.decisions)
        if ranges:
            notes = tuple(f"{a}   {b}".strip() for a, b in zip(ranges, notes, strict=True))
        for name, weight, note in zip(self.stakeholders, self.weights, notes, strict=True):
            lines.append((f"weight of {name}", float(weight), note))
        optional = (
            ("temperature tau", self.tau),
            ("flip probability rho", self.rho),
            ("scale", self.scale),
            ("mean loss" if self.exact is None else "share of errors", self.loss),
            ("corrected for flips", None if self.exact is None else self.exact.shown_correction),
            ("accuracy", self.accuracy),
            ("R squared", self.r_squared),
        )
        lines.extend((name, value, "") for name, value in optional if value is not None)
        plural = "" if self.decisions == 1 else "s"
        title = f"Learned from {self.decisions:g} decision{plural}"
        return "\n".join([title, *_table(lines), *self._end()])

    def _doctrine(self) -> str:
        """The doctrine of p as it is printed, so that 0.0000 is called Nash."""
        shown = self.p if np.isinf(self.p) else round(self.p, 4)
        near = [d for d in DOCTRINES if 0 < abs(shown - d.p) < _CLOSE]
        name = f"close to {near[0].name}" if near else WelfareFunction(shown).doctrine
        return f"{name} (given)" if "p" in self.given else name

    def _end(self) -> list[str]:
        if self.exact is not None:
            ends = self._exact_end()
        else:
            state = "Converged" if self.converged else "Did not converge"
            starts = f"{self.agreeing} of {len(self.start_values)} starts found this optimum"
            ends = [f"{state}: {self.reason} ({self.n_iter} steps; {starts})"]
        if self.first_label is not None:
            ends.append(f"Label {self.first_label!r}: the first action was preferred")
        ends.extend(f"Note: {caveat.message}" for caveat in self.caveats)
        return ends

    def _exact_end(self) -> list[str]:
        """How far the fit is proven, and what is as good."""
        proof = self.certificate
        if self.exact is None or proof is None:
            return []
        if proof.gap <= _ROUNDING:
            ends = [f"Proven optimal: {proof.method}"]
        else:
            ends = [
                f"Not proven optimal: {self.reason}",
                f"Proven: no rule is wrong in less than {proof.lower_bound:.2%} ({proof.method})",
            ]
        return ends + self.exact.lines()


def _table(lines: Sequence[tuple[str, float, str]]) -> list[str]:
    width = max(len(name) for name, _, _ in lines)
    return [f"  {name:{width}}  {_number(value)}   {note}".rstrip() for name, value, note in lines]


def _number(value: float) -> str:
    small = 0 < abs(value) < 1e-3
    return f"{value:.4g}" if small or abs(value) >= 1e4 or np.isinf(value) else f"{value:.4f}"


def named_people(names: Sequence[str] | None, people: int) -> tuple[str, ...]:
    """Return the given names, or numbered ones."""
    return tuple(names) if names is not None else tuple(f"person {i}" for i in range(people))
