"""A search for the rule that gets the fewest comparisons wrong, by exact sweeps.

With the power fixed, each weight in turn is put where it is best (see `weight_sweeps`). With the
weights fixed, an exact sweep over p, which is passed in, gives the best power. The two alternate
until neither helps.

Weights and power pull at each other: what matters is the share of welfare that each person moves,
``w_i u_i^p``, so that the best weights at one power are poor at the next. Whenever p moves here,
weights move with it so that shares stay. That makes a profile over p cheap: each power starts from
its neighbour's optimum. What is left are wrong local optima of few comparisons' depth; seeded kicks
around the best rule get out of those.

Agreement as the sweeps count it serves to find the way only: whatever is kept has been evaluated by
the loss itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.chords import Voting
from welfarist.counting.fewest_errors.line_sweep import Contributions, log_sums
from welfarist.counting.fewest_errors.supports import Support, choose_support
from welfarist.counting.fewest_errors.weight_sweeps import Climb, climb, normalised_logs
from welfarist.counting.zero_one import ZeroOneLoss

SweepPower = Callable[[FloatArray], tuple[float, float]]

# Powers are searched in steps of t, with p = sinh(t) / spread: at the furthest a typical difference
# of log utilities has been multiplied by nearly 40, and the limits are near.
_FURTHEST = 4.35
_STEPS = 30
# Sweeps through all weights while the profile is followed, and where an optimum is wanted.
_FEW_ROUNDS, _MANY_ROUNDS = 3, 30
# A profile over p of more comparisons than this is followed on a random share of them.
_SHARE = 4000
_FINALISTS = 3
# How far kicks go in log weights and in t. Small ones leave shallow optima, large ones valleys.
_WEIGHT_KICKS = (0.0, 0.1, 0.3, 1.0)
_POWER_KICKS = (0.03, 0.1, 0.3)
# Kicks are as many as keep a search of 2,000 comparisons of 18 people below two seconds.
_KICKS, _FEWEST_KICKS, _KICK_BUDGET = 80, 8, 5e6
_ALTERNATIONS = 20
# The reciprocal of a smaller weight is more than doubles hold.
_SMALLEST_WEIGHT = 1e-300
# Mean losses that differ by less are the same number of errors.
_NOTHING = 1e-12
# Of how many actions the mean contribution is taken that says how weights move with p.
_TYPICAL = 1000


@dataclass(frozen=True)
class SweepResult:
    """The best rule that was found.

    Attributes
    ----------
    weights : (d,) array
        One weight per person.
    p : float
    value : float
        Its mean 0-1 loss, as the loss itself evaluates it.
    rounds : int
        How often all weights were swept.
    n_sweeps : int
        Exact sweeps altogether: over a weight, over p, or letting somebody in or out.
    """

    weights: FloatArray
    p: float
    value: float
    rounds: int
    n_sweeps: int


def improve(
    loss: ZeroOneLoss,
    weights: FloatArray,
    p: float,
    sweep_power: SweepPower,
    rng: np.random.Generator,
    *,
    p_fixed: float | None = None,
    kicks: int | None = None,
) -> SweepResult:
    """Search for weights and power with a lower 0-1 loss than those given.

    Parameters
    ----------
    loss : ZeroOneLoss
    weights : (d,) array
        One weight per person, on the simplex, to start from.
    p : float
        The power to start from, in [-inf, inf]; positive where a utility is 0.
    sweep_power : callable
        Gives the best power of [-inf, inf] for weights (d,), and the loss there.
    rng : numpy.random.Generator
    p_fixed : float, optional
        The power, where it is not to be learned; `p` and `sweep_power` are then not used.
    kicks : int, optional
        How many perturbed starts to try in the end; fewer by default the more data there are.

    Returns
    -------
    SweepResult
        Never worse than the start.
    """
    search = _Search(loss, rng, p_fixed)
    search.consider(weights, p if p_fixed is None else p_fixed)
    if loss.weighting.free > 1:
        search.around_the_start()
        if p_fixed is None:
            search.along_powers()
        search.at_limits()
    search.alternate(sweep_power)
    if loss.weighting.free > 1:
        search.kick(_usual_kicks(loss) if kicks is None else kicks)
        search.alternate(sweep_power)
    return search.result()


def _usual_kicks(loss: ZeroOneLoss) -> int:
    size = loss.weighting.free * (len(loss.pairs) + loss.utilities.logs.shape[1])
    return int(np.clip(_KICK_BUDGET / size, _FEWEST_KICKS, _KICKS))


class _Search:
    """The best rule so far, and the ways of looking for a better one."""

    def __init__(self, loss: ZeroOneLoss, rng: np.random.Generator, p_fixed: float | None) -> None:
        self._loss = loss
        self._votes = loss.votes
        self._rng = rng
        self._p_fixed = p_fixed
        self._weights = np.empty(0)
        self._p = np.nan
        self._value = np.inf
        self._rounds = self._sweeps = 0
        logs = loss.utilities.logs
        self._typical = logs[:, :: max(logs.shape[1] // _TYPICAL, 1)]
        self._spread = loss.utilities.spread

    def result(self) -> SweepResult:
        """The best rule, and what was done to find it."""
        return SweepResult(self._weights, self._p, self._value, self._rounds, self._sweeps)

    @property
    def perfect(self) -> bool:
        """Whether no rule can do better."""
        return self._value <= self._loss.unavoidable + _NOTHING

    def consider(self, weights: FloatArray, p: float) -> bool:
        """Keep weights (d,) and p if they are as good as the best; say if they are better."""
        value = self._loss.value(weights, p)
        better = value < self._value - _NOTHING
        if value <= self._value:
            self._weights, self._p, self._value = weights, float(p), value
        return better

    def around_the_start(self) -> None:
        """Sweep the weights at the power that was given."""
        if np.isfinite(self._p):
            self._climb_and_consider(self._log_weights(), self._p)

    def along_powers(self) -> None:
        """Follow the best weights along p, and try the best powers on all comparisons."""
        part = self._loss.sampled(_SHARE, self._rng)
        votes = part.votes
        found: list[tuple[float, Climb]] = []
        for p in self._powers():
            table = Contributions.of(part, p)
            starts = [normalised_logs(-self._levels(p))]  # everybody moves welfare the same
            if found:
                starts.append(self._moved(found[-1][1].log_weights, found[-1][0], p))
            agreements = [_agreement(table, start, votes) for start in starts]
            start = starts[int(np.argmax(agreements))]
            found.append((p, self._climb(table, votes, start, p, _FEW_ROUNDS)))
        found.sort(key=lambda one: -one[1].agreement)
        for p, reached in found[:_FINALISTS]:
            if not self.perfect:
                self._climb_and_consider(reached.log_weights, p)

    def at_limits(self) -> None:
        """Choose who counts at p = inf and, where nobody has nothing, at p = -inf."""
        limits = [np.inf] if self._loss.utilities.has_zeros else [np.inf, -np.inf]
        everybody = np.ones(self._loss.weighting.free, dtype=bool)
        for limit in limits:
            if self._p_fixed in (None, limit):
                self._choose(limit, everybody)
                self._choose(limit, self._log_weights() > -np.inf)

    def alternate(self, sweep_power: SweepPower) -> None:
        """Sweep over p and over weights in turn until neither helps."""
        for _ in range(_ALTERNATIONS):
            if self.perfect or self._p_fixed is not None:
                return
            p, _ = sweep_power(self._weights)
            self._sweeps += 1
            if not self.consider(self._weights, p) or self._loss.weighting.free <= 1:
                return
            if np.isinf(p):
                self._choose(p, self._log_weights() > -np.inf)
            else:
                self._climb_and_consider(self._log_weights(), p)

    def kick(self, kicks: int) -> None:
        """Perturb the best rule and improve that, so many times."""
        for _ in range(kicks):
            if self.perfect:
                return
            log_weights, p = self._log_weights(), self._p
            if np.isinf(p):
                flips = self._rng.random(len(log_weights)) < 2.0 / len(log_weights)
                self._choose(p, (log_weights > -np.inf) ^ flips)
                continue
            if self._p_fixed is None:
                p = self._kicked_power()
                log_weights = self._moved(log_weights, self._p, p)
            noise = self._rng.normal(size=len(log_weights))
            self._climb_and_consider(log_weights + self._rng.choice(_WEIGHT_KICKS) * noise, p)

    def _kicked_power(self) -> float:
        t = np.arcsinh(self._p * self._spread)
        t += self._rng.choice(_POWER_KICKS) * self._rng.normal()
        p = float(np.sinh(t)) / self._spread
        return abs(p) if self._loss.utilities.has_zeros else p

    def _powers(self) -> list[float]:
        """The powers at which the profile is followed."""
        steps = np.linspace(-_FURTHEST, _FURTHEST, _STEPS)
        if self._loss.utilities.has_zeros:
            steps = steps[steps > 0]
        return [float(p) for p in np.sinh(steps) / self._spread]

    def _choose(self, limit: float, start: Support) -> None:
        """Improve who counts at a limit, from a support (k,)."""
        if start.any() and not self.perfect:
            fit = choose_support(self._loss, limit, start)
            self._sweeps += fit.trials
            self.consider(
                self._people(np.where(fit.support, self._loss.weighting.sizes(), 0.0)), limit
            )

    def _climb_and_consider(self, log_weights: FloatArray, p: float) -> None:
        table = Contributions.of(self._loss, p)
        reached = self._climb(table, self._votes, log_weights, p, _MANY_ROUNDS)
        self.consider(self._people(np.exp(reached.log_weights)), p)

    def _climb(
        self, table: Contributions, votes: Voting, log_weights: FloatArray, p: float, rounds: int
    ) -> Climb:
        margin = np.log(2.0) * (1.0 + abs(p) * self._spread)
        reached = climb(table, votes, log_weights, margin=margin, max_rounds=rounds, rng=self._rng)
        self._rounds += reached.rounds
        self._sweeps += reached.sweeps
        return reached

    def _log_weights(self) -> FloatArray:
        """Logarithms (k,) of the best rule's free weights."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._loss.weighting.gather(self._weights)))

    def _people(self, free: FloatArray) -> FloatArray:
        """One weight per person (d,) from relative free weights (k,)."""
        free = free / free.sum()
        return self._loss.weighting.to_people(np.where(free < _SMALLEST_WEIGHT, 0.0, free))

    def _moved(self, log_weights: FloatArray, p: float, to: float) -> FloatArray:
        """Log weights (k,) under which people's shares at the power `to` are those at p."""
        return normalised_logs(log_weights + self._levels(p) - self._levels(to))

    def _levels(self, p: float) -> FloatArray:
        """Logarithm (k,) of what a free weight contributes at p to a typical action."""
        levels = log_sums(p * self._typical.T)
        levels = np.where(np.isfinite(levels), levels, 0.0)  # 0 for those who never have anything
        weighting = self._loss.weighting
        return (
            levels if weighting.group_of is None else weighting.gather(levels) / weighting.sizes()
        )


def _agreement(table: Contributions, log_weights: FloatArray, votes: Voting) -> float:
    """How far a rule agrees with the decisions."""
    return votes.agreement(table.contrast(table.heights(log_weights), votes).sign)
