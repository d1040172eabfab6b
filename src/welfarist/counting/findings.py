"""What the exact method found beside the estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.consistent import ConsistentRules
from welfarist.counting.loss_steps import LossSteps, PowerInterval
from welfarist.decisions import Choices, Comparisons

_MOST_SHOWN = 4
# Up to these the ranges of all weights are a matter of seconds.
_MOST_PEOPLE, _MOST_DECISIONS = 20, 5_000


@dataclass(frozen=True)
class Counted:
    """Decisions that no rule can get right, and pairs that no power tells apart.

    Attributes
    ----------
    ties : float
        Comparisons whose outcome was a tie: half an error under every rule.
    contradictions : float
        Comparisons decided against the majority of the decisions on the same two actions.
    identical : int
        Pairs of actions that tie under the learned weights for every power.
    undecided : int
        Intervals of p in which two welfares agree up to rounding, so that they may touch.
    """

    # What each of them is, in words.
    tied: ClassVar[str] = "Ties, half an error under every rule"
    own: ClassVar[str] = "pair"
    where: ClassVar[str] = "on every pair of actions"

    ties: float
    contradictions: float
    identical: int = 0
    undecided: int = 0

    @classmethod
    def of(cls, comparisons: Comparisons, identical: int = 0, undecided: int = 0) -> Counted:
        """Count what the comparisons leave no rule a chance to explain."""
        pairs = comparisons.merged
        ties = float(comparisons.counts[comparisons.outcomes == 0].sum())
        minority = (float((pairs.count - np.abs(pairs.lead)).sum()) - ties) / 2.0
        return cls(ties, minority, identical, undecided)

    @property
    def told(self) -> list[tuple[str, float]]:
        """What is counted, in words."""
        return [
            (self.tied, self.ties),
            (f"Decisions against the majority of their own {self.own}", self.contradictions),
            ("Pairs that tie for every p", self.identical),
            ("Intervals of p in which two welfares agree up to rounding", self.undecided),
        ]


@dataclass(frozen=True)
class CountedMenus(Counted):
    """The same of choices from menus.

    Ties are choices that several actions share, contradictions those that differ from the most
    frequent choice from the same menu.
    """

    tied: ClassVar[str] = "Choices that several actions share"
    own: ClassVar[str] = "menu"
    where: ClassVar[str] = "from every menu"

    @classmethod
    def of_choices(cls, choices: Choices, identical: int = 0, undecided: int = 0) -> CountedMenus:
        """Count what choices from menus leave no rule a chance to explain."""
        menus = choices.menus.times(choices.counts[choices.decision])
        shared = menus.largest(menus.taken) < menus.count
        often = choices.merged[0]
        lost = float((often.count - often.largest(often.taken)).sum())
        alone = float((menus.count - menus.largest(menus.taken)).sum())
        ties = float(menus.count[shared].sum())
        return cls(ties, max(lost - alone, 0.0), identical, undecided)


@dataclass(frozen=True, eq=False, repr=False)
class ExactRecord:
    """The exact method's answer: not a point, but every power that is as good.

    Attributes
    ----------
    intervals : tuple of PowerInterval
        All powers at which the learned weights reach the lowest loss; the estimate is the middle
        of the widest, on the scale ``p / (1 + |p|)``. With p given, that power.
    steps : LossSteps or None
        Loss against power under the learned weights; None where p was given.
    explanations : ConsistentRules or None
        With learned weights, the set of rules that explain every decision, where there is one.
    counted : Counted
        Ties, contradictions, pairs that no power tells apart.
    corrected_loss : float or None
        Under flips, the unbiased estimate of the share of decisions that the rule would get wrong
        if nobody had slipped; the raw one is the fit's `loss`. Below 0 where there were fewer
        errors than flips expected; 0 where rho is the fitted error rate itself.
    independent_rho : bool
        Whether rho comes from elsewhere than the fitted errors, so that the correction says
        something.
    """

    intervals: tuple[PowerInterval, ...]
    steps: LossSteps | None
    explanations: ConsistentRules | None
    counted: Counted
    corrected_loss: float | None = None
    independent_rho: bool = False

    @property
    def shown_correction(self) -> float | None:
        """The corrected loss, where it is no mere consequence of how rho was estimated."""
        return self.corrected_loss if self.independent_rho else None

    def quick_ranges(self, decisions: float) -> tuple[FloatArray, FloatArray] | None:
        """The least and the largest weight of each person (d,) in rules that explain everything.

        None where finding it out could take minutes and nobody has asked for it.
        """
        rules = self.explanations
        if rules is None:
            return None
        large = len(rules.weights) > _MOST_PEOPLE or decisions > _MOST_DECISIONS
        if large and "weight_ranges" not in vars(rules):
            return None
        low, high = rules.weight_ranges
        return low, high

    def __repr__(self) -> str:
        shown = " and ".join(str(interval) for interval in self.intervals[:_MOST_SHOWN])
        more = len(self.intervals) - _MOST_SHOWN
        others = f" and {more} more" if more > 0 else ""
        return f"ExactRecord(as good: p in {shown}{others})"

    def _powers(self) -> tuple[tuple[float, float], ...]:
        return () if self.explanations is None else self.explanations.power_intervals

    def _what(self) -> str:
        """What a rule that explains all that can be explained explains."""
        if self.counted.contradictions:
            return f"The majority of the decisions {self.counted.where}"
        return "Every decision but the ties" if self.counted.ties else "Every decision"

    def lines(self) -> list[str]:
        """What a summary says."""
        shown = " and ".join(str(interval) for interval in self.intervals[:_MOST_SHOWN])
        more = len(self.intervals) - _MOST_SHOWN
        lines = []
        if self.steps is not None:
            lines.append(
                f"As good with these weights: p in {shown}"
                + (f" and {more} more intervals" if more > 0 else "")
            )
        if self.explanations is not None:
            powers = " and ".join(f"[{a:.6g}, {b:.6g}]" for a, b in self._powers())
            lines.append(
                f"{self._what()} is explained, with other weights also by p in {powers}"
                + as_far_as_searched(self.explanations.search_ends)
            )
        lines.extend(f"{what}: {number:g}" for what, number in self.counted.told if number)
        return lines


def as_far_as_searched(ends: Sequence[float]) -> str:
    """Say that powers were searched no further, in brackets; empty without such ends.

    Examples
    --------
    >>> as_far_as_searched((-340.845,))
    ' (powers were searched from -340.845 on)'
    >>> as_far_as_searched((-340.845, 340.845))
    ' (powers were searched from -340.845 to 340.845)'
    """
    if not ends:
        return ""
    if len(ends) == 2:
        return f" (powers were searched from {ends[0]:.6g} to {ends[1]:.6g})"
    where = f"from {ends[0]:.6g} on" if ends[0] < 1.0 else f"up to {ends[0]:.6g}"
    return f" (powers were searched {where})"
