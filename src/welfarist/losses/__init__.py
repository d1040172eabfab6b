"""Loss, gradient and curvature of decisions, as functions of weights, shape and noise.

A loss is built once per fit from checked decisions; solvers move a :class:`Point` and ask for an
:class:`Evaluation`.
"""

from welfarist.losses.decision_loss import DecisionEvaluation, DecisionLoss
from welfarist.losses.loss import Evaluation, Loss, within_search
from welfarist.losses.point import Point, QuadraticModel, weight_units
from welfarist.losses.posed import loss_of_choices, loss_of_comparisons, loss_of_scores
from welfarist.losses.prior import PenalisedLoss, with_prior

__all__ = [
    "DecisionEvaluation",
    "DecisionLoss",
    "Evaluation",
    "Loss",
    "loss_of_choices",
    "loss_of_comparisons",
    "loss_of_scores",
    "PenalisedLoss",
    "Point",
    "QuadraticModel",
    "weight_units",
    "with_prior",
    "within_search",
]
