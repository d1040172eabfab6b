"""From a loss to its optimum: subset first, several starts, polish on everything, limits.

This is the default solver. Data of ordinary size go straight to the multistart. Large data are
first searched on a small random share, whose optimum is polished on a larger one and at last on
everything: from a point that close two or three steps are enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from welfarist.losses import Loss, PenalisedLoss, Point
from welfarist.progress import Progress
from welfarist.solvers.base import Optimum
from welfarist.solvers.multistart import StartCount, search
from welfarist.solvers.newton import Curvature, Descent, descend
from welfarist.validation import FloatArray
from welfarist.weighting import Weighting

# Above this many decisions a search on a share of them is cheaper than one on all.
_LARGE = 50_000
_SHARE = 10_000
_GROWTH = 8
# How closely to solve on a share, whose optimum is off by its sampling error anyway.
_ROUGH = 1e-5
# On everything, a ten-thousandth of what one of a million decisions contributes to the loss.
_FINE = 1e-10
# Decisions per parameter that a share must keep to determine the optimum well enough.
_PER_PARAMETER = 100
# A limiting rule is preferred to a large power even if rounding makes it look worse.
_LIMIT_SLACK = 1e-9
_FAR = 20.0


@dataclass(frozen=True)
class Newton:
    """Joint second-order steps from as many starts as a problem needs: the default solver.

    Parameters
    ----------
    n_starts : int or "auto"
        How many starts; "auto" stops when they agree and goes on when they do not.
    max_iter : int
        Largest number of steps per start.
    tolerance : float
        Relative decrease of the loss below which a start has converged.
    """

    n_starts: StartCount = "auto"
    max_iter: int = 200
    tolerance: float = 1e-12

    def check(self, loss: Loss) -> None:
        """Every loss will do."""

    def minimise(
        self,
        loss: Loss,
        rng: np.random.Generator,
        *,
        p: float | None,
        observations: float,
        progress: Progress,  # noqa: ARG002 - milliseconds need no bar
    ) -> Optimum:
        """Minimise a loss; see :class:`~welfarist.solvers.base.Solver`."""
        max_iter, tolerance = self.max_iter, self.tolerance
        sizes = _growing_shares(loss)
        part = loss.share(sizes[0] / loss.decisions, rng) if sizes else loss
        found = search(
            part,
            rng,
            p=p,
            n_starts=self.n_starts,
            max_iter=max_iter,
            tolerance=tolerance,
            observations=observations * part.decisions / loss.decisions,
        )
        best, n_iter = found.best, found.n_iter
        borrowed = Curvature.of(part, best.point) if sizes else None
        for size in [*sizes[1:], loss.decisions] if sizes else []:
            whole = size == loss.decisions
            part = loss if whole else loss.share(size / loss.decisions, rng)
            best = descend(
                part,
                best.point,
                max_iter=max_iter,
                tolerance=max(tolerance, _FINE if whole else _ROUGH),
                near=True,
                borrowed=borrowed,
            )
            n_iter += best.n_iter
            borrowed = None if whole else Curvature.of(part, best.point)
        weights = loss.weighting.to_people(best.point.weights)
        settled = found.pinned and abs(best.point.p) < _FAR
        if loss.learn_power and not settled and not isinstance(loss, PenalisedLoss):
            if best.value > loss.resolution:
                best, weights = _compare_limits(loss, best, weights, max_iter, tolerance)
            best, weights = _prefer_plain(loss, best, weights, max_iter, tolerance)
        return Optimum(
            best.point,
            weights,
            best.value,
            best.converged,
            best.reason,
            n_iter,
            found.values,
            found.agreeing,
        )


def _growing_shares(loss: Loss) -> list[int]:
    """Sizes of the random shares to work through before everything; none for ordinary data."""
    parameters = loss.weighting.free + loss.learn_power + len(loss.extra_names)
    size = max(_SHARE, _PER_PARAMETER * parameters)
    if loss.decisions <= _LARGE or size > loss.decisions / 2:
        return []
    sizes = []
    while size <= loss.decisions / 2:
        sizes.append(size)
        size *= _GROWTH
    return sizes


def _compare_limits(
    loss: Any, best: Descent, weights: FloatArray, max_iter: int, tolerance: float
) -> tuple[Descent, FloatArray]:
    """Prefer p = -inf or inf if the rule there explains the decisions at least as well.

    The weights of a limiting rule only say who counts; everybody and those with a positive
    weight in the best fit are tried.
    """
    everybody = np.ones(len(weights), dtype=bool)
    if loss.weighting.fixed is not None:
        supports = [weights > 0]
    else:
        supports = [everybody] if (weights > 0).all() else [everybody, weights > 0]
    for sign in (1.0,) if loss.has_zeros else (-1.0, 1.0):
        for support in supports:
            shares = support / support.sum()
            found = _with_rule(loss, shares, sign * np.inf, max_iter, tolerance)
            # A large power is as good as the limit; a moderate one must be clearly worse.
            slack = _LIMIT_SLACK * abs(best.value)
            if found.value <= best.value + (slack if abs(best.point.p) > _FAR else -slack):
                best = found
                weights = weights if loss.weighting.fixed is not None else shares
    return best, weights


def _prefer_plain(
    loss: Any, best: Descent, weights: FloatArray, max_iter: int, tolerance: float
) -> tuple[Descent, FloatArray]:
    """Report p = 1, with equal weights if they are free, where no rule explains more than that."""
    plain = weights if loss.weighting.fixed is not None else np.full(len(weights), 1 / len(weights))
    found = _with_rule(loss, plain, 1.0, max_iter, tolerance)
    if found.value <= best.value * (1.0 + tolerance) + loss.resolution:
        return found, plain
    return best, weights


def _with_rule(
    loss: Any, weights: FloatArray, p: float, max_iter: int, tolerance: float
) -> Descent:
    """The best fit of the extras under a given rule, as a point of the loss."""
    known = replace(loss, weighting=Weighting(len(weights), fixed=weights), learn_power=False)
    nobody = np.empty(0)
    start = Point(nobody, p, known.starting_extras(nobody, p))
    found = descend(known, start, max_iter=max_iter, tolerance=tolerance)
    return replace(found, point=Point(loss.weighting.gather(weights), p, found.point.extras))
