"""What types and populations have in common: predictions for people known and new."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.deciders.beliefs import Beliefs, likelihoods_of
from welfarist.deciders.panel import Panel
from welfarist.deciders.predicting import predicted
from welfarist.decisions import Choices, Comparisons

# Chances below this count as this much in a log loss.
_LEAST_CHANCE = 1e-300


class AnsweringLearner(BaseEstimator):  # type: ignore[misc]
    """A learner of several decision makers, which predicts what each of them would decide."""

    result_: Any
    panel_: Panel

    def predict_proba(self, X: Any, *, given: Any = None, deciders: Any = None) -> Any:
        """Return how likely each possible answer is, averaged over what is believed of whoever.

        Parameters
        ----------
        X : Comparisons or Choices
            What is asked; `by` says whom. Who was fitted is predicted by what they decided, anybody
            else, or nobody in particular, by the population.
        given : Comparisons or Choices, optional
            Further answers with their `by`, of people new or known, that are taken into account.
        deciders : data frame or mapping of columns, optional
            What is known of new people, where the fit has such columns.

        Returns
        -------
        (n, 2) array of comparisons
            The chance of the second action, then of the first.
        list of arrays, of choices
            One a menu, in its own order.
        """
        check_is_fitted(self, "result_")
        return predicted(self.panel_, self._believed(given, deciders), X)

    def _believed(self, given: Any, deciders: Any) -> Beliefs:
        beliefs: Beliefs = self.result_.beliefs
        if deciders is not None:
            beliefs = self.result_.introduced(deciders)
        if given is None:
            return beliefs
        more = self.panel_.more(given)
        return beliefs.given(more.names, likelihoods_of(more, beliefs.rules))

    def predict(self, X: Any, *, given: Any = None, deciders: Any = None) -> npt.NDArray[Any]:
        """Return the likelier answer (n,): 1 or -1 of comparisons, the action's row of choices."""
        chances = self.predict_proba(X, given=given, deciders=deciders)
        if isinstance(self.panel_.decided, Comparisons):
            return np.where(chances[:, 1] >= 0.5, 1, -1)
        asked = self._as_choices(X)
        menus = asked.first_menus()
        best = [int(np.argmax(each)) for each in chances]
        return np.asarray(menus.rows[menus.starts[:-1] + np.array(best, dtype=np.intp)])

    def _as_choices(self, X: Any) -> Choices:
        return Choices.of_comparisons(X) if isinstance(X, Comparisons) else X

    def score(self, X: Any, *, given: Any = None, deciders: Any = None) -> float:
        """Return the share of answers that are predicted correctly; a tie is half right."""
        if isinstance(self.panel_.decided, Comparisons):
            right = (1 + self.predict(X, given=given, deciders=deciders) * X.outcomes) / 2
            return float(np.average(right, weights=X.counts))
        asked = self._as_choices(X)
        taken = _taken(asked)
        chances = self.predict_proba(X, given=given, deciders=deciders)
        right = [_share_right(c, t) for c, t in zip(chances, taken, strict=True)]
        return float(np.average(right, weights=asked.counts))

    def log_loss(self, X: Any, *, given: Any = None, deciders: Any = None) -> float:
        """Return minus the mean logarithm of the chance that was given to what was decided.

        Of rankings the first choice counts.
        """
        losses, counts = self.losses(X, given=given, deciders=deciders)
        return float(np.average(losses, weights=counts))

    def losses(
        self, X: Any, *, given: Any = None, deciders: Any = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return the log loss (n,) of each decision, and how often it was made (n,)."""
        chances = self.predict_proba(X, given=given, deciders=deciders)
        if isinstance(self.panel_.decided, Comparisons):
            logs = np.log(np.maximum(chances, _LEAST_CHANCE))
            first = (1.0 + X.outcomes) / 2.0
            return -(first * logs[:, 1] + (1.0 - first) * logs[:, 0]), np.asarray(X.counts)
        asked = self._as_choices(X)
        pairs = zip(chances, _taken(asked), strict=True)
        found = [-float(t @ np.log(np.maximum(c, _LEAST_CHANCE))) for c, t in pairs]
        return np.array(found), np.asarray(asked.counts)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")


def _taken(asked: Choices) -> list[FloatArray]:
    """What was taken of the first menu of each decision, in shares."""
    menus = asked.first_menus()
    return np.split(menus.taken, menus.starts[1:-1])


def _share_right(chances: FloatArray, taken: FloatArray) -> float:
    best = chances >= chances.max() * (1.0 - 1e-12)
    return float(taken[best].sum() / best.sum())


def refuse_too_many(types: int, panel: Panel) -> None:
    """Refuse more types than there are decision makers."""
    if types > panel.people:
        raise InputError(
            f"there must be at least as many decision makers as types; found {types} types and "
            f"{panel.people} people. Ask for fewer."
        )
