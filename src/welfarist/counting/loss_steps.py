"""The 0-1 loss as a function of the power, for known weights: a step function, known exactly.

Each comparison is right or wrong between two of its crossings. Sorting the crossings of all
comparisons and walking over them once gives the loss at every power, its exact minimum, and all
powers at which it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers
from welfarist.counting.crossings import Crossings
from welfarist.decisions.merged_pairs import MergedPairs

# Counts are whole numbers as a rule, and add up exactly; others up to this share of the total.
_SAME_LOSS = 1e-12


@dataclass(frozen=True)
class PowerInterval:
    """An interval of powers.

    Attributes
    ----------
    low, high : float
        The ends, in [-inf, inf].
    closed_low, closed_high : bool
        Whether the ends themselves belong to it.

    Examples
    --------
    >>> print(PowerInterval(-np.inf, 0.5, True, False))
    [-inf, 0.5)
    >>> 0.5 in PowerInterval(-np.inf, 0.5, True, False)
    False
    """

    low: float
    high: float
    closed_low: bool
    closed_high: bool

    def __contains__(self, p: float) -> bool:
        above = p >= self.low if self.closed_low else p > self.low
        below = p <= self.high if self.closed_high else p < self.high
        return bool(above and below)

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{{{self.low:.6g}}}"
        left, right = "[" if self.closed_low else "(", "]" if self.closed_high else ")"
        return f"{left}{self.low:.6g}, {self.high:.6g}{right}"

    @property
    def width(self) -> float:
        """Its width on the scale ``p / (1 + |p|)``, on which the whole line has width 2."""
        return float(compact(self.high) - compact(self.low))

    @property
    def middle(self) -> float:
        """The power in its middle, on the same scale; 1 (adding up) if it is the whole line."""
        if np.isinf(self.low) and np.isinf(self.high) and self.low < self.high:
            return 1.0
        middle = float(expanded(0.5 * (compact(self.low) + compact(self.high))))
        if middle in self or np.isinf(middle):
            return middle
        return 0.5 * self.low + 0.5 * self.high


@dataclass(frozen=True)
class LossSteps:
    """Mean 0-1 loss against the power.

    Attributes
    ----------
    lowest : float
        Where the line begins: -inf, or 0 (excluded) where somebody has nothing.
    powers : (m,) array
        The powers at which some comparison's two actions tie, ascending.
    radius : (m,) array
        How far off each may be. Crossings that cannot be told apart are one step.
    between : (m + 1,) array
        The loss below the first power, between them, and above the last.
    at : (m,) array
        The loss at the powers themselves, where a tie is half an error.
    hidden : (m,) array
        The lowest loss that could hide within the radius, where the order of crossings is unknown.
    at_lowest : float or None
        The loss at p = -inf itself; None where the line begins at 0.
    at_infinity : float
        The loss at p = inf itself.
    """

    lowest: float
    powers: FloatArray
    radius: FloatArray
    between: FloatArray
    at: FloatArray
    hidden: FloatArray
    at_lowest: float | None
    at_infinity: float

    def __call__(self, p: npt.ArrayLike) -> FloatArray:
        """Return the loss at powers p of any shape, in the line's range."""
        power = as_numbers(p, "p").astype(np.float64)
        outside = np.isnan(power) | (power < self.lowest)
        if outside.any():
            found = power.reshape(-1)[np.argmax(outside.reshape(-1))]
            raise InputError(f"p must be a number from {self.lowest:g} up; found {found:g}.")
        place = np.searchsorted(self.powers, power, side="left")
        loss = self.between[np.searchsorted(self.powers, power, side="right")]
        if len(self.powers):
            here = np.minimum(place, len(self.powers) - 1)
            loss = np.where(self.powers[here] == power, self.at[here], loss)
        loss = np.where(power == np.inf, self.at_infinity, loss)
        if self.at_lowest is not None:
            loss = np.where(power == -np.inf, self.at_lowest, loss)
        return np.asarray(loss)

    @property
    def minimum(self) -> float:
        """The lowest loss at any power."""
        return float(self._losses().min())

    @property
    def proven(self) -> float:
        """A loss below which nothing can be, also within rounding of the steps."""
        return float(self.hidden.min(initial=self.minimum))

    def least_between(self, low: float, high: float) -> float:
        """The lowest loss at powers in [low, high]."""
        first = np.searchsorted(self.powers + self.radius, low, side="left")
        last = np.searchsorted(self.powers - self.radius, high, side="right")
        return float(self.hidden[first:last].min(initial=self.between[first : last + 1].min()))

    @property
    def optimal(self) -> tuple[PowerInterval, ...]:
        """All powers at which the loss is lowest, as intervals that do not touch."""
        losses = self._losses()
        best = losses <= losses.min() + _SAME_LOSS
        edges = np.diff(np.concatenate([[0], best.astype(np.int8), [0]]))
        starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
        return tuple(self._interval(int(a), int(b)) for a, b in zip(starts, ends, strict=True))

    @property
    def widest(self) -> PowerInterval:
        """The widest optimal interval by ``p / (1 + |p|)``; of equals the one nearest 1."""
        return max(self.optimal, key=lambda i: (round(i.width, 12), -abs(i.middle - 1.0)))

    def _losses(self) -> FloatArray:
        """Loss of every piece in order: -inf, then open interval and point by turns, inf."""
        losses = np.empty(2 * len(self.powers) + 1)
        losses[0::2], losses[1::2] = self.between, self.at
        start = [] if self.at_lowest is None else [self.at_lowest]
        return np.concatenate([start, losses, [self.at_infinity]])

    def _interval(self, first: int, last: int) -> PowerInterval:
        """The interval from one piece to another."""
        offset = 0 if self.at_lowest is None else 1
        ends = np.concatenate([[self.lowest], self.powers, [np.inf]])
        # Pieces are numbered so that even ones are open intervals and odd ones points.
        a, b = first - offset, last - offset
        return PowerInterval(
            float(ends[(a + 1) // 2]) if a >= 0 else -np.inf,
            float(ends[b // 2 + 1]) if b >= 0 else -np.inf,
            a % 2 == 1,
            b % 2 == 1,
        )


def loss_steps(crossings: Crossings, pairs: MergedPairs) -> LossSteps:
    """Walk once over the sorted crossings of pairs."""
    lead, total = pairs.lead, pairs.total
    # A comparison's sign before each of its ties: it turns at every crossing.
    pair = crossings.pair
    first = np.searchsorted(pair, pair, side="left")
    turns = np.concatenate([[0], np.cumsum(crossings.turns)])
    turned = (turns[:-1] - turns[first]) % 2
    tie = np.where(turned, -1.0, 1.0) * crossings.beginning[pair] * lead[pair]
    powers, radius, sums = _clustered(crossings, tie)
    tie, fall, rise = sums
    agreement = float(crossings.beginning @ lead) - 2.0 * np.concatenate([[0.0], np.cumsum(fall)])

    def loss(agreeing: npt.ArrayLike) -> FloatArray:
        return np.asarray(np.maximum(total - np.asarray(agreeing), 0.0) / (2.0 * total))

    lowest = crossings.lowest
    return LossSteps(
        lowest,
        powers,
        radius,
        loss(agreement),
        loss(agreement[:-1] - tie),
        loss(agreement[:-1] + 2.0 * rise),
        float(loss(crossings.at_lowest @ lead)) if np.isinf(lowest) else None,
        float(loss(crossings.at_infinity @ lead)),
    )


@dataclass(frozen=True)
class Clusters:
    """Ties that lie within rounding of each other, as one.

    Attributes
    ----------
    order : (m,) array of int
        The ties in the order of clusters.
    cluster : (m,) array of int
        To which cluster each of them belongs, in that order.
    power, radius : (c,) arrays
        The power that stands for each cluster, and how far from it another may be.
    """

    order: npt.NDArray[np.intp]
    cluster: npt.NDArray[np.intp]
    power: FloatArray
    radius: FloatArray

    @classmethod
    def of(cls, crossings: Crossings) -> Clusters:
        """Find out which ties cannot be told apart."""
        order = np.argsort(crossings.power - crossings.radius, kind="stable")
        power, radius = crossings.power[order], crossings.radius[order]
        if not len(power):
            return cls(order, order, power, radius)
        reach = np.maximum.accumulate(power + radius)
        starts = np.flatnonzero(np.concatenate([[True], (power - radius)[1:] > reach[:-1]]))
        ends = np.concatenate([starts[1:], [len(power)]]) - 1
        low, high = (power - radius)[starts], reach[ends]
        cluster = np.repeat(np.arange(len(starts)), ends - starts + 1)
        # The best known of a cluster stands for it.
        middle = power[np.lexsort((radius, cluster))[starts]]
        away = np.maximum(high - middle, middle - low)
        return cls(order, cluster, middle, away)

    def simultaneous(self, power: FloatArray) -> npt.NDArray[np.intp]:
        """Number (m,) the ties in their order so that those of the very same power are one.

        Those, such as ties at a whole power, have no order among themselves.
        """
        place = np.lexsort((power[self.order], self.cluster))
        same = power[self.order][place]
        fresh = np.diff(self.cluster[place], prepend=-1) + np.diff(same, prepend=-np.inf) > 0
        number = np.empty(len(place), dtype=np.intp)
        number[place] = np.cumsum(fresh) - 1
        return number


def _clustered(
    crossings: Crossings, tie: FloatArray
) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray, FloatArray]]:
    """Ties within rounding of each other as one: powers, radii and what is lost or won there.

    Agreement with the decisions falls by `tie` where the two tie, and by as much again if they
    cross. Summed up for each cluster are the ties, the falls of those that cross, and the rises:
    how far agreement could go up before the falls have their turn, if rounding hides the order.
    """
    clusters = Clusters.of(crossings)
    tie = tie[clusters.order]
    fall = np.where(crossings.turns[clusters.order], tie, 0.0)
    size = len(clusters.power)
    together = clusters.simultaneous(crossings.power)
    net = np.bincount(together, fall)
    home = np.zeros(len(net), dtype=np.intp)
    home[together] = clusters.cluster
    rise = np.bincount(home, np.maximum(-net, 0.0), size)
    sums = [np.bincount(clusters.cluster, part, size) for part in (tie, fall)]
    ties, falls, rises = (np.asarray(part, dtype=np.float64) for part in (*sums, rise))
    return clusters.power, clusters.radius, (ties, falls, rises)


def compact(p: npt.ArrayLike) -> FloatArray:
    """Return ``p / (1 + |p|)``, which takes the extended line to [-1, 1]."""
    power = np.asarray(p, dtype=np.float64)
    size = np.abs(power)
    with np.errstate(invalid="ignore"):
        inside = power / (1.0 + size)
    return np.asarray(np.where(np.isinf(power), np.sign(power), inside))


def expanded(s: npt.ArrayLike) -> FloatArray:
    """Return the power p of a place s in [-1, 1], the inverse of :func:`compact`."""
    place = np.asarray(s, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(place / (1.0 - np.abs(place)))
