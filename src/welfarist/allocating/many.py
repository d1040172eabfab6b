"""Whole projects for very many people, such as voters: branch and bound (HiGHS) person by person.

The programme has a share for each project and one for each piece of everybody's chain
(:mod:`welfarist.allocating.pieces`). First without wholeness: where the optimum lies between two
tangents, one is added, until the bound hardly falls. Then with it; what comes out is improved by
exchanges, and where chains are not what is so everywhere, the next round has tangents there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from welfarist.allocating.covers import CLOSEST, covering
from welfarist.allocating.improving import filled_up, improved
from welfarist.allocating.pieces import Chains, Pieces, Reach
from welfarist.allocating.projects import Projects
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction

# What HiGHS sees as the size of welfare: it stops within a millionth of 1, whatever is asked for.
_SEEN = 1e3
# By how much its bound may be too low, as a share of welfare: rows hold to a millionth.
_LOOSE = 1e-5
# By how much it may overspend, as a share of the budget; rounding of what is spent.
_OVERSPENT, _EQUAL = 2e-6, 1e-9
# Rounds without wholeness, and by how much the bound must fall for another one, as a share of what
# is still missing.
_ROUNDS, _FALLS = 8, 0.05
# Rounds with it, each of which takes long.
_WHOLE_ROUNDS = 50
# A share from which on a project is funded.
_WHOLLY = 1.0 - 1e-6


@dataclass(frozen=True, eq=False)
class _Answer:
    """What a programme says: shares of projects, an upper bound on h, whether none are better."""

    shares: FloatArray | None
    bound: float
    none: bool = False


def best_of_many(
    rule: WelfareFunction, projects: Projects, funded: FloatArray, bound: float, gap: float,
    deadline: float,
) -> tuple[FloatArray, float]:  # fmt: skip
    """Return which projects (m,) to fund, as 0 and 1, and an upper bound on welfare.

    Parameters
    ----------
    rule : WelfareFunction
        p is finite and below 1.
    projects : Projects
    funded : (m,) array
        A set within the budget, of welfare above 0.
    bound : float
        On welfare, that is known.
    gap : float
        How close the bound must come, as a share of it.
    deadline : float
        Of time.monotonic().
    """
    search = _Search(rule, projects, funded, bound, max(gap, CLOSEST), deadline)
    search.run(whole=False)
    search.run(whole=True)
    return search.funded, max(search.bound, search.value)


class _Search:
    """What is known of a budget so far: the best set of projects, and a bound."""

    def __init__(
        self, rule: WelfareFunction, projects: Projects, funded: FloatArray, bound: float,
        close: float, deadline: float,
    ) -> None:  # fmt: skip
        self.rule, self.projects, self.deadline = rule, projects, deadline
        self.funded, self.value = funded, float(rule(projects.utilities(funded)))
        self.bound, self.close = bound, close
        self.reach = Reach.of(projects)
        self.chains = Chains.of(rule, self.reach, self.value, bound)
        self.points = self.chains.points()

    def run(self, whole: bool) -> None:
        """Solve programmes, with tangents added where they are loose, as long as that helps."""
        for _ in range(_WHOLE_ROUNDS if whole else _ROUNDS):
            if self._near() or (whole and time.monotonic() > self.deadline):
                return
            pieces = self.chains.pieces(self.points)
            said = _solved(
                self.projects, pieces, whole, self.close / 4.0 if whole else 0.0, self.deadline
            )
            if said.none:
                self.bound = self.value
                return
            before = self.bound, self.value
            self.bound = min(self.bound, self.chains.welfare(said.bound + _LOOSE))
            if said.shares is None:
                return
            finer = self._finer(self.projects.utilities(said.shares))
            self._take(said.shares)
            fell = before[0] - self.bound > _FALLS * (self.bound - self.value)
            rose = self.value > before[1] * (1.0 + self.close)
            if not rose and (pieces.exact or not finer or not (whole or fell)):
                return

    def _near(self) -> bool:
        return self.bound - self.value <= self.close * self.bound

    def _take(self, shares: FloatArray) -> None:
        """Look at the whole projects among shares, and what is near them."""
        start = filled_up(self.rule, self.projects, (shares > _WHOLLY).astype(np.float64))
        found = improved(self.rule, self.projects, start, self.deadline)
        value = float(self.rule(self.projects.utilities(found)))
        if value > self.value:
            self.funded, self.value = found, value
            self.chains = Chains.of(self.rule, self.reach, value, self.bound)

    def _finer(self, utilities: FloatArray) -> bool:
        """Add tangents at what everybody has where a chain is not what is so; whether any were."""
        found = _with(self.chains, self.points, utilities)
        added = any(len(new) > len(old) for new, old in zip(found, self.points, strict=True))
        self.points = found
        return added


def _with(chains: Chains, points: list[FloatArray], utilities: FloatArray) -> list[FloatArray]:
    """Points of tangents, with what everybody has where a chain is not what is so."""
    found = []
    for i, at in enumerate(points):
        here = float(utilities[i])
        loose = not chains.whole[i] and here > chains.sums[i][-1]
        near = bool((np.abs(at - here) <= _EQUAL * here).any())
        found.append(np.append(at, here) if loose and not near else at)
    return found


def _solved(
    projects: Projects, pieces: Pieces, whole: bool, gap: float, deadline: float
) -> _Answer:
    """The largest sum of all chains, and shares of projects for it."""
    m, k = len(projects), len(pieces.person)
    size = np.bincount(pieces.person, pieces.lengths, len(pieces.start))
    unit = np.where(size > 0, size, 1.0)[:, None]
    has = sparse.csr_matrix((pieces.lengths, (pieces.person, np.arange(k))), shape=(len(unit), k))
    rows = sparse.hstack([sparse.csr_matrix(-projects.gains.T), has], format="csr")
    rows = sparse.diags(1.0 / unit[:, 0]) @ rows
    least = (projects.baseline - pieces.start) / unit[:, 0]
    needed = covering(projects, pieces.start)
    cover = sparse.hstack([-needed, sparse.csr_matrix((needed.shape[0], k))], format="csr")
    rows, least = sparse.vstack([rows, cover]), np.concatenate([least, -np.ones(cover.shape[0])])
    spend = sparse.csr_matrix(np.concatenate([projects.costs / projects.budget, np.zeros(k)])[None])
    aim = -_SEEN * np.concatenate([np.zeros(m), pieces.rises])
    bound = np.inf
    for most in (1.0, 1.0 - _OVERSPENT):
        result = milp(
            aim,
            constraints=[
                LinearConstraint(rows, -np.inf, least), LinearConstraint(spend, -np.inf, most)
            ],
            integrality=np.concatenate([np.full(m, int(whole)), np.zeros(k)]),
            bounds=Bounds(
                np.zeros(m + k), np.concatenate([projects.affordable(), np.ones(k)])
            ),
            options={
                "mip_rel_gap": 0.0 if not whole else _relative(gap, pieces.value),
                "time_limit": max(deadline - time.monotonic(), 0.1),
            },
        )  # fmt: skip
        if most == 1.0:
            if result.status == 2:
                return _Answer(None, -np.inf, none=True)
            dual = result.mip_dual_bound if whole else result.fun
            bound = np.inf if dual is None else pieces.value - float(dual) / _SEEN
        if result.x is None:
            return _Answer(None, bound)
        shares = np.clip(result.x[:m], 0.0, 1.0)
        if not whole:
            return _Answer(shares, bound)
        shares = np.round(shares)
        if float(shares @ projects.costs) <= projects.budget * (1.0 + _EQUAL):
            return _Answer(shares, bound)
    return _Answer(None, bound)


def _relative(gap: float, value: float) -> float:
    """The share of what all pieces add, for a share of welfare: h is near 0 at what is known."""
    return gap / max(abs(value), gap)
