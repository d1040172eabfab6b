"""What decisions say about rules: log likelihoods of many rules at once.

One decision maker errs as elsewhere in the package (:mod:`welfarist.noise.choices`,
:mod:`welfarist.noise.menus`)::

    P(first) = rho + (1 - 2 rho) sigmoid(z),    z = tau (log M(first) - log M(second))

Where ties are possible there is a band in log welfare within which two actions are called equal::

    P(first) = rho + (1 - 2 rho) sigmoid(z - b),    P(second) = rho + (1 - 2 rho) sigmoid(-z - b),
    P(equal) = (1 - 2 rho) sinh(b) / (cosh(b) + cosh(z)),    b = tau band
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.asking.coordinates import Rules
from welfarist.asking.welfares import Outcomes, margins
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions import Choices, Comparisons
from welfarist.decisions.menus import Menus
from welfarist.people.source import refuse_source

IntArray = npt.NDArray[np.intp]
# Entries of the largest array that is made at a time.
_BLOCK = 1_000_000
# What cannot be, such as calling equal what is infinitely better, is this unlikely: log chance.
_NEVER = -700.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """Decisions between actions, of which each is held once.

    Attributes
    ----------
    outcomes : Outcomes
        The N actions that are mentioned.
    first, second : (n,) arrays of int
        Action numbers of comparisons.
    answers : (n,) array
        1 where the first was preferred, -1 where the second was, 0 where they were called equal.
    counts : (n,) array
        How often.
    menus : Menus or None
        Choices from menus.
    """

    outcomes: Outcomes
    first: IntArray
    second: IntArray
    answers: FloatArray
    counts: FloatArray
    menus: Menus | None = None

    @classmethod
    def none(cls, people: int) -> Evidence:
        """No decisions at all."""
        empty, nothing = np.empty(0, dtype=np.intp), np.empty(0)
        return cls(Outcomes(np.empty((0, people))), empty, empty, nothing, nothing)

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.outcomes.people

    @property
    def total(self) -> float:
        """How many decisions there are."""
        return float(self.counts.sum()) + (0.0 if self.menus is None else self.menus.total)

    @property
    def width(self) -> int:
        """How many numbers a rule needs at a time to say how likely all of them are."""
        entries = 0 if self.menus is None else len(self.menus.rows)
        return max(len(self.outcomes), len(self.answers), entries)

    @property
    def has_ties(self) -> bool:
        """Whether somebody called two actions equal."""
        return bool((self.answers == 0).any())

    def plus(self, other: Evidence) -> Evidence:
        """Return these decisions with others behind them; an action of both is held once."""
        fresh, places = self.outcomes.places_of(other.outcomes)
        menus = self.menus
        if other.menus is not None:
            moved = replace(other.menus, rows=places[other.menus.rows].astype(np.int32))
            menus = moved if menus is None else _joined(menus, moved)
        return Evidence(
            self.outcomes.plus(other.outcomes.take(fresh)),
            np.concatenate([self.first, places[other.first]]),
            np.concatenate([self.second, places[other.second]]),
            np.concatenate([self.answers, other.answers]),
            np.concatenate([self.counts, other.counts]),
            menus,
        )

    def about_its_own(self) -> Evidence:
        """Return the same decisions, with those actions only that they are about."""
        menus = self.menus
        rows = np.empty(0, dtype=np.intp) if menus is None else menus.rows.astype(np.intp)
        used = np.unique(np.concatenate([self.first, self.second, rows]))
        place = np.empty(len(self.outcomes), dtype=np.intp)
        place[used] = np.arange(len(used))
        if menus is not None:
            menus = replace(menus, rows=place[rows].astype(np.int32))
        return replace(
            self, outcomes=self.outcomes.take(used), first=place[self.first],
            second=place[self.second], menus=menus,
        )  # fmt: skip

    def log_likelihood(self, welfares: FloatArray, rules: Rules, band: bool) -> FloatArray:
        """Return the log likelihood (S,) of rules whose log welfares (S, N) are known.

        Parameters
        ----------
        band : bool
            Whether ties are possible; else a tie is half a choice of each.
        """
        size = len(self.answers) + (0 if self.menus is None else len(self.menus.rows))
        step = max(1, _BLOCK // max(size, 1))
        found = np.zeros(len(rules))
        for start in range(0, len(rules), step):
            part = slice(start, start + step)
            some = _part(rules, part)
            if len(self.answers):
                z = margins(welfares[part][:, self.first], welfares[part][:, self.second])
                z *= some.taus[:, None]
                found[part] += log_chances(z, self.answers, some, band) @ self.counts
            if self.menus is not None:
                found[part] += _menu_log_likelihood(self.menus, welfares[part], some)
        return found


def joined(people: int, pieces: Iterable[Evidence]) -> Evidence:
    """Return all decisions of several pieces, one behind the other."""
    whole = Evidence.none(people)
    for piece in pieces:
        whole = whole.plus(piece)
    return whole


def log_chances(z: FloatArray, answers: FloatArray, rules: Rules, band: bool) -> FloatArray:
    """Return log P (S, n) of answers (n,) to comparisons with standardised margins z (S, n)."""
    if not band:
        ahead = z * np.where(answers == 0, 1.0, answers)
        found = _log_flipped(ahead, rules)
        tied = np.flatnonzero(answers == 0)
        if len(tied):
            found[:, tied] = 0.5 * (found[:, tied] + _log_flipped(-ahead[:, tied], rules))
        return found
    b = (rules.taus * rules.bands)[:, None]
    with np.errstate(invalid="ignore"):  # ties of what is infinitely better, told below
        ahead = z * answers - b
    found = _log_flipped(ahead, rules)
    tied = np.flatnonzero(answers == 0)
    if len(tied):
        found[:, tied] = _log_equal(z[:, tied], b, rules)
    return found


def preferred(z: FloatArray, rules: Rules, band: bool = False) -> tuple[FloatArray, FloatArray]:
    """Return the chances (S, n) that the first and that the second action is preferred."""
    b = (rules.taus * rules.bands)[:, None] if band else 0.0
    slip = rules.rhos[:, None]
    return slip + (1 - 2 * slip) * _sigmoid(z - b), slip + (1 - 2 * slip) * _sigmoid(-z - b)


def _sigmoid(z: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # exp of a very negative margin: the chance is 0
        return np.asarray(1.0 / (1.0 + np.exp(-z)))


def _log_flipped(z: FloatArray, rules: Rules) -> FloatArray:
    """``log(rho + (1 - 2 rho) sigmoid(z))`` (S, n), a number wherever z is."""
    if not rules.rhos.any():
        found = np.minimum(z, 0.0) - np.log1p(np.exp(-np.abs(z)))
        return np.maximum(found, _NEVER) if np.isinf(found).any() else np.asarray(found)
    slip = rules.rhos[:, None]
    return np.asarray(np.log(np.maximum(slip + (1 - 2 * slip) * _sigmoid(z), np.exp(_NEVER))))


def _log_equal(z: FloatArray, b: FloatArray, rules: Rules) -> FloatArray:
    """``log((1 - 2 rho) sinh(b) / (cosh(b) + cosh(z)))`` (S, n)."""
    top = np.maximum(np.abs(z), b)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = (
            np.exp(np.abs(z) - top) + np.exp(b - top) + np.exp(-np.abs(z) - top) + np.exp(-b - top)
        )
        found = b + np.log(-np.expm1(-2.0 * b)) - top - np.log(sums)
    found += np.log1p(-2.0 * rules.rhos)[:, None]
    return np.where(np.isfinite(found), np.maximum(found, _NEVER), _NEVER)


def _menu_log_likelihood(menus: Menus, welfares: FloatArray, rules: Rules) -> FloatArray:
    """Log likelihood (S,) of choices from menus, of entries' log welfares (S, N)."""
    chances = menu_chances(menus, welfares, rules)
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(chances[:, menus.taken > 0]), _NEVER)
    return np.asarray(logs @ menus.taken[menus.taken > 0])


