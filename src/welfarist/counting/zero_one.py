"""The share of comparisons that a rule gets wrong.

Domain: weights on the simplex, p in [-inf, inf] (p > 0 where a utility is 0).

Formula: ``(1 - y C) / 2`` for an outcome y in {-1, 0, 1} and the rule's answer C in {-1, 0, 1},
averaged over comparisons [PSPS24, Sec. 4]. (The text prints ``(1 + y C) / 2``, which is the
accuracy.) A tie on either side is half an error: tossing a coin would be right half the time.

Limits: however good the rule, repeated comparisons with different outcomes and observed ties cost
``(count - |lead|) / 2``: see `unavoidable`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.chords import Votes, Voting
from welfarist.counting.crossings import Crossings, Kernel, find_crossings
from welfarist.counting.crossings.pair_terms import PairTerms
from welfarist.counting.crossings.vectorised import signs_at
from welfarist.counting.loss_steps import LossSteps, loss_steps
from welfarist.counting.stakes import Stakes
from welfarist.decisions.merged_pairs import MergedPairs
from welfarist.families.columns import Columns
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.noise.margins import differences
from welfarist.people.table import columns_of, people_of
from welfarist.people.weighting import Weighting

Signs = npt.NDArray[np.int8]
Guess = Callable[[np.random.Generator], tuple[FloatArray, float]]

# Welfares tie when their logarithms differ by no more than this many units of rounding, as in
# WelfareFunction.compare.
_TIE = 8.0 * float(np.finfo(np.float64).eps)
# Counts outside of this are measured in units of the largest: programmes compare them with 1.
_SMALL_COUNT, _LARGE_COUNT = 0.5, 1e6
# Counts that are not whole are measured in a unit in which they are, if the largest is no more than
# so many of it. Sums of so many may be off by this times their number, as a share of the largest.
_MOST_UNITS, _ROUNDING = 1000, 4.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ZeroOneLoss:
    """Mean 0-1 loss of comparisons.

    Attributes
    ----------
    utilities : Columns
        Log utilities (d, N) of the actions that were compared.
    pairs : MergedPairs
        Each compared pair once, (n,).
    weighting : Weighting
        What is known about the weights.
    guess : callable or None
        Gives weights (d,) and a power to begin with where weights are learned; left out, that is
        the sum of all utilities.
    """

    utilities: Columns
    pairs: MergedPairs
    weighting: Weighting
    guess: Guess | None = None

    @classmethod
    def of(cls, utilities: FloatArray, pairs: MergedPairs, weighting: Weighting) -> ZeroOneLoss:
        """Build the loss of merged comparisons; actions never compared are left out."""
        pairs, used = _of_ordinary_size(pairs).renumbered(len(utilities))
        table = utilities if len(used) == len(utilities) else utilities[used]
        return cls(columns_of(table, POWER_MEAN, weighting), pairs, weighting)

    @classmethod
    def between(
        cls, utilities: FloatArray, first: npt.ArrayLike, second: npt.ArrayLike, weights: FloatArray
    ) -> ZeroOneLoss:
        """Build the loss of pairs of rows (n,) of utilities (N, d), to ask for signs.

        NaN stands for who is absent.
        """
        one, other = np.asarray(first, dtype=np.int32), np.asarray(second, dtype=np.int32)
        once = np.ones(len(one))
        pairs = MergedPairs(one, other, once, once)
        weighting = Weighting(utilities.shape[1], fixed=weights)
        return cls(seen_by_power_means(utilities, weighting), pairs, weighting)

    @property
    def features(self) -> dict[str, str]:
        """What not every method covers: errors that are counted, learned weights."""
        found = {"errors": "errors that are counted"}
        return (
            found if self.weighting.fixed is not None else {**found, "weights": "learned weights"}
        )

    def first_guess(self, rng: np.random.Generator) -> tuple[FloatArray, float]:
        """Return weights (d,) and a power to begin with."""
        if self.guess is not None:
            return self.guess(rng)
        return self.weighting.to_people(self.weighting.start()), 1.0

    @cached_property
    def total(self) -> float:
        """How many comparisons were observed."""
        return self.pairs.total

    @cached_property
    def unavoidable(self) -> float:
        """The loss that every rule has: observed ties, and pairs decided now so, now so."""
        return float((self.pairs.count - np.abs(self.pairs.lead)).sum()) / (2.0 * self.total)

    def value(self, weights: FloatArray, p: float) -> float:
        """Return the mean loss under weights (d,) and power p."""
        return self.of_signs(self.signs(weights, p))

    @cached_property
    def votes(self) -> Voting:
        """What the decisions say about pairs of actions."""
        return Votes.of(self.pairs)

    @cached_property
    def stakes(self) -> Stakes:
        """Which action of each pair must be the better one, and what it costs if it is not."""
        pairs, number = self.pairs, np.arange(len(self.pairs))
        ahead = pairs.lead >= 0
        better = np.where(ahead, pairs.first, pairs.second)
        worse = np.where(ahead, pairs.second, pairs.first)
        return Stakes(better, worse, number, np.abs(pairs.lead), number, self.unavoidable)

    def as_pairs(self) -> ZeroOneLoss | None:
        """Return pairs of which a rule explains all if it explains all decisions; None if none."""
        return self

    def sampled(self, most: int, rng: np.random.Generator) -> ZeroOneLoss:
        """Return the loss of a random share of the pairs, and of the actions they mention."""
        if len(self.pairs) <= most:
            return self
        chosen = np.sort(rng.choice(len(self.pairs), most, replace=False))
        pairs, used = self.pairs.take(chosen).renumbered(self.utilities.logs.shape[1])
        return ZeroOneLoss(self.utilities.take(used), pairs, self.weighting)

    def opposite(self) -> ZeroOneLoss:
        """Return the loss of the opposite decisions."""
        return replace(self, pairs=replace(self.pairs, lead=-self.pairs.lead))

    def of_signs(self, signs: Signs) -> float:
        """Return the mean loss of answers (n,) in {-1, 0, 1}."""
        # Sums of counts that are not whole may be off by rounding, but no loss is below 0.
        return max(self.total - float(signs @ self.pairs.lead), 0.0) / (2.0 * self.total)

    def signs(self, weights: FloatArray, p: float) -> Signs:
        """Return +1 (n,) where the first action is better, -1 where worse, 0 where they tie.

        Where the difference of two log welfares is lost in rounding, what the actions share is
        taken away before they are compared.
        """
        log_mean = self.utilities.log_mean(weights, p).value
        margins = differences(log_mean[self.pairs.first], log_mean[self.pairs.second])
        decided = np.abs(margins) > self.rounding
        signs = np.sign(np.where(decided, margins, 0.0)).astype(np.int8)
        close = np.flatnonzero(~decided)
        if len(close):
            terms = PairTerms.of(self.utilities.logs, self.utilities.weights_in_each(weights))
            there = terms.terms(self.pairs.first[close], self.pairs.second[close])
            signs[close] = signs_at(there, p)
        return signs

    def crossings(self, weights: FloatArray, kernel: Kernel = "auto") -> Crossings:
        """Return the powers at which two actions of a pair are equally good under weights (d,)."""
        known = self.utilities.logs, self.utilities.weights_in_each(weights)
        return find_crossings(*known, self.pairs.first, self.pairs.second, kernel)

    def steps(self, crossings: Crossings) -> LossSteps:
        """Return the loss at every power."""
        return loss_steps(crossings, self.pairs)

    def in_doubt(self, pairs: npt.NDArray[np.intp]) -> float:
        """How much of the mean loss may hang on which action of some pairs is the better one."""
        return float(np.abs(self.pairs.lead[pairs]).sum()) / self.total

    @cached_property
    def rounding(self) -> FloatArray:
        """How far rounding may move the difference of two log welfares (n,)."""
        logs = np.abs(self.utilities.logs)
        largest = 1.0 + np.where(np.isfinite(logs), logs, 0.0).max(axis=0)
        factor = _TIE * (1.0 + np.log2(len(logs)))
        return np.asarray(
            factor * np.maximum(largest[self.pairs.first], largest[self.pairs.second])
        )


def seen_by_power_means(utilities: FloatArray, weighting: Weighting) -> Columns:
    """Return what power means see of actions (N, d), NaN where somebody is absent.

    Who does not count is absent as well, where others are.
    """
    absent = bool(np.isnan(utilities).any())
    if absent and weighting.fixed is not None:
        utilities = np.where(weighting.fixed > 0, utilities, np.nan)
    found = people_of(utilities, POWER_MEAN, weighting)
    assert isinstance(found, Columns)
    return found


def _of_ordinary_size(pairs: MergedPairs) -> MergedPairs:
    return MergedPairs(pairs.first, pairs.second, *in_ordinary_units(pairs.count, pairs.lead))


def in_ordinary_units(count: FloatArray, parts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same counts, above 0, in a unit in which sums of them are exact, or at least no worse.

    `parts` of them are put in the same unit. Searches compare such sums: with rounding in them,
    rules as good as each other would differ.
    """
    largest = float(count.max())
    if largest < _LARGE_COUNT and _whole(count) and _whole(parts):
        return count, parts
    shares, pieces = count / largest, parts / largest
    units = _units_in_largest(np.unique(np.abs(np.concatenate([shares, pieces]))))
    whole = np.rint(units * shares)
    if whole.min() > 0:  # a count is never nothing, however small
        return whole, np.rint(units * pieces)
    if _SMALL_COUNT < largest < _LARGE_COUNT:
        return count, parts
    return shares, pieces


def _whole(values: FloatArray) -> bool:
    return bool((values == np.rint(values)).all())


def _units_in_largest(shares: FloatArray) -> int:
    """In how many equal parts to cut 1 so that all shares of it (m,) are whole; 0 if too many."""
    units = np.arange(1, _MOST_UNITS + 1)
    for share in shares:
        parts = share * units
        units = units[np.abs(parts - np.rint(parts)) <= _ROUNDING * units**2]
        if not len(units):
            return 0
    return int(units[0])
