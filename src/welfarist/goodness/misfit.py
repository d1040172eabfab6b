"""Misfit: signs that the decision maker does not follow a rule of this family.

Each check adds something to the fitted rule that no rule of the family has, and asks by a score
test whether it would fit better. All derivatives come from one pass over the decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.errors import InputError
from welfarist.goodness.alternatives import Terms, terms_of
from welfarist.goodness.predictions import Predictions
from welfarist.goodness.residuals import Rounding
from welfarist.goodness.score_test import (
    ScoreTest,
    Slopes,
    deciders,
    score_test,
    slopes_of_comparisons,
    slopes_of_scores,
)
from welfarist.inference.fitted import Fitted
from welfarist.losses import ScoreLoss
from welfarist.tables import to_frame
from welfarist.validation import FloatArray

# An alternative is clearly better from both of these on: hardly ever by chance, and by as much as
# anybody would care about. The first alone is reached by any trifle in a million decisions.
CLEAR_P_VALUE = 0.001
CLEAR_SHARE = 0.01
# Margins (in units of the noise) beyond which a slip is as surprising as one there: the score of
# slips grows as e^|z|, and uncut a single decision would decide.
_CLEAREST = 4.0


@dataclass(frozen=True)
class Check:
    """A score test of something that rules of the family do not have.

    Attributes
    ----------
    name : str
        "people", "places", "level", "position", "slips" or "scale".
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
class Misfit:
    """What speaks against the family of rules, and what does not.

    Attributes
    ----------
    checks : tuple of Check
        Empty if nothing could be checked.
    rounding : Rounding or None
        For scores: whether rounding alone explains the residuals. Larger ones are no sign against
        the family by themselves, since people who score things err.
    reason : str
        Why nothing could be checked; empty if something was.
    note : str
        What makes the p-values less than exact; empty if nothing does.

    Notes
    -----
    An alternative is clearly better if its p-value is below 0.001 and it would take away at least
    1% of the mean loss. Where it is known who decided (``Comparisons(…, by=…)``), decisions of the
    same person may depend on each other, if there are at least 5 people per number that a check
    adds; otherwise p-values take decisions as independent.
    """

    checks: tuple[Check, ...]
    rounding: Rounding | None = None
    reason: str = ""
    note: str = ""

    @property
    def clear(self) -> bool:
        """Whether some alternative is clearly better."""
        return any(check.clear for check in self.checks)

    @property
    def verdict(self) -> str:
        """What all of it comes to, in a sentence."""
        if self.reason:
            return f"Not checked: {self.reason}"
        against = [check.finding for check in self.checks if check.clear]
        if against:
            return f"The family does not describe these decisions: {'; '.join(against)}."
        low = [c.p_value for c in self.checks if c.p_value is not None]
        if low and min(low) < CLEAR_P_VALUE:
            best = max(c.share for c in self.checks if (c.p_value or 1.0) < CLEAR_P_VALUE)
            return (
                "The family describes these decisions up to a trifle: an alternative is better, "
                f"and not by chance, but by {best:.2%} of the loss."
            )
        return "No sign that the family is wrong."

    def __getitem__(self, name: str) -> Check:
        for check in self.checks:
            if check.name == name:
                return check
        known = ", ".join(check.name for check in self.checks) or "none"
        raise InputError(f"a check must be one of: {known}; found {name!r}.")

    def to_frame(self) -> Any:
        """Return one row per check as a data frame."""
        names = ("name", "null", "statistic", "distribution", "p_value", "gain", "share", "reason")
        return to_frame({name: [getattr(c, name) for c in self.checks] for name in names})

    def __str__(self) -> str:
        lines = [self.verdict, *(f"  {check}" for check in self.checks)]
        if self.rounding is not None:
            lines.append(f"  rounding: {self.rounding}")
        return "\n".join([*lines, f"Note: {self.note}"] if self.note else lines)


_NULLS = {
    "people": "nobody's utility counts but through the power mean",
    "places": "it does not matter who is worst off or best off, beyond the power mean",
    "level": "the same percentage of welfare counts the same at every level",
    "position": "it does not matter which action comes first",
    "slips": "clear cases are decided as reliably as logistic noise says",
    "scale": "scores are welfare itself, without another zero or scale",
}


def misfit_of(fitted: Fitted, predictions: Predictions | None, rounding: Rounding | None) -> Misfit:
    """Check a fit against alternatives to its family."""
    reason = _why_not(fitted)
    if reason:
        return Misfit((), rounding, reason)
    terms = terms_of(fitted)
    if isinstance(fitted.loss, ScoreLoss):
        checks = _of_scores(fitted, terms)
    else:
        assert predictions is not None
        checks = _of_comparisons(fitted, terms, predictions)
    return Misfit(tuple(checks), rounding, note=_note(fitted))