def menu_chances(menus: Menus, welfares: FloatArray, rules: Rules) -> FloatArray:
    """Return how likely each entry (S, E) is to be chosen from its menu."""
    starts, sign = menus.starts[:-1], np.repeat(menus.sign, menus.sizes)
    z = welfares[:, menus.rows] * (rules.taus[:, None] * sign)
    top = np.maximum.reduceat(z, starts, axis=1)
    # Where the best is infinitely good, or all are worth nothing, the same are equally good.
    odd = ~np.isfinite(top)
    spread = np.repeat(np.where(odd, 0.0, top), menus.sizes, axis=1)
    with np.errstate(invalid="ignore"):
        grown = np.exp(z - spread)
    if odd.any():
        at_top = z == np.repeat(top, menus.sizes, axis=1)
        grown = np.where(np.repeat(odd, menus.sizes, axis=1), at_top * 1.0, grown)
    share = grown / np.repeat(np.add.reduceat(grown, starts, axis=1), menus.sizes, axis=1)
    slip = 2.0 * rules.rhos[:, None]
    return np.asarray((1.0 - slip) * share + slip / np.repeat(menus.sizes, menus.sizes))


def evidence_of(decisions: Any) -> Evidence:
    """Return what decisions say, each of those that are the same held once."""
    if not isinstance(decisions, Comparisons | Choices):
        raise InputError(
            "a posterior needs comparisons or choices that are in memory; found "
            f"{type(decisions).__name__}. Pass Comparisons(…) or Choices(…)."
        )
    refuse_source(
        decisions.utilities,
        "a posterior",
        " Fit a learner to them, and ask its result for intervals.",
    )
    return _of_pairs(decisions) if isinstance(decisions, Comparisons) else _of_menus(decisions)


