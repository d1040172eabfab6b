"""The first start among very many weights: by way of a share of the decisions.

Where weights are many, a step takes as long as the sums over all decisions of which its curvature
is made. From equal weights to close to the optimum a share of the decisions leads as well, at a
fraction of the cost; from there on curvature of everything is worked out once, and carried along.
What comes of it is an optimum of the loss itself, like that of any other start.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from welfarist.losses import Loss, Point
from welfarist.solvers.carried import follow
from welfarist.solvers.descent import Descent, descend
from welfarist.solvers.simplex import MANY
from welfarist.solvers.very_many import are_very_many

# Decisions for each number learned that a share holds, and how many times as many there must be.
_PER_NUMBER, _TIMES = 5, 3
# Numbers (decisions times weights) below which a step takes too little for a detour.
_LARGE = 2**20
# Draws the share, so that random starts are the same with and without the detour.
_SEED = 0
# How closely to solve on the share, whose optimum is off by far more.
_ROUGH = 1e-3


def descend_by_share(
    loss: Loss,
    start: Point,
    *,
    max_iter: int,
    tolerance: float,
) -> Descent | None:
    """Return where a start leads by way of a share; None where that is no shorter, or fails.

    Parameters
    ----------
    loss : Loss
    start : Point
    max_iter : int
        Largest number of steps.
    tolerance : float
        Passed to :func:`~welfarist.solvers.carried.follow`.
    """
    fraction = _share_of(loss)
    if fraction is None:
        return None
    share = loss.share(fraction, np.random.default_rng(_SEED))
    near = descend(share, start, max_iter=max_iter, tolerance=_ROUGH)
    if not near.converged:
        return None
    found = follow(loss, near.point, max_iter=max_iter, tolerance=tolerance)
    return replace(found, n_iter=near.n_iter + found.n_iter)


def _share_of(loss: Loss) -> float | None:
    """The share of the decisions that is worth a detour, if any is."""
    weights = loss.weighting.free
    size = _PER_NUMBER * (weights + loss.learn_power + len(loss.parameters))
    if are_very_many(loss):  # whose steps take no longer than a few passes over the table
        return None
    small = weights < MANY or loss.decisions * weights < _LARGE
    if small or loss.interior or loss.data.in_parts or _TIMES * size > loss.decisions:
        return None
    return size / loss.decisions
