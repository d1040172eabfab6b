"""The weights that explain decisions at one finite power with the largest margin, or a refutation.

Formula: at a fixed p each decision is an inequality linear in the weights (see `preferences`), so
that a linear programme either finds weights that satisfy all of them or multipliers that refute
them [PSPS24, Sec. 4 has the loss]. Few decisions matter: the programme starts with some, and those
its answer gets wrong are added until there are none.

The largest margin is that of ``log M(preferred) - log M(other)``, smallest over decisions: a
quotient of sums linear in the weights, whose maximum Dinkelbach's rounds find. Each asks, by one
linear programme, for weights whose margin is larger than the best so far.

Limits: the programme's tolerance is never trusted. Weights are checked on all decisions as
`ZeroOneLoss` judges them, multipliers as `Refutation` does; where neither holds the power is
undecided. That happens very close to where explanations begin or end, and at some powers from
about 16 on, where numbers that matter differ by more orders of magnitude than doubles hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from welfarist.base.validation import FloatArray
from welfarist.counting.consistent.preferences import IntArray, Preferences, Rows, simplex_of_logs
from welfarist.counting.consistent.refutation import Refutation
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.families.power_mean.derivatives import log_mean_of_logs

# The smallest tolerance HiGHS takes.
_TOLERANCE = 1e-10
# How often the programme is solved again around its own answer before a power is undecided, and
# with how many more decisions.
_RECENTRINGS = 4
_ROUNDS = 300
# Of decisions that mattered before, this many times as many as there are weights are kept.
_KEPT = 4
# From this |p| on, log(w) / p rather than w is what stays about the same from power to power.
LARGE_POWER = 4.0
# A margin that grows by a smaller share is as good as largest.
_PRECISION = 1e-9
# A margin in log welfare from which on a larger one says nothing more.
_AMPLE = 5.0


@dataclass(frozen=True)
class Margin:
    """The rule of one power that is furthest from a wrong answer.

    Attributes
    ----------
    p : float
    weights : (d,) array
    margin : float
        The smallest difference in log welfare, preferred less other, over all decisions: negative
        if some decision is not explained.
    slope : float
        The derivative by p of the largest margin; only the decisions that attain it enter.
    active : (m,) array of int
        Those decisions.
    """

    p: float
    weights: FloatArray
    margin: float
    slope: float
    active: IntArray


@dataclass(frozen=True)
class Verdict:
    """Whether some weights explain all decisions at one power.

    Attributes
    ----------
    p : float
    weights : (d,) array or None
        Weights that do, checked on every decision.
    refutation : Refutation or None
        A proof that none do, checked too. If both are None, rounding hides the answer.
    closest : (d,) array
        Those weights, or the programme's when they got some decisions wrong.
    turning : float
        Where a straight line through the programme's margin says that the answer changes;
        infinite where the margin has no slope.
    """

    p: float
    weights: FloatArray | None
    refutation: Refutation | None
    closest: FloatArray
    turning: float = np.inf

    @property
    def explained(self) -> bool:
        """Whether weights were found."""
        return self.weights is not None

    @property
    def refuted(self) -> bool:
        """Whether it is proved that there are none."""
        return self.refutation is not None

    @property
    def undecided(self) -> bool:
        """Whether rounding hides the answer."""
        return self.weights is None and self.refutation is None


@dataclass(frozen=True)
class Programme:
    """The answer of a linear programme.

    Attributes
    ----------
    amounts : (k,) array
        Free weights in the rows' units, of mean 1 (not normalised otherwise).
    margin : float
        The smallest of the rows' values.
    multipliers : (m,) array
        Not negative, of sum 1.
    """

    amounts: FloatArray
    margin: float
    multipliers: FloatArray


def largest_margin(loss: ZeroOneLoss, p: float, near: FloatArray) -> Margin:
    """Find the weights (d,) with the largest margin at a finite power, from weights `near` (d,)."""
    return Oracle(Preferences.of(loss)).largest_margin(p, near)


class Oracle:
    """Answers whether some weights explain the decisions at a power.

    The decisions that mattered at one power are kept for the next.
    """

    def __init__(self, preferences: Preferences) -> None:
        self.preferences = preferences
        self._working: IntArray = np.empty(0, dtype=np.intp)

    def decide(self, p: float, near: FloatArray) -> Verdict:
        """Find weights that explain every decision at power p, or a proof that there are none.

        `near` (d,) are weights around which to look; they may be wrong. At large powers weights
        count by orders of magnitude, and they should come from a power not far off.
        """
        preferences = self.preferences
        if self._begin(p, near):
            margins = preferences.margins(near, p)
            if margins.min(initial=np.inf) > 0 and preferences.explained_by(near, p):
                return Verdict(p, near, None, near)
            self._add_worst(margins)
        reference = closest = near
        recentred, turning = 0, np.inf
        for _ in range(_ROUNDS):
            rows = self._rows(p, reference)
            scale = rows.scale
            answer = solve_margin(rows.values * scale)
            if answer is None:
                break
            turning = _turning(p, rows, scale, answer)
            closest = preferences.to_people(answer.amounts, rows.log_units)
            if answer.margin <= _TOLERANCE:
                refutation = self._refutation(p, rows, scale, answer)
                if refutation.holds(preferences):
                    return Verdict(p, None, refutation, closest, turning)
            margins = preferences.margins(closest, p)
            if margins.min() > 0 and preferences.explained_by(closest, p):
                return Verdict(p, closest, None, closest, turning)
            if not self._add_worst(margins) or answer.margin <= _TOLERANCE:
                reference = closest
                recentred += 1
                if recentred > _RECENTRINGS:
                    break
        return Verdict(p, None, None, closest, turning)

    def largest_margin(self, p: float, near: FloatArray, precision: float = _PRECISION) -> Margin:
        """Find the weights with the largest margin at a finite power, from weights `near` (d,).

        It is largest once a round makes it grow by no more than `precision` of its size, and large
        enough where welfare differs by orders of magnitude: zeros let it grow without end.
        """
        preferences = self.preferences
        best, margins = near, preferences.margins(near, p)
        if not len(margins):
            return Margin(p, near, np.inf, 0.0, self._working)
        if np.isneginf(margins.min()):  # somebody left out decides between something and nothing
            best = preferences.weighting.to_people(preferences.weighting.start())
            margins = preferences.margins(best, p)
            if np.isneginf(margins.min()):  # nothing preferred to something, whoever counts
                return Margin(p, best, -np.inf, 0.0, np.flatnonzero(np.isneginf(margins)))
        self._begin(p, best)
        self._add_worst(margins)
        margin, multipliers, chosen = float(margins.min()), np.ones(0), self._working[:0]
        for _ in range(_ROUNDS):
            if margin > _AMPLE:  # or something against nothing, wherever it was decided
                break
            rows = self._rows(p, best, margin)
            answer = solve_margin(rows.values * self._units(p, best, margin))
            if answer is None:
                break
            multipliers, chosen = answer.multipliers, self._working
            weights = preferences.to_people(answer.amounts, rows.log_units)
            margins = preferences.margins(weights, p)
            found = float(margins.min())
            grew = found > margin + precision * abs(margin)
            missed = self._add_worst(margins) and found < margin
            if found > margin:
                best, margin = weights, found
            if not grew and not missed:
                break
        return self._margin(p, best, margin, chosen, multipliers)

    def roughly_largest(self, p: float, near: FloatArray, precision: float) -> FloatArray:
        """Weights (d,) with about the largest margin among the decisions that mattered so far."""
        if not len(self._working):
            return near
        few = Oracle(self.preferences.take(self._working))
        return few.largest_margin(p, near, precision).weights

    def _units(self, p: float, weights: FloatArray, margin: float) -> FloatArray:
        """Factors (m,) after which a row tells by how much its margin exceeds `margin`.

        Differences much larger than 1/|p| all become 1/|p|: there the larger of the two welfares
        is all that the row holds.
        """
        excess = np.abs(self.preferences.margins_of(self._working, weights, p) - margin)
        excess[np.isinf(excess)] = 0.0  # something against nothing: the level is its welfare
        return np.asarray(max(1.0, abs(p)) * np.exp(-0.5 * abs(p) * excess))

    def _margin(
        self, p: float, weights: FloatArray, margin: float, chosen: IntArray, shares: FloatArray
    ) -> Margin:
        """Put together what was found; `shares` (m,) are the multipliers of `chosen`."""
        preferences = self.preferences
        chosen, shares = chosen[shares > 0], shares[shares > 0]
        if not len(chosen):
            return Margin(p, weights, margin, 0.0, chosen)
        winner, loser = preferences.winner[chosen], preferences.loser[chosen]
        utilities = preferences.loss.utilities
        actions = np.concatenate([winner, loser])
        found = log_mean_of_logs(utilities.logs[:, actions], weights, p, utilities.has_zeros)
        by_power = found.by_power[: len(chosen)] - found.by_power[len(chosen) :]
        slope = float(shares @ by_power / shares.sum())
        return Margin(p, weights, margin, slope, chosen)

    def _rows(self, p: float, weights: FloatArray, lead: float = 0.0) -> Rows:
        levels = self.preferences.levels(self._working, weights, p)
        return self.preferences.rows(self._working, p, levels, lead)

    def _add_worst(self, margins: FloatArray) -> bool:
        """Take in the decisions with the smallest margins (n,); whether any of them was new."""
        before = len(self._working)
        self._working = with_worst(self._working, margins, self.preferences.weighting.free + 4)
        return len(self._working) > before

    def _begin(self, p: float, weights: FloatArray) -> bool:
        """Keep the decisions that matter most under some weights; whether these explain them."""
        margins = self.preferences.margins_of(self._working, weights, p)
        keep = _KEPT * (self.preferences.weighting.free + 4)
        if len(self._working) > 2 * keep:
            self._working = self._working[np.argpartition(margins, keep)[:keep]]
        return bool(margins.min(initial=np.inf) > 0)

    def _refutation(self, p: float, rows: Rows, scale: FloatArray, answer: Programme) -> Refutation:
        used = answer.multipliers > 0
        return Refutation(
            p, self._working[used], (answer.multipliers * scale)[used], rows.levels[used]
        )


def tempered(weights: FloatArray, ratio: float) -> FloatArray:
    """Weights (d,) that mean at power `ratio` p about what `weights` (d,) mean at a large power p.

    There ``log M`` is the least (or most) of ``log u_i + log(w_i) / p``.
    """
    with np.errstate(divide="ignore"):
        return simplex_of_logs(ratio * np.log(weights))


def with_worst(working: IntArray, margins: FloatArray, count: int) -> IntArray:
    """Return the decisions worked with and those of the `count` smallest margins (n,)."""
    count = min(len(margins), count)
    if not count:
        return working
    worst = np.argpartition(margins, count - 1)[:count]
    return np.concatenate([working, np.setdiff1d(worst, working)])


def solve_margin(values: FloatArray) -> Programme | None:
    """Find amounts (k,), not negative and of mean 1, that make the smallest row largest.

    `values` (k, m) is what each amount contributes to each row. None if HiGHS finds no answer,
    which rounding can cause.
    """
    k, m = values.shape
    objective = np.zeros(k + 1)
    objective[k] = -1.0
    below = np.column_stack([-values.T, np.ones(m)])
    total = np.ones((1, k + 1))
    total[0, k] = 0.0
    answer = run_highs(
        objective,
        A_ub=below,
        b_ub=np.zeros(m),
        A_eq=total,
        b_eq=[float(k)],
        bounds=[(0, None)] * k + [(None, None)],
    )
    if answer is None:
        return None
    amounts = np.maximum(answer.x[:k], 0.0)
    multipliers = np.maximum(-answer.ineqlin.marginals, 0.0)
    return Programme(amounts, float(answer.x[k]), multipliers)


def run_highs(objective: FloatArray, **problem: Any) -> Any:
    """Run HiGHS's simplex method at its smallest tolerance; None if it finds no optimum."""
    options = {
        "primal_feasibility_tolerance": _TOLERANCE,
        "dual_feasibility_tolerance": _TOLERANCE,
        "presolve": False,
    }
    answer = linprog(objective, method="highs-ds", options=options, **problem)
    return answer if answer.status == 0 else None


def _turning(p: float, rows: Rows, scale: FloatArray, answer: Programme) -> float:
    """Where the margin would be 0 if it changed with p as it does at p (envelope theorem)."""
    slope = float(answer.amounts @ (rows.slopes * scale) @ answer.multipliers)
    return p - answer.margin / slope if slope else np.inf