def _of_pairs(decided: Comparisons) -> Evidence:
    turned = decided.pairs[:, 0] > decided.pairs[:, 1]
    low, high = decided.pairs.min(axis=1), decided.pairs.max(axis=1)
    signs = np.where(turned, -decided.outcomes, decided.outcomes)
    rows = np.column_stack([low, high, signs])[decided.counts > 0]
    once, number = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(number.reshape(-1), decided.counts[decided.counts > 0], len(once))
    used, place = np.unique(once[:, :2], return_inverse=True)
    place = place.reshape(-1, 2)
    return Evidence(
        Outcomes(decided.utilities[used]), place[:, 0].astype(np.intp), place[:, 1].astype(np.intp),
        once[:, 2].astype(np.float64), np.asarray(counts, dtype=np.float64),
    )  # fmt: skip


def _of_menus(decided: Choices) -> Evidence:
    if decided.outside:
        raise InputError(
            "a posterior needs menus from which something was chosen; found menus of which none "
            "could be. Leave none of these out, or fit a learner."
        )
    menus, used = decided.merged[0].renumbered(decided.actions)
    menus = menus.take(np.flatnonzero((menus.sizes > 1) & (menus.count > 0)))
    return replace(
        Evidence.none(decided.people), outcomes=Outcomes(decided.utilities[used]), menus=menus
    )


def _part(rules: Rules, part: slice) -> Rules:
    if part.start == 0 and part.stop >= len(rules):
        return rules
    return Rules(
        rules.weights[part], rules.powers[part], rules.taus[part], rules.rhos[part],
        rules.bands[part],
    )  # fmt: skip


def _joined(one: Menus, other: Menus) -> Menus:
    return Menus(
        np.concatenate([one.starts, other.starts[1:] + one.starts[-1]]),
        np.concatenate([one.rows, other.rows]),
        np.concatenate([one.taken, other.taken]),
        np.concatenate([one.sign, other.sign]),
        np.concatenate([one.stage, other.stage]),
    )
