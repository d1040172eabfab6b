"""Preferences that go round in a circle: no rule agrees with all of them.

Every rule ranks actions, with ties. Of decisions that prefer a to b, b to c and c to a, it gets one
wrong or calls all of them ties, which costs as much at least: of the tied decisions those against
some ranking, or those against its reverse, weigh half or less. So demanding one error in every
circle of a programme that counts ties as right takes nothing from its bound's validity. It takes
away the weights under which such a programme would call everything a tie.

The same holds of choices from menus, of which several arrows may be one decision: if ties are
broken by a ranking that is drawn by chance, what is best together with k others comes first as
often as its share says, 1 / (k + 1), so that some ranking costs no more than the ties do.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from welfarist.base.validation import FloatArray
from welfarist.counting.lower_bounds.power_intervals import preferred
from welfarist.counting.zero_one import ZeroOneLoss

_MOST_AT_ONCE = 300


@dataclass(frozen=True)
class PreferenceGraph:
    """Decisions as arrows from the action that was preferred to the other one.

    Attributes
    ----------
    better, worse : (m,) arrays of int
        Action numbers.
    error : (m,) array of int
        The variable of a programme that is 1 if the decision is wrong; -1 if it cannot be.
    """

    better: npt.NDArray[np.intp]
    worse: npt.NDArray[np.intp]
    error: npt.NDArray[np.intp]

    @classmethod
    def of(
        cls, loss: ZeroOneLoss, floor: FloatArray, undecided: npt.NDArray[np.intp], start: int
    ) -> PreferenceGraph:
        """Take the decisions of a loss.

        Parameters
        ----------
        loss : ZeroOneLoss
        floor : (c,) array
            What each claim costs every rule. Claims that cost something are left out.
        undecided : (q,) array of int
            The claims that have a variable, numbered from `start`. Others are taken into account
            only if they are pairs with which everybody agrees.
        start : int
        """
        stakes = loss.stakes
        error = np.full(len(stakes), -1)
        error[undecided] = start + np.arange(len(undecided))
        chosen, other = preferred(loss)
        never_wrong = (chosen >= other).all(axis=0) & (len(stakes) == len(stakes.owner))
        counts = ((stakes.cost > 0) & (floor == 0))[stakes.owner]
        error = error[stakes.owner]
        told = np.flatnonzero(counts & ((error >= 0) | never_wrong))
        better, worse = stakes.better[told].astype(np.intp), stakes.worse[told].astype(np.intp)
        return cls(better, worse, error[told])

    def circles(self, wrong: FloatArray | None = None) -> list[list[int]]:
        """Find circles, each as the variables of which one must be 1.

        Parameters
        ----------
        wrong : (v,) array, optional
            A solution; only circles in which it has no error are given. Of all circles, otherwise,
            a shortest one through each decision.
        """
        kept = np.arange(len(self.better))
        if wrong is not None:
            right = (self.error < 0) | (wrong[np.maximum(self.error, 0)] < 0.5)
            kept = np.flatnonzero(right)
        found: dict[frozenset[int], list[int]] = {}
        for circle in _shortest_circles(self.better[kept], self.worse[kept]):
            variables = [int(self.error[kept[arrow]]) for arrow in circle]
            variables = sorted({v for v in variables if v >= 0})
            if variables:
                found.setdefault(frozenset(variables), variables)
            if len(found) == _MOST_AT_ONCE:
                break
        return list(found.values())


def _shortest_circles(better: npt.NDArray[np.intp], worse: npt.NDArray[np.intp]) -> list[list[int]]:
    """A shortest circle of arrows through each arrow that is part of one."""
    if len(better) == 0:
        return []
    size = int(max(better.max(), worse.max())) + 1
    arrows = sparse.csr_array((np.ones(len(better)), (better, worse)), shape=(size, size))
    _, component = connected_components(arrows, connection="strong")
    inside = np.flatnonzero(component[better] == component[worse])
    leaving: dict[int, list[tuple[int, int]]] = {}
    for arrow in inside:
        leaving.setdefault(int(better[arrow]), []).append((int(worse[arrow]), int(arrow)))
    return [
        [int(arrow), *_path(leaving, int(worse[arrow]), int(better[arrow]))] for arrow in inside
    ]


def _path(leaving: dict[int, list[tuple[int, int]]], start: int, end: int) -> list[int]:
    """The arrows of a shortest path, which exists, between two actions."""
    came: dict[int, tuple[int, int]] = {start: (start, -1)}
    waiting = deque([start])
    while end not in came:
        here = waiting.popleft()
        for there, arrow in leaving.get(here, ()):
            if there not in came:
                came[there] = (here, arrow)
                waiting.append(there)
    path = []
    while end != start:
        end, arrow = came[end]
        path.append(arrow)
    return path
