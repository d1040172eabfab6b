"""Comparisons of two actions whose difference is normal: chances, and what outcomes tell of it.

Domain: a difference z with mean and variance, counts c of comparisons, of which the first action
won ``(c + lead)/2``.

Formula: with ``l(z) = -c log(2 cosh(tau z/2)) + lead tau z/2`` and Z the mean of exp(l)::

    slope = d log Z / d mean = E[l'],   bend = d^2 log Z / d mean^2 = E[l''] + Var[l']

where E is under exp(l) times the normal density. Both are found by Gauss-Hermite nodes about the
mean and the variance that this tilted density has, as far as they are known.

Limits: with variance 0 they are the values and derivatives of l.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import local

import numpy as np

from welfarist.base.validation import FloatArray

_NODES = 20
# Steps to a mode, and the least curvature of outcomes on the way, relative to the largest.
_STEPS, _FLATTEST = 8, 0.25
_X, _WEIGHTS = np.polynomial.hermite_e.hermegauss(_NODES)
_X = _X[:, None]
_LOG_WEIGHTS = np.log(_WEIGHTS / np.sqrt(2.0 * np.pi))[:, None] + 0.5 * _X * _X


@dataclass(frozen=True, eq=False, slots=True)
class Tilted:
    """What outcomes tell of differences.

    Attributes
    ----------
    log_chance, slope, bend : (n,) arrays
    by_log_tau : float
        The derivative of the sum of log chances by log tau.
    """

    log_chance: FloatArray
    slope: FloatArray
    bend: FloatArray
    by_log_tau: float


class Outcomes:
    """Outcomes of pairs, with room to work in: it is wanted many times, and large."""

    def __init__(self, count: FloatArray, lead: FloatArray) -> None:
        self.count, self.lead = count, lead
        self._mine = local()  # several threads may look at the same outcomes

    @property
    def _room(self) -> FloatArray:
        """Five arrays (nodes, n)."""
        try:
            found: FloatArray = self._mine.room
        except AttributeError:
            found = self._mine.room = np.empty((5, _NODES, len(self.count)))
        return found

    def __reduce__(self) -> tuple[type[Outcomes], tuple[FloatArray, FloatArray]]:
        return Outcomes, (self.count, self.lead)

    def modes(
        self, tau: float, mean: FloatArray, variance: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return where the tilted densities (n,) are largest, and how wide they are there.

        `mean` and `variance` (n,) are those of the differences without the outcomes.
        """
        here, half = mean.copy(), 0.5 * tau
        least = _FLATTEST * half * half * self.count
        for _ in range(_STEPS):
            rise = np.tanh(half * here)
            bent = half * half * self.count * (1.0 - rise * rise)
            slope = half * (self.lead - self.count * rise)
            # of Newton's step the length is tamed where a chance is nearly 0 or 1
            grown = 1.0 + variance * np.maximum(bent, least)
            here += (variance * slope - (here - mean)) / grown
        rise = np.tanh(half * here)
        bent = half * half * self.count * (1.0 - rise * rise)
        return here, np.sqrt(variance / (1.0 + variance * bent))

    def tilted(
        self,
        tau: float,
        about: tuple[FloatArray, FloatArray],
        lean: FloatArray,
        wider: FloatArray,
    ) -> Tilted:
        """Return what outcomes tell of differences, of which they are left out.

        Parameters
        ----------
        tau : float
        about : pair of (n,) arrays
            Mean and standard deviation with the outcomes, as far as they are known: of the nodes.
        lean : (n,) array
            By how much that mean is larger than without the outcomes, in standard deviations of
            the latter.
        wider : (n,) array
            The standard deviation without the outcomes over that of the nodes.
        """
        count, lead = self.count, self.lead
        z, half, rise, density, work = self._room
        np.multiply(_X, about[1], out=z)
        z += about[0]
        np.multiply(z, 0.5 * tau, out=half)
        np.tanh(half, out=rise)
        np.divide(_X, wider, out=density)
        density += lean
        density *= density
        density *= -0.5
        density += _LOG_WEIGHTS
        # log(2 cosh x) = |x| + log(1 + e^(-2|x|))
        np.abs(half, out=work)
        np.multiply(half, lead, out=half)
        density += half
        np.multiply(work, -2.0, out=half)
        np.log1p(np.exp(half, out=half), out=half)
        half += work
        half *= count
        density -= half
        largest = density.max(axis=0)
        density -= largest
        chance = np.exp(density, out=density)
        total = np.add.reduce(chance, axis=0)
        chance /= total
        np.multiply(rise, -count, out=work)
        work += lead
        work *= 0.5 * tau
        slope = np.einsum("jn,jn->n", chance, work)
        z *= work
        by_log_tau = float(np.vdot(chance, z))
        work -= slope
        work *= work
        rise *= rise
        rise -= 1.0
        rise *= (0.25 * tau * tau) * count
        work += rise
        bend = np.einsum("jn,jn->n", chance, work)
        return Tilted(largest + np.log(total) - np.log(wider), slope, bend, by_log_tau)
