"""Fits to data much like those fitted before, which start from the estimates.

Where the data determine the power well, a start from the estimates finds the best optimum. Where
they do not, resamples have optima of their own, far from the estimates (measured: with 200
comparisons and 10 people, in half of the resamples), and are searched like any new data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.inference.likelihood import Likelihood
from welfarist.losses import DecisionLoss, Point
from welfarist.solvers.descent import Descent, descend, uncertainty_of_power
from welfarist.solvers.multistart import PINNED
from welfarist.solvers.newton import FAR
from welfarist.solvers.scouts import can_be_scouted, scouted_starts

# Rules that are looked at before a search of all starts, and starts made of them.
_RULES, _STARTS = 600, 3
# Rows of data beyond which a search takes about as long as that many glances.
_MOST_ROWS = 10_000


@dataclass(frozen=True)
class Refit:
    """The best rule for other data.

    Attributes
    ----------
    point : Point
        In the coordinates of the loss.
    weights : (d,) array
        One weight per person.
    value : float
        The mean loss.
    converged : bool
    """

    point: Point
    weights: FloatArray
    value: float
    converged: bool


def refit(likelihood: Likelihood, loss: DecisionLoss, near: Descent | None = None) -> Refit:
    """Fit the rule again to other data of the same kind, with the options of the first fit.

    `near` is where steps from the estimates lead, if that is known already.
    """
    near = from_the_estimates(likelihood, loss) if near is None else near
    if near is not None and near.converged and _is_enough(likelihood, loss, near):
        return Refit(near.point, loss.weights_at(near.point), near.value, True)
    optimum = likelihood.solver.minimise(
        loss,
        np.random.default_rng(0),
        p=None if loss.learn_power else likelihood.point.p,
        observations=likelihood.observations,
        progress=Progress(False),
    )
    return Refit(optimum.point, optimum.weights, optimum.value, optimum.converged)


def from_the_estimates(likelihood: Likelihood, loss: DecisionLoss) -> Descent | None:
    """Return where steps from the estimates lead; None from an infinite power."""
    start, solver = likelihood.point, likelihood.solver
    if not np.isfinite(start.p):
        return None
    return descend(loss, start, max_iter=solver.max_iter, tolerance=solver.tolerance, near=True)


def from_many_rules(
    likelihood: Likelihood, loss: DecisionLoss, near: Descent | None
) -> Descent | None:
    """Return the best of `near` and of where the best of many rules at a glance lead, if any."""
    solver, p = likelihood.solver, None if loss.learn_power else likelihood.point.p
    glance = can_be_scouted(loss) and loss.decisions <= _MOST_ROWS
    if not glance or (p is not None and np.isinf(p)):
        return None
    best = near if near is not None and near.converged else None
    for start in scouted_starts(loss, np.random.default_rng(0), p, _STARTS, _RULES):
        found = descend(
            loss,
            start,
            max_iter=solver.max_iter,
            tolerance=solver.tolerance,
            beat=np.inf if best is None else best.value,
        )
        if found.converged and (best is None or found.value < best.value):
            best = found
    return best


def _is_enough(likelihood: Likelihood, loss: DecisionLoss, found: Descent) -> bool:
    """Whether no other optimum needs a look."""
    if not loss.learn_power:
        return loss.weighting.free <= 1 and not loss.leading
    if abs(loss.family.like_power(found.point.p)) >= FAR:
        return False
    return uncertainty_of_power(loss, found, likelihood.observations) < PINNED
