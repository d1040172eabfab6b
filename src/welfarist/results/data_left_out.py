"""Records without their decisions: what stays, and how the decisions come back.

A record of two million comparisons takes hundreds of megabytes; what was learned takes a few
thousand bytes. What stands here in the place of a likelihood and of its loss knows what is small:
the estimates, the model, and every statistic that has been worked out. Asked for anything else, it
says how to give the decisions back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, NoReturn, cast

import numpy as np
import numpy.typing as npt

from welfarist.base.engines import engine_of
from welfarist.base.errors import DecisionsMissingError, InputError
from welfarist.base.parameters import Parameter
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.checks import Misfit
from welfarist.counting.consistent.rules import ConsistentRules, rules_again
from welfarist.counting.findings import ExactRecord
from welfarist.counting.menus import MenuErrors
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.decisions.scanned.comparisons import ScannedComparisons
from welfarist.decisions.scanned.decisions import ScannedDecisions, is_scanned
from welfarist.families.base import Family
from welfarist.inference.bootstrap import Bootstrap
from welfarist.inference.clusters import number_of_clusters
from welfarist.inference.covariance import Face
from welfarist.inference.estimates import Estimates
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.power_profile import Profile
from welfarist.inference.stages import Stages
from welfarist.losses import (
    DecisionLoss,
    loss_of_choices,
    loss_of_comparisons,
    loss_of_scores,
)
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.losses.observed_scores import ObservedScores
from welfarist.losses.restraint import Restraint
from welfarist.losses.scanned.loss import (
    loss_of_scanned_choices,
    loss_of_scanned_comparisons,
    rounds_over,
)
from welfarist.noise.base import ChoiceNoise
from welfarist.people.weighting import Weighting

GIVE_BACK = (
    "Give them back with result_.with_data(decisions), or with_data(X, y) of the learner; "
    "keep_data=True of a learner keeps them when it is pickled."
)
# What a likelihood may have worked out that holds no decisions.
_RESULTS = (
    np.ndarray, bool, int, float, tuple, list, frozenset, Estimates, Profile, Bootstrap, Misfit,
    Stages,
)  # fmt: skip


def refuse(what: str) -> NoReturn:
    """Refuse what needs the decisions."""
    raise DecisionsMissingError(f"{what} the decisions; found a record without them. {GIVE_BACK}")


class _Stub:
    """Something that knows a few of its attributes, and refuses the others in words."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse("standard errors, intervals, tests and checks that were not worked out before need")


@dataclass(frozen=True)
class ObservedOutline(_Stub):
    """The noise model of decisions that were left out."""

    total: float
    rows: int
    unit: float
    sees_level: bool
    noise: ChoiceNoise | None
    tau_max: float | None
    scale: bool
    nothing: float
    restraint: Restraint | None = None
    log_likelihoods: dict[float, float] = field(default_factory=dict)
    options: dict[str, bool] = field(default_factory=dict)  # of choices from menus

    def null_loss(self) -> float:
        """Return the mean loss of knowing nothing of the actions."""
        return self.nothing

    def log_likelihood(self, value: float) -> float:
        """Return the log likelihood where it has been worked out."""
        if value not in self.log_likelihoods:
            refuse("log likelihoods need")
        return self.log_likelihoods[value]


@dataclass(frozen=True)
class LossOutline(_Stub):
    """The model of a loss whose decisions were left out."""

    family: Family
    weighting: Weighting
    learn_power: bool
    search_range: tuple[float, float]
    limits: tuple[float, ...]
    has_zeros: bool
    decisions: int
    parameters: tuple[Parameter, ...]
    extra_bounds: tuple[FloatArray, FloatArray]
    resolution: float
    squared: bool
    can_be_counted: bool
    features: dict[str, str]
    shape: Parameter
    observed: ObservedOutline
    in_parts: bool = False

    @classmethod
    def of(cls, loss: DecisionLoss, values: tuple[float, ...]) -> LossOutline:
        """Return what is small of a loss, with the log likelihood where its mean is one of some."""
        seen: Any = loss.observed
        compared, nothing = not isinstance(seen, ObservedScores), seen.null_loss()
        observed = ObservedOutline(
            seen.total,
            seen.rows,
            seen.unit,
            seen.sees_level,
            seen.noise if compared else None,
            seen.tau_max if compared else None,
            False if compared else seen.scale,
            nothing,
            seen.restraint,
            {v: seen.log_likelihood(v) for v in (*values, nothing) if not loss.is_perfect(v)},
            seen.options if isinstance(seen, ObservedMenus) else {},
        )
        own = {f.name: getattr(loss, f.name) for f in fields(cls) if f.name != "observed"}
        return cls(**own, observed=observed)

    def is_perfect(self, value: float) -> bool:
        """Whether no loss can be lower by more than rounding."""
        return self.restraint is None and value <= self.resolution

    @property
    def restraint(self) -> Restraint | None:
        """What was charged for certainty."""
        return self.observed.restraint

    def again(self, decided: Any, shift: float) -> DecisionLoss:
        """Return the loss of decisions that were given back, whose utilities had a shift."""
        model = self.family, self.weighting, self.learn_power
        seen = self.observed
        if is_scanned(decided):
            return self._again_from_files(decided, shift)
        if isinstance(decided, Scores):
            shifted = decided.shifted(shift, 0.0 if seen.scale else shift, least=self.family.least)
            return loss_of_scores(shifted, *model, seen.scale)
        assert seen.noise is not None
        assert seen.tau_max is not None
        noise, shifted = (seen.noise, seen.tau_max), decided.shifted(shift, least=self.family.least)
        if isinstance(decided, Choices):
            staged, sized = (seen.options[name] for name in ("tau_by_stage", "size_effect"))
            loss = loss_of_choices(shifted, *model, *noise, tau_by_stage=staged, size_effect=sized)
        else:
            loss = loss_of_comparisons(shifted, *model, *noise)
        return loss.restrained(seen.restraint)

    def _again_from_files(self, decided: Any, shift: float) -> DecisionLoss:
        """Return the loss of decisions that stay in their files, which are looked at again."""
        seen = self.observed
        rounds = rounds_over(decided, engine_of(None), Progress(False), None)
        build: Any = (
            loss_of_scanned_comparisons
            if isinstance(decided, ScannedComparisons)
            else loss_of_scanned_choices
        )
        model = self.family, self.weighting, self.learn_power
        loss: DecisionLoss = build(
            rounds, decided.shifted(shift, least=self.family.least), *model, seen.noise,
            seen.tau_max,
        )  # fmt: skip
        return loss


