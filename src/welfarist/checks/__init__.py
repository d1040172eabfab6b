"""Does the rule describe the decisions: calibration, surprises, residuals, signs of misfit."""

from welfarist.checks.calibration import Calibration
from welfarist.checks.check import Check
from welfarist.checks.misfit import Misfit
from welfarist.checks.residuals import Residuals, Rounding
from welfarist.checks.surprises import ScoreSurprise, Surprise, Surprises

__all__ = [
    "Calibration",
    "Check",
    "Misfit",
    "Residuals",
    "Rounding",
    "ScoreSurprise",
    "Surprise",
    "Surprises",
]
