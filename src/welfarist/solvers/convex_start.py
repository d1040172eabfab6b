"""Where a rule is a weighted sum of known columns: the one optimum of a convex problem.

Some families are, under another set of numbers, all weighted sums of columns with weights that are
not negative. A likelihood of logistic choices is concave in these, so that what is found there is
the best of the family. It is searched by the kernel of Kolm-Pollak functions, whose alpha = 0 is
the weighted mean, and handed on as a point of the family's own numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.families.kolm_pollak.levels import Levels
from welfarist.losses import DecisionLoss, Loss, Point
from welfarist.people.weighting import Weighting
from welfarist.solvers.descent import descend

# A share below this of the whole is left at 0.
_NOTHING = 1e-12


def convex_start(loss: Loss, max_iter: int, tolerance: float) -> Point | None:
    """Return the best rule as a point of a loss; None where no convex problem has it.

    Weights have to be free, one for each person, and nothing may be charged beside the loss.
    """
    if not isinstance(loss, DecisionLoss) or not loss.learn_power or loss.in_parts:
        return None
    plain = type(loss.weighting) is Weighting and loss.weighting.free == loss.weighting.people
    if not plain or loss.restraint is not None:
        return None
    columns = loss.family.index(loss.people)
    if columns is None:
        return None
    levels = Levels.of(np.array(columns))
    index = replace(
        loss,
        family=KolmPollakFamily(levels.unit),
        people=levels,
        weighting=Weighting(len(columns)),
        learn_power=False,
    )
    even = index.weighting.start()
    start = Point(even, 0.0, index.starting_extras(even, 0.0))
    found = descend(index, start, max_iter=max_iter, tolerance=tolerance)
    shares = np.where(found.point.weights > _NOTHING, found.point.weights, 0.0)
    weights, shape, own = loss.family.of_index(shares / shares.sum())
    return Point(weights, shape, np.concatenate([own, found.point.extras]))


def is_convex(loss: Loss) -> bool:
    """Whether the likelihood has one optimum in such shares: of logistic choices."""
    noise = getattr(loss.data.observed, "noise", None)
    return getattr(noise, "name", "") == "logistic" and len(loss.data.observed.parameters) == 1
