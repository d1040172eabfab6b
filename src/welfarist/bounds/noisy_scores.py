"""What noisy scores are on average, and how noisy they must have been to miss by that much.

Scores are ``y = clip(M + s Z, a, b)``: normal noise whose standard deviation s is nu times the
range b - a of the action's utilities, clipped to that range [PSPS24, Sec. 6]. Clipping moves the
mean away from M, so that the true rule is not quite the one with the smallest squared error.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.simulate import World
from welfarist.simulate.deciding import LARGEST_NU


def expected_scores(world: World, nu: float) -> FloatArray:
    """Return the mean score of each action (N,), over the noise.

    Formula: ``M + s (A P(Z < A) + B P(Z > B) + phi(A) - phi(B))`` with ``A = (a - M) / s``,
    ``B = (b - M) / s`` and the normal density phi.

    Examples
    --------
    >>> from welfarist import WelfareFunction
    >>> world = World([[1.0, 4.0], [2.0, 2.0]], WelfareFunction(0))
    >>> expected_scores(world, 0.0), expected_scores(world, 0.5).round(3)
    (array([2., 2.]), array([2.163, 2.   ]))
    """
    spread, low, high = _standardised(world, nu)
    pull = low * ndtr(low) + high * ndtr(-high) + _density(low) - _density(high)
    return np.asarray(np.clip(world.welfare + spread * pull, *_ends(world)))


def expected_error(world: World, nu: float) -> float:
    """Return the true rule's mean squared error, over the noise and the actions.

    Formula, for each action: ``s^2 (A^2 P(Z < A) + B^2 P(Z > B) + P(A < Z < B) + A phi(A) -
    B phi(B))``, with the letters of :func:`expected_scores`.
    """
    spread, low, high = _standardised(world, nu)
    inside = ndtr(high) - ndtr(low) + low * _density(low) - high * _density(high)
    return float(np.mean(spread**2 * (low**2 * ndtr(low) + high**2 * ndtr(-high) + inside)))


def noise_of_error(world: World, error: float) -> float:
    """Return the nu under which the true rule's mean squared error is `error`.

    Examples
    --------
    >>> from welfarist.simulate import individuals
    >>> world = individuals(100, 3, p=0.5, random_state=1)
    >>> round(noise_of_error(world, expected_error(world, 0.1)), 12)
    0.1
    """
    if error <= 0:
        return 0.0
    if expected_error(world, LARGEST_NU) <= error:
        raise InputError(
            "the pilot's squared error must be one that clipped scores of these utilities can "
            f"have; found {error:g}, more than any noise makes. Pass the utilities the pilot was "
            "fitted on, or say how much noise there is: nu=…"
        )
    # The error rises with nu; on a logarithmic scale every digit of a small nu is found.
    lowest = 1e-12
    if expected_error(world, lowest) >= error:
        return 0.0

    def excess(log_nu: float) -> float:
        return expected_error(world, float(np.exp(log_nu))) - error

    return float(np.exp(brentq(excess, np.log(lowest), np.log(LARGEST_NU), xtol=1e-14)))


def _ends(world: World) -> tuple[FloatArray, FloatArray]:
    return world.utilities.min(axis=1), world.utilities.max(axis=1)


def _standardised(world: World, nu: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return s (N,) and the ends of each action's range in units of s (N,), seen from M."""
    low, high = _ends(world)
    spread = nu * (high - low)
    unit = np.where(spread > 0, spread, 1.0)  # without noise the ends do not matter
    welfare = world.welfare
    return spread, (low - welfare) / unit, (high - welfare) / unit


def _density(x: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi))
