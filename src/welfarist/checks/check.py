"""One check of a fit against an alternative, and what it says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.checks.score_test import ScoreTest, score_test
from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.losses import DecisionLoss
from welfarist.losses.observed import Slopes
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.noise.base import ChoiceNoise

# An alternative is clearly better from both of these on: hardly ever by chance, and by as much as
# anybody would care about. The first alone is reached by any trifle in a million decisions.
CLEAR_P_VALUE = 0.001
CLEAR_SHARE = 0.01


@dataclass(frozen=True)
class Check:
    """A score test of something that rules of the family do not have.

    Attributes
    ----------
    name : str
        "people", "places", "level", "pairs", "zero", "position", "slips" or "scale".
    null : str
        What is tested, in words.
    statistic, p_value : float or None
        None if the check does not apply.
    distribution : str
        What the statistic follows if the null is true, in words.
    degrees : int
    gain : float
        Log likelihood that the alternative would add, about.
    share : float
        The same as a share of the mean loss.
    finding : str
        What the alternative says, in words.
    reason : str
        Why the check does not apply; empty if it does.
    """

    name: str
    null: str
    statistic: float | None
    distribution: str
    degrees: int
    p_value: float | None
    gain: float
    share: float
    finding: str
    reason: str = ""

    @property
    def clear(self) -> bool:
        """Whether the alternative is clearly better: p-value below 0.001, 1% less loss."""
        found = self.p_value is not None and self.p_value < CLEAR_P_VALUE
        return found and self.share >= CLEAR_SHARE

    def __str__(self) -> str:
        if self.p_value is None:
            return f"{self.name}: not checked, because {self.reason}"
        chance = f"{self.p_value:.3g}" if self.p_value > 0 else "below 1e-300"
        mark = "  <- clearly better" if self.clear else ""
        return (
            f"{self.name}: {self.statistic:.4g}, {self.distribution}; p-value {chance}, "
            f"{self.share:.2%} less loss{mark}"
        )


@dataclass(frozen=True)
class CheckWords:
    """What checks of a fit are about, in words.

    Attributes
    ----------
    noun : str
        What a rule of the family is called.
    amount : str
        What of welfare counts the same at every level.
    noise : str
        The noise model of choices; empty for scores.
    listed : bool
        Whether there may be more than two actions, of which one is listed first.
    has_zero : bool
        Whether utilities have a zero from which ratios are taken.
    """

    noun: str
    amount: str
    noise: str
    listed: bool = False
    has_zero: bool = True

    @classmethod
    def of(cls, loss: DecisionLoss) -> CheckWords:
        """Take the words from the family and the noise model."""
        amount = "percentage of" if loss.family.level.is_ratio else "difference in"
        noise = noise_of(loss)
        named = "" if noise is None else noise.name or type(noise).__name__
        listed = isinstance(loss.observed, ObservedMenus)
        has_zero = not isinstance(loss.family, KolmPollakFamily)
        return cls(loss.family.noun, amount, named, listed, has_zero)

    def _another_zero(self, found: ScoreTest) -> str:
        """Where people have zero, who do not have it where utilities have it."""
        if not self.has_zero:
            return "people look at ratios too, as if the scale had a zero"
        if found.root > 0:
            return "people decide as if zero were lower, or by differences rather than ratios"
        return "people decide as if zero were higher than it is"

    def null(self, name: str) -> str:
        """What a check tests."""
        return {
            "people": f"nobody's utility counts but through the {self.noun}",
            "places": f"it does not matter who is worst off or best off, beyond the {self.noun}",
            "level": f"the same {self.amount} welfare counts the same at every level",
            "pairs": "what somebody has counts the same whatever another has, beyond the "
            f"{self.noun}",
            "zero": "the scale has the zero that the utilities have"
            if self.has_zero
            else "the scale needs no zero",
            "position": "it does not matter which action comes first",
            "slips": f"clear cases are decided as reliably as {self.noise} noise says",
            "scale": "scores are welfare itself, without another zero or scale",
        }[name]

    def finding(self, name: str, found: ScoreTest, scores: bool) -> str:
        """What an alternative says that is better."""
        often = "more" if found.root > 0 else "less"
        where = "high" if found.root > 0 else "low"
        first = "first of a menu is chosen" if self.listed else "first action is preferred"
        level = f"the same {self.amount} welfare counts more where welfare is {where}"
        return {
            "people": f"somebody's utility counts in another way than through a {self.noun}",
            "places": f"the worst off or best off count in another way than in a {self.noun}",
            "level": "scores are a bent function of welfare" if scores else level,
            "pairs": "what somebody has counts by what another has",
            "zero": self._another_zero(found),
            "position": f"the {first} {often} often than the rule says, for its "
            "place or for something else that first actions share",
            "scale": "scores have another zero or scale than welfare",
        }[name]


def noise_of(loss: DecisionLoss) -> ChoiceNoise | None:
    """How choices err; None for scores."""
    found: ChoiceNoise | None = getattr(loss.observed, "noise", None)
    return found


def checked(
    name: str, slopes: Slopes, chosen: slice, words: CheckWords, scores: bool = False
) -> Check:
    """Return the check of some of the new terms; one that does not apply says why."""
    found = score_test(slopes, chosen)
    if found is None or not np.isfinite(found.statistic):
        reason = "the fit has these terms already, or too few decisions for them"
        return inapplicable(name, reason, words)
    return Check(
        name,
        words.null(name),
        found.statistic,
        found.distribution,
        found.degrees,
        found.p_value,
        found.gain,
        found.share,
        words.finding(name, found, scores),
    )


def inapplicable(name: str, reason: str, words: CheckWords) -> Check:
    """Return a check that does not apply, with the reason."""
    return Check(name, words.null(name), None, "", 0, None, 0.0, 0.0, "", reason)
