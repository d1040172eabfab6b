"""How a decision maker errs: the probability of each preference, given the difference in welfare.

One family holds them all [PSPS24, Sec. 4 and 5]::

    P(u preferred to v) = rho + (1 - 2 rho) sigmoid(z),    z = tau (log M(u) - log M(v))

rho = 0 is logistic noise; tau = inf flips each comparison with probability rho; both together
never err. With rho and tau both free it is the lapse model: mostly logistic, sometimes a slip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from welfarist.validation import FloatArray

NoiseName = Literal["none", "flip", "logistic", "lapse"]

# Beyond this an outcome has probability 1 up to rounding, and rho = 1/2 says nothing at all.
LARGEST_RHO = 0.49

_CERTAIN = 1e-10

# Below this the choices look random, and nothing about the rule can be read from them.
SMALLEST_TAU = 1e-6


@dataclass(frozen=True)
class Choice:
    """Loss of outcomes and its derivatives in the standardised margin z.

    Attributes
    ----------
    loss : float
        Sum over comparisons of minus the log likelihood.
    by_margin : (n,) array
        Derivative of each comparison's loss by z.
    information : (n,) array
        Expected second derivative by z.
    rho : FlipDerivatives or None
        Derivatives by the flip probability, where it is part of the model.
    """

    loss: float
    by_margin: FloatArray
    information: FloatArray
    rho: FlipDerivatives | None = None


@dataclass(frozen=True)
class FlipDerivatives:
    """Derivatives of each comparison's loss by the flip probability rho.

    Attributes
    ----------
    by_rho : (n,) array
    cross : (n,) array
        Expected second derivative by z and rho.
    information : (n,) array
        Expected second derivative by rho.
    """

    by_rho: FloatArray
    cross: FloatArray
    information: FloatArray


def logistic_choice(z: FloatArray, count: FloatArray, lead: FloatArray) -> Choice:
    """Logistic noise.

    Domain: z real; `count` (n,) how often each pair was compared, `lead` (n,) how much more often
    the first was preferred than the second.

    Formula: ``first log(1 + e^-z) + second log(1 + e^z)``, with first + second = count and
    first - second = lead.

    Limits: linear in |z| for a wrong outcome, e^-|z| for a right one; neither overflows.
    """
    decay = np.abs(z)
    loss = 0.5 * (count @ decay - lead @ z)
    np.negative(decay, out=decay)
    np.exp(decay, out=decay)
    near = np.log1p(decay)
    loss += count @ near
    np.add(decay, 1.0, out=near)
    np.reciprocal(near, out=near)  # the larger of the two probabilities
    information = decay * near
    information *= near
    information *= count
    by_margin = np.subtract(
        1.0, decay, out=decay
    )  # tanh(|z| / 2), once multiplied by the larger probability
    by_margin *= near
    np.copysign(by_margin, z, out=by_margin)
    by_margin *= count
    by_margin -= lead
    by_margin *= 0.5
    return Choice(float(loss), by_margin, information)


def lapse_choice(z: FloatArray, rho: float, count: FloatArray, lead: FloatArray) -> Choice:
    """Logistic noise with probability 1 - 2 rho, a fair coin otherwise.

    Domain: z real, rho in [0, 1/2); `count` and `lead` as in :func:`logistic_choice`.

    Formula: ``-first log P - second log(1 - P)``, ``P = rho + (1 - 2 rho) sigmoid(z)``.

    Limits: at rho = 0 the logistic loss, of which it keeps the digits: P and 1 - P are both
    formed from the decaying exponential, never as one minus the other.
    """
    first, second = (count + lead) / 2.0, (count - lead) / 2.0
    decay = np.exp(-np.abs(z))
    near, far = 1.0 / (1.0 + decay), decay / (1.0 + decay)
    up, down = np.where(z >= 0, near, far), np.where(z >= 0, far, near)
    steep = 1.0 - 2.0 * rho
    likely, unlikely = rho + steep * up, rho + steep * down
    tiny = np.finfo(np.float64).tiny
    likely, unlikely = np.maximum(likely, tiny), np.maximum(unlikely, tiny)
    loss = -(first @ np.log(likely)) - second @ np.log(unlikely)
    slope = steep * up * down  # dP / dz
    tilt = down - up  # dP / drho
    pull = second / unlikely - first / likely  # d loss / dP
    # Where an outcome is certain the information about rho is infinite; this much is plenty.
    spread = count / np.maximum(likely * unlikely, _CERTAIN)
    return Choice(
        float(loss),
        pull * slope,
        spread * slope * slope,
        FlipDerivatives(pull * tilt, spread * slope * tilt, spread * tilt * tilt),
    )


def observed_lapse(z: FloatArray, rho: float, count: FloatArray, lead: FloatArray) -> Choice:
    """:func:`lapse_choice` with observed in place of expected second derivatives.

    Formula: with ``f(P) = -first log P - second log(1 - P)``, the second derivatives are
    ``f'' P_a P_b + f' P_ab`` for a and b in {z, rho}.

    Limits: those of `lapse_choice`; under logistic noise both kinds are the same.
    """
    expected = lapse_choice(z, rho, count, lead)
    assert expected.rho is not None
    first, second = (count + lead) / 2.0, (count - lead) / 2.0
    up, down = preference_probability(z, 0.0), preference_probability(-z, 0.0)
    steep = 1.0 - 2.0 * rho
    tiny = np.finfo(np.float64).tiny
    likely, unlikely = np.maximum(rho + steep * up, tiny), np.maximum(rho + steep * down, tiny)
    slope, tilt = steep * up * down, down - up
    # Each outcome by itself, over its own probability: squares of tiny ones would underflow.
    by_first, by_second = slope / likely, slope / unlikely
    bend = second / unlikely - first / likely
    by_z = first * by_first**2 + second * by_second**2 + bend * slope * tilt
    cross = (first * by_first / likely + second * by_second / unlikely) * tilt
    cross -= 2.0 * bend * up * down
    floor = np.sqrt(_CERTAIN)
    far_first, far_second = tilt / np.maximum(likely, floor), tilt / np.maximum(unlikely, floor)
    by_rho = first * far_first**2 + second * far_second**2
    flips = FlipDerivatives(expected.rho.by_rho, cross, by_rho)
    return Choice(expected.loss, expected.by_margin, by_z, flips)


def preference_probability(z: FloatArray, rho: float) -> FloatArray:
    """Probability (n,) that the first action is preferred, at standardised margins z (n,)."""
    decay = np.exp(-np.abs(z))
    up = np.where(z >= 0, 1.0, decay) / (1.0 + decay)
    return np.asarray(rho + (1.0 - 2.0 * rho) * up)
