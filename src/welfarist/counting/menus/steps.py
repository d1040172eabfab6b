"""The share of wrong choices as a function of the power, for known weights.

A choice is right between two powers if no other action of its menu is better there: the powers at
which it is are the intersection of those at which it beats each of them. What a choice gains or
loses where one of its pairs ties is worked out for each choice by itself; walking once over all
ties gives the loss at every power.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.crossings import Crossings
from welfarist.counting.loss_steps import Clusters, LossSteps
from welfarist.counting.menus.claims import Claims, right_share
from welfarist.decisions.menus import in_runs

IntArray = npt.NDArray[np.intp]

# Marks ties at several powers that rounding does not tell apart.
_SEVERAL = -1


def menu_steps(crossings: Crossings, claims: Claims) -> LossSteps:
    """Walk once over the sorted crossings of the pairs of claims."""
    total = float(claims.count.sum())
    clusters = Clusters.of(crossings)
    visits = _Visits.of(crossings, claims, clusters)
    many = len(clusters.power)
    begin = float(claims.right(crossings.beginning).sum())
    gains = np.bincount(visits.cluster, visits.after - visits.before, many)
    between = begin + np.concatenate([[0.0], np.cumsum(gains)])
    tied = np.bincount(visits.cluster, visits.at - visits.before, many)

    def loss(right: npt.ArrayLike) -> FloatArray:
        return np.asarray(np.maximum(total - np.asarray(right), 0.0) / total)

    lowest = crossings.lowest
    at_lowest = float(loss(claims.right(crossings.at_lowest).sum()))
    return LossSteps(
        lowest,
        clusters.power,
        clusters.radius,
        loss(between),
        loss(between[:-1] + tied),
        loss(between[:-1] + visits.most_hidden(claims, many)),
        at_lowest if np.isinf(lowest) else None,
        float(loss(claims.right(crossings.at_infinity).sum())),
    )


@dataclass(frozen=True)
class _Visits:
    """What happens to claims where some of their pairs tie: one for each claim and cluster.

    Attributes
    ----------
    claim, cluster : (v,) arrays of int
    group : (v,) array of int
        The number of the power at which the pairs tie, if it is one; else `_SEVERAL`.
    before, at, after : (v,) arrays
        How many choices are right below the cluster, in it, and above it.
    best : (v,) array
        The most that could be right in it, whatever order rounding hides.
    """

    claim: IntArray
    cluster: IntArray
    group: IntArray
    before: FloatArray
    at: FloatArray
    after: FloatArray
    best: FloatArray

    @classmethod
    def of(cls, crossings: Crossings, claims: Claims, clusters: Clusters) -> _Visits:
        """Follow every claim from its first tie to its last."""
        ties = _Ties.of(crossings, clusters)
        literal, tie = ties.of_pairs(claims.pair, len(crossings.beginning))
        claim, cluster = claims.owner[literal], ties.cluster[tie]
        way = claims.way[literal]
        order = np.lexsort((cluster, claim))
        claim, cluster, group = claim[order], cluster[order], ties.group[tie][order]
        against = [
            (way * side[tie] < 0)[order].astype(np.intp) for side in (ties.below, ties.above)
        ]
        runs = _runs(claim, cluster)
        if not len(runs):
            none, nothing = claim[:0], np.empty(0)
            return cls(none, none, none, nothing, nothing, nothing, nothing)
        below, above = (np.add.reduceat(side, runs) for side in against)
        tied = np.diff(np.append(runs, len(claim)))
        claim = claim[runs]
        start = claims.way * crossings.beginning[claims.pair]
        before = claims.counted(start < 0)[claim] + _earlier(claim, above - below)
        never = claims.counted(start == 0)[claim]
        weight = claims.weight[claim]
        return cls(
            claim,
            cluster[runs],
            _only(group, runs),
            right_share(weight, before, never),
            right_share(weight, before - below, never + tied),
            right_share(weight, before - below + above, never),
            right_share(weight, before - below, never),
        )

    def most_hidden(self, claims: Claims, many: int) -> FloatArray:
        """How much more than below each of so many clusters could be right somewhere in it.

        Ties of the very same power happen at once; of others within rounding the order is unknown,
        and each may come first. A menu that is part of several gets its best.
        """
        menu = claims.menu[self.claim]
        order = np.lexsort((self.cluster, menu))
        menu, cluster = menu[order], self.cluster[order]
        runs = _runs(menu, cluster)
        if not len(runs):
            return np.zeros(many)
        before, at, after = (
            np.add.reduceat(part[order], runs) for part in (self.before, self.at, self.after)
        )
        group, home = _only(self.group[order], runs), cluster[runs]
        single = group != _SEVERAL
        numbers, place = np.unique(group[single], return_inverse=True)
        size = len(numbers)
        tied = np.bincount(place.reshape(-1), (at - before)[single], size)
        beyond = np.bincount(place.reshape(-1), (after - before)[single], size)
        where = np.zeros(size, dtype=np.intp)
        where[place.reshape(-1)] = home[single]
        found = np.bincount(where, np.maximum(np.maximum(tied, beyond), 0.0), many)
        # Of a menu no more are right than of each claim, nor than chose the most frequent.
        best = np.add.reduceat(self.best[order], runs)
        chosen = claims.weight[self.claim] * (self.best > 0)
        best = np.minimum(best, np.maximum.reduceat(chosen[order], runs))
        rest = np.where(single, 0.0, np.maximum(best - before, 0.0))
        return np.asarray(found + np.bincount(home, rest, many), dtype=np.float64)


@dataclass(frozen=True)
class _Ties:
    """Where each pair ties: one for each pair and cluster, in the order of pairs.

    Attributes
    ----------
    pair, cluster, group : (t,) arrays of int
    below, above : (t,) arrays of signs
        Which action is better below the cluster and above it.
    """

    pair: IntArray
    cluster: IntArray
    group: IntArray
    below: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, crossings: Crossings, clusters: Clusters) -> _Ties:
        """Put the crossings of a pair that rounding does not tell apart together."""
        pair = crossings.pair
        cluster, group = np.empty_like(pair), np.empty_like(pair)
        cluster[clusters.order] = clusters.cluster
        group[clusters.order] = clusters.simultaneous(crossings.power)
        first = np.searchsorted(pair, pair, side="left")
        turns = np.concatenate([[0], np.cumsum(crossings.turns)])
        turned = (turns[:-1] - turns[first]) % 2
        below = np.asarray(
            np.where(turned, -1.0, 1.0) * crossings.beginning[pair], dtype=np.float64
        )
        above = np.where(crossings.turns, -below, below)
        runs = _runs(pair, cluster)
        if not len(runs):
            return cls(pair, cluster, group, below, above)
        last = np.append(runs[1:], len(pair)) - 1
        return cls(pair[runs], cluster[runs], _only(group, runs), below[runs], above[last])

    def of_pairs(self, wanted: IntArray, pairs: int) -> tuple[IntArray, IntArray]:
        """Return the ties of some pairs (L,): the number in that list, and of the tie."""
        places = np.searchsorted(self.pair, np.arange(pairs + 1))
        many = np.diff(places)[wanted]
        which = np.repeat(np.arange(len(wanted)), many)
        return which, in_runs(places[wanted], many)


def _runs(one: IntArray, other: IntArray) -> IntArray:
    """Where runs of the same two numbers begin."""
    fresh = np.ones(len(one), dtype=bool)
    fresh[1:] = (np.diff(one) != 0) | (np.diff(other) != 0)
    return np.flatnonzero(fresh)


def _only(group: IntArray, runs: IntArray) -> IntArray:
    """The group of each run, if all its members are of the same."""
    low, high = np.minimum.reduceat(group, runs), np.maximum.reduceat(group, runs)
    return np.where(low == high, low, _SEVERAL)


def _earlier(claim: IntArray, change: IntArray) -> IntArray:
    """The sum of all changes (v,) before each, of the same claim; claims are in order."""
    total = np.cumsum(change) - change
    first = np.searchsorted(claim, claim, side="left")
    return np.asarray(total - total[first])
