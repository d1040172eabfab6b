"""Rules of a family whose noise acts on differences in welfare: another link, not other rules."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import People
from welfarist.families.differences.apart import Apart
from welfarist.families.family_rule import FamilyRule
from welfarist.families.levels import DIFFERENCE, differences_in_words
from welfarist.families.welfare import Welfare

MARGIN = "difference"
# What is the same whichever way welfare is compared.
_SHARED = (
    "name", "shape", "starts", "more_starts", "plain", "ratios", "is_mean", "doctrines",
    "says", "has_aversion", "least", "by_place", "own",
)  # fmt: skip


class OnDifferences(Family):
    """The rules of another family, which err more often the closer two welfares are.

    Domain: that of the family, whose values are logarithms of welfare.

    Formula: ``M = exp(V)`` takes the place of ``V = log M``: choices depend on ``tau (M(first) -
    M(second))``. With g the derivatives of V, those of M are ``M g``, and second ones ``M (V'' +
    g g')``.

    Limits: where all actions are worth about the same, c, choices are those of noise on ratios
    with tau c. One percent more for everybody changes no choice without noise; with noise it makes
    choices surer.

    tau is measured in one over the unit of utility: in cents it is a hundredth of what it is in
    euros.

    Parameters
    ----------
    of : Family
        A family whose values are logarithms, such as that of power means.
    """

    level = DIFFERENCE

    def __init__(self, of: Family) -> None:
        if not of.level.is_ratio:
            raise InputError(
                'margin="difference" is for families whose noise acts on ratios of welfare '
                f"otherwise; found {of.called}, where it acts on differences already. Leave it out."
            )
        self.of = of
        for shared in _SHARED:
            setattr(self, shared, getattr(of, shared))
        self.title = f"{of.title} with noise on differences"

    @property
    def called(self) -> str:
        """What a user writes to get it."""
        own = "" if self.of.name == "power" else f"{self.of.called} with "
        return f'{own}margin="{MARGIN}"'

    @property
    def noun(self) -> str:
        """What one of its rules is called."""
        return self.of.noun

    @property
    def label(self) -> str:
        """What a comparison of families calls it."""
        return MARGIN if self.of.name == "power" else f"{self.of.label}, differences"

    def suited_to(self, utilities: Any) -> OnDifferences:
        """Return the same of the family that suits a table (N, d)."""
        return OnDifferences(self.of.suited_to(utilities))

    def labels(self, people: tuple[str, ...]) -> tuple[str, ...]:
        """Return what each weight is of."""
        return self.of.labels(people)

    def like_power(self, p: float) -> float:
        """Return the power of a power mean that does about the same."""
        return self.of.like_power(p)

    def noise_in_words(self, tau: float) -> str:
        """Say what a temperature means, which has a unit."""
        return differences_in_words(tau)

    @property
    def own_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where further parameters are searched."""
        return self.of.own_bounds

    @property
    def own_start(self) -> FloatArray:
        """Where a search of further parameters begins."""
        return self.of.own_start

    def within(self, bounds: tuple[FloatArray, FloatArray]) -> OnDifferences:
        """Return the same with other bounds of further parameters."""
        return OnDifferences(self.of.within(bounds))

    def at(self, own: FloatArray) -> OnDifferences:
        """Return the member with these further parameters."""
        return OnDifferences(self.of.at(own))

    def own_values(self) -> dict[str, float]:
        """Return the further parameters by name."""
        return self.of.own_values()

    def numbers(self) -> dict[str, Any]:
        """Return those of the family, and which margin it is."""
        return {**self.of.numbers(), "margin": MARGIN}

    def step(self, people: People) -> float:
        """Return about the standard deviation of what people have."""
        return cast(Apart, people).step

    def columns(self, utilities: FloatArray) -> Apart:
        """Return what people have (d, N), and what the family sees of it."""
        return Apart.of(self.of.columns(utilities))

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return the welfare of all actions, with derivatives."""
        seen = cast(Apart, people).seen
        found = self.of.welfare(seen, weights, p)
        value = np.exp(found.value + seen.shift)
        times = _times(value)
        found.by_weight, found.by_power = times(found.by_weight), times(found.by_power)
        found.by_own = None if found.by_own is None else times(found.by_own)
        found.value = value
        return found

    def table_of(self, people: People) -> FloatArray:
        """Return what people have (d, N), on the scale of welfare."""
        logs = self.of.table_of(cast(Apart, people).seen)
        assert logs is not None
        return np.asarray(np.exp(logs + cast(Apart, people).seen.shift))

    def search_range(self, people: People) -> tuple[float, float]:
        """Return the smallest and the largest shape that are searched."""
        return self.of.search_range(cast(Apart, people).seen)

    def allowed(self, p: float, people: People) -> float:
        """Return a shape like this one that may be searched."""
        return self.of.allowed(p, cast(Apart, people).seen)

    def limits(self, people: People) -> tuple[float, ...]:
        """Return infinite shapes that are compared for themselves."""
        return self.of.limits(cast(Apart, people).seen)

    def bend_by_weights(
        self, rows: FloatArray, pull: FloatArray, p: float, extra: float
    ) -> FloatArray:
        """Return ``extra g g'`` summed with `pull` (N,); :meth:`bend_further` has the rest."""
        del p
        return np.asarray((rows * (extra * pull)) @ rows.T)

    def bend_further(
        self, people: People, weights: FloatArray, p: float, pull: FloatArray
    ) -> FloatArray:
        """Return ``M (V'' + V' V'')`` by two weights (d, d), summed over actions with `pull`."""
        seen = cast(Apart, people).seen
        here = self.of.welfare(seen, weights, p)
        pulled = _pulled(np.exp(here.value + seen.shift), pull)
        slopes = np.where(pulled == 0.0, 0.0, here.by_weight)
        found = self.of.bend_by_weights(slopes, pulled, p, 1.0)
        further = self.of.bend_further(seen, weights, p, pulled)
        return found if further is None else found + further

    def bend_by_shape(
        self, people: People, weights: FloatArray, p: float, here: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return the second derivatives that involve the shape, summed over actions with `pull`."""
        seen = cast(Apart, people).seen
        inner = self.of.welfare(seen, weights, p)
        pulled = _pulled(here.value, pull)
        cross, twice = self.of.bend_by_shape(seen, weights, p, inner, pulled)
        along = np.where(pulled == 0.0, 0.0, inner.by_power) * pulled
        slopes = np.where(pulled == 0.0, 0.0, inner.by_weight)
        by_power = np.where(pulled == 0.0, 0.0, inner.by_power)
        return cross + slopes @ along, twice + float(by_power @ along)

    def describe(self, p: float) -> str:
        """Return which rule a shape is, in words."""
        return self.of.describe(p)

    def describe_closely(self, p: float, digits: int) -> str:
        """Return which rule a shape is as it is printed with some decimals."""
        return self.of.describe_closely(p, digits)

    def meaning(self, p: float, digits: int) -> str:
        """Return what a rule looks at, if known."""
        return self.of.meaning(p, digits)

    def explain(self, p: float) -> str:
        """Return what the welfare of an action is."""
        return self.of.explain(p)

    def reach(self, p: float, weights: FloatArray) -> FloatArray | None:
        """Return how far each weight reaches (d,) where weights mislead."""
        return self.of.reach(p, weights)

    def reach_in_words(self, p: float, shown: str) -> str:
        """Say what reach is."""
        return self.of.reach_in_words(p, shown)

    def shape_of(self, p: object, has_zeros: bool) -> float:
        """Return the shape that somebody gave."""
        return self.of.shape_of(p, has_zeros)

    def shares(self, utilities: FloatArray, weights: FloatArray, p: float) -> FloatArray | None:
        """Return whose gains count how much in each action (N, d)."""
        return self.of.shares(utilities, weights, p)

    def rule(self, p: float, weights: Any, stakeholders: Any = None) -> FamilyRule:
        """Return the rule, whose values are welfare itself."""
        return FamilyRule(self, p, weights, stakeholders)

    def __repr__(self) -> str:
        return f"OnDifferences({self.of!r})"


def with_margin(family: Family, margin: object) -> Family:
    """Return a family with the margin that was asked for: "auto", "ratio" or "difference".

    Examples
    --------
    >>> from welfarist.families import POWER_MEAN
    >>> with_margin(POWER_MEAN, "difference").called
    'margin="difference"'
    """
    if margin == "auto":
        return family
    if margin == MARGIN:
        return OnDifferences(family)
    if margin != "ratio":
        raise InputError(f'margin must be "auto", "ratio" or "difference"; found {margin!r}.')
    if not family.level.is_ratio:
        raise InputError(
            'margin="ratio" needs a welfare of which percentages can be compared; found '
            f"{family.called}, where noise acts on differences. Leave it out."
        )
    return family


def without_margin(rule: Any) -> Any:
    """Return the rule as one of its own family, which orders actions alike whatever noise does.

    Rules of other families, and welfare functions, are returned as they are.

    Examples
    --------
    >>> from welfarist.families import POWER_MEAN
    >>> without_margin(OnDifferences(POWER_MEAN).rule(-1.0, [1, 3]))
    WelfareFunction(p=-1, weights=[0.25, 0.75])
    """
    family = getattr(rule, "family", None)
    if not isinstance(family, OnDifferences):
        return rule
    return family.of.rule(rule.p, rule.weights, rule.stakeholders).shifted(rule.shift)


def _times(value: FloatArray) -> Any:
    """Multiplication with welfare (N,); what changes nothing stays nothing."""

    def times(slopes: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.where(value == 0.0, 0.0, slopes * value)

    return times


def _pulled(value: FloatArray, pull: FloatArray) -> FloatArray:
    return np.asarray(value * pull)
