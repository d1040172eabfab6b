"""Does the rule describe the decisions: calibration, surprises, residuals, signs of misfit."""

from welfarist.goodness.calibration import Calibration
from welfarist.goodness.misfit import Check, Misfit
from welfarist.goodness.residuals import Residuals, Rounding
from welfarist.goodness.surprises import ScoreSurprise, Surprise, Surprises

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