def _why_not(fitted: Fitted) -> str:
    try:
        fitted.require()
    except InputError as refusal:
        return str(refusal)
    if fitted.loss.learn_power and fitted.power_on_edge:
        return (
            f"checks need an estimate inside its range; found p = {fitted.point.p:g}, at the edge. "
            "Fit with p given."
        )
    return ""


def _note(fitted: Fitted) -> str:
    people = deciders(fitted)
    if people is None:
        return ""
    return (
        f"these decisions come from {people.max() + 1} decision makers; if they follow different "
        "rules, one rule for all of them may show as misfit too."
    )


def _of_scores(fitted: Fitted, terms: Terms) -> list[Check]:
    loss = fitted.loss
    assert isinstance(loss, ScoreLoss)
    affine = [] if loss.scale else [np.ones(terms.rows.shape[1])]
    rows = np.vstack([terms.rows, *affine])
    slopes = slopes_of_scores(fitted, rows, constant=True)
    last = slice(len(terms.rows), len(rows) + 1)
    named = {"people": terms.people, "places": terms.places, "level": terms.level, "scale": last}
    findings = _FINDINGS | {"level": lambda _: "scores are a bent function of welfare"}
    return [_check(name, slopes, chosen, findings[name]) for name, chosen in named.items()]


def _of_comparisons(fitted: Fitted, terms: Terms, predictions: Predictions) -> list[Check]:
    z = float(np.exp(fitted.point.extras[0])) * predictions.margins
    slips = -np.sinh(np.clip(z, -_CLEAREST, _CLEAREST))

    def columns(part: slice) -> FloatArray:
        return np.column_stack([np.ones(len(slips[part])), slips[part]])

    slopes = slopes_of_comparisons(fitted, terms.rows, columns)
    e = len(terms.rows)
    named = {"people": terms.people, "places": terms.places, "level": terms.level}
    checks = [_check(name, slopes, chosen, _FINDINGS[name]) for name, chosen in named.items()]
    return [
        *checks,
        _position(slopes, slice(e, e + 1), predictions),
        *_slips(fitted, slopes, e + 1),
    ]


def _position(slopes: Slopes, chosen: slice, predictions: Predictions) -> Check:
    if abs(int(predictions.outcomes.sum())) == len(predictions.outcomes):
        which = "first" if predictions.outcomes[0] > 0 else "second"
        return _inapplicable("position", f"the preferred action is always the {which} one")
    return _check("position", slopes, chosen, _FINDINGS["position"])


def _slips(fitted: Fitted, slopes: Slopes, place: int) -> list[Check]:
    """Slips can only be more frequent than never: half of the time the statistic is 0."""
    if "rho" in fitted.extra_names:
        return []
    found = score_test(slopes, slice(place, place + 1))
    if found is None:
        return [_inapplicable("slips", "the decisions do not differ in how clear they are")]
    over = max(found.root, 0.0)
    return [
        Check(
            "slips",
            _NULLS["slips"],
            over**2,
            f"half {found.distribution}, half 0",
            1,
            found.p_value / 2.0 if over else 1.0,
            found.gain if over else 0.0,
            found.share if over else 0.0,
            'clear cases are missed too often (noise="lapse" allows for slips)',
        )
    ]


def _check(name: str, slopes: Slopes, chosen: slice, finding: Callable[[ScoreTest], str]) -> Check:
    found = score_test(slopes, chosen)
    if found is None:
        return _inapplicable(name, "the fit has these terms already, or too few decisions for them")
    return Check(
        name,
        _NULLS[name],
        found.statistic,
        found.distribution,
        found.degrees,
        found.p_value,
        found.gain,
        found.share,
        finding(found),
    )


def _inapplicable(name: str, reason: str) -> Check:
    return Check(name, _NULLS[name], None, "", 0, None, 0.0, 0.0, "", reason)


def _position_in_words(found: ScoreTest) -> str:
    often = "more" if found.root > 0 else "less"
    return f"the first action is preferred {often} often than the rule says"


def _level_in_words(found: ScoreTest) -> str:
    where = "high" if found.root > 0 else "low"
    return f"the same percentage of welfare counts more where welfare is {where}"


_FINDINGS: dict[str, Callable[[ScoreTest], str]] = {
    "people": lambda _: "somebody's utility counts in another way than through a power mean",
    "places": lambda _: "the worst off or best off count in another way than in a power mean",
    "level": _level_in_words,
    "position": _position_in_words,
    "scale": lambda _: "scores have another zero or scale than welfare",
}
