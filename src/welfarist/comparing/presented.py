"""Decisions as models of other packages take them: a table, a column, and how often each counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions import Comparisons, Scores
from welfarist.decisions.folds import Decisions

Features = Callable[[FloatArray, FloatArray], Any]
FeaturesOption = Literal["differences", "both"] | Features


def _differences(first: FloatArray, second: FloatArray) -> FloatArray:
    return first - second


def _both(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.hstack([first, second])


_FEATURES: dict[str, Features] = {"differences": _differences, "both": _both}


@dataclass(frozen=True, eq=False)
class Presented:
    """Decisions, one a row.

    Attributes
    ----------
    X : (n, k) array
        Of comparisons what `features` makes of both actions; of scores the utilities.
    y : (n,) array
        Of comparisons 1 where the first action was preferred, 0 where the second was, 1/2 for a
        tie; of scores the scores.
    counts : (n,) array
    compared : bool
        Whether these are comparisons.
    turned : bool
        Whether every second comparison was turned round, because the first action was always the
        preferred one, from which no classifier could learn.
    """

    X: FloatArray
    y: FloatArray
    counts: FloatArray
    compared: bool
    turned: bool = False

    def __len__(self) -> int:
        return len(self.y)

    @property
    def endog(self) -> FloatArray:
        """What a result of statsmodels explains."""
        return self.y

    def take(self, rows: npt.NDArray[np.bool_]) -> Presented:
        """Return some of the decisions."""
        part = self.X[rows], self.y[rows], self.counts[rows]
        return Presented(*part, self.compared, self.turned)

    def for_fitting(self) -> tuple[FloatArray, npt.NDArray[Any], FloatArray | None]:
        """Return rows, labels and how often each row counts; a tie is half a row of each label."""
        once = None if (self.counts == 1).all() else self.counts
        if not self.compared:
            return self.X, self.y, once
        tie = self.y == 0.5
        if not tie.any():
            labels = self.y.astype(np.intp)
            weight = once
        else:
            labels = np.append(self.y > 0, np.zeros(int(tie.sum()))).astype(np.intp)
            half = np.where(tie, 0.5, 1.0) * self.counts
            weight = np.append(half, half[tie])
        if len(np.unique(labels)) < 2:
            raise InputError(
                "a classifier needs decisions for the first and for the second action in every "
                "part; found one kind. Use fewer folds, or folds=None."
            )
        return (np.vstack([self.X, self.X[tie]]) if tie.any() else self.X), labels, weight

    def checked(self, predicted: Any, name: str) -> FloatArray:
        """Return predictions (n,), which must be finite, and chances where those are asked for."""
        found = np.asarray(predicted, dtype=np.float64)
        if found.ndim == 2 and found.shape[1] == 2 and self.compared:
            found = found[:, 1]
        most = 1.0 if self.compared else np.inf
        least = 0.0 if self.compared else -np.inf
        good = found.shape == (len(self),) and np.isfinite(found).all()
        if not good or (found < least).any() or (found > most).any():
            what = "a probability between 0 and 1" if self.compared else "a finite number"
            raise InputError(
                f"{name} must give {what} for each of {len(self)} decisions; found others, of "
                f"shape {found.shape}."
            )
        return found

    def right(self, predicted: FloatArray) -> FloatArray:
        """How much of each comparison (n,) was got right; a tie on either side is half right."""
        undecided = (predicted == 0.5) | (self.y == 0.5)
        return np.where(undecided, 0.5, (predicted > 0.5) == (self.y > 0.5))

    def gain(self, predicted: FloatArray) -> float:
        """What was got right: how many comparisons, or minus the sum of squared errors."""
        if self.compared:
            return float(self.counts @ self.right(predicted))
        return -float(self.counts @ np.square(self.y - predicted))

    def log_likelihood(self, predicted: FloatArray) -> float:
        """Log likelihood of the decisions, Gaussian with the mean squared error for scores."""
        if self.compared:
            return float(self.counts @ -self.losses(predicted))
        total = float(self.counts.sum())
        variance = -self.gain(predicted) / total
        return float(-0.5 * total * (np.log(2.0 * np.pi * variance) + 1.0)) if variance else np.inf

    def losses(self, predicted: FloatArray) -> FloatArray:
        """The log loss (n,) of each comparison; infinite where it had no chance."""
        each = xlogy(self.y, predicted) + xlogy(1.0 - self.y, 1.0 - predicted)
        return -np.asarray(each)

    def knowing_nothing(self) -> FloatArray:
        """What is predicted (n,) of decisions of which nothing is known."""
        if self.compared:
            return np.full(len(self), 0.5)
        return np.full(len(self), float(np.average(self.y, weights=self.counts)))


def presented(data: Decisions, features: FeaturesOption) -> Presented:
    """Return decisions as models of other packages take them."""
    if isinstance(data, Scores):
        return Presented(data.utilities, data.values, np.asarray(data.counts), False)
    if not isinstance(data, Comparisons):
        raise InputError(
            "models of other packages can be compared on comparisons and scores; found "
            f"{data.kind}."
        )
    made = _FEATURES.get(features) if isinstance(features, str) else features
    if not callable(made):
        raise InputError(
            'features must be "differences", "both", or a function of the utilities of both '
            f"actions; found {features!r}."
        )
    decided = data.outcomes[data.outcomes != 0]
    turned = len(decided) > 1 and bool((decided == decided[0]).all())
    flip = np.zeros(len(data), dtype=bool)
    flip[1::2] = turned
    pairs = np.where(flip[:, None], data.pairs[:, ::-1], data.pairs)
    outcomes = np.where(flip, -data.outcomes, data.outcomes)
    X = np.asarray(made(data.utilities[pairs[:, 0]], data.utilities[pairs[:, 1]]), np.float64)
    if X.ndim != 2 or len(X) != len(data):
        raise InputError(
            f"features must give a row for each of {len(data)} comparisons; found shape {X.shape}."
        )
    return Presented(X, (1.0 + outcomes) / 2.0, np.asarray(data.counts), True, turned)
