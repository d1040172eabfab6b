"""Lower bounds of the 0-1 loss where |p| is large or infinite, as mixed-integer programmes.

Far out on the line of powers weights matter by ``a_i = log(w_i) / |p|``, and a power mean is close
to the best off (p > 0) after these handicaps: for k free weights ::

    max_i (log u_i + a_i)  <=  log M  <=  max_i (log u_i + a_i) + log(k) / p

(groups: the best off of a group, and the logarithm of its size more on the lower side). For p < 0
the same holds of the worst off, with all signs turned. So for every power from a given one on,
infinity included, a comparison can be right only if the preferred action's largest handicapped log
utility is not below the other's by more than a tolerance of order 1/|p|. Handicaps, and which
person is that best off, are the variables.

At the limit itself handicaps are 0 or minus infinity: who counts. There the programme is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from welfarist.base.validation import FloatArray
from welfarist.counting.lower_bounds.cycles import PreferenceGraph
from welfarist.counting.lower_bounds.dominance import certain_errors
from welfarist.counting.lower_bounds.power_intervals import preferred
from welfarist.counting.lower_bounds.programmes import Bound, minimise_errors, one_right
from welfarist.counting.zero_one import ZeroOneLoss

# Constraints are loosened by this share of the size of log utilities, more than solvers round.
_SLACK = 1e-6
# Worse by less than this share may be a tie once evaluated.
_CLEAR = 1e-12


def beyond_bound(
    loss: ZeroOneLoss, p: float, time_limit: float, incumbent: float = np.inf
) -> Bound:
    """Bound the mean loss from below for all powers from p on, to the infinity of p's sign.

    Parameters
    ----------
    loss : ZeroOneLoss
        Without utilities of 0.
    p : float
        Finite, not 0.
    time_limit : float
        Seconds.
    incumbent : float
        A mean loss that is known to be possible; the bound is never above it.
    """
    chosen, other = _extremes(loss, p)
    sizes, span = loss.weighting.sizes(), float(np.ptp(loss.utilities.logs))
    tolerance = float(np.log(len(sizes)) + np.log(sizes.max())) / abs(p) + _SLACK * (1.0 + span)
    stakes = loss.stakes
    against = chosen + tolerance < other
    lost = stakes.any_of(np.asarray(against.all(axis=0)))
    floor = np.where(lost, stakes.cost, certain_errors(loss))
    base = stakes.base + float(floor.sum()) / loss.total
    doubtful = np.asarray(against.any(axis=0))
    undecided = np.flatnonzero((stakes.cost > floor) & stakes.any_of(doubtful))
    undecided = stakes.with_rivals(undecided, floor)
    if len(undecided) == 0:
        return Bound(min(base, incumbent), False)
    pair, claim = stakes.pairs_of(undecided, doubtful)
    programme = _Handicaps(
        chosen[:, pair] + tolerance, other[:, pair], against[:, pair], span, claim, len(undecided)
    )
    rivals = stakes.rivals(undecided[floor[undecided] == 0], undecided)
    start = len(chosen) + len(pair)
    found = minimise_errors(
        programme.spread((stakes.cost - floor)[undecided]),
        programme.binary,
        [*programme.constraints, *one_right(rivals, start, len(programme.binary))],
        programme.bounds,
        time_limit,
        (incumbent - base) * loss.total,
        PreferenceGraph.of(loss, floor, undecided, start),
    )
    return Bound(min(base + found.lower_bound / loss.total, incumbent), found.time_limit_hit)


@dataclass(frozen=True)
class _Handicaps:
    """The programme that chooses handicaps, for q pairs of c claims between k people.

    Its variables are the handicaps (k); for each pair a level (q) that no opponent of the preferred
    action exceeds; for each claim whether it is wrong (c); and, for those in favour of a pair,
    whether they are the one who reaches that level (as many as there are).

    Attributes
    ----------
    chosen, other : (k, q) arrays
        Log utilities of the best off of both actions; tolerance added to the first.
    against : (k, q) array of bool
        Whose log utility is lower under the preferred action.
    span : float
        How far log utilities reach. A handicap of more than that is as good as not counting.
    claim : (q,) array of int
        To which claim each pair belongs.
    claims : int
        How many there are.
    """

    chosen: FloatArray
    other: FloatArray
    against: npt.NDArray[np.bool_]
    span: float
    claim: npt.NDArray[np.intp]
    claims: int

    @property
    def _favours(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Person and comparison of everybody who is in favour."""
        person, pair = np.nonzero(~self.against)
        return person, pair

    @property
    def _sizes(self) -> tuple[int, int, int]:
        people, pairs = self.against.shape
        return people, pairs, people + pairs + self.claims + int((~self.against).sum())

    def spread(self, cost: FloatArray) -> FloatArray:
        """The cost of every variable, from that of each wrong claim (c,)."""
        people, pairs, variables = self._sizes
        spread = np.zeros(variables)
        spread[people + pairs : people + pairs + self.claims] = cost
        return spread

    @property
    def binary(self) -> FloatArray:
        """Which variables are 0 or 1."""
        people, pairs, variables = self._sizes
        return (np.arange(variables) >= people + pairs).astype(np.float64)

    @property
    def bounds(self) -> optimize.Bounds:
        """Handicaps are not positive; levels lie where handicapped utilities may be."""
        people, pairs, variables = self._sizes
        low, high = np.zeros(variables), np.ones(variables)
        low[:people], high[:people] = -self.span, 0.0
        if pairs:
            low[people : people + pairs] = self.other.min() - self.span
            high[people : people + pairs] = self.other.max()
        return optimize.Bounds(low, high)

    @property
    def constraints(self) -> list[optimize.LinearConstraint]:
        """Opponents stay below the level, one in favour reaches it, or the comparison is wrong."""
        people, pairs, variables = self._sizes
        opponent, opposed = np.nonzero(self.against)
        person, pair = self._favours
        reaches = people + pairs + self.claims + np.arange(len(person))
        chosen = self.chosen[person, pair]
        release = self.other.max(axis=0)[pair] + self.span - chosen
        return [
            _at_least(
                [(people + opposed, 1.0), (opponent, -1.0)],
                self.other[opponent, opposed],
                variables,
            ),
            _at_least(
                [(person, 1.0), (people + pair, -1.0), (reaches, -release)],
                -chosen - release,
                variables,
            ),
            _one_of(
                np.r_[pair, np.arange(pairs)],
                np.r_[reaches, people + pairs + self.claim],
                variables,
            ),
        ]


