"""How well a learner predicts decisions it has not seen."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from welfarist.base.errors import InputError, WelfaristWarning
from welfarist.comparing.outsiders import Outsider
from welfarist.decisions.folds import Decisions
from welfarist.learners import WelfareLearner


def learn(learner: Any, data: Decisions) -> Any:
    """Return a copy of the learner that was fitted to the decisions."""
    copy: Any = clone(learner)
    return copy.fit_decisions(data)


@dataclass(frozen=True)
class Gain:
    """What was got right of decisions that were held out.

    Attributes
    ----------
    right : float
        Comparisons and first choices: how many, ties half or in shares. Scores: minus the sum of
        squared errors.
    loss : float or None
        Negative log likelihood, of choices from menus.
    """

    right: float
    loss: float | None = None

    def __add__(self, other: Gain) -> Gain:
        known = self.loss is not None and other.loss is not None
        loss = self.loss + other.loss if known else None  # type: ignore[operator]
        return Gain(self.right + other.right, loss)


def gain_on(
    learner: WelfareLearner | Outsider, data: Decisions, held_out: npt.NDArray[np.bool_]
) -> Gain:
    """Fit to the rest, and return what was got right of the decisions that were held out."""
    if isinstance(learner, Outsider):
        return Gain(learner.gain_on(held_out))
    part: Any = data[held_out]
    fitted: Any = fitted_to(learner.without_proof(), data[~held_out])
    return Gain(float(fitted.held_out_gain(part)), fitted.held_out_loss(part))


def fitted_to(learner: Any, rest: Any) -> Any:
    """Return a copy of a learner that was fitted to the decisions that were not held out."""
    if rest.says_nothing:
        raise InputError(
            "every part must leave preferences to learn from; found nothing but ties. Use fewer "
            "folds, or folds=None."
        )
    with warnings.catch_warnings():
        # What must be said of the fit to all decisions is said there.
        warnings.simplefilter("ignore", WelfaristWarning)
        return learn(learner, rest)
