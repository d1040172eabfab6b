"""Where to begin: many rules judged at a glance, the most promising of which become starts.

Starts that agree are no proof that there is nothing better: a narrow optimum (one person's rule, or
one in which somebody counts only where others have next to nothing) is not found by chance. Here
all powers are looked at with one person, two, and many in all proportions.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.columns import GlancedPeople
from welfarist.losses import DecisionLoss, Loss, Point
from welfarist.losses.glances import GENTLE, STEEP
from welfarist.solvers.simplex import onto_simplex

# Powers are sinh(t) / spread for t up to this, and the ends of the search: at the furthest a
# typical difference of log utilities has been multiplied by nearly 40, and the limits are near.
_FURTHEST = 4.35
_POWERS = 17
_POWERS_ALONE = 301  # where the weights are known
# How many numbers all glances together may look at; the fewest and the most rules.
_BUDGET = 8e6
_FEWEST, _MOST = 200, 2000
# Beyond so many weights rules that are drawn say little, and beyond so many numbers in all they
# take longer than to go on from a few starts.
MOST_WEIGHTS, _LARGEST = 100, 2e7
_FAR = 1.5  # |p| times the spread of log utilities from which ratios log(w) / p matter
# How far ratios are drawn from 0, in units of the spread.
_RATIOS = (0.3, 1.0, 2.0)
_LOWEST = -600.0  # e^-600 is a number, and so is its reciprocal
_SHARES_OF_TWO = (0.5, 0.1, 0.9)
_MOST_TWOS = 15
_CONCENTRATION = 0.5  # of the Dirichlet distribution of the other shares


def can_be_scouted(loss: Loss) -> bool:
    """Whether rules can be judged at a glance: choices by power means of a small table."""
    data = loss.data
    if not data.can_be_glanced:
        return False
    size = max(_looked_at(data), data.decisions)
    return data.weighting.free <= MOST_WEIGHTS and size * _FEWEST <= _LARGEST


def scouted_starts(
    loss: Loss,
    rng: np.random.Generator,
    p: float | None,
    most: int,
    rules: int | None = None,
) -> list[Point]:
    """Return up to `most` starts that differ, the most promising first.

    `p` is the power if it is given, `rules` how many are looked at, if not as many as the size of
    the data suggests.
    """
    data = loss.data
    log_weights, powers = _rules(data, rng, p, _number(data) if rules is None else rules)
    glance = data.glance(log_weights, powers)
    # Where slips are possible a rule may count for its sides alone, which is an optimum apart.
    regimes = (GENTLE, STEEP) if len(loss.parameters) > 1 else (GENTLE,)
    ranked = []
    for steps in regimes:
        losses, extras = glance.best_extras(steps)
        for i in glance.unlike(losses, -(-most // len(regimes))):
            weights = on_simplex(log_weights[i], loss.interior)
            ranked.append((float(losses[i]), Point(weights, float(powers[i]), extras[i])))
    return [point for _, point in sorted(ranked, key=lambda one: one[0])]


def on_simplex(log_weights: FloatArray, interior: bool) -> FloatArray:
    """Return weights (k,) from their logarithms; all positive where they have to be."""
    k = len(log_weights)
    if k == 0:
        return np.empty(0)
    weights = onto_simplex(np.exp(log_weights))
    return 0.99 * weights + 0.01 / k if interior else weights


def normalised(log_weights: FloatArray) -> FloatArray:
    """Logarithms (B, k) of weights that sum to 1, from those of relative weights."""
    logs = log_weights - log_weights.max(axis=1, keepdims=True)
    logs = np.where(logs < _LOWEST, -np.inf, logs)
    return np.asarray(logs - np.log(np.exp(logs).sum(axis=1, keepdims=True)))


def spread_of(loss: DecisionLoss) -> float:
    """The standard deviation of log utilities, by which powers are measured; never 0."""
    assert isinstance(loss.people, GlancedPeople)
    return loss.people.spread


def _rules(
    loss: DecisionLoss, rng: np.random.Generator, p: float | None, number: float
) -> tuple[FloatArray, FloatArray]:
    """Log weights (B, k) on the simplex and powers (B,) that cover all rules coarsely."""
    k, powers = loss.weighting.free, _powers(loss, p)
    if k <= 1:
        return np.zeros((len(powers), k)), powers
    each = int(max(number / len(powers), k + 4))
    parts = [_weights(loss, rng, power, each) for power in powers.tolist()]
    return np.concatenate(parts), np.repeat(powers, [len(part) for part in parts])


def _number(loss: DecisionLoss) -> float:
    """How many rules are worth a glance."""
    observed: Any = loss.observed
    looks = len(observed.noise.own_grid()) * (len(GENTLE) + len(STEEP))
    return float(np.clip(_BUDGET / (loss.decisions * looks + _looked_at(loss)), _FEWEST, _MOST))


def _looked_at(loss: DecisionLoss) -> int:
    """How many numbers about the people a rule reads."""
    return cast(GlancedPeople, loss.people).looked_at  # to make sure takes a tenth of a millisecond


def _powers(loss: DecisionLoss, p: float | None) -> FloatArray:
    """The powers at which rules are looked at."""
    if p is not None:
        return np.array([p])
    low, high = loss.search_range
    count = _POWERS if loss.weighting.free > 1 else _POWERS_ALONE
    inside = np.sinh(np.linspace(-_FURTHEST, _FURTHEST, count)) / spread_of(loss)
    return np.unique(np.concatenate([np.clip(inside, low, high), [low, high]]))


def _weights(loss: DecisionLoss, rng: np.random.Generator, p: float, size: int) -> FloatArray:
    """Log weights (about `size`, k) at one power: of one person, of two, and of all."""
    k, spread = loss.weighting.free, spread_of(loss)
    levels = levels_of(loss, p)
    single = np.where(np.eye(k) > 0, 0.0, -np.inf)
    twos = _twos(k, rng) - levels
    shares = rng.dirichlet(np.full(k, _CONCENTRATION), max(size - k - len(twos), 4))
    some = np.log(np.maximum(shares, 1e-300))
    some[::2] -= levels  # half are shares of welfare rather than weights
    if abs(p) * spread > _FAR:
        drawn = np.arange(len(some)) % 4 != 3
        sizes = p * spread * rng.choice(_RATIOS, (int(drawn.sum()), 1))
        some[drawn] = sizes * rng.normal(size=(len(sizes), k))
        some[::4] -= levels
    return normalised(np.concatenate([single, twos, some]))


def _twos(k: int, rng: np.random.Generator) -> FloatArray:
    """Log shares (m, k) of two people who count alone."""
    both = [(i, j) for i in range(k) for j in range(i)]
    if len(both) > _MOST_TWOS:
        both = [both[i] for i in rng.choice(len(both), _MOST_TWOS, replace=False)]
    found = np.full((len(both), len(_SHARES_OF_TWO), k), -np.inf)
    for row, (i, j) in enumerate(both):
        found[row, :, i] = np.log(_SHARES_OF_TWO)
        found[row, :, j] = np.log1p(-np.array(_SHARES_OF_TWO))
    return found.reshape(-1, k)


def levels_of(loss: DecisionLoss, p: float) -> FloatArray:
    """Logarithm (k,) of what a free weight contributes at p to a typical action."""
    people, weighting = loss.people, loss.weighting
    assert isinstance(people, GlancedPeople)
    terms = p * people.logs_at(p)
    top = terms.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        levels = np.log(np.exp(terms - top).mean(axis=1)) + top[:, 0]
    # 0 for those who never have anything; of groups, and beside a weight that is held, the mean.
    levels = np.where(np.isfinite(levels), levels, 0.0)
    top = levels.max()
    shares = np.maximum(weighting.pull_back(np.exp(levels - top)[:, None])[:, 0], 1e-300)
    return np.asarray(np.log(shares) + top)