def limit_bound(loss: ZeroOneLoss, p: float, time_limit: float, incumbent: float = np.inf) -> Bound:
    """Bound the mean loss at p = inf or -inf from below; given time, the bound is the minimum.

    Notes
    -----
    With ``b_i`` for who counts, the preferred action is at least as good if for everybody j who
    counts there is somebody i who counts and has under it no less than j under the other action:
    ``b_j <= sum of these b_i``. It is better if there is somebody who has more. A tie fails the
    second only, and costs half an error. Of a choice from a menu all pairs must be so; several ties
    cost more than half, so that there the bound may lie below the minimum.
    """
    chosen, other = _extremes(loss, p)
    people, stakes = len(chosen), loss.stakes
    claims, cost = len(stakes), stakes.cost
    finite = np.abs(other[np.isfinite(other)])
    clear = _CLEAR * (1.0 + (finite.max() if finite.size else 0.0))
    variables = people + 2 * claims
    somebody = np.r_[np.ones(people), np.zeros(2 * claims)]
    constraints = [optimize.LinearConstraint(somebody, 1.0, np.inf)]
    told = np.flatnonzero(cost > 0)
    constraints += one_right(stakes.rivals(told, np.arange(claims)), people, variables)
    for j in range(people):
        more, no_less = chosen > other[j], chosen >= other[j] - clear
        for helps, start in ((more, people), (no_less, people + claims)):
            needed = np.flatnonzero(~helps[j] & (cost > 0)[stakes.owner])
            rows = sparse.lil_array((len(needed), variables))
            rows[:, :people] = helps[:, needed].T.astype(np.float64)
            rows[:, [j]] = -1.0
            rows[np.arange(len(needed)), start + stakes.owner[needed]] = 1.0
            constraints.append(optimize.LinearConstraint(rows.tocsr(), 0.0, np.inf))
    found = minimise_errors(
        np.r_[np.zeros(people), cost / 2, cost / 2],
        np.ones(variables),
        constraints,
        optimize.Bounds(0.0, 1.0),
        time_limit,
        (incumbent - stakes.base) * loss.total,
    )
    bound = stakes.base + found.lower_bound / loss.total
    return Bound(min(bound, incumbent), found.time_limit_hit)


def _extremes(loss: ZeroOneLoss, p: float) -> tuple[FloatArray, FloatArray]:
    """Log utilities (k, n) of each group's best off under the preferred and the other action.

    For p < 0 minus those of the worst off, with the actions exchanged: then, too, the larger the
    first the better for the preferred action.
    """
    chosen, other = preferred(loss)
    if p < 0:
        chosen, other = -other, -chosen
    group_of = loss.weighting.group_of
    if group_of is None:
        return chosen, other
    tops = np.full((2, loss.weighting.free, chosen.shape[1]), -np.inf)
    np.maximum.at(tops[0], group_of, chosen)
    np.maximum.at(tops[1], group_of, other)
    return tops[0], tops[1]


def _at_least(
    terms: list[tuple[npt.NDArray[np.intp], float | FloatArray]], least: FloatArray, variables: int
) -> optimize.LinearConstraint:
    """Rows (r) of variables (r,) times factors, added up over the terms, that are at least (r,)."""
    rows = np.tile(np.arange(len(least)), len(terms))
    columns = np.concatenate([column for column, _ in terms])
    factors = np.concatenate([np.broadcast_to(factor, len(least)) for _, factor in terms])
    matrix = sparse.csr_array((factors, (rows, columns)), shape=(len(least), variables))
    return optimize.LinearConstraint(matrix, least, np.inf)


def _one_of(
    row: npt.NDArray[np.intp], column: npt.NDArray[np.intp], variables: int
) -> optimize.LinearConstraint:
    """At least one of the variables of each row is 1."""
    shape = (int(row.max()) + 1, variables)
    return optimize.LinearConstraint(
        sparse.csr_array((np.ones(len(row)), (row, column)), shape=shape), 1.0, np.inf
    )
