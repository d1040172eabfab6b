"""Logistic noise, and lapses: the models of choices that come with the package.

One family holds them all [PSPS24, Sec. 4 and 5]::

    P(u preferred to v) = rho + (1 - 2 rho) sigmoid(z),    z = tau (log M(u) - log M(v))

rho = 0 is logistic noise; tau = inf flips each comparison with probability rho; both together
never err. With rho and tau both free it is the lapse model: mostly logistic, sometimes a slip.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.parameters import IDENTITY, Parameter
from welfarist.base.validation import FloatArray
from welfarist.noise.base import (
    CERTAIN,
    STEEPEST,
    Choice,
    ChoiceNoise,
    OwnDerivatives,
    Response,
)

# Beyond this an outcome has probability 1 up to rounding, and rho = 1/2 says nothing at all.
LARGEST_RHO = 0.49

RHO = Parameter("rho", "flip probability rho", 0.0, 0.5, IDENTITY, 0.02, 1e-4, 0.1)

_TINY = float(np.finfo(np.float64).tiny)
# A loss below this share of what margins sum to has lost digits to their rounding.
_ROUNDING = 1e-8
# exp(-z) is smaller than any ordinary number from here on.
_UNDERFLOWS = 700.0
# Comparisons that are worked on at a time, so that what is made of them stays in the cache.
_PART = 2**14
# So many numbers up to 2 have a product.
_FACTORS = 1000
# Steps in log tau, and flip rates, that are tried for a start of the lapse model.
_STEPS = (-1.0, 0.5, 2.0, 4.0)
_FLIP_RATES = (0.01, 0.05, 0.15, 0.3)
# A rate at which nearly all that is left of the decisions is chance.
_MANY_FLIPS = 0.43


class Logistic(ChoiceNoise):
    """More errors the closer two welfares are: ``P = sigmoid(z)``."""

    name = "logistic"

    def response(self, z: FloatArray, own: FloatArray) -> Response:  # noqa: ARG002 - it has none
        """Return how likely each answer is at margins (n,)."""
        up, down = preference_probability(z, 0.0), preference_probability(-z, 0.0)
        return Response(up, down, up * down, np.empty((0, len(z))))

    def probability(self, z: FloatArray, own: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the probability (n,) that the first action is preferred."""
        return preference_probability(z, 0.0)

    def log_chances(
        self,
        z: FloatArray,
        own: FloatArray,  # noqa: ARG002 - it has none
    ) -> tuple[FloatArray, FloatArray]:
        """Return ``-log(1 + e^-z)`` and ``-log(1 + e^z)`` (n,), which are numbers however far."""
        near = np.log1p(np.exp(-np.abs(z)))
        return np.minimum(z, 0.0) - near, np.minimum(-z, 0.0) - near

    def choice(
        self,
        z: FloatArray,
        own: FloatArray,  # noqa: ARG002 - it has none
        count: FloatArray,
        lead: FloatArray,
    ) -> Choice:
        """Loss of outcomes in one pass.

        Formula: ``first log(1 + e^-z) + second log(1 + e^z)``, with first + second = count and
        first - second = lead.

        Limits: linear in |z| for a wrong outcome, e^-|z| for a right one; neither overflows.
        """
        if len(z) < 2 * _PART:
            return self._choice(z, count, lead)
        loss, by_margin, information = 0.0, np.empty(len(z)), np.empty(len(z))
        for start in range(0, len(z), _PART):
            part = slice(start, start + _PART)
            here = self._choice(z[part], count[part], lead[part])
            loss += here.loss
            by_margin[part], information[part] = here.by_margin, here.information
        return Choice(loss, by_margin, information)

    @staticmethod
    def _choice(z: FloatArray, count: FloatArray, lead: FloatArray) -> Choice:
        decay = np.abs(z)
        size = count @ decay
        wrong = 0.5 * (size - lead @ z)
        np.negative(decay, out=decay)
        np.exp(decay, out=decay)
        near = np.log1p(decay)
        loss = wrong + count @ near
        if size * _ROUNDING > loss:  # two large sums that cancel: one by one they do so exactly
            loss += 0.5 * float((count * np.abs(z) - lead * z).sum()) - wrong
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

    def many_losses(
        self,
        z: FloatArray,
        own: FloatArray,  # noqa: ARG002 - it has none
        first: FloatArray,
        second: FloatArray,
    ) -> FloatArray:
        """Return the losses (B,) of many rules' margins (B, n), without derivatives.

        Formula: what is lost is ``count log(1 + e^-|z|) + (count |z| - (first - second) z) / 2``,
        in which logarithms of outcomes that are counted once are one of their product.
        """
        count = first + second
        size = np.abs(z)
        wrong = 0.5 * (size @ count - z @ (first - second))
        np.negative(size, out=size)
        near = np.exp(size, out=size)
        if not (count == 1.0).all():
            return np.asarray(np.log1p(near, out=near) @ count + wrong)
        near += 1.0
        for start in range(0, z.shape[1], _FACTORS):
            wrong += np.log(np.multiply.reduce(near[:, start : start + _FACTORS], axis=1))
        return wrong

    def observed(
        self, z: FloatArray, own: FloatArray, count: FloatArray, lead: FloatArray
    ) -> Choice:
        """The same: under logistic noise observed and expected second derivatives agree."""
        return self.choice(z, own, count, lead)


