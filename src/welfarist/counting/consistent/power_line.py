"""At which powers some weights explain every decision.

At single powers a linear programme finds weights or refutes them (`margin`); between two refuted
powers the refutations are carried over (`refutation`), and where they do not reach, the interval is
cut. The ends of possible intervals are found to 1e-9 in asinh(p), by Newton steps on the
programme's margin. Far out, where weights count by orders of magnitude, the weights with the
largest margin are followed from power to power, so that each programme starts close to its answer.

Limits: what is left out is proved impossible, with two exceptions. Between refuted powers less than
0.02 apart in asinh(p) the proof is left out unless both margins point to a change between them, and
gaps narrower than 1e-9 are not looked into. Two possible powers less than 0.1 apart count as
connected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.consistent.margin import LARGE_POWER, Oracle, Verdict, tempered
from welfarist.counting.consistent.refutation import refutes_between

# Powers are told apart to this much of asinh(p), or of log p where utilities are 0.
RESOLUTION = 1e-9
# Two powers this close, both with weights that explain everything, count as connected.
_CONNECTED = 0.1
# From this |p| on orders of magnitude can hide the answer; such powers are told apart to this.
_HIDDEN = 16.0
_COARSE = 0.1
# Refuted powers this close need no proof for what lies between, unless their margins point there.
_NARROW = 0.02
# The grid the search starts from.
_GRID = 0.5
# From this |p| on the weights with the largest margin are followed along the grid.
_FOLLOWED = 2.0
_ROUGHLY = 0.05
# A Newton step goes this share too far, so that the end it aims at is soon enclosed.
_OVERSHOOT = 0.05
# Cuts stay this far from powers already looked at: an aim may be one of them but for rounding.
_APART = RESOLUTION / 8
# Cuts between refuted powers stay this share of the width away from its ends.
_EDGE = 0.05
# After so many powers, those between two without any weights are looked at no more closely, where
# these are no further apart than the grid: where decisions contradict each other by nothing, no
# proof ever reaches the next power. The widest gaps are looked into first.
_MOST = 200
# Every so many cuts of an interval one halves it, whatever the margins point to.
_HALVED = 3


@dataclass(frozen=True)
class Line:
    """The powers that are searched, and the coordinate in which they are.

    Attributes
    ----------
    low, high : float
        The smallest and the largest.
    positive : bool
        Whether p must be positive, because a utility is 0: then the coordinate is log p, else
        asinh(p).
    """

    low: float
    high: float
    positive: bool

    def coordinate(self, p: float) -> float:
        """Return where p lies, NaN if it cannot be searched."""
        if self.positive:
            return float(np.log(p)) if p > 0 else np.nan
        return float(np.arcsinh(p))

    def power(self, t: float) -> float:
        """Return the power at a coordinate, within the line."""
        p = float(np.exp(t) if self.positive else np.sinh(t))
        return min(max(p, self.low), self.high)

    def clip(self, p: float) -> float:
        """Return the power of the line nearest to p."""
        return min(max(p, self.low), self.high)

    def width(self, ends: tuple[float, float]) -> float:
        """Return how far apart two powers are."""
        return self.coordinate(ends[1]) - self.coordinate(ends[0])

    def middle(self, ends: tuple[float, float]) -> float:
        """Return the power half way between two."""
        return self.power(0.5 * (self.coordinate(ends[0]) + self.coordinate(ends[1])))

    def grid(self, step: float) -> list[float]:
        """Return both ends and powers no further apart than `step`."""
        low, high = self.coordinate(self.low), self.coordinate(self.high)
        count = max(2, int(np.ceil((high - low) / step)) + 1)
        inside = [self.power(t) for t in np.linspace(low, high, count)[1:-1]]
        return [self.low, *inside, self.high]


@dataclass(frozen=True)
class Component:
    """An interval of powers at which some weights explain everything.

    Attributes
    ----------
    outer : (float, float)
        Just outside it there are none; at an end of the line, that end.
    verdicts : tuple of Verdict
        Powers inside with weights, in order.
    """

    outer: tuple[float, float]
    verdicts: tuple[Verdict, ...]

    @property
    def inner(self) -> tuple[float, float]:
        """The first and last power with weights that were checked."""
        return self.verdicts[0].p, self.verdicts[-1].p

    def near(self, p: float) -> FloatArray:
        """Return the weights (d,) found at the power closest to p."""
        return nearest_weights(self.verdicts, p)


@dataclass(frozen=True, order=True)
class _Gap:
    """What lies between two powers that were looked at: the widest first, of equals the lowest."""

    order: tuple[float, float]
    left: Verdict = field(compare=False)
    right: Verdict = field(compare=False)
    depth: int = field(compare=False)

    @classmethod
    def between(cls, line: Line, left: Verdict, right: Verdict, depth: int) -> _Gap:
        return cls((-line.width((left.p, right.p)), left.p), left, right, depth)


def explained_powers(
    oracle: Oracle, line: Line, start: tuple[FloatArray, float], guesses: list[Verdict]
) -> list[Component]:
    """Find all intervals of powers on a line at which some weights explain every decision.

    Parameters
    ----------
    oracle : Oracle
    line : Line
    start : (d,) array and float
        Weights and a power to look at first.
    guesses : list of Verdict
        Powers of the line with weights that are known to explain everything.
    """
    found = {verdict.p: verdict for verdict in guesses}
    weights, power = start

    def decide(p: float) -> Verdict:
        near = nearest_weights(list(found.values()), p) if found else weights
        found[p] = oracle.decide(p, near)
        return found[p]

    def follow(p: float) -> None:
        near = nearest_weights(list(found.values()), p)
        near = oracle.roughly_largest(p, near, _ROUGHLY)
        found[p] = replace(oracle.decide(p, near), closest=near)

    centre = line.clip(power)
    decide(centre)
    for p in sorted(line.grid(_GRID), key=lambda p: abs(np.arcsinh(p) - np.arcsinh(centre))):
        if p not in found:
            (follow if abs(p) >= _FOLLOWED else decide)(p)
    ends = sorted(found)
    pending = [_Gap.between(line, found[a], found[b], 1) for a, b in pairwise(ends)]
    heapify(pending)
    while pending:
        gap = heappop(pending)
        left, right, depth = gap.left, gap.right, gap.depth
        if _settled(oracle, line, left, right) or (
            len(found) > _MOST and _is_hopeless(line, left, right)
        ):
            continue
        halve = depth % _HALVED == 0 or left.undecided or right.undecided
        p = line.middle((left.p, right.p)) if halve else _cut(line, left, right)
        if left.p < p < right.p:
            middle = decide(p)
            heappush(pending, _Gap.between(line, left, middle, depth + 1))
            heappush(pending, _Gap.between(line, middle, right, depth + 1))
    return _components(line, [found[p] for p in sorted(found)])


def nearest_weights(verdicts: Sequence[Verdict], p: float) -> FloatArray:
    """Return the closest weights (d,) of the verdict whose power is nearest to p, made for p."""
    nearest = min(verdicts, key=lambda v: abs(np.arcsinh(v.p) - np.arcsinh(p)))
    if nearest.p * p > 0 and min(abs(nearest.p), abs(p)) >= LARGE_POWER:
        return tempered(nearest.closest, p / nearest.p)
    return nearest.closest


def _settled(oracle: Oracle, line: Line, left: Verdict, right: Verdict) -> bool:
    """Whether nothing more need be known between two powers."""
    width = line.width((left.p, right.p))
    hidden = left.undecided + right.undecided
    far_out = min(abs(left.p), abs(right.p)) >= _HIDDEN
    if width <= (_COARSE if hidden == 2 or (hidden and far_out) else RESOLUTION):
        return True
    if left.explained and right.explained:
        return width <= _CONNECTED
    if left.refutation is None or right.refutation is None:
        return False
    turns = all(left.p < verdict.turning < right.p for verdict in (left, right))
    if width <= _NARROW and not turns:
        return True
    return refutes_between(oracle.preferences, left.refutation, right.refutation)


def _is_hopeless(line: Line, left: Verdict, right: Verdict) -> bool:
    """Whether two powers are near each other, and at neither do weights explain everything."""
    near = line.width((left.p, right.p)) <= _GRID * (1.0 + RESOLUTION)
    return near and not (left.explained or right.explained)


def _cut(line: Line, left: Verdict, right: Verdict) -> float:
    """Return the power strictly between two at which to look next."""
    low, high = line.coordinate(left.p), line.coordinate(right.p)
    middle = 0.5 * (low + high)
    aims = []
    for end, verdict in ((low, left), (high, right)):
        turning = line.coordinate(verdict.turning)
        if low < turning < high:
            aims.append((abs(turning - end), end, turning))
    if not aims:
        return line.power(middle)
    if left.refuted and right.refuted:
        aim = sum(turning for _, _, turning in aims) / len(aims)
        edge = _EDGE * (high - low)
        return line.power(min(max(aim, low + edge), high - edge))
    distance, end, turning = min(aims)
    beyond = np.copysign(max(_OVERSHOOT * distance, RESOLUTION / 4), turning - end)
    aim = turning + beyond
    return line.power(aim if low + _APART < aim < high - _APART else middle)


def _components(line: Line, verdicts: list[Verdict]) -> list[Component]:
    """Join neighbouring powers at which everything is explained."""
    components: list[Component] = []
    inside: list[Verdict] = []
    low = line.low
    for verdict in verdicts:
        if verdict.explained:
            inside.append(verdict)
        elif verdict.refuted:
            if inside:
                components.append(Component((low, verdict.p), tuple(inside)))
                inside = []
            low = verdict.p
    if inside:
        components.append(Component((low, line.high), tuple(inside)))
    return components
