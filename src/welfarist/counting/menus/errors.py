"""The share of choices from menus that a rule gets wrong.

Domain: weights on the simplex, p in [-inf, inf] (p > 0 where a utility is 0).

Formula: of a menu with best actions B under the rule, and t_a choices of a, ``sum over a in B of
t_a / |B|`` are right. For a menu of two that is the 0-1 loss of comparisons.

Limits: however good the rule, choices from the same menu that differ cost all but the most
frequent: see `unavoidable`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.chords import Voting
from welfarist.counting.crossings import Crossings
from welfarist.counting.loss_steps import LossSteps
from welfarist.counting.menus.claims import Claims
from welfarist.counting.menus.steps import menu_steps
from welfarist.counting.menus.votes import MenuVotes
from welfarist.counting.stakes import Stakes
from welfarist.counting.zero_one import (
    Signs,
    ZeroOneLoss,
    in_ordinary_units,
    seen_by_power_means,
)
from welfarist.decisions.menus import Menus
from welfarist.people.weighting import Weighting


@dataclass(frozen=True)
class MenuErrors(ZeroOneLoss):
    """Mean 0-1 loss of choices from menus.

    Attributes
    ----------
    utilities, weighting, guess
        As in :class:`ZeroOneLoss`.
    pairs : MergedPairs
        Each pair of actions that a choice tells apart, once (n,); their counts say nothing.
    claims : Claims
        Which pairs must hold for each choice to be right.
    """

    claims: Claims = field(kw_only=True)

    @classmethod
    def of_menus(cls, utilities: FloatArray, menus: Menus, weighting: Weighting) -> MenuErrors:
        """Build the loss of choices of actions (N, d); NaN stands for who is absent.

        Menus of one action, and those from which nothing was chosen, are left out.
        """
        menus = menus.take((menus.sizes > 1) & (menus.count > 0))
        menus = replace(menus, taken=in_ordinary_units(menus.count, menus.taken)[1])
        menus, used = menus.renumbered(len(utilities))
        claims, pairs = Claims.of(menus, len(used))
        seen = seen_by_power_means(utilities[used], weighting)
        return cls(seen, pairs, weighting, claims=claims)

    @cached_property
    def total(self) -> float:
        """How many choices were observed."""
        return float(self.claims.count.sum())

    @cached_property
    def unavoidable(self) -> float:
        """The loss that every rule has: choices from a menu that differ from the most frequent."""
        return float((self.claims.count - self.claims.most).sum()) / self.total

    @cached_property
    def votes(self) -> Voting:
        """What the menus say about pairs of actions."""
        return MenuVotes(self.pairs.first, self.pairs.second, self.claims)

    @cached_property
    def stakes(self) -> Stakes:
        """Which pairs must hold for each choice to be right, and what it costs if they do not."""
        claims, pairs = self.claims, self.pairs
        first, second = pairs.first[claims.pair], pairs.second[claims.pair]
        ahead = claims.way > 0
        better, worse = np.where(ahead, first, second), np.where(ahead, second, first)
        return Stakes(better, worse, claims.owner, claims.weight, claims.menu, 0.0)

    def as_pairs(self) -> ZeroOneLoss | None:
        """Return pairs of which a rule explains all if it explains the majority from every menu.

        None where menus demand the opposite of each other, so that none does, or where two choices
        from a menu are most frequent, of which either will do.
        """
        claims = self.claims
        first = claims.weight == claims.most[claims.menu]
        equals = np.bincount(claims.menu, first, len(claims.size))
        if ((equals > 1) & (equals < claims.size)).any():
            return None
        told = (first & (equals == 1)[claims.menu])[claims.owner]
        ways = [
            np.isin(np.arange(len(self.pairs)), claims.pair[told & (claims.way == way)])
            for way in (1, -1)
        ]
        if (ways[0] & ways[1]).any():
            return None
        lead = ways[0].astype(np.float64) - ways[1]
        pairs = replace(self.pairs, lead=lead)
        return ZeroOneLoss(self.utilities, pairs, self.weighting, self.guess)

    def sampled(self, most: int, rng: np.random.Generator) -> ZeroOneLoss:
        """Return the loss of a random share of the menus, with about so many pairs."""
        menus = len(self.claims.size)
        if len(self.claims.pair) <= most:
            return self
        share = max(menus * most // len(self.claims.pair), 1)
        chosen = np.sort(rng.choice(menus, share, replace=False))
        claims, used = self.claims.take(chosen)
        pairs, actions = self.pairs.take(used).renumbered(self.utilities.logs.shape[1])
        return MenuErrors(self.utilities.take(actions), pairs, self.weighting, claims=claims)

    def opposite(self) -> MenuErrors:
        """Return the loss of the opposite choices: the worst instead of the best."""
        return replace(self, claims=replace(self.claims, way=-self.claims.way))

    def of_signs(self, signs: Signs) -> float:
        """Return the mean loss of answers (n,) in {-1, 0, 1} to which action of pairs is better."""
        return max(self.total - float(self.claims.right(signs).sum()), 0.0) / self.total

    def steps(self, crossings: Crossings) -> LossSteps:
        """Return the loss at every power."""
        return menu_steps(crossings, self.claims)

    def in_doubt(self, pairs: npt.NDArray[np.intp]) -> float:
        """How much of the mean loss may hang on which action of some pairs is the better one."""
        claims = self.claims
        touched = claims.menu[claims.owner[np.isin(claims.pair, pairs)]]
        menus = np.unique(touched)
        return float((claims.most - claims.least)[menus].sum()) / self.total
