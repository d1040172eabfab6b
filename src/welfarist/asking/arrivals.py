"""Decisions that are let in one after the other, in an order drawn by lot, and parts of one too.

What is believed then goes through what would have been believed after fewer decisions. Raising the
likelihood of all to a power instead goes through what nobody would believe: that everything was
left to chance, until rules that explain nearly all of it, of which few were seen on the way, turn
out to be the likelier ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from welfarist.asking.cloud import Cloud
from welfarist.asking.evidence import Evidence
from welfarist.base.validation import FloatArray

# Halvings in search of how much more is let in: to a thousandth of it.
_HALVINGS = 10


class Arrivals:
    """Decisions in an order drawn by lot.

    Parameters
    ----------
    evidence : Evidence
    rng : Generator

    Attributes
    ----------
    total : float
        How many there are.
    """

    def __init__(self, evidence: Evidence, rng: np.random.Generator) -> None:
        self._evidence, menus = evidence, evidence.menus
        counts = np.empty(0) if menus is None else menus.count
        self._sizes = np.concatenate([evidence.counts, counts])
        order = rng.permutation(np.argsort(_told_apart(evidence), kind="stable"))
        ends = np.cumsum(self._sizes[order])
        self._starts = np.empty(len(order))
        self._starts[order] = ends - self._sizes[order]
        self.total = float(ends[-1])

    def between(self, low: float, high: float) -> Evidence:
        """Return those from the low-th to the high-th, about the same actions."""
        whole, menus = self._evidence, self._evidence.menus
        shares = self._arrived(high) - self._arrived(low)
        pairs = np.flatnonzero(shares[: len(whole.counts)] > 0)
        chosen = np.flatnonzero(shares[len(whole.counts) :] > 0)
        if menus is not None:
            menus = menus.take(chosen).times(shares[len(whole.counts) + chosen])
        return Evidence(
            whole.outcomes, whole.first[pairs], whole.second[pairs], whole.answers[pairs],
            whole.counts[pairs] * shares[pairs], menus if len(chosen) else None,
        )  # fmt: skip

    def so_far(self, at: float) -> Evidence:
        """Return the first so many, with those actions only that they are about."""
        return self.between(0.0, at).about_its_own()

    def _arrived(self, at: float) -> FloatArray:
        if at >= self.total:
            return np.ones(len(self._sizes))
        return np.asarray(np.clip((at - self._starts) / self._sizes, 0.0, 1.0))


def _told_apart(evidence: Evidence) -> FloatArray:
    """Return a number for each decision, the same however actions and decisions are numbered."""
    utilities, menus = evidence.outcomes.utilities, evidence.menus
    numbers = np.nan_to_num(utilities, nan=-1.0) @ np.sqrt(np.arange(evidence.people) + 2.0)
    of_pairs = numbers[evidence.first] + numbers[evidence.second]
    of_menus = np.empty(0) if menus is None else menus.sums(numbers[menus.rows])
    return np.concatenate([of_pairs, of_menus])


def next_stop(
    cloud: Cloud,
    gains: Callable[[float], FloatArray],
    at: float,
    total: float,
    width: float,
    least: float,
) -> tuple[float, Cloud]:
    """Return up to where decisions can be let in at once, and the cloud, weighted by them.

    Parameters
    ----------
    cloud : Cloud
    gains : callable
        By how much log weights (S,) rise with the decisions up to some place.
    at, total : float
        Where one is, and where the last one ends.
    width : float
        How far it was the last time.
    least : float
        The share of equally weighted particles that must be left.
    """

    def grown(to: float) -> Cloud | None:
        there = cloud.reweighted(gains(to))
        return there if there.effective >= least * len(cloud) else None

    low, high, found = at, min(at + width, total), None
    while (there := grown(high)) is not None:
        low, found = high, there
        if low >= total:
            return total, found
        high = min(at + 2.0 * (high - at), total)
    for _ in range(_HALVINGS):
        if found is not None and high - low < (low - at) / 2.0**_HALVINGS:
            break
        middle = 0.5 * (low + high)
        there = grown(middle)
        low, high, found = (middle, high, there) if there is not None else (low, middle, found)
    if found is None:  # the first of them takes so much: a little of it
        return high, cloud.reweighted(gains(high))
    return low, found
