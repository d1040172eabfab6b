"""Fits to data much like those fitted before, which start from the estimates.

Where the data determine the power well, a start from the estimates finds the best optimum. Where
they do not, resamples have optima of their own, far from the estimates (measured: with 200
comparisons and 10 people, in half of the resamples), and are searched like any new data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.inference.fitted import DataLoss, Fitted
from welfarist.losses import Point
from welfarist.progress import Progress
from welfarist.solvers.fitting import FAR
from welfarist.solvers.multistart import PINNED
from welfarist.solvers.newton import Descent, descend, uncertainty_of_power
from welfarist.validation import FloatArray


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


def refit(fitted: Fitted, loss: DataLoss, near: Descent | None = None) -> Refit:
    """Fit the rule again to other data of the same kind, with the options of the first fit.

    `near` is where steps from the estimates lead, if that is known already.
    """
    near = from_the_estimates(fitted, loss) if near is None else near
    if near is not None and near.converged and _is_enough(fitted, loss, near):
        return Refit(near.point, loss.weighting.to_people(near.point.weights), near.value, True)
    optimum = fitted.solver.minimise(
        loss,
        np.random.default_rng(0),
        p=None if loss.learn_power else fitted.point.p,
        observations=fitted.observations,
        progress=Progress(False),
    )
    return Refit(optimum.point, optimum.weights, optimum.value, optimum.converged)


def from_the_estimates(fitted: Fitted, loss: DataLoss) -> Descent | None:
    """Return where steps from the estimates lead; None from an infinite power."""
    start, solver = fitted.point, fitted.solver
    if not np.isfinite(start.p):
        return None
    return descend(loss, start, max_iter=solver.max_iter, tolerance=solver.tolerance, near=True)


def _is_enough(fitted: Fitted, loss: DataLoss, found: Descent) -> bool:
    """Whether no other optimum needs a look."""
    if not loss.learn_power:
        return loss.weighting.free <= 1
    if abs(found.point.p) >= FAR:
        return False
    return uncertainty_of_power(loss, found, fitted.observations) < PINNED
