"""The rules at p = -inf and p = inf: who counts, and how well that explains the decisions.

At a limit weights only say who counts, so that a fit is a search over supports. Nested supports,
in the order in which people explain the decisions alone or count in a fit with large |p|, come
first; then single people are let in or left out as long as that helps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Point
from welfarist.solvers.descent import Descent, descend

# Beyond this many free weights only nested supports are tried, at sizes that double.
_MANY = 60
_ROUNDS = 20
# After so many steps a temperature alone is given up that would need many more to matter.
_QUICKLY = 2

Support = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rule:
    """A fit whose weights and power are given: the extras are at their best.

    Attributes
    ----------
    descent : Descent
        With the point in the coordinates of the loss.
    weights : (d,) array
        One weight per person.
    """

    descent: Descent
    weights: FloatArray

    @property
    def value(self) -> float:
        """The loss."""
        return self.descent.value


def fit_rule(
    loss: DecisionLoss,
    weights: FloatArray,
    p: float,
    max_iter: int,
    tolerance: float,
    beat: float = np.inf,
) -> Rule:
    """Fit the extras under given weights (d,) and power, or see that they will not `beat` a loss.

    A temperature alone has one optimum, and its last steps tell how much is still to be gained.
    """
    known = loss.holding(weights)
    nobody = np.empty(0)
    places = [known.starting_extras(nobody, p)]
    if len(known.observed.parameters) > 1:  # errors depend on how close a case is, or are slips
        own, noise = np.split(places[0], [known.leading])
        slips = known.observed.without_noise(noise)
        if slips is not None:
            places.append(np.clip(np.concatenate([own, slips]), *known.extra_bounds))
    starts = (Point(nobody, p, place) for place in places)
    if len(known.parameters) > 1:
        beat = np.inf
    paths = [
        descend(known, start, max_iter=max_iter, tolerance=tolerance, beat=beat, patience=_QUICKLY)
        for start in starts
    ]
    found = min(paths, key=lambda path: path.value)
    point = loss.at_rule(weights, p, found.point.extras)
    if found.n_iter == 0:
        found = replace(found, reason="the rule has no free weights", nothing_to_learn=False)
    return Rule(replace(found, point=point), weights)


class LimitFit:
    """The best rule at one of the two limits."""

    def __init__(self, loss: DecisionLoss, p: float, max_iter: int, tolerance: float) -> None:
        self._loss = loss
        self._p = p
        self._options = (max_iter, tolerance)
        self._seen: dict[bytes, Rule] = {}

    def with_everybody(self, beat: float = np.inf) -> Rule:
        """Everybody counts; with known weights, those who have any. See :func:`fit_rule`."""
        weighting = self._loss.weighting
        if weighting.free == 0:
            known = weighting.to_people(np.empty(0))
            return fit_rule(self._loss, known, self._p, *self._options, beat)
        return self._rule(np.ones(weighting.free, dtype=bool), beat)

    def search(self, order: FloatArray | None = None) -> Rule:
        """Search who counts; `order` (k,) says who is likely to, the largest first."""
        k = self._loss.weighting.free
        best = self.with_everybody()
        if k <= 1:
            return best
        orders = [] if order is None else [np.argsort(-order, kind="stable")]
        if k <= _MANY:
            alone = [self._rule(np.arange(k) == i).value for i in range(k)]
            orders.append(np.argsort(alone, kind="stable"))
        for ranking in orders:
            best = self._better(best, (np.isin(np.arange(k), ranking[:m]) for m in _sizes(k)))
        for _ in range(_ROUNDS if k <= _MANY else 0):
            support = self._loss.weighting.gather(best.weights) > 0
            toggled = (support ^ (np.arange(k) == i) for i in range(k))
            improved = self._better(best, (s for s in toggled if s.any()))
            if improved is best:
                break
            best = improved
        return best

    def _better(self, best: Rule, supports: Iterable[Support]) -> Rule:
        for support in supports:
            rule = self._rule(support)
            best = rule if rule.value < best.value else best
        return best

    def _rule(self, support: Support, beat: float = np.inf) -> Rule:
        key = support.tobytes()
        if key not in self._seen:
            weighting = self._loss.weighting
            free = weighting.sizes() * support
            people = weighting.to_people(free / free.sum())
            self._seen[key] = fit_rule(self._loss, people, self._p, *self._options, beat)
        return self._seen[key]


def _sizes(k: int) -> list[int]:
    if k <= _MANY:
        return list(range(1, k))
    return [2**i for i in range(int(np.log2(k)) + 1)]
