"""What was chosen from menus, as pairs all of which must hold.

That an action was chosen from a menu claims that it beats every other action there; that it was
found the worst, that it loses to each. A claim is right as a whole or not at all. Where the rule
finds several actions equally good, of k best ones each is right to 1/k.

Choices from the same menu are counted together, so that one menu may make several claims. No two of
them are right at once, but for ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.menus import Menus, in_runs
from welfarist.decisions.merged_pairs import MergedPairs, pair_keys

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Claims:
    """Actions that were chosen, each against all others of its menu.

    Attributes
    ----------
    starts : (c + 1,) array of int
        Where the pairs of each claim begin, in the order of menus.
    pair : (L,) array of int
        The number of each pair.
    way : (L,) array of int
        1 if the pair's first action must be the better one, -1 if the second.
    weight : (c,) array
        How often that was chosen.
    menu : (c,) array of int
        From which menu, in order.
    size : (m,) array of int
        How many actions each menu has.
    count : (m,) array
        How often was chosen from it.
    """

    starts: IntArray
    pair: IntArray
    way: npt.NDArray[np.int8]
    weight: FloatArray
    menu: IntArray
    size: IntArray
    count: FloatArray

    @classmethod
    def of(cls, menus: Menus, actions: int) -> tuple[Claims, MergedPairs]:
        """Return what menus of two actions or more claim, and each pair they mention once."""
        whose = np.repeat(np.arange(len(menus)), menus.sizes)
        chosen = np.flatnonzero(menus.taken > 0)
        menu = whose[chosen]
        many = menus.sizes[menu]
        claim = np.repeat(np.arange(len(chosen)), many)
        entry = in_runs(menus.starts[menu], many)
        others = entry != chosen[claim]
        claim, entry = claim[others], entry[others]
        one, other = menus.rows[chosen[claim]], menus.rows[entry]
        keys, pair = np.unique(pair_keys(one, other, actions), return_inverse=True)
        way = np.where(one < other, 1, -1) * menus.sign[menu[claim]]
        once = np.ones(len(keys))
        first, second = ((part).astype(np.int32) for part in np.divmod(keys, actions))
        made = cls(
            np.concatenate([[0], np.cumsum(many - 1)]).astype(np.intp),
            pair.reshape(-1),
            way.astype(np.int8),
            menus.taken[chosen],
            menu,
            menus.sizes,
            menus.count,
        )
        return made, MergedPairs(first, second, once, once)

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def owner(self) -> IntArray:
        """To which claim each of the pairs (L,) belongs."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def most(self) -> FloatArray:
        """How often the most frequent choice from each menu (m,) was made."""
        found = np.zeros(len(self.size))
        np.maximum.at(found, self.menu, self.weight)
        return found

    @cached_property
    def least(self) -> FloatArray:
        """How often the least frequent of all actions of each menu (m,) was chosen."""
        found = np.full(len(self.size), np.inf)
        np.minimum.at(found, self.menu, self.weight)
        everything = np.bincount(self.menu, minlength=len(self.size)) == self.size
        return np.where(everything, found, 0.0)

    def counted(self, where: npt.NDArray[np.bool_]) -> IntArray:
        """How many of each claim's pairs (c,) something holds of, given for all of them (L,)."""
        return np.add.reduceat(where.astype(np.intp), self.starts[:-1])

    def take(self, menus: IntArray) -> tuple[Claims, IntArray]:
        """Return the claims of some menus, given in order, and which pairs they mention."""
        number = np.full(len(self.size), -1, dtype=np.intp)
        number[menus] = np.arange(len(menus))
        kept = number[self.menu] >= 0
        literals = kept[self.owner]
        used, pair = np.unique(self.pair[literals], return_inverse=True)
        many = np.diff(self.starts)[kept]
        made = Claims(
            np.concatenate([[0], np.cumsum(many)]).astype(np.intp),
            pair.reshape(-1),
            self.way[literals],
            self.weight[kept],
            number[self.menu[kept]],
            self.size[menus],
            self.count[menus],
        )
        return made, used

    def right(self, signs: npt.NDArray[Any]) -> FloatArray:
        """How many choices each claim (c,) gets right, from which action of pairs (n,) is better.

        Signs are 1, -1 and 0, a tie.
        """
        found = self.way * signs[self.pair]
        return self.shares(self.counted(found < 0), self.counted(found == 0))

    def shares(self, against: IntArray, ties: IntArray) -> FloatArray:
        """How many choices claims (c,) get right of which so many pairs are against, or tied."""
        return right_share(self.weight, against, ties)


def right_share(weight: FloatArray, against: IntArray, ties: IntArray) -> FloatArray:
    """Return what claims of a weight get right: nothing if any pair is against, a share if tied."""
    return np.where(against == 0, weight / (1.0 + ties), 0.0)
