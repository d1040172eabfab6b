"""The checks that go with each kind of decisions."""

from __future__ import annotations

from typing import Any, Protocol

from welfarist.checks.calibration import Calibration
from welfarist.checks.fit import Fit
from welfarist.checks.misfit import Misfit
from welfarist.checks.of_choices import ChoiceChecks
from welfarist.checks.of_comparisons import ComparisonChecks
from welfarist.checks.of_files import NoChecks
from welfarist.checks.of_scores import ScoreChecks
from welfarist.checks.residuals import Residuals
from welfarist.checks.surprises import Surprises
from welfarist.decisions.scanned.decisions import is_scanned
from welfarist.inference.likelihood import is_estimated
from welfarist.losses.scanned.observed import ONE_BY_ONE


class Checks(Protocol):
    """Whether a rule describes the decisions it was learned from."""

    def calibration(self, bins: int) -> Calibration:
        """How often the more likely action was chosen, beside how often the rule says."""
        ...

    def surprises(self, count: int) -> Surprises:
        """The decisions that the rule least expected."""
        ...

    def residuals(self) -> Residuals:
        """The residuals of scores."""
        ...

    def misfit(self) -> Misfit:
        """Checks against alternatives to the family of rules."""
        ...


_ESTIMATED = (
    "checks compare single decisions with utilities that are exact; found utilities with errors, "
    "which decisions about the same action share. Fit without errors to see where decisions differ."
)
# One for each kind of decisions.
_CHECKS: tuple[Any, ...] = (ChoiceChecks, ComparisonChecks, ScoreChecks)


def checks_of(fit: Fit) -> Checks:
    """Return the checks that go with the kind of decisions that were fitted."""
    if is_scanned(fit.decided):
        return NoChecks(ONE_BY_ONE)
    if is_estimated(fit.likelihood):
        return NoChecks(_ESTIMATED)
    found: Checks = next(made for made in _CHECKS if made.kind == fit.decided.kind).of(fit)
    return found
