"""What was learned: estimates, how the solver ended, and what a reader must know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.differences.family import OnDifferences
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.noise.base import ChoiceNoise
from welfarist.solvers.evidence import SearchEvidence

if TYPE_CHECKING:  # statistics and proofs take a second to import; a saved rule needs neither
    from welfarist.counting.findings import ExactRecord
    from welfarist.inference.covariance import CovarianceName
    from welfarist.inference.likelihood import Likelihood
    from welfarist.proofs.certificate import Certificate


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


class Remark(Warning):
    """Something to know that nobody need be warned of: the user has said so."""


@dataclass(frozen=True, eq=False, repr=False)  # arrays have no single answer to ==
class Learned:
    """What was learned, in numbers; :class:`~welfarist.FitResult` adds what can be asked of it.

    Attributes
    ----------
    p : float
        The power, in [-inf, inf]; in another family than the power mean its own parameter.
    weights : (d,) array
        One weight per person, summing to 1.
    stakeholders : tuple of str
        The people's names; "person 0", "person 1", … if they had none.
    kind : "scores" or "comparisons"
        What it was learned from.
    extras : mapping
        What the noise model learned, or was given, by name: "tau", "rho", "scale".
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
    effort : str or None
        How hard the solver searched: "low", "auto" or "high"; None for those that cannot be asked.
    caveats : tuple of Caveat
    given : tuple of str
        What the user fixed: "p", "weights".
    groups : tuple of str or None
        The group of each person; None if weights were not learned by group.
    equal : bool
        Whether everybody was given the same weight.
    first_label : str or None
        The label that was taken to mean that the first action was preferred, if it was text.
    family : Family
    noise : ChoiceNoise or None
        How choices err; None for scores, and where errors were counted.
    noise_parameters : tuple of Parameter
        What `extras` are.
    exact : ExactRecord or None
        Where errors were counted (``noise="none"`` or ``"flip"``): every power that is as good,
        the loss at all powers, the set of rules that explain everything.
    certifier : callable or None
        Proves how good the fit is; called by `certificate`.
    likelihood : Likelihood or None
        What was maximised and where, for standard errors, intervals and tests; None where errors
        were counted.
    decided : Comparisons, Scores or None
        The decisions that were fitted; None in what
        :meth:`~welfarist.FitResult.without_data` returns, and in records that were pickled.
    covariance : "fisher", "robust", "clustered" or "bootstrap"
        Which standard errors are the result's own; see
        :meth:`~welfarist.FitResult.with_covariance`.
    shift : float
        What was added to every utility before the rule was learned; `welfare` adds it as well.
    theta : mapping
        By how much the logarithm of a weight changes with a unit of each attribute, by name, where
        weights follow from attributes; empty elsewhere.
    keeps_data : bool
        Whether pickles hold the decisions; see :meth:`~welfarist.FitResult.with_data`.
    left_out : LeftOut or None
        By what decisions that were left out are known again.
    """

    p: float
    weights: FloatArray
    stakeholders: tuple[str, ...]
    kind: str
    extras: Mapping[str, float]
    loss: float
    decisions: float
    accuracy: float | None
    r_squared: float | None
    converged: bool
    reason: str
    n_iter: int
    start_values: FloatArray = field(repr=False)
    agreeing: int
    effort: str | None = None
    caveats: tuple[Caveat, ...] = ()
    given: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    equal: bool = False
    first_label: str | None = None
    family: Family = POWER_MEAN
    noise: ChoiceNoise | None = None
    noise_parameters: tuple[Parameter, ...] = ()
    exact: ExactRecord | None = None
    certifier: Callable[[], Certificate] | None = field(default=None, repr=False)
    likelihood: Likelihood | None = field(default=None, repr=False)
    decided: Any = field(default=None, repr=False)
    covariance: CovarianceName = "fisher"
    shift: float = 0.0
    theta: Mapping[str, float] = field(default_factory=dict)
    keeps_data: bool = False
    left_out: Any = field(default=None, repr=False)

    @property
    def small_sample(self) -> bool:
        """Whether certainty was charged for, because decisions are few or leave no doubt."""
        return self.likelihood is not None and self.likelihood.loss.restraint is not None

    @property
    def tau(self) -> float | None:
        """The temperature of choices; None where the model has none."""
        return self.extras.get("tau")

    @property
    def rho(self) -> float | None:
        """The flip probability of choices; None where the model has none."""
        return self.extras.get("rho")

    @property
    def scale(self) -> float | None:
        """The scale of scores; None where the model has none."""
        return self.extras.get("scale")

    @property
    def weight_notes(self) -> tuple[str, ...]:
        """What a table says of each weight: that it was given, is equal, or the person's group."""
        if self.groups is not None:
            return tuple(f"group {group}" for group in self.groups)
        if self.theta:
            return ("by attributes",) * len(self.weights)
        note = "equal" if self.equal else "given" if "weights" in self.given else ""
        return (note,) * len(self.weights)

    @property
    def members(self) -> dict[str, list[int]] | None:
        """Who is in which group, by number; None if people were not in groups.

        Examples
        --------
        >>> from welfarist import WelfareRegressor
        >>> table = [[1.0, 4.0, 2.0], [3.0, 8.0, 1.0], [2.0, 2.0, 5.0]]
        >>> fit = WelfareRegressor(p=1, groups=["a", "b", "a"]).fit(table, [2.0, 4.0, 3.0])
        >>> fit.result_.members
        {'a': [0, 2], 'b': [1]}
        """
        if self.groups is None:
            return None
        found: dict[str, list[int]] = {}
        for person, group in enumerate(self.groups):
            found.setdefault(group, []).append(person)
        return found

    @cached_property
    def certificate(self) -> Certificate | None:
        """A proven lower bound on the loss of any rule, and the gap to it.

        There is one where weights are known, and where errors were counted; for smooth losses it
        is worked out when first asked for, which takes longer than the fit. Where weights were
        learned there is none until :meth:`~welfarist.FitResult.prove` has been called.
        """
        return None if self.certifier is None else self.certifier()

    @property
    def welfare(self) -> Any:
        """The welfare function that was learned, which adds the shift to utilities."""
        rule = self.family.rule(self.p, self.weights, self.stakeholders)
        return rule.shifted(self.shift) if self.shift else rule

    @property
    def inequality_aversion(self) -> float | None:
        """Atkinson's epsilon, 1 - p; None in a family that has none."""
        return 1.0 - self.p if self.family.has_aversion else None

    @property
    def reach(self) -> FloatArray | None:
        """How far each weight reaches (d,), the largest 1; None where weights say who counts.

        Far out, where p is large either way, what acts is ``w^(1/|p|)``: a person with a weight of
        1e-20 may well count.

        Examples
        --------
        >>> from welfarist import WelfareRegressor
        >>> table = [[1.0, 4.0], [3.0, 8.0], [2.0, 2.0], [9.0, 1.0]]
        >>> fit = WelfareRegressor(p=20, weights=[1, 1e-8]).fit(table, [2.0, 4.0, 3.0, 9.0])
        >>> fit.result_.reach.round(2).tolist()
        [1.0, 0.4]
        """
        return self.family.reach(self.p, self.weights)

    @property
    def weights_mislead(self) -> bool:
        """Whether p is so far out that weights which are next to nothing may count."""
        return self.reach is not None and bool(np.isfinite(self.p))

    @property
    def nameless_welfare(self) -> Any:
        """The same without names: for columns that it was learned from."""
        rule = self.family.rule(self.p, self.weights)
        return rule.shifted(self.shift) if self.shift else rule

    @property
    def score_offset(self) -> float:
        """What scores lack to be a welfare: the shift where they are on the utilities' scale."""
        return self.shift if self.scale is None else 0.0

    def preference(self, margins: FloatArray) -> FloatArray:
        """How likely the first action is preferred (n,) at differences in value (n,)."""
        assert self.noise is not None
        own = np.array([self.extras[parameter.name] for parameter in self.noise.own])
        return self.noise.probability(self.extras["tau"] * margins, own)

    @property
    def spread(self) -> float:
        """Relative difference between the worst and the best optimum the starts found."""
        best = float(self.start_values.min())
        return float((self.start_values.max() - best) / max(abs(best), np.finfo(float).tiny))

    @property
    def search(self) -> SearchEvidence:
        """How many optima the starts saw, and estimates of what they missed.

        Examples
        --------
        >>> from welfarist import WelfareRegressor
        >>> table = [[1.0, 4.0], [3.0, 8.0], [2.0, 2.0], [9.0, 1.0]]
        >>> fit = WelfareRegressor(p=1, effort="low").fit(table, [2.0, 4.0, 3.0, 6.0])
        >>> fit.result_.search.effort, fit.result_.search.optima
        ('low', 1)
        """
        return SearchEvidence.of(self.start_values, self.effort)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates as plain numbers, by name."""
        return {
            "p": self.p,
            "doctrine": self.welfare.doctrine,
            "inequality_aversion": self.inequality_aversion,
            "weights": self._by_name(self.weights),
            **({"theta": dict(self.theta)} if self.theta else {}),
            "reach": None if self.reach is None else self._by_name(self.reach),
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
            "search": self.search.to_dict(),
            "caveats": [caveat.message for caveat in self.caveats],
            **self._of_ones_own(),
        }

    def _by_name(self, numbers: FloatArray) -> dict[str, float]:
        return dict(zip(self.stakeholders, numbers.tolist(), strict=True))

    @property
    def affected(self) -> tuple[str, ...]:
        """Whom actions affect, by name: the stakeholders, unless weights belong to places."""
        if not self.family.by_place:
            return self.stakeholders
        known = None if self.decided is None else self.decided.stakeholders
        return named_people(known, len(self.stakeholders))

    @property
    def named_stakeholders(self) -> tuple[str, ...] | None:
        """The names that somebody gave to the people; None if they have numbers only.

        Nobody has a name for a rule whose weights belong to places.
        """
        if self.family.by_place:
            return None
        numbered = named_people(None, len(self.stakeholders))
        return None if self.stakeholders == numbered else self.stakeholders

    def _of_ones_own(self) -> dict[str, Any]:
        """What only fits with a family or a noise model of one's own have to tell."""
        known = ("tau", "rho", "scale")
        found: dict[str, Any] = {n: v for n, v in self.extras.items() if n not in known}
        if self.family != POWER_MEAN:
            found["family"] = self.family.name
        if isinstance(self.family, OnDifferences):
            found["margin"] = "difference"
        if self.noise is not None and self.noise.option is self.noise:
            found["noise"] = self.noise.name
        if self.shift:
            found["shift"] = self.shift
        if self.small_sample:
            found["small_sample"] = True
        return found


def named_people(names: Sequence[str] | None, people: int) -> tuple[str, ...]:
    """Return the given names, or numbered ones."""
    return tuple(names) if names is not None else tuple(f"person {i}" for i in range(people))
