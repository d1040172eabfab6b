"""Misfit: signs that the decision maker does not follow a rule of this family.

Each check adds something to the fitted rule that no rule of the family has, and asks by a score
test whether it would fit better. All derivatives come from one pass over the decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.checks.alternatives import Terms, terms_of
from welfarist.checks.check import CLEAR_P_VALUE, Check
from welfarist.checks.other_families import OtherFamily, better_family
from welfarist.checks.residuals import Rounding
from welfarist.checks.score_test import deciders
from welfarist.inference.likelihood import Likelihood

# How far inside its range, relative to the edge, a power at the edge is looked at.
_INSIDE = 0.01


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
    family : OtherFamily or None
        Where an alternative is clearly better: the family that would fit best by BIC, if it is
        another one.

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
    family: OtherFamily | None = None

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
            said = f"The family does not describe these decisions: {'; '.join(against)}."
            return said if self.family is None else f"{said} {self.family}."
        shares = [
            c.share for c in self.checks if c.p_value is not None and c.p_value < CLEAR_P_VALUE
        ]
        if shares:
            return (
                "The family describes these decisions up to a trifle: an alternative is better, "
                f"and not by chance, but by {max(shares):.2%} of the loss."
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


def naming_the_family(found: Misfit, likelihood: Likelihood | None, shift: float) -> Misfit:
    """Return what was found with the family that would fit better, if misfit is clear."""
    if likelihood is None or not found.clear:
        return found
    return replace(found, family=better_family(likelihood, shift))


def misfit_of(
    likelihood: Likelihood,
    checks: Callable[[Likelihood, Terms], list[Check]],
    rounding: Rounding | None = None,
) -> Misfit:
    """Check a fit against alternatives to its family; `checks` are those of its kind."""
    try:
        likelihood.require()
        inner = _inside(likelihood)
        found = checks(inner, terms_of(inner))
    except InputError as refusal:
        return Misfit((), rounding, str(refusal))
    return Misfit(tuple(found), rounding, note=" ".join(_notes(likelihood)))


def _inside(likelihood: Likelihood) -> Likelihood:
    """The fit with p just inside the edge of its range, if it lies there.

    At the edge itself p has no direction to move in; next to it the power and the weights do, and
    what they could do is not held against the family.
    """
    loss, point = likelihood.loss, likelihood.point
    if not (loss.learn_power and likelihood.power_on_edge):
        return likelihood
    low, high = loss.search_range
    at_zero = loss.has_zeros and point.p < 1.0
    if not loss.limits:
        width = high - low if np.isfinite(high - low) else 1.0 + abs(point.p)
        inside = _INSIDE * width
        p = min(max(point.p, low + inside), high - inside)
    elif at_zero:
        p = low * (1.0 + _INSIDE)
    else:
        p = float(np.copysign(high * (1.0 - _INSIDE), point.p))
    return replace(likelihood, point=replace(point, p=p))


def _notes(likelihood: Likelihood) -> list[str]:
    notes = []
    if likelihood.loss.learn_power and likelihood.power_on_edge:
        shape = f"{likelihood.loss.shape.name} = {likelihood.point.p:g}"
        notes.append(f"{shape} is at the edge of its range, so that p-values are rough.")
    people = deciders(likelihood)
    if people is not None:
        notes.append(
            f"these decisions come from {people.max() + 1} decision makers; if they follow "
            "different rules, one rule for all of them may show as misfit too."
        )
    return notes
