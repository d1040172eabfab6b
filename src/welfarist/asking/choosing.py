"""Which question to put next: the one that is expected to tell most, within what is reasonable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.asking.cloud import systematic
from welfarist.asking.coordinates import Rules
from welfarist.asking.filtering import State
from welfarist.asking.information import answer_chances, gain_about_best, gain_about_rule
from welfarist.asking.questions import (
    IntArray,
    concerned,
    made_up,
    screened_pairs,
    traded_people,
)
from welfarist.asking.welfares import Outcomes
from welfarist.base.validation import FloatArray

# Rules that judge questions.
_JUDGES = 300
# Actions of a table of which pairs are drawn.
_MOST_ACTIONS = 600
# Questions that tell nearly as much as the best are as good; the easiest of them is put.
_AS_GOOD = 0.95
# The first questions are drawn from those that tell this share of the most.
_EXPLORED, _GOOD_ENOUGH = 2, 0.8
# Questions before which the people they are about may be the same.
_FREE = 4
# Where the best action is looked for, what a question tells about the rule counts this much.
_RULE_COUNTS = 0.1
# Contenders for the best action of which all pairs are looked at.
_CONTENDERS = 25


@dataclass(frozen=True, eq=False)
class Candidate:
    """A question that was chosen.

    Attributes
    ----------
    one, other : int
        Row numbers; for outcomes that were made up, -1.
    outcomes : (2, d) array
    bits : float
        How much the answer is expected to tell about the rule.
    about_best : float
        And about which action is best, if that is looked for.
    people : tuple of int
        Whom it is about most.
    """

    one: int
    other: int
    outcomes: FloatArray
    bits: float
    about_best: float
    people: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Pool:
    """Questions among which one is chosen.

    Attributes
    ----------
    rows : (K, 2) array of int
        Row numbers; -1 for outcomes that were made up.
    one, other : (K, d) arrays
        What everybody has.
    """

    rows: IntArray
    one: FloatArray
    other: FloatArray

    def take(self, kept: npt.NDArray[np.generic]) -> Pool:
        """Return some of the questions."""
        return Pool(self.rows[kept], self.one[kept], self.other[kept])

    def outcomes(self, table: FloatArray) -> tuple[Outcomes, IntArray]:
        """Return all outcomes that are asked about, those of the table once, and pairs (K, 2)."""
        pairs = np.empty(self.rows.shape, dtype=np.intp)
        made = self.rows[:, 0] < 0
        used, place = np.unique(self.rows[~made], return_inverse=True)
        pairs[~made] = place.reshape(-1, 2)
        pairs[made] = len(used) + np.arange(2 * made.sum()).reshape(2, -1).T
        return Outcomes(np.concatenate([table[used], self.one[made], self.other[made]])), pairs

    def plus(self, more: Pool) -> Pool:
        """Return these questions and others."""
        return Pool(
            np.concatenate([self.rows, more.rows]),
            np.concatenate([self.one, more.one]),
            np.concatenate([self.other, more.other]),
        )


@dataclass(frozen=True)
class Wishes:
    """What a question must be like.

    Attributes
    ----------
    designed : "no", "only" or "too"
        Whether outcomes are made up.
    same_people : float
        The largest share of questions that may be about the same two people.
    aim : tuple of int or None
        The actions of which the best is looked for.
    """

    designed: str
    same_people: float
    aim: tuple[int, ...] | None


def chosen(
    state: State,
    table: FloatArray,
    wishes: Wishes,
    asked: Sequence[tuple[frozenset[int], tuple[int, int]]],
    rng: np.random.Generator,
) -> Candidate | None:
    """Return the question to put next; None if there is none left.

    Parameters
    ----------
    state : State
        What is believed.
    table : (N, d) array
        The actions of which questions are made.
    wishes : Wishes
    asked : sequence
        Of the questions so far, both row numbers and whom they were about.
    rng : Generator
    """
    judges, shares = _judges(state, rng)
    pool = _pool(judges, table, wishes, rng)
    done = {pair for pair, _ in asked}
    fresh = [
        i for i, row in enumerate(pool.rows.tolist()) if row[0] < 0 or frozenset(row) not in done
    ]
    pool = pool.take(np.array(fresh, dtype=np.intp))
    if not len(pool.rows):
        return None
    size = len(pool.rows)
    outcomes, pairs = pool.outcomes(table)
    welfares = outcomes.log_welfare(judges.weights, judges.powers)
    chances = answer_chances(welfares, pairs, judges, state.target.line.ties)
    bits, chance = gain_about_rule(chances, shares)
    about_best = np.zeros(size)
    if wishes.aim is not None:
        best = best_actions(judges, table[list(wishes.aim)])
        about_best = gain_about_best(chances, shares, best, len(wishes.aim))
    score = bits if wishes.aim is None else about_best + _RULE_COUNTS * bits
    people = traded_people(pool.one, pool.other, shares @ judges.weights)
    score = np.where(_too_often(people, asked, wishes), 0.0, score)
    k = _picked(score, chance, concerned(pool.one, pool.other), len(asked), rng)
    return Candidate(
        int(pool.rows[k, 0]), int(pool.rows[k, 1]), np.array([pool.one[k], pool.other[k]]),
        float(bits[k]), float(about_best[k]), (int(people[k, 0]), int(people[k, 1])),
    )  # fmt: skip


def best_actions(rules: Rules, table: FloatArray) -> IntArray:
    """Return which action of a table (N, d) each rule (S,) finds best.

    -1 stands for none: all are worth nothing, such as where p < 0 and in each somebody has nothing.
    """
    welfares = Outcomes(table).log_welfare(rules.weights, rules.powers)
    best = welfares.argmax(axis=1)
    return np.where(np.isneginf(welfares.max(axis=1)), -1, best).astype(np.intp)


def best_chances(rules: Rules, shares: FloatArray, table: FloatArray) -> FloatArray:
    """Return how likely each action of a table (N, d) is the best, under rules with shares (S,).

    Actions that a rule finds equally good share its vote, as all do where all are worth nothing.
    With rows of shares (k, S) there is a row of chances for each, (k, N).
    """
    welfares = Outcomes(table).log_welfare(rules.weights, rules.powers)
    best = welfares == welfares.max(axis=1, keepdims=True)
    return np.asarray(np.minimum((shares / best.sum(axis=1)) @ best, 1.0))


def safely_best(state: State, table: FloatArray) -> FloatArray:
    """Return how likely each action of a table (N, d) is the best, (N,), to be on the safe side.

    That is the lesser of two chances: under what is believed, and with the spread of log tau twice
    what the prior has. After few answers hardly anything is known of how often somebody errs, so
    that the prior decides how much their answers are trusted; what is said should not rest on it.
    """
    cloud, target = state.cloud, state.target
    looser = cloud.reweighted(target.prior.looser(target.line, cloud.theta))
    shares = np.array([cloud.shares, looser.shares])
    chances = best_chances(target.line.rules(cloud.theta), shares, table)
    return np.asarray(chances.min(axis=0))


def _judges(state: State, rng: np.random.Generator) -> tuple[Rules, FloatArray]:
    """Some equally likely rules, and their shares."""
    cloud = state.cloud
    size = min(_JUDGES, len(cloud))
    rows = systematic(cloud.shares, size, rng)
    return state.target.line.rules(cloud.theta[rows]), np.full(size, 1.0 / size)


def _pool(judges: Rules, table: FloatArray, wishes: Wishes, rng: np.random.Generator) -> Pool:
    """Questions from the table, or made up, or both."""
    pools = []
    if wishes.designed != "only" and len(table) > 1:
        pools.append(_from_table(judges, table, wishes.aim, rng))
    if wishes.designed != "no":
        drawn = made_up(table, rng)
        pools.append(Pool(np.full((len(drawn), 2), -1), drawn[:, 0], drawn[:, 1]))
    return pools[0] if len(pools) == 1 else pools[0].plus(pools[1])


def _from_table(
    judges: Rules, table: FloatArray, aim: tuple[int, ...] | None, rng: np.random.Generator
) -> Pool:
    used = np.arange(len(table))
    if len(used) > _MOST_ACTIONS:
        used = np.sort(rng.choice(used, _MOST_ACTIONS, replace=False))
    welfares = Outcomes(table[used]).log_welfare(judges.weights, judges.powers)
    expected = np.where(np.isfinite(welfares), welfares, 0.0).mean(axis=0)
    rows = used[screened_pairs(welfares, expected, rng)]
    if aim is not None:
        rows = np.concatenate([rows, _contending(judges, table, aim)])
        rows = np.unique(rows, axis=0)
    rows = rows[(table[rows[:, 0]] != table[rows[:, 1]]).any(axis=1)]
    return Pool(rows, table[rows[:, 0]], table[rows[:, 1]])


def _contending(judges: Rules, table: FloatArray, aim: tuple[int, ...]) -> IntArray:
    """All pairs (K, 2) of the actions that are likeliest to be the best."""
    best = best_actions(judges, table[list(aim)])
    often = np.bincount(best[best >= 0], minlength=len(aim))
    order = np.argsort(-often, kind="stable")[:_CONTENDERS]
    if not often.any():  # nobody knows a best one, and the first rows are no better than others
        order = order[:0]
    rows = np.sort(np.asarray(aim, dtype=np.intp)[order])
    first, second = np.triu_indices(len(rows), 1)
    return np.column_stack([rows[first], rows[second]])


def _too_often(
    people: IntArray,
    asked: Sequence[tuple[frozenset[int], tuple[int, int]]],
    wishes: Wishes,
) -> npt.NDArray[np.bool_]:
    """Which questions (K,) are about two people who were asked about too often."""
    refused = np.zeros(len(people), dtype=bool)
    if len(asked) < _FREE or not len(people):
        return refused
    often = Counter(who for _, who in asked)
    most = wishes.same_people * (len(asked) + 1)
    for (one, other), count in often.items():
        if count + 1 > most:
            refused |= (people[:, 0] == one) & (people[:, 1] == other)
    # Where all are, as with two people, there is nothing to choose.
    return np.zeros_like(refused) if refused.all() else refused


def _picked(
    score: FloatArray, chance: FloatArray, people: IntArray, asked: int, rng: np.random.Generator
) -> int:
    """The number of the question that is put.

    At first one is drawn from those that tell much; then it is the easiest of those that tell
    nearly as much as the best: about the fewest people, with an answer least left to chance.
    """
    top = float(score.max())
    if asked < _EXPLORED:
        return int(rng.choice(np.flatnonzero(score >= _GOOD_ENOUGH * top)))
    good = np.flatnonzero(score >= _AS_GOOD * top)
    return int(good[np.lexsort((chance[good], people[good]))[0]])
