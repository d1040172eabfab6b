"""A penalty on certainty, which keeps estimates from few decisions finite and intervals honest.

Few choices are easily explained without any noise, or by a rule far out where it bends to every
single one: the likelihood then has its maximum at an infinite temperature, or p runs away, and
intervals around such estimates are too short. A restrained loss charges for both. What it charges
does not grow with the decisions, so that it is soon forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from welfarist.base.validation import FloatArray

# Information about certainty that is larger has lost nothing to underflow.
_NUMBERS = 1e-200
# What is charged where nothing is better than anything: the limit as all margins vanish.
_AT_TIES = float(np.log(2.0))
# Ties bend the charge by no more than this, so that a product with it is a number.
_STEEPEST = 600.0
# Up to about this |p| nothing much is charged, and from the second on hardly more.
_MODERATE, _FARTHEST = 3.0, 30.0
# What each number learned beside tau is charged for. A restricted likelihood, which allows for
# numbers learned from the same decisions, has 1/2; intervals of tau then hold too rarely where
# hardly a choice is in doubt. Two fifths of that is what simulations bear out.
_PER_NUMBER = 0.2
# Temperatures beyond this are those of nobody: a welfare larger by a thousandth would be preferred
# three times in four. What is charged for them decides nothing that decisions tell.
_SUREST, _PER_TEMPERATURE = 1000.0, 0.1
# With more numbers than this, each learns from its share of the decisions only: without it a
# charge that grows like k log n would leave nothing of what hundreds of weights explain.
_SEVERAL = 5.0


@dataclass(frozen=True)
class Caution:
    """What is charged for margins, and its derivatives; all in units of log likelihood.

    Attributes
    ----------
    value : float
    by_margin : (n,) array
        Derivatives by the margins.
    curvature : (n,) array
        Second derivatives by each margin alone, but for those parts that may be negative.
    steep : (r, n) array
        Second derivatives by two margins: products of these.
    bend : (n,) array
        What curvature leaves out.
    raising, lowering : (r, n) arrays
        What `steep` leaves out: products of these, to be added and to be taken away.
    """

    value: float
    by_margin: FloatArray
    curvature: FloatArray
    steep: FloatArray
    bend: FloatArray
    raising: FloatArray
    lowering: FloatArray

    def __add__(self, other: Caution) -> Caution:
        return Caution(
            self.value + other.value,
            self.by_margin + other.by_margin,
            self.curvature + other.curvature,
            np.concatenate([self.steep, other.steep]),
            self.bend + other.bend,
            np.concatenate([self.raising, other.raising]),
            np.concatenate([self.lowering, other.lowering]),
        )


@dataclass(frozen=True)
class Restraint:
    """How much is charged.

    Attributes
    ----------
    others : int
        How many numbers are learned beside the temperature.
    step : float
        How far apart values are in a typical case, in their unit.
    """

    others: int
    step: float = 1.0

    def of_margins(self, z: FloatArray, count: FloatArray) -> Caution:
        """Charge margins (n,), each of which was observed `count` (n,) times.

        Domain: z = tau times a difference in value, real.

        Formula: ``-log(sum count v(z) z^2 / sum count z^2) / 2``, in which
        ``v(z) = e^-|z| / (1 + e^-|z|)^2``: the prior of Jeffreys for the temperature of a given
        rule under logistic noise, in a unit that makes no rule likelier than another; and
        ``others / 5 log(1 + m sum count v(z) / max(1, others / 5))``, in which m is the mean of
        z^2: a share of what a restricted likelihood allows for the other numbers. Other models of
        noise are charged the same.

        Limits: log 2 as tau goes to 0, whatever the rule, and where all actions tie; rises like
        tau as every choice becomes certain.
        """
        size = np.abs(z)
        apart = (size > 0) & (count > 0)
        if not apart.any():
            nothing, none = np.zeros(len(z)), np.empty((0, len(z)))
            return Caution(_AT_TIES, nothing, nothing, none, nothing, none, none)
        nearest = float(size.min() if apart.all() else size[apart].min())
        decay = np.exp(-size)
        near = 1.0 / (1.0 + decay)
        certain = _for_certainty(z, count, size, nearest, decay, near)
        return certain + _for_numbers(z, count, decay, near, self._strength, self._sharing)

    @property
    def _strength(self) -> float:
        """What is charged for a unit of information, in logarithms."""
        return _PER_NUMBER * self.others

    @property
    def _sharing(self) -> float:
        """Among how many the information is shared out; a few numbers have it all."""
        return max(1.0, self.others / _SEVERAL)

    def of_many_margins(self, z: FloatArray, count: FloatArray) -> FloatArray:
        """What :meth:`of_margins` charges (B,) for margins (B, n) and counts that go with them."""
        size, square = np.abs(z), np.square(z)
        doubt = np.exp(-size)
        near = 1.0 + doubt
        np.square(near, out=near)
        doubt /= near
        doubt *= count  # count v(z)
        told = np.einsum("ij,ij->i", doubt, square)
        whole = _weighted_sums(square, count)
        charged, usual = whole > 0, told > _NUMBERS
        certainty = np.full(len(z), 2.0 * _AT_TIES)
        certainty[usual] = np.log(whole[usual] / told[usual])
        for i in np.flatnonzero(charged & ~usual).tolist():
            certainty[i] = _certainty(z[i], count if count.ndim == 1 else count[i])
        decisions = count.sum(axis=-1)
        mean = np.divide(whole, decisions, out=np.zeros(len(z)), where=charged)
        others = np.log1p(mean * doubt.sum(axis=1) / self._sharing)
        return np.asarray(0.5 * certainty + self._strength * others)

    def of_many(
        self, z: FloatArray, count: FloatArray, powers: FloatArray, log_taus: FloatArray
    ) -> FloatArray:
        """What is charged (B,) for margins (B, n), powers (B,) and temperatures (B,) together."""
        charged = self.of_many_margins(z, count)
        charged += self.of_many_powers(powers)
        charged += self.of_temperature(log_taus)[0]
        return charged

    def of_temperature(self, log_tau: Any) -> tuple[Any, Any, Any]:
        """Charge a temperature; return that with its first two derivatives by log tau.

        Formula: ``log(1 + (tau / 1000)^2) / 20`` of a temperature in one over `step`, next to
        nothing wherever anybody has been seen to decide: where a few decisions do not tell a rule
        that is sure from one under which all actions are nearly equal and tau is larger, the first
        is taken.
        """
        t = 2.0 * (np.asarray(log_tau) + np.log(self.step) - np.log(_SUREST))
        steep = _PER_TEMPERATURE * expit(t)
        return 0.5 * _PER_TEMPERATURE * np.logaddexp(0.0, t), steep, 2.0 * steep * expit(-t)

    def of_many_powers(self, p: FloatArray) -> FloatArray:
        """What :meth:`of_power` charges (B,) for finite powers (B,)."""
        near, far = np.square(p / _MODERATE), np.square(p / _FARTHEST)
        return np.asarray(0.5 * (np.log1p(near) - np.log1p(far)))

    def of_power(self, p: float) -> tuple[float, float, float]:
        """Charge a power; return that with its first two derivatives by asinh p.

        Formula: ``log((1 + (p / 3)^2) / (1 + (p / 30)^2)) / 2``, which is 0 at p = 0.

        Limits: log 10 at p = -inf and inf, so that no power is ruled out.
        """
        if np.isinf(p):
            return float(np.log(_FARTHEST / _MODERATE)), 0.0, 0.0
        steep = float(np.hypot(1.0, p))
        value, slope, bend = (
            near - far
            for near, far in zip(_half_log(p, _MODERATE), _half_log(p, _FARTHEST), strict=True)
        )
        return value, slope * steep, bend * steep * steep + slope * p


def _weighted_sums(values: FloatArray, count: FloatArray) -> FloatArray:
    """Sums (B,) of values (B, n) times counts, (n,) or (B, n)."""
    if count.ndim == 1:
        return np.asarray(values @ count)
    return np.asarray(np.einsum("ij,ij->i", values, count))


def _certainty(z: FloatArray, count: FloatArray) -> float:
    """log(sum count z^2 / sum count v(z) z^2) of margins (n,) that are all far from 0."""
    apart = (z != 0) & (count > 0)
    size, count = np.abs(z[apart]), count[apart]
    nearest = float(size.min())  # taken out, so that no information is lost to underflow
    near = 1.0 / (1.0 + np.exp(-size))
    told = float((count * near * near * np.exp(nearest - size)) @ np.square(size))
    return nearest + float(np.log(float(count @ np.square(size)) / told))


def _for_certainty(
    z: FloatArray,
    count: FloatArray,
    size: FloatArray,
    nearest: float,
    decay: FloatArray,
    near: FloatArray,
) -> Caution:
    """Charge for little information about tau: -log(sum count v(z) z^2 / sum count z^2) / 2.

    `size` (n,) is |z|, `decay` is e^-|z| and `near` its 1 / (1 + e^-|z|). The smallest size that
    tells anything, `nearest`, is taken out, so that no information is lost to underflow.
    """
    spread = count * np.exp(nearest - np.maximum(size, nearest)) * near * near
    tilt = (1.0 - decay) * near  # tanh(|z| / 2)
    square = np.square(z)
    total = float(spread @ square)
    # Of v z^2: v' = -v tanh(z/2), v'' = v (tanh(z/2)^2 - 2 v).
    slope = spread * z * (2.0 - size * tilt)
    bend = spread * (2.0 - 4.0 * size * tilt + square * (tilt * tilt - 2.0 * decay * near * near))
    # At z = 0 there is no decay to take the nearest one's out of.
    if not size.all():
        tied = size == 0
        bend[tied] = 2.0 * count[tied] * 0.25 * np.exp(min(nearest, _STEEPEST))
    share = count / float(count @ square)
    # Each term v z^2 is log-concave: (log v z^2)'' = -2 (1 / z^2 + v) is all that bends upwards.
    curvature = share + spread * (1.0 + square * decay * near * near) / total
    return Caution(
        value=0.5 * (nearest + float(np.log(count @ square)) - float(np.log(total))),
        by_margin=share * z - slope * (0.5 / total),
        curvature=curvature,
        steep=np.empty((0, len(z))),
        bend=share - bend * (0.5 / total) - curvature,
        raising=(slope * (np.sqrt(0.5) / total))[None],
        lowering=(share * z * np.sqrt(2.0))[None],
    )


def _for_numbers(
    z: FloatArray,
    count: FloatArray,
    decay: FloatArray,
    near: FloatArray,
    strength: float,
    sharing: float,
) -> Caution:
    """Charge for what was learned beside tau: strength log(1 + mean(z^2) sum count v(z) / s).

    `decay` (n,) is e^-|z| and `near` its 1 / (1 + e^-|z|).
    """
    spread = decay * near * near
    tilt = np.copysign((1.0 - decay) * near, z)
    share = count / (count.sum() * sharing)
    doubt, square = float(count @ spread), float(share @ np.square(z))
    whole = 1.0 + square * doubt
    by_doubt, by_square = -count * spread * tilt, 2.0 * share * z
    slope = square * by_doubt + doubt * by_square
    bend = square * count * spread * (tilt * tilt - 2.0 * spread) + 2.0 * doubt * share
    # The product of both slopes is the difference of two squares, whose sizes are made alike.
    sizes = float(np.sqrt(by_square @ by_square)), float(np.sqrt(by_doubt @ by_doubt))
    even = min(max(float(np.sqrt(sizes[0] / max(sizes[1], 1e-300))), 1e-100), 1e100)
    root = np.sqrt(0.5 * strength / whole)
    alone = bend * (strength / whole)
    return Caution(
        value=strength * float(np.log1p(square * doubt)),
        by_margin=slope * (strength / whole),
        curvature=np.maximum(alone, 0.0),
        bend=np.minimum(alone, 0.0),
        raising=np.empty((0, len(z))),
        steep=(root * (even * by_doubt + by_square / even))[None],
        lowering=np.vstack(
            [root * (even * by_doubt - by_square / even), slope * (np.sqrt(strength) / whole)]
        ),
    )


def _half_log(p: float, size: float) -> tuple[float, float, float]:
    """Return log(1 + (p / size)^2) / 2 with its first two derivatives by p."""
    square = (p / size) ** 2
    slope = p / (size * size) / (1.0 + square)
    bend = (1.0 - square) / (size * (1.0 + square)) ** 2
    return 0.5 * float(np.log1p(square)), slope, bend
