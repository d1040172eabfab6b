"""Loss, gradient and curvature of decisions, as functions of weights, power and noise.

A loss is built once per fit from checked decisions; solvers move a :class:`Point` and ask for an
:class:`Evaluation`.
"""

from welfarist.losses.base import Evaluation, Loss, Point, QuadraticModel, Utilities, weight_units
from welfarist.losses.comparisons import ComparisonLoss
from welfarist.losses.prior import PenalisedLoss
from welfarist.losses.scores import ScoreLoss
from welfarist.losses.zero_one import ZeroOneLoss

__all__ = [
    "ComparisonLoss",
    "Evaluation",
    "Loss",
    "PenalisedLoss",
    "Point",
    "QuadraticModel",
    "ScoreLoss",
    "Utilities",
    "weight_units",
    "ZeroOneLoss",
]
