"""Second derivatives of log M, contracted with one number per action.

Solvers need them only summed over actions, so no array with two axes of people exists.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.derivatives import weighted_sum
from welfarist.families.welfare import Welfare

# Below this power the differences lose more digits than the first term of the series is off:
# either way six digits are left, which standard errors need although steps do not.
_NEARLY_NASH = 1e-6


def contracted_curvature(
    logs: FloatArray,
    w: FloatArray,
    p: float,
    mean: Welfare,
    pull: FloatArray,
    has_zeros: bool = False,
) -> tuple[FloatArray, float]:
    """Sum over actions of `pull` times second derivatives of log M that involve the power.

    Parameters
    ----------
    logs : (d, N) array
        Log utilities; -inf is allowed if `has_zeros`.
    w : (d,) or (d, N) array
        Weights on the simplex, or such weights for each action.
    p : float
        The power, finite.
    mean : Welfare
        log M and its first derivatives there.
    pull : (N,) array
        What each action's second derivatives are multiplied by.
    has_zeros : bool
        Whether some utility is 0; p must then be positive.

    Returns
    -------
    by_weight_and_power : (d,) array
        Up to a constant, as all derivatives by weight.
    by_power_twice : float

    Notes
    -----
    Formula, with g and A_p the derivatives by weight and power, l = log(u / M), q the welfare
    shares: ``((1 + p g)(l - p A_p) - g) / p`` and ``(Var_q(l) - 2 A_p) / p``. The second
    derivative by weights needs no sum of its own: along moves of the weights that add up to zero
    it is ``-p g g'``.

    Limits: at p = 0 they are ``l^2 / 2 - A_p`` and a third of the third central moment.
    """
    with np.errstate(invalid="ignore"):
        offsets = logs - mean.value
    if has_zeros:  # who has nothing enters through (1 + p g) l only, which is 0 for them
        offsets[~np.isfinite(offsets)] = 0.0
    if abs(p) < _NEARLY_NASH:
        squares = offsets * offsets
        third = weighted_sum(w, squares * offsets)
        return squares @ (pull / 2), float(third @ pull) / 3
    g, by_power = mean.by_weight, mean.by_power
    product = g * offsets
    with np.errstate(over="ignore", invalid="ignore"):  # far off, where no step is taken
        cross = (offsets @ pull - g @ pull) / p + product @ pull - p * (g @ (by_power * pull))
    product *= p
    product += offsets
    product *= offsets  # (1 + p g) l^2
    variance = weighted_sum(w, product) - np.square(p * by_power)
    twice = float(((variance - 2.0 * by_power) / p) @ pull)
    return cross, twice
