"""What comparisons of two people say about a rule, summed over a grid: no sampler at all.

With two people a rule has four numbers, and sums over a grid of them are exact to more digits than
are looked at: the reference for :mod:`benchmarks.long_run`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
LIMIT = float(np.arcsinh(1000.0))
# First steps of the logit of the first weight and of asinh p, and into how many each is divided
# where rules have weight, and again where they have most of it: what fits a steady decision maker
# is narrow.
STEP, DIVIDED = 0.14, (3, 3)
# Squares outside of which there is no more than this share of the weight are not divided.
LEFT_OUT = (1e-6, 1e-2)
# Steps of log tau and logit rho; how far the logit of the weight, and the last two in deviations,
# go on either side of their middle.
NOISE, RATIOS, DEVIATIONS = (0.3, 0.7), 14.0, 4.5
_BLOCK = 400_000


@dataclass(frozen=True, eq=False)
class Told:
    """Means, ends of 95% intervals and deviations of asinh p, of both weights and of log tau.

    Attributes
    ----------
    means, low, high, spread : (4,) arrays
    """

    means: FloatArray
    low: FloatArray
    high: FloatArray
    spread: FloatArray


def summed(decided: Any, finer: int = 0) -> Told:
    """Return what two people's comparisons say under the default prior, without a band.

    Parameters
    ----------
    decided : Comparisons
    finer : int
        Into how many more parts squares are divided, to see that it makes no difference.
    """
    taus = _grid(np.log(20.0), DEVIATIONS * 1.2, NOISE[0])
    rhos = _grid(np.log(0.03 / 0.97), DEVIATIONS, NOISE[1])
    ratios, powers = _grid(0.0, RATIOS, STEP), _grid(0.0, LIMIT, STEP)
    at = np.column_stack([v.reshape(-1) for v in np.meshgrid(ratios, powers, indexing="ij")])
    size = np.array([ratios[1] - ratios[0], powers[1] - powers[0]])
    noise = taus[::3], rhos[::3]
    points: list[tuple[FloatArray, float]] = []
    for parts, left_out in zip(DIVIDED, LEFT_OUT, strict=True):
        mass = _sums(decided, at, *noise).sum(axis=1)
        order = np.argsort(mass)
        heavy = np.cumsum(mass[order]) > left_out * mass.sum()
        if left_out == LEFT_OUT[-1]:
            points.append((at[order[~heavy]], float(size.prod())))
        at, size = _divided(at[order[heavy]], size, parts + finer)
        noise = taus, rhos
    points.append((at, float(size.prod())))
    joints = [_sums(decided, x, taus, rhos) * area for x, area in points]
    where, joint = np.concatenate([x for x, _ in points]), np.concatenate(joints)
    here, weight = joint.sum(axis=1), 1.0 / (1.0 + np.exp(-where[:, 0]))
    numbers = [(where[:, 1], here), (weight, here), (1.0 - weight, here), (taus, joint.sum(axis=0))]
    return Told(*(np.array(column) for column in zip(*(_told(*n) for n in numbers), strict=True)))


def _divided(at: FloatArray, size: FloatArray, parts: int) -> tuple[FloatArray, FloatArray]:
    """The middles of so many parts squared of squares with middles (G, 2), and their size."""
    offsets = (np.arange(parts) + 0.5) / parts - 0.5
    one, other = (v.reshape(-1) for v in np.meshgrid(offsets, offsets))
    moved = at[:, None, :] + np.column_stack([one, other]) * size
    return moved.reshape(-1, 2), size / parts


def _grid(middle: float, reach: float, step: float) -> FloatArray:
    """Midpoints of about such steps."""
    count = int(np.ceil(2.0 * reach / step))
    return np.asarray(middle - reach + (np.arange(count) + 0.5) * (2.0 * reach / count))


def _ahead(decided: Any, ratio: FloatArray, t: FloatArray) -> FloatArray:
    """By how much log welfare speaks for each answer (G, n), by the package's exact power mean."""
    first, second = (decided.utilities[decided.pairs[:, side]] for side in (0, 1))
    found = np.empty((len(t), len(first)))
    p, weight = np.sinh(t), 1.0 / (1.0 + np.exp(-ratio))
    logs = np.log(np.array([first, second]))  # (2, n, 2)
    p = np.where(np.abs(p) < 1e-6, 1e-6, p)
    for start in range(0, len(t), 20_000):
        part = slice(start, start + 20_000)
        shares = np.log(np.array([weight[part], 1.0 / (1.0 + np.exp(ratio[part]))]))
        terms = shares.T[:, None, None, :] + p[part, None, None, None] * logs
        welfare = np.logaddexp(terms[..., 0], terms[..., 1]) / p[part, None, None]
        found[part] = (welfare[:, 0] - welfare[:, 1]) * decided.outcomes
    return found


def _sums(decided: Any, at: FloatArray, taus: FloatArray, rhos: FloatArray) -> FloatArray:
    """Density (G, taus) of rules (G, 2) and temperatures, lapses summed over."""
    ratio, t = at.T
    # A flat weight in its logit, and two halves of Student distributions in t.
    prior = np.exp(ratio - 2.0 * np.logaddexp(0.0, ratio))
    prior *= (1.0 + (t / np.where(t < 0, 3.0, 0.8)) ** 2 / 5.0) ** -3.0
    slips = 1.0 / (1.0 + np.exp(-rhos))
    often = np.exp(-0.5 * (rhos - np.log(0.03 / 0.97)) ** 2)
    found = np.zeros((len(at), len(taus)))
    step = max(1, _BLOCK // len(decided.pairs))
    for start in range(0, len(at), step):
        part = slice(start, start + step)
        z = _ahead(decided, ratio[part], t[part])
        for k, tau in enumerate(taus):
            right = 1.0 / (1.0 + np.exp(-np.clip(np.exp(tau) * z, -600.0, 600.0)))
            for slip, share in zip(slips, often, strict=True):
                found[part, k] += share * np.prod(slip + (1.0 - 2.0 * slip) * right, axis=1)
    before = np.exp(-0.5 * ((taus - np.log(20.0)) / 1.2) ** 2)
    return np.asarray(found * before * prior[:, None])


def _told(values: FloatArray, mass: FloatArray) -> tuple[float, float, float, float]:
    """Mean, ends and deviation of a number whose values have so much mass."""
    mean = float(mass @ values / mass.sum())
    spread = float(np.sqrt(mass @ (values - mean) ** 2 / mass.sum()))
    order = np.argsort(values)
    up_to = np.cumsum(mass[order])
    ends = np.interp([0.025, 0.975], (up_to - 0.5 * mass[order]) / up_to[-1], values[order])
    return mean, float(ends[0]), float(ends[1]), spread
