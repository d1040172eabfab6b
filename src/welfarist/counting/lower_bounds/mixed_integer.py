"""The fewest errors at a fixed power, with proof, as a mixed-integer programme.

At a fixed finite power a comparison is right if a linear function of the weights is positive, and a
choice from a menu if several are. With one binary per comparison or choice that says whether it may
be wrong, the fewest errors are the optimum of a mixed-integer linear programme over the simplex,
which HiGHS solves by branch and bound.

A strict inequality cannot be part of such a programme. Here ``>= 0`` stands for ``> 0``, which
counts ties, half an error each, as right. The programme is then a relaxation: its optimum is a
lower bound of the 0-1 loss, never too high, and what its weights achieve is an upper bound only
once the loss itself has evaluated them. Constraints are moreover loosened by more than rounding, so
that no weights that satisfy them exactly are lost. Ties are those of exact arithmetic: where |p| is
so large that an evaluation can no longer tell two welfares apart, it may count half an error less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from welfarist.base.validation import FloatArray
from welfarist.counting.lower_bounds.cycles import PreferenceGraph
from welfarist.counting.lower_bounds.dominance import certain_errors
from welfarist.counting.lower_bounds.power_intervals import best_cases
from welfarist.counting.lower_bounds.programmes import Bound, minimise_errors, one_right
from welfarist.counting.stakes import Stakes
from welfarist.counting.zero_one import ZeroOneLoss

# Coefficients below the first, at which HiGHS draws the line as well, are left out; with up to 100
# people that moves a row by less than the second.
_SMALL, _SLACK = 1e-9, 1e-7


@dataclass(frozen=True)
class MixedInteger:
    """What is proven about the 0-1 loss at one power.

    Attributes
    ----------
    lower_bound : float
        No weights have a lower mean loss at this power; never above the incumbent's.
    value : float
        The lowest mean loss known: that of `weights`, or the incumbent's.
    weights : (d,) array or None
        One weight per person, if they are better than the incumbent.
    gap : float
        How far `value` may be above the best.
    time_limit_hit : bool
        Whether more time might have proven more.
    """

    lower_bound: float
    value: float
    weights: FloatArray | None
    gap: float
    time_limit_hit: bool


@dataclass(frozen=True)
class Relaxed(Bound):
    """The optimum of a relaxed programme.

    Attributes
    ----------
    weights : (k,) array or None
        Free weights, if the solver found any.
    """

    weights: FloatArray | None


def proven_minimum(
    loss: ZeroOneLoss, p: float, time_limit: float, incumbent: float = np.inf
) -> MixedInteger:
    """Bound the 0-1 loss at a finite power from below, and look for weights that reach the bound.

    Parameters
    ----------
    loss : ZeroOneLoss
        With at least one free weight.
    p : float
        Finite; positive where a utility is 0.
    time_limit : float
        Seconds.
    incumbent : float
        A mean loss that is known to be possible, at this power or another. Losses above it are not
        looked at, so that the bound says nothing about them.
    """
    rows = best_cases(loss, p, p)
    relaxed = fewest_errors(loss, rows, time_limit, incumbent)
    value, weights = incumbent, None
    if relaxed.weights is not None:
        for free in (relaxed.weights, _inside(loss.stakes, rows, relaxed.weights)):
            people = loss.weighting.to_people(free)
            reached = loss.value(people, p)
            if reached < value:
                value, weights = reached, people
    bound = min(relaxed.lower_bound, value)
    return MixedInteger(bound, value, weights, value - bound, relaxed.time_limit_hit)


def fewest_errors(
    loss: ZeroOneLoss, rows: FloatArray, time_limit: float, incumbent: float = np.inf
) -> Relaxed:
    """Choose weights that satisfy as many rows as possible.

    Parameters
    ----------
    loss : ZeroOneLoss
    rows : (n, k) array
        A pair of the loss's stakes may be right under weights w only if ``row . w >= 0``; the
        largest entry of each row is 1 in size.
    time_limit : float
        Seconds.
    incumbent : float
        A mean loss; where no weights promise less, it is the bound.
    """
    stakes = loss.stakes
    tied = stakes.any_of(np.asarray((rows <= 0).all(axis=1)))
    floor = np.maximum(certain_errors(loss), np.where(tied, 0.5 * stakes.cost, 0.0))
    base = stakes.base + float(floor.sum()) / loss.total
    open_rows = rows.min(axis=1) < 0
    undecided = np.flatnonzero((stakes.cost > floor) & stakes.any_of(open_rows))
    undecided = stakes.with_rivals(undecided, floor)
    cost = (stakes.cost - floor)[undecided]
    if len(cost) == 0:
        return Relaxed(min(base, incumbent), False, loss.weighting.start())
    pair, claim = stakes.pairs_of(undecided, open_rows)
    rows = np.where(np.abs(rows[pair]) < _SMALL, 0.0, rows[pair])
    free, size = rows.shape[1], len(cost)
    # The least that frees a row under all weights.
    released = (-rows.min(axis=1), (np.arange(len(pair)), claim))
    release = sparse.csr_array(released, shape=(len(pair), size))
    one = np.r_[np.ones(free), np.zeros(size)]
    found = minimise_errors(
        np.r_[np.zeros(free), cost],
        1.0 - one,
        [
            optimize.LinearConstraint(sparse.hstack([rows, release]), -_SLACK, np.inf),
            optimize.LinearConstraint(one, 1.0, 1.0),
            *one_right(
                stakes.rivals(undecided[floor[undecided] == 0], undecided), free, free + size
            ),
        ],
        optimize.Bounds(0.0, 1.0),
        time_limit,
        (incumbent - base) * loss.total,
        PreferenceGraph.of(loss, floor, undecided, free),
    )
    weights = None
    if found.solution is not None:
        weights = _on_simplex(found.solution[:free])
    bound = min(base + found.lower_bound / loss.total, incumbent)
    return Relaxed(bound, found.time_limit_hit, weights)


def _inside(stakes: Stakes, rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Free weights (k,) that satisfy the rows (n, k) of the same claims by as much as possible.

    A programme's weights are a corner, where several comparisons tie.
    """
    kept = rows[stakes.all_of(rows @ weights >= -2.0 * _SLACK)[stakes.owner]]
    found = optimize.linprog(
        np.r_[np.zeros(len(weights)), -1.0],
        A_ub=np.hstack([-kept, np.ones((len(kept), 1))]),
        b_ub=np.zeros(len(kept)),
        A_eq=np.r_[np.ones(len(weights)), 0.0][None, :],
        b_eq=np.ones(1),
        bounds=[(0.0, 1.0)] * len(weights) + [(None, 1.0)],
    )
    if found.x is None:
        return weights
    return _on_simplex(found.x[:-1])


def _on_simplex(weights: FloatArray) -> FloatArray:
    weights = np.maximum(weights, 0.0)
    return np.asarray(weights / weights.sum())