@dataclass(frozen=True)
class _SingleOutline(_Stub):
    """Whether it is known who decided."""

    deciders: npt.NDArray[np.intp] | None


def outline_of(likelihood: Likelihood) -> Likelihood:
    """Return a likelihood without its decisions, with what has been worked out."""
    # A glance at the decisions, which tells how likely they are.
    value, alone = likelihood.value, likelihood.value_of_decisions
    loss = cast(DecisionLoss, LossOutline.of(likelihood.loss, (value, alone)))
    light = replace(likelihood, loss=loss, decided=None)
    for what, found in likelihood.known.items():
        if isinstance(found, Face):
            light.known[what] = replace(found, loss=loss)
        elif isinstance(found, _RESULTS):
            light.known[what] = found
    vars(light)["value"], vars(light)["value_of_decisions"] = value, alone
    by = getattr(likelihood.decided, "by", None)
    light.known["clusters"] = None if by is None else number_of_clusters(likelihood)
    vars(light)["single"] = _SingleOutline(None if by is None else np.empty(0, dtype=np.intp))
    return light


def likelihood_again(light: Likelihood, decided: Any, shift: float) -> Likelihood:
    """Return the likelihood of decisions that were given back, with what was worked out."""
    loss = cast(LossOutline, light.loss).again(decided, shift)
    found = replace(light, loss=loss, decided=decided)
    found.known.update({w: k for w, k in light.known.items() if not isinstance(k, Face)})
    return found


def has_outline(likelihood: Likelihood | None) -> bool:
    """Whether the decisions of a likelihood were left out."""
    return likelihood is not None and isinstance(likelihood.loss, LossOutline)


@dataclass(frozen=True)
class LeftOut:
    """Which decisions were left out, and what else cannot be told without them.

    Attributes
    ----------
    digest : str
        Of the decisions.
    rules : tuple or None
        Weights, power and margin of a rule that explains every decision, and the given power.
    absent : bool
        Whether some actions did not affect everybody.
    """

    digest: str
    rules: tuple[FloatArray, float, float, float | None] | None = None
    absent: bool = False

    @classmethod
    def of(cls, result: Any) -> LeftOut:
        """Return what has to be known to give the decisions of a record back."""
        exact, rules = result.exact, None
        if exact is not None and isinstance(exact.explanations, ConsistentRules):
            found = exact.explanations
            rules = found.weights, found.p, found.margin, result.p if "p" in result.given else None
        return cls(result.decided.digest(), rules, getattr(result.decided, "absent", False))

    def require_same(self, decided: Any, kind: str) -> None:
        """Refuse other decisions than those that were left out."""
        known = Choices, Comparisons, Scores, ScannedDecisions
        if not isinstance(decided, known) or decided.kind != kind:
            raise InputError(
                f"with_data needs the {kind} that were fitted; found "
                f"{type(decided).__name__}. Pass what fit was given: decisions, or X "
                "and y to with_data of the learner."
            )
        if decided.digest() != self.digest:
            raise InputError(
                f"with_data needs the decisions that were fitted, in the same order; found others, "
                f"{len(decided)} of them. Pass the data that fit was given, or fit again."
            )

    def rules_again(
        self, decided: Any, groups: tuple[str, ...] | None, shift: float
    ) -> ConsistentRules | None:
        """Return the rules that explain all decisions which were given back; None if none do."""
        if self.rules is None:
            return None
        weights, p, margin, given = self.rules
        shared = None if groups is None else np.unique(groups, return_inverse=True)[1].reshape(-1)
        weighting = Weighting(len(weights), group_of=shared)
        seen = decided.shifted(shift)
        if isinstance(seen, Choices):
            menus = MenuErrors.of_menus(seen.utilities, seen.merged[0], weighting)
            loss = menus.as_pairs()
            assert loss is not None
        else:
            loss = ZeroOneLoss.of(seen.utilities, seen.merged, weighting)
        return rules_again(loss, weights, p, margin, given)


@dataclass(frozen=True)
class KnownRules(_Stub):
    """What was worked out of the rules that explain every decision."""

    weights: FloatArray
    p: float
    margin: float
    power_intervals: tuple[tuple[float, float], ...]
    search_ends: tuple[float, ...]
    weight_ranges: tuple[FloatArray, FloatArray]


def exact_without_data(exact: ExactRecord | None) -> ExactRecord | None:
    """Return the exact method's answer without decisions: of the rules, what was worked out."""
    if exact is None:
        return None
    rules = exact.explanations
    known: Any = None
    if rules is not None and "weight_ranges" in vars(rules):
        known = KnownRules(
            rules.weights,
            rules.p,
            rules.margin,
            rules.power_intervals,
            rules.search_ends,
            rules.weight_ranges,
        )
    return replace(exact, explanations=known)
