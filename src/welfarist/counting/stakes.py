"""What is at stake in decisions: which action must beat which, and what an error costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

IntArray = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Stakes:
    """Claims, each of pairs all of which must hold.

    A comparison claims one pair, a choice from a menu as many as there are other actions. Of claims
    that are rivals, such as different choices from the same menu, one can be right at most.

    Attributes
    ----------
    better, worse : (q,) arrays of int
        The action that must be the better one of each pair, and the other.
    owner : (q,) array of int
        To which claim each pair belongs.
    cost : (c,) array
        What an error costs beyond `base`; not negative.
    rival : (c,) array of int
        Claims of the same number are rivals.
    base : float
        The mean loss of a rule that errs in no claim.
    """

    better: IntArray
    worse: IntArray
    owner: IntArray
    cost: FloatArray
    rival: IntArray
    base: float

    def __len__(self) -> int:
        return len(self.cost)

    def any_of(self, where: Flags) -> Flags:
        """Whether something holds of one pair of each claim (c,) at least, given for all (q,)."""
        return np.asarray(np.bincount(self.owner, where, len(self)) > 0)

    def all_of(self, where: Flags) -> Flags:
        """Whether something holds of all pairs of each claim (c,)."""
        return ~self.any_of(~where)

    def largest(self, values: FloatArray) -> FloatArray:
        """The largest (c,) of the values (q,), not negative, of each claim's pairs."""
        found = np.zeros(len(self))
        np.maximum.at(found, self.owner, values)
        return found

    def largest_of_rivals(self, values: FloatArray) -> FloatArray:
        """The largest of values (c,), not negative, among each set of rivals."""
        found = np.zeros(int(self.rival.max(initial=-1)) + 1)
        np.maximum.at(found, self.rival, values)
        return found

    def largest_rival(self, values: FloatArray) -> FloatArray:
        """The largest of values (c,), not negative, among all others of each claim's rivals."""
        order = np.lexsort((-values, self.rival))
        first = np.diff(self.rival[order], prepend=-1) != 0
        top = self.largest_of_rivals(values)
        rest = np.where(first, 0.0, values[order])
        second = np.zeros(len(top))
        np.maximum.at(second, self.rival[order], rest)
        found = np.empty(len(self))
        found[order] = np.where(first, second[self.rival[order]], top[self.rival[order]])
        return found

    def pairs_of(self, chosen: IntArray, where: Flags) -> tuple[IntArray, IntArray]:
        """The pairs of some claims of which something holds (q,), and the place of their claim."""
        place = np.full(len(self), -1, dtype=np.intp)
        place[chosen] = np.arange(len(chosen))
        pair = np.flatnonzero((place[self.owner] >= 0) & where)
        return pair, place[self.owner[pair]]

    def with_rivals(self, chosen: IntArray, floor: FloatArray) -> IntArray:
        """Add to some claims their rivals, unless these cost every rule something (c,)."""
        contested = np.isin(self.rival, self.rival[chosen]) & (floor == 0) & (self.cost > 0)
        alone = np.bincount(self.rival)[self.rival] == 1
        return np.union1d(chosen, np.flatnonzero(contested & ~alone))

    def rivals(self, chosen: IntArray, among: IntArray) -> list[IntArray]:
        """Which of some claims are rivals of each other: lists of their places among others."""
        if not len(chosen):
            return []
        number = np.unique(self.rival[chosen], return_inverse=True)[1].reshape(-1)
        order = np.argsort(number, kind="stable")
        parts = np.split(chosen[order], np.flatnonzero(np.diff(number[order])) + 1)
        return [np.searchsorted(among, part) for part in parts if len(part) > 1]