class Lapse(ChoiceNoise):
    """Logistic noise with probability 1 - 2 rho, a fair coin otherwise.

    Limits: at rho = 0 logistic noise, of which it keeps the digits: P and 1 - P are both formed
    from the decaying exponential, never as one minus the other.
    """

    name = "lapse"
    own = (RHO,)

    def bounds(self, tau_max: float) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest log tau and rho that are searched."""
        lower, upper = super().bounds(tau_max)
        upper[1] = LARGEST_RHO
        return lower, upper

    def response(self, z: FloatArray, own: FloatArray) -> Response:
        """Return how likely each answer is at margins (n,), given rho (1,)."""
        rho = float(own[0])
        decay = np.exp(-np.abs(z))
        near, far = 1.0 / (1.0 + decay), decay / (1.0 + decay)
        up, down = np.where(z >= 0, near, far), np.where(z >= 0, far, near)
        steep = 1.0 - 2.0 * rho
        likely, unlikely = rho + steep * up, rho + steep * down
        return Response(likely, unlikely, steep * up * down, (down - up)[None])

    def probability(self, z: FloatArray, own: FloatArray) -> FloatArray:
        """Return the probability (n,) that the first action is preferred."""
        return preference_probability(z, float(own[0]))

    def log_chances(self, z: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log probabilities (n,), (n,) of either answer; at rho = 0 the logistic's."""
        if float(own[0]) < STEEPEST:
            return LOGISTIC.log_chances(z, own)
        return super().log_chances(z, own)

    def own_grid(self) -> FloatArray:
        """Flip rates (g, 1) that cover their range coarsely."""
        return np.array([*_FLIP_RATES, _MANY_FLIPS])[:, None]

    def many_losses(
        self, z: FloatArray, own: FloatArray, first: FloatArray, second: FloatArray
    ) -> FloatArray:
        """Return the losses (B,) of many rules' margins (B, n) and flip rates (B, 1)."""
        if not (first * second).any():  # of each pair one outcome was seen, and one logarithm does
            unlikely = np.exp(np.minimum(z * np.sign(second - first), _UNDERFLOWS))
            unlikely += 1.0
            likely = np.divide(1.0 - 2.0 * own, unlikely, out=unlikely)
            likely += own
            np.maximum(likely, _TINY, out=likely)
            return np.asarray(-(np.log(likely, out=likely) @ (first + second)))
        decay = np.exp(-np.abs(z))
        near = 1.0 / (1.0 + decay)
        steep = 1.0 - 2.0 * own
        right = np.log(own + steep * near)
        wrong = np.log(np.maximum(own + steep * (decay * near), _TINY))
        up = z >= 0
        return np.asarray(
            -(np.where(up, right, wrong) @ first) - np.where(up, wrong, right) @ second
        )

    def start(
        self, margins: FloatArray, log_tau: float, count: FloatArray, lead: FloatArray
    ) -> FloatArray:
        """The best of a few temperatures and flip rates: their loss has several local optima."""
        grid = [(log_tau + step, rho) for step in _STEPS for rho in _FLIP_RATES]
        losses = [
            self.choice(margins * np.exp(x), np.array([rho]), count, lead).loss for x, rho in grid
        ]
        return np.array(grid[int(np.argmin(losses))])

    def choice(self, z: FloatArray, own: FloatArray, count: FloatArray, lead: FloatArray) -> Choice:
        """Loss of outcomes, with expected second derivatives.

        Limits: at rho = 0 the loss of logistic noise, which is a number where probabilities are
        too small to be one.
        """
        found = super().choice(z, own, count, lead)
        if float(own[0]) < STEEPEST and np.abs(z).max(initial=0.0) > _UNDERFLOWS:
            found.loss = LOGISTIC.choice(z, own, count, lead).loss
        return found

    def observed(
        self, z: FloatArray, own: FloatArray, count: FloatArray, lead: FloatArray
    ) -> Choice:
        """:meth:`choice` with observed in place of expected second derivatives.

        Formula: with ``f(P) = -first log P - second log(1 - P)``, the second derivatives are
        ``f'' P_a P_b + f' P_ab`` for a and b in {z, rho}.
        """
        expected = self.choice(z, own, count, lead)
        assert expected.own is not None
        rho = float(own[0])
        first, second = (count + lead) / 2.0, (count - lead) / 2.0
        up, down = preference_probability(z, 0.0), preference_probability(-z, 0.0)
        steep = 1.0 - 2.0 * rho
        likely = np.maximum(rho + steep * up, _TINY)
        unlikely = np.maximum(rho + steep * down, _TINY)
        slope, tilt = steep * up * down, down - up
        # Each outcome by itself, over its own probability: squares of tiny ones would underflow.
        by_first, by_second = slope / likely, slope / unlikely
        bend = second * by_second - first * by_first
        by_z = first * by_first**2 + second * by_second**2 + bend * tilt
        cross = first * by_first / np.maximum(likely, STEEPEST)
        cross += second * by_second / np.maximum(unlikely, STEEPEST)
        cross = cross * tilt - 2.0 * bend / steep
        floor = np.sqrt(CERTAIN)
        far_first, far_second = tilt / np.maximum(likely, floor), tilt / np.maximum(unlikely, floor)
        by_rho = first * far_first**2 + second * far_second**2
        flips = OwnDerivatives(expected.own.by_own, cross[None], by_rho[None, None])
        return Choice(expected.loss, expected.by_margin, by_z, flips)


LOGISTIC = Logistic()
LAPSE = Lapse()


def preference_probability(z: FloatArray, rho: float) -> FloatArray:
    """Probability (n,) that the first action is preferred, at standardised margins z (n,)."""
    decay = np.exp(-np.abs(z))
    up = np.where(z >= 0, 1.0, decay) / (1.0 + decay)
    return np.asarray(rho + (1.0 - 2.0 * rho) * up)
