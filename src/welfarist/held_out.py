"""How well a learner predicts decisions it has not seen."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from welfarist import options
from welfarist.decisions import Comparisons, Scores
from welfarist.errors import InputError, WelfaristWarning
from welfarist.labels import numbered
from welfarist.learners import ComparisonClassifier, WelfareRegressor
from welfarist.welfare import WelfareFunction

Decisions = Comparisons | Scores
Learner = ComparisonClassifier | WelfareRegressor
Folds = npt.NDArray[np.intp]


def counted_part(data: Decisions) -> Decisions:
    """Return the decisions that were observed at least once."""
    return data if data.counts.all() else part_of(data, data.counts > 0)


def part_of(data: Decisions, chosen: npt.NDArray[Any]) -> Decisions:
    """Return some of the decisions, by row numbers or a mask."""
    if isinstance(data, Comparisons):
        return data[chosen]
    return replace(
        data,
        utilities=data.utilities[chosen],
        values=data.values[chosen],
        counts=data.counts[chosen],
    )


def learn(learner: Learner, data: Decisions) -> Learner:
    """Return a copy of the learner that was fitted to the decisions."""
    copy: Any = clone(learner)
    fitted: Learner = copy.fit(data) if isinstance(data, Comparisons) else copy.fit_scores(data)
    return fitted


def unit_of(data: Decisions) -> str:
    """What is held out as a whole, in words."""
    if isinstance(data, Scores):
        return "actions"
    return "pairs of actions" if data.by is None else "decision makers"


def folds_of(data: Decisions, folds: int, rng: np.random.Generator) -> Folds:
    """Return in which part (n,) each decision is held out.

    All decisions of one decision maker are held out together; where nobody knows who decided, all
    decisions on the same two actions.
    """
    if isinstance(data, Scores):
        unit = np.arange(len(data.values))
    elif data.by is not None:
        unit = numbered(data.by)
    else:
        low, high = data.pairs.min(axis=1), data.pairs.max(axis=1)
        unit = np.unique(low * data.actions + high, return_inverse=True)[1].reshape(-1)
    different = int(unit.max()) + 1
    whole = isinstance(folds, int | np.integer) and not isinstance(folds, bool)
    if not whole or not 2 <= folds <= different:
        raise InputError(
            f"folds must be a whole number from 2 to the number of {unit_of(data)}, {different}; "
            f"found {folds!r}. Use fewer, or folds=None to leave held-out decisions aside."
        )
    return np.asarray(rng.permutation(np.arange(different) % folds)[unit], dtype=np.intp)


def gain_on(learner: Learner, data: Decisions, held_out: npt.NDArray[np.bool_]) -> float:
    """Fit to the rest, and return what was got right of the decisions that were held out.

    Comparisons: how many, ties half. Scores: minus the sum of squared errors.
    """
    rest, part = part_of(data, ~held_out), part_of(data, held_out)
    if isinstance(rest, Comparisons) and not rest.outcomes.any():
        raise InputError(
            "every part must leave preferences to learn from; found nothing but ties. Use fewer "
            "folds, or folds=None."
        )
    with warnings.catch_warnings():
        # What must be said of the fit to all decisions is said there.
        warnings.simplefilter("ignore", WelfaristWarning)
        fitted = learn(without_proof(learner), rest)
    if isinstance(part, Comparisons):
        return float(fitted.score(part) * part.counts.sum())
    rule = WelfareFunction(fitted.p_, fitted.weights_)
    errors = part.values - fitted.scale_ * rule(part.utilities)
    return -float(part.counts @ np.square(errors))


def score_of(data: Decisions, gains: float) -> float | None:
    """Return accuracy, or R squared about the mean of all scores, from what all parts gained."""
    if isinstance(data, Comparisons):
        return float(gains / data.counts.sum())
    mean = np.average(data.values, weights=data.counts)
    spread = float(data.counts @ np.square(data.values - mean))
    return 1.0 + gains / spread if spread > 0 else None


def without_proof(learner: Learner) -> Learner:
    """Return a learner that finds the same kind of rule and spends no time on proving it best."""
    if isinstance(learner, WelfareRegressor) or learner.noise not in ("none", "flip"):
        return learner
    noise = options.check_noise(learner.noise)
    solver = options.exact_of(learner.solver, noise, learner.prior)
    quick: Learner = clone(learner).set_params(solver=replace(solver, time_limit=0.0), rho=None)
    return quick
