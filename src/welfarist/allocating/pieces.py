"""Everybody's part of welfare as a chain of straight pieces, for whole projects and many people.

For p < 1 welfare grows with ``h(u) = sum_i w_i b(u_i)``, where ``b(x) = (x^p - 1) / p`` (log x at
p = 0) is concave. Whole projects give a person some values only: the least first, and what sums of
gains come to. Between two of them in a row a chord may stand for b, and anywhere a tangent: the
chain is above b wherever somebody can be, so that its largest sum bounds welfare; it is far closer
than tangents to welfare as a whole, which take no notice of where people can be.

Nobody can have so little in a better set of projects than a known one that all others together
cannot make up for it. There the chains begin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.allocating.projects import Projects
from welfarist.allocating.tangents import filled
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction

# Projects that give a person something up to which all sums of their gains are looked at, and how
# many of these are joined by chords.
_SUMMED, _CHORDS = 10, 64
# Tangents beyond the chords to begin with.
_TANGENTS = 12
# Sums of gains that are equal up to rounding, as a share.
_SAME = 1e-9
# What is left of a chain, as a share of welfare, that is added to the bound instead.
_NEGLIGIBLE = 1e-9

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Chains of straight pieces above everybody's part of welfare.

    Attributes
    ----------
    person : (k,) array of int
        Whose piece it is; the pieces of a person stand in order.
    lengths : (k,) array
        In units of utility.
    rises : (k,) array
        What a whole piece adds to h.
    start : (n,) array
        Utilities at which chains begin: nobody has less in a better set of projects.
    value : float
        h there, and what is left of chains that were cut off.
    exact : bool
        Whether the chains are what is so, wherever somebody can be.
    """

    person: IntArray
    lengths: FloatArray
    rises: FloatArray
    start: FloatArray
    value: float
    exact: bool


@dataclass(frozen=True, eq=False)
class Reach:
    """What whole projects can give everybody.

    Attributes
    ----------
    most : (n,) array
        No more than this, if all that can be had goes to them.
    sums : list of n arrays
        The least values somebody can have, least first.
    whole : (n,) bool array
        Whether these are all there are.
    """

    most: FloatArray
    sums: list[FloatArray]
    whole: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, projects: Projects) -> Reach:
        """Return it of projects within a budget."""
        fits = projects.affordable() > 0
        some = Projects(
            tuple(np.array(projects.names, dtype=object)[fits]), projects.costs[fits],
            projects.gains[fits], projects.baseline, projects.budget,
        )  # fmt: skip
        everybody = list(zip(some.baseline.tolist(), some.gains.T, strict=True))
        most = np.array([have + float(filled(gains, some) @ gains) for have, gains in everybody])
        found = [
            _values(have, gains[gains > 0], top)
            for (have, gains), top in zip(everybody, most.tolist(), strict=True)
        ]
        return cls(most, [values for values, _ in found], np.array([whole for _, whole in found]))

    def from_least(self, least: FloatArray) -> FloatArray:
        """Return the least (n,) that everybody can have who has at least so much (n,)."""
        return np.array(
            [
                float(_from(values, at, whole, positive=False)[0])
                for values, whole, at in zip(self.sums, self.whole, least.tolist(), strict=True)
            ]
        )


