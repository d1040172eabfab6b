"""Proofs that a fit with known weights is the best one: branch and bound over the power.

With the weights known, what is left to learn is the power and one scale (a temperature, or the
scale of the scores). The line of powers is cut into intervals; on each a convex problem in two
numbers is nowhere above the loss (see `relaxed_losses`), and its minimum is
proven by a tangent plane. Its error falls with the square of an interval's width, as the loss
rises with the square of the distance from an optimum, so that the intervals needed grow with the
logarithm of the precision only. The lowest bound of all intervals is a bound for every power.

Rounding: every enclosure and every bound is lowered by what rounding may have added.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Loss, Point
from welfarist.proofs.certificate import Certificate
from welfarist.proofs.enclosures import Interval
from welfarist.proofs.relaxation import minimise
from welfarist.proofs.relaxed_losses import RelaxedChoices, RelaxedScores

# Losses are compared with this where they are smaller: of a fit that is nearly perfect it is not
# worth proving how nearly.
_NEARLY_PERFECT = 1e-6
# Features of losses for which there are proofs.
COVERS = frozenset({"scale"})
# Precision of one interval's bound, as a share of the gap that is asked for.
_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class _Box:
    """An interval of powers, a bound on its losses, and the scale at which it was found."""

    interval: Interval
    lower_bound: float
    scale: float


class _Search:
    """Branch and bound over the power, lowest bound first.

    Attributes
    ----------
    best : float
        The lowest loss known.
    point : Point or None
        Where it was found, if it was found here.
    boxes : int
        How many intervals were bounded.
    """

    def __init__(self, loss: DecisionLoss, value: float | None, gap: float) -> None:
        self._loss = loss
        self._gap = gap
        kind = RelaxedScores if loss.squared else RelaxedChoices
        weights = loss.weighting.fixed
        assert weights is not None
        self._relaxed: RelaxedScores | RelaxedChoices = kind(loss, weights)
        self._order = count()
        self._open: list[tuple[float, int, _Box]] = []
        self._settled = np.inf  # lowest bound of the intervals that are good enough
        self.boxes = 0
        self.point: Point | None = None
        self.best = np.inf if value is None else value
        if value is None:
            self._evaluate(1.0, loss.starting_extras(np.empty(0), 1.0))

    @property
    def goal(self) -> float:
        """The bound that is good enough."""
        return self.best - self._wanted

    @property
    def _wanted(self) -> float:
        return self._gap * max(self.best, _NEARLY_PERFECT)

    @property
    def lower_bound(self) -> float:
        """What is proven so far."""
        return min(self._settled, self._open[0][0] if self._open else np.inf)

    def run(self, p: float | None, max_boxes: int) -> None:
        """Bound the loss at one power or at all."""
        line = self._relaxed.line
        for interval in line.whole() if p is None else [line.only(p)]:
            self._add(interval, None, 0.0)
        while self.lower_bound < self.goal and self.boxes < max_boxes:
            box = self._open[0][2]
            middle = box.interval.middle()
            if middle is None:  # as short as can be
                break
            heapq.heappop(self._open)
            for half in line.halves(box.interval, middle):
                self._add(half, box.scale, box.lower_bound)

    def _add(self, interval: Interval, near: float | None, floor: float) -> None:
        """Bound the losses on an interval, of which `floor` is a bound already."""
        self.boxes += 1
        problem = self._relaxed.on(interval)
        scale = self._relaxed.start(interval, near)
        start = np.full(2, min(max(scale, problem.smallest), problem.largest) / 2.0)
        precision = _SHARE * self._wanted
        found = minimise(problem, start, goal=self.goal, precision=precision)
        bound = max(floor, found.lower_bound)
        if bound >= self.goal:
            self._settled = min(self._settled, bound)
            return
        self._try(interval, found.x)
        box = _Box(interval, bound, float(found.x.sum()))
        heapq.heappush(self._open, (bound, next(self._order), box))

    def _try(self, interval: Interval, x: FloatArray) -> None:
        """See whether the loss itself is lower where the bound was found."""
        scale = float(x.sum())
        if not scale > 0:
            return
        p = interval.power_at(float(x[1]) / scale)
        self._evaluate(p, self._relaxed.extras(scale, p))

    def _evaluate(self, p: float, extras: FloatArray) -> None:
        point = Point(np.empty(0), p, extras)
        with np.errstate(over="ignore", invalid="ignore"):
            value = self._loss.evaluate(point).value
        if value < self.best:
            self.best, self.point = value, point


@dataclass(frozen=True)
class PowerSearch:
    """What a search over all powers has found and proven.

    Attributes
    ----------
    lower_bound : float
        No power, temperature or scale has a lower loss.
    value : float
        The lowest loss known.
    point : Point or None
        Where it was found; None if nothing was found below the loss the search began with.
    intervals : int
        How many intervals of powers were bounded.
    """

    lower_bound: float
    value: float
    point: Point | None
    intervals: int


def search_powers(
    loss: DecisionLoss,
    value: float | None = None,
    *,
    p: float | None = None,
    gap: float = 1e-6,
    max_boxes: int = 2000,
) -> PowerSearch:
    """Minimise a loss with known weights over all powers, temperatures and scales, with proof.

    Parameters are those of :func:`certify`; `value` is a loss that some fit has reached, if any
    is known.
    """
    _require_known(loss)
    search = _Search(loss, value, gap)
    search.run(p, max_boxes)
    return PowerSearch(search.lower_bound, search.best, search.point, search.boxes)


def certify(
    loss: DecisionLoss,
    value: float,
    *,
    p: float | None = None,
    gap: float = 1e-6,
    max_boxes: int = 2000,
) -> Certificate:
    """Prove how good a fit with known weights is, over all powers, temperatures and scales.

    Parameters
    ----------
    loss : DecisionLoss
        Logistic loss of comparisons, or squared loss of scores; with known weights.
    value : float
        The loss of the fit, in the unit of `loss` (squared losses are divided by the square of
        `observed.size`).
    p : float, optional
        The power, if it is known; otherwise the bound is for all in [-inf, inf]. Where a utility
        is 0 it is for all above 0, and for choices for all from where their search begins.
    gap : float
        The precision to reach, as a share of the lowest loss known (at least of 1e-6).
    max_boxes : int
        Largest number of intervals of powers; what is proven by then is given.

    Returns
    -------
    Certificate
        Its bound holds in exact arithmetic: what rounding may have added is taken off. Where
        `value` is the loss of a local optimum, the search finds a lower one: the gap stays
        open, and the method says where the lower loss was found.

    Examples
    --------
    >>> from welfarist.decisions import Scores
    >>> from welfarist.families.power_mean.family import POWER_MEAN
    >>> from welfarist.losses import loss_of_scores
    >>> from welfarist.people.weighting import Weighting
    >>> scores = Scores.of([[1.0, 4.0], [9.0, 1.0], [4.0, 4.0]], [2.0, 3.0, 4.5])
    >>> known = Weighting(2, fixed=np.array([0.5, 0.5]))
    >>> loss = loss_of_scores(scores, POWER_MEAN, known, True, False)
    >>> value = loss.evaluate(Point(np.empty(0), 0.0, np.empty(0))).value
    >>> certify(loss, value).gap < 0.01 * value
    True
    """
    _require_known(loss)
    if loss.is_perfect(value):
        return Certificate(value, 0.0, "no loss is below 0")
    found = search_powers(loss, value, p=p, gap=gap, max_boxes=max_boxes)
    if p is not None and not loss.parameters:
        method = "everything was given"
    elif p is not None:
        method = "a tangent plane of the loss, which is convex at a known power"
    else:
        method = f"branch and bound over all powers, in {found.intervals} intervals"
    if found.point is not None and value - found.value > gap * value:
        method += f"; a loss of {found.value:.6g} was found at p = {found.point.p:.6g}"
    return Certificate(value, found.lower_bound, method)


def certifier_of(
    loss: DecisionLoss, value: float, p: float | None
) -> Callable[[], Certificate] | None:
    """Return what proves how good a fit with known weights is; None where there is no proof.

    `value` is the mean loss in the data's own unit.
    """
    return partial(certified, loss, value, p) if can_certify(loss) else None


def certified(loss: DecisionLoss, value: float, p: float | None) -> Certificate:
    """Prove how good a fit with known weights is."""
    unit = loss.observed.unit
    proof = certify(loss, value / unit, p=p)
    return Certificate(value, proof.lower_bound * unit, proof.method)


def can_certify(loss: Loss) -> bool:
    """Whether a loss is one that :func:`certify` takes."""
    return _obstacle(loss) is None


def _require_known(loss: Loss) -> None:
    reason = _obstacle(loss)
    if reason:
        raise InputError(
            "a proof of global optimality is for known weights, and for squared errors or logistic "
            f"noise; found {reason}. Give the weights, or compare the starts: result_.spread."
        )


def _obstacle(loss: Loss) -> str | None:
    """What stands in the way of a proof: a loss that is not convex where the power is known."""
    return next((words for name, words in loss.features.items() if name not in COVERS), None)
