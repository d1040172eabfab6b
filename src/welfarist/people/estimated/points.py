"""Mean and variance of welfare over errors, by points at which it is worked out exactly.

A rule of fifth degree for normal errors (McNamee and Stenger 1967): the middle, points along one
error and along two, at sqrt(3) standard deviations. Mean and variance of log M are then off by a
hundredth of their standard deviation, and by 2%, up to |p| times an error of 3; two terms of a
series by a tenth, and by 20%. Of d people there are 2 d^2 + 1 points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.families.welfare import Welfare
from welfarist.people.estimated.spread import ByAction, Reach

# Of more people there are too many points, with weights below 0; series do for them.
MOST_PEOPLE = 6
# A variance is at least this share of the mean square about the middle.
_LEAST = 1e-3


@cache
def _rule(people: int) -> tuple[FloatArray, FloatArray]:
    """Points (J, d) and their weights (J,)."""
    far = np.sqrt(3.0) * np.eye(people)
    points, weights = [np.zeros(people)], [1.0 + people * (people - 7) / 18.0]
    for one in far:
        points += [one, -one]
        weights += [(4.0 - people) / 18.0] * 2
    for one, other in combinations(far, 2):
        points += [one + other, one - other, other - one, -one - other]
        weights += [1.0 / 36.0] * 4
    return np.array(points), np.array(weights)


@dataclass(frozen=True, eq=False)
class Points:
    """Where log utilities may be.

    Attributes
    ----------
    columns : Columns
        Of so many actions as there are points times actions.
    weights : (J,) array
    """

    columns: Columns
    weights: FloatArray

    @classmethod
    def of(cls, logs: FloatArray, errors: ByAction, shift: float) -> Points:
        """Take points about log utilities (d, N)."""
        places, weights = _rule(len(logs))
        moved = np.matmul(_roots(errors.covariance), places.T)  # (N, d, J)
        spread = logs[:, None, :] + moved.transpose(1, 2, 0)
        flat = np.ascontiguousarray(spread.reshape(len(logs), -1))
        return cls(Columns(flat, shift), weights)

    def seen(self, weights: FloatArray, p: float) -> WelfareAtPoints:
        """Return mean and variance of welfare under a rule."""
        found, c = self.columns.log_mean(weights, p), self.weights
        shape = len(c), -1
        value, by_power = found.value.reshape(shape), found.by_power.reshape(shape)
        by_weight = found.by_weight.reshape(len(weights), *value.shape)
        mean = c @ value
        off = value - mean
        pull = 2.0 * c[:, None] * off
        variance = np.maximum(0.5 * (pull * off).sum(axis=0), _LEAST * np.square(off).mean(axis=0))
        return WelfareAtPoints(
            Welfare(mean, np.einsum("j,djn->dn", c, by_weight), c @ by_power),
            Welfare(
                variance,
                np.einsum("jn,djn->dn", pull, by_weight),
                (pull * by_power).sum(axis=0),
            ),
        )


@dataclass(frozen=True, eq=False)
class WelfareAtPoints:
    """How errors make the welfare of actions uncertain: its mean and its variance.

    Attributes
    ----------
    mean, spread : Welfare
    """

    mean: Welfare
    spread: Welfare

    @property
    def effects(self) -> Reach:
        """Variances of the welfare of actions, which have nothing in common."""
        return Reach(self.spread.value, self.spread.value)

    def biased(self, welfare: Welfare) -> Welfare:
        """Return the mean welfare of actions, with derivatives, whatever it is without errors."""
        del welfare
        return self.mean

    def variance(self) -> Welfare:
        """Return the variances of the welfare of actions, with derivatives."""
        return self.spread

    def pulled(self, by_covariance: FloatArray) -> Welfare:
        """Return derivatives (d, N) whose sum over actions is that through the variances."""
        moved = self.spread
        return Welfare(
            moved.value * by_covariance,
            moved.by_weight * by_covariance,
            moved.by_power * by_covariance,
        )


def _roots(covariance: FloatArray) -> FloatArray:
    """Factors (N, d, d) of covariances, or (1, d, d) where all are the same."""
    alike = bool((covariance == covariance[0]).all())
    own = covariance[:1] if alike else covariance
    try:
        return np.asarray(np.linalg.cholesky(own), dtype=np.float64)
    except np.linalg.LinAlgError:  # somebody's utility is exact
        values, vectors = np.linalg.eigh(own)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])