@dataclass(frozen=True, eq=False)
class Chains:
    """What chains are made of.

    Attributes
    ----------
    p : float
        Finite and below 1.
    weights : (n,) array
    unit : float
        In which welfare is measured.
    start, most : (n,) arrays
        The least and most that somebody can have in a better set of projects.
    sums : list of n arrays
        Values from the start on that are joined by chords; nothing is possible between them.
    whole : (n,) bool array
        Whether these are all there are.
    """

    p: float
    weights: FloatArray
    unit: float
    start: FloatArray
    most: FloatArray
    sums: list[FloatArray]
    whole: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, rule: WelfareFunction, reach: Reach, welfare: float, bound: float) -> Chains:
        """Return them for sets of projects of welfare between two numbers above 0."""
        assert rule.weights is not None
        unit = bound if rule.p > 0 else welfare
        known = _part(welfare / unit, rule.p)
        floor = unit * _floor(rule.p, rule.weights, reach.most / unit, known)
        sums = [
            _from(values, float(least), whole, rule.p <= 0)
            for values, whole, least in zip(reach.sums, reach.whole, floor, strict=True)
        ]
        start = np.array([joined[0] for joined in sums])
        most = np.maximum(reach.most, start)
        return cls(rule.p, rule.weights, unit, start, most, sums, reach.whole)

    def pieces(self, points: list[FloatArray]) -> Pieces:
        """Return the chains, with tangents at some points of each person beyond the chords."""
        person, lengths, rises, value = [], [], [], 0.0
        for i, (joined, at) in enumerate(zip(self.sums, points, strict=True)):
            ends, steps = joined, _risen(joined / self.unit, self.p)
            if not self.whole[i]:
                more, further = self._tangents(joined[-1], self.most[i], at)
                ends, steps = np.concatenate([ends, more]), np.concatenate([steps, further])
            long, steps = np.diff(ends), self.weights[i] * steps
            value += float(self.weights[i] * _part(joined[0] / self.unit, self.p))
            left = np.cumsum(steps[::-1])[::-1]
            kept = left > _NEGLIGIBLE * self.weights[i]
            value += float(left[~kept].max(initial=0.0))
            person.append(np.full(int(kept.sum()), i))
            lengths.append(long[kept])
            rises.append(steps[kept])
        return Pieces(
            np.concatenate(person).astype(np.intp), np.concatenate(lengths), np.concatenate(rises),
            self.start, value, bool(self.whole.all()),
        )  # fmt: skip

    def points(self) -> list[FloatArray]:
        """Return where tangents touch to begin with."""
        return [
            np.geomspace(joined[-1], max(top, joined[-1]), _TANGENTS)[1:]
            if top > joined[-1] * (1.0 + _SAME) and not whole
            else np.empty(0)
            for joined, top, whole in zip(self.sums, self.most, self.whole, strict=True)
        ]

    def welfare(self, value: float) -> float:
        """Return welfare from h."""
        if self.p == 0:
            return self.unit * float(np.exp(value))
        inside = self.p * value
        if inside <= -1.0:
            return np.inf if self.p < 0 else 0.0
        return self.unit * float(np.exp(np.log1p(inside) / self.p))

    def _tangents(
        self, first: float, last: float, points: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Ends of pieces after a first value, and what each adds, from tangents there and on."""
        at = np.unique(np.concatenate([[first], np.minimum(points[points > first], last)]))
        at = at / self.unit
        logs = np.log(at[1:] / at[:-1])
        meet = at[:-1] * (1.0 - self.p) * _power(logs, self.p) / -np.expm1((self.p - 1.0) * logs)
        ends = np.concatenate([meet, [last / self.unit]])
        slopes = np.exp((self.p - 1.0) * np.log(at))
        lengths = np.maximum(np.diff(np.concatenate([[at[0]], ends])), 0.0)
        return self.unit * np.maximum.accumulate(ends), slopes * lengths


def _power(logs: FloatArray, p: float) -> FloatArray:
    """``(x^p - 1) / p`` of x = exp(logs)."""
    return np.asarray(logs if p == 0 else np.expm1(p * logs) / p)


def _part(x: float, p: float) -> float:
    """b(x), which is -1/p at 0 for p > 0."""
    if x <= 0:
        return -1.0 / p if p > 0 else -np.inf
    return float(_power(np.log(x), p))


def _risen(x: FloatArray, p: float) -> FloatArray:
    """``b(x_k+1) - b(x_k)`` along x (k,), which may begin at 0 for p > 0."""
    if len(x) < 2:
        return np.empty(0)
    found = np.empty(len(x) - 1)
    low, high = x[:-1], x[1:]
    none = low <= 0
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.exp(p * np.log(low)) * _power(np.log(high / low), p)
    return np.where(none, np.exp(p * np.log(high)) / (p or 1.0), found)


def _floor(p: float, weights: FloatArray, most: FloatArray, known: float) -> FloatArray:
    """The least (n,) that each can have for h to be what is known, if all others have the most."""
    parts = weights * np.array([_part(x, p) for x in most])
    least = np.minimum((known - (parts.sum() - parts)) / weights, parts / weights)
    if p == 0:
        return np.asarray(np.exp(least))
    inside = 1.0 + p * least
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = np.exp(np.log(inside) / p)
    return np.where(inside > 0, found, 0.0)


def _from(values: FloatArray, least: float, whole: bool, positive: bool) -> FloatArray:
    """Those of somebody's values that are at least so much; above 0 if they must be."""
    kept = values[values >= least * (1.0 - _SAME)]
    kept = kept[kept > 0] if positive else kept
    if len(kept):
        return kept
    return values[-1:] if whole and least <= values[-1] else np.array([least])


def _values(have: float, gains: FloatArray, most: float) -> tuple[FloatArray, bool]:
    """What somebody can have, least first, and whether it is all of that or the first few."""
    if not len(gains):
        return np.array([have]), True
    steps = gains / gains.min()
    if np.abs(steps - np.round(steps)).max() < _SAME and (most - have) / gains.min() < _CHORDS:
        count = int(np.floor((most - have) / gains.min() * (1.0 + _SAME)))
        return have + gains.min() * np.arange(count + 1), True
    if len(gains) > _SUMMED:
        return np.array([have, have + float(gains.min())]), False
    sums = np.zeros(1)
    for gain in gains:
        sums = np.concatenate([sums, sums + gain])
    sums = np.sort(sums)
    sums = sums[np.concatenate([[True], np.diff(sums) > _SAME * sums[1:]])]
    sums = sums[have + sums <= most * (1.0 + _SAME)]
    return have + sums[:_CHORDS], len(sums) <= _CHORDS
