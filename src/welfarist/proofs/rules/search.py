"""Branch and bound over boxes of rules, lowest bound first, many boxes at a time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from time import process_time

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Point
from welfarist.proofs.rules.boxes import Boxes, all_rules, rule_at
from welfarist.proofs.rules.cones import Minima, minimise
from welfarist.proofs.rules.relaxed import relaxed

# Numbers in the forms of boxes that are worked on together: what the cache holds.
_AT_ONCE = 200_000
_FEWEST, _MOST = 8, 512
# Boxes that may be open: a few hundred megabytes.
_MOST_OPEN = 1_000_000
# Losses are compared with this where they are smaller: of a fit that is nearly perfect it is not
# worth proving how nearly.
NEARLY_PERFECT = 1e-6
# Precision of one box's bound, as a share of the gap that is asked for.
_SHARE = 0.1
# What strays cost where a relaxation costs nothing yet, as a share of what they cost elsewhere.
_ANYWHERE = 0.1
_TINY = 1e-12
# How often somebody who waits is told how far it has come.
TICKS = 100


class RuleSearch:
    """Branch and bound over the weights and powers of a loss.

    Attributes
    ----------
    best : float
        The lowest loss known.
    point : Point or None
        Where it was found, if it was found here.
    boxes : int
        How many boxes were bounded.
    """

    def __init__(
        self, loss: DecisionLoss, value: float, gap: float, lowest: float, highest: float
    ) -> None:
        assert loss.people.table is not None
        self._loss, self._gap = loss, gap
        self._relaxed = relaxed(loss)
        self.best, self.boxes = value, 0
        self.point: Point | None = None
        self._settled = np.inf  # lowest bound of the boxes that are good enough
        self._in_hand = np.inf  # of the boxes that are being worked on
        self._pool = all_rules(loss.people.table, lowest, highest)
        size, sides = self._pool.low.shape
        self._scales = np.full(size, self._relaxed.first_scale)
        self._open = [(0.0, row) for row in range(size)]
        self._free: list[int] = []
        together = _AT_ONCE // (self._relaxed.rows * (sides + 1))
        self._batch = int(np.clip(together, _FEWEST, _MOST))

    @property
    def goal(self) -> float:
        """The bound that is good enough."""
        return self.best - self._gap * max(self.best, NEARLY_PERFECT)

    @property
    def lower_bound(self) -> float:
        """What is proven so far."""
        least = self._open[0][0] if self._open else np.inf
        return float(min(self._settled, self._in_hand, least))

    @property
    def is_full(self) -> bool:
        """Whether there is no room for more boxes."""
        return len(self._open) > _MOST_OPEN

    def run(self, seconds: float) -> Iterator[None]:
        """Search until the goal is reached or the time is up; yield as each hundredth passes."""
        start, told = process_time(), 0
        while self._open and self._open[0][0] < self.goal and not self.is_full:
            spent = process_time() - start
            if spent >= seconds:
                break
            while told < TICKS * spent / seconds - 1:
                told += 1
                yield
            self._round()

    def _round(self) -> None:
        """Bound the boxes with the lowest bounds, and cut those in two that are not good enough."""
        self._in_hand = self._open[0][0]  # until all of their halves are in their place
        rows: list[int] = []
        floors: list[float] = []
        while self._open and len(rows) < self._batch and self._open[0][0] < self.goal:
            floor, row = heapq.heappop(self._open)
            rows.append(row)
            floors.append(floor)
        chosen, floor_of = np.array(rows), np.array(floors)
        boxes, scales = self._pool.take(chosen), self._scales[chosen]
        for zone in np.unique(boxes.zone):
            part = np.flatnonzero(boxes.zone == zone)
            self._bound(boxes.take(part), scales[part], floor_of[part])
        self._free.extend(rows)
        self._in_hand = np.inf

    def _bound(self, boxes: Boxes, scales: FloatArray, floors: FloatArray) -> None:
        """Bound boxes of one zone, of which `floors` are bounds already."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number proves nothing
            problems, parts = self._relaxed.on(boxes)
            found = minimise(problems, scales, self.goal, _SHARE * (self.best - self.goal))
        self.boxes += len(boxes)
        self._try(boxes, found)
        bounds = np.maximum(found.lower_bound, floors)
        done = bounds >= self.goal
        self._settled = min(self._settled, float(bounds[done].min(initial=np.inf)))
        left = np.flatnonzero(~done)
        if len(left):
            sides = self._worst_sides(boxes.take(left), found.pull[left], parts[left])
            halves = boxes.take(left).halves(sides)
            self._push(halves, np.tile(bounds[left], 2), np.tile(found.y[left, 0], 2))

    def _worst_sides(
        self, boxes: Boxes, pull: FloatArray, parts: FloatArray
    ) -> npt.NDArray[np.intp]:
        """The side (B,) of each box to which most of what its relaxation costs is due."""
        weight = self._relaxed.weight_of(pull)
        weight = weight + _ANYWHERE * weight.mean(axis=1, keepdims=True) + _TINY
        cost = np.einsum("bn,bdn->bd", weight, parts)
        return np.asarray(np.where(boxes.high > boxes.low, cost + _TINY, -1.0).argmax(axis=1))

    def _push(self, boxes: Boxes, bounds: FloatArray, scales: FloatArray) -> None:
        while len(self._free) < len(boxes):
            size = len(self._pool)
            self._pool = Boxes.joined([self._pool, self._pool])
            self._scales = np.concatenate([self._scales, self._scales])
            self._free.extend(range(size, 2 * size))
        rows = [self._free.pop() for _ in range(len(boxes))]
        self._pool.put(np.array(rows), boxes)
        self._scales[rows] = scales
        for entry in zip(bounds.tolist(), rows, strict=True):
            heapq.heappush(self._open, entry)

    def _try(self, boxes: Boxes, found: Minima) -> None:
        """See whether the loss itself is lower where the lowest relaxation was found."""
        row = int(found.value.argmin())
        y = found.y[row]
        if not y[0] > 0:
            return
        weights, p = rule_at(int(boxes.zone[row]), boxes.middles()[row] + y[1:] / y[0])
        point = Point(weights, p, self._relaxed.extras(float(y[0])))
        with np.errstate(over="ignore", invalid="ignore"):
            value = self._loss.evaluate(point).value
        if value < self.best:
            self.best, self.point = value, point
