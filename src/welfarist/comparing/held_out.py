"""How well a learner predicts decisions it has not seen."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from welfarist.base.errors import InputError, WelfaristWarning
from welfarist.comparing.outsiders import Outsider
from welfarist.decisions.folds import Decisions
from welfarist.learners import WelfareLearner


def learn(learner: WelfareLearner, data: Decisions) -> WelfareLearner:
    """Return a copy of the learner that was fitted to the decisions."""
    copy: Any = clone(learner)
    fitted: WelfareLearner = copy.fit_decisions(data)
    return fitted


def gain_on(
    learner: WelfareLearner | Outsider, data: Decisions, held_out: npt.NDArray[np.bool_]
) -> float:
    """Fit to the rest, and return what was got right of the decisions that were held out.

    Comparisons: how many, ties half. Scores: minus the sum of squared errors.
    """
    if isinstance(learner, Outsider):
        return learner.gain_on(held_out)
    rest: Any = data[~held_out]
    part: Any = data[held_out]
    if rest.says_nothing:
        raise InputError(
            "every part must leave preferences to learn from; found nothing but ties. Use fewer "
            "folds, or folds=None."
        )
    with warnings.catch_warnings():
        # What must be said of the fit to all decisions is said there.
        warnings.simplefilter("ignore", WelfaristWarning)
        fitted: Any = learn(learner.without_proof(), rest)
    return float(fitted.held_out_gain(part))
