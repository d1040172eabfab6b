"""Gaussian effects of actions that nobody observed, integrated out of comparisons.

By expectation propagation (Minka 2001): each compared pair gets a Gaussian factor ("site") in the
difference of its actions, with precision t and ``a = shift - t mean``, such that leaving the site
out and putting the outcomes in keeps mean and variance of the difference. At the fixed point::

    log Z = sum(log Z_k + log(1 + t v)/2 + v a^2/2) - a'delta/2 - log det(I + K W)/2

with v the variance of the difference without the site, delta how much the effects make of it, and
W the Laplacian of the sites' precisions. log Z stands still when sites move, so that with g the
slopes by the actions' values and ``M = W - W Sigma W``::

    d log Z/dy = g,   d log Z/dK = (g g' - M) / 2

Laplace's method has tau 0.4 standard errors too high where effects are as large as margins and
comparisons are few; this has it right to a few hundredths.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve
from scipy.linalg.blas import dsymv

from welfarist.base.validation import FloatArray
from welfarist.losses.estimated.laplace import curvature_of
from welfarist.losses.estimated.roots import Root, whole_of
from welfarist.losses.estimated.tilted import Outcomes
from welfarist.losses.graph import ComparisonGraph

# Sites stand still when none moves its difference by this many of its standard deviations, or by
# this share of what the first sweep did, as long as that is little too: log Z is off by the square.
SETTLED, _SHARE, _LITTLE = 1e-6, 1e-3, 1e-4
_SWEEPS = 60
# A guess that is off by more than this is none; what is so far off in the end has no value.
_STRANGE, _NONSENSE = 3.0, 0.3
# Steps to the likeliest effects, the promise at which they end and how short they may be.
_NEWTON, _NEAR, _SHORTEST_STRIDE = 60, 1e-10, 1e-9
# Farther off than this nothing is known of the tilted densities.
_FAR = 0.1
# How many sweeps the next one learns from, and how short a damped sweep may be.
_REMEMBERED, _SHORTEST = 4, 0.05
# Where decisions say less than this of an action beside its error, nothing is taken apart.
_SMALL = 1e-6


@dataclass(frozen=True, eq=False)
class Sites:
    """Gaussian factors in the differences of pairs.

    Attributes
    ----------
    precision, shift : (n,) arrays
        Of ``exp(shift z - precision z^2/2)``.
    tau : float
        At which they were found.
    """

    precision: FloatArray
    shift: FloatArray
    tau: float

    @classmethod
    def likeliest(cls, ends: Ends, values: FloatArray, root: Root, tau: float) -> Sites:
        """Return those of Laplace's method: from the curvature where effects are likeliest."""
        graph, half = ends.graph, 0.5 * tau
        count, lead = graph.pairs.count, graph.pairs.lead
        white = np.zeros(root.rank)

        def seen(white: FloatArray) -> tuple[FloatArray, float]:
            margins = half * graph.differences(values + root.of_white(white))
            size = np.abs(margins)
            chance = count @ (size + np.log1p(np.exp(-2.0 * size))) - lead @ margins
            return margins, float(chance) + 0.5 * float(white @ white)

        margins, value = seen(white)
        for _ in range(_NEWTON):
            rise = np.tanh(margins)
            bent = half * half * count * (1.0 - rise * rise)
            slope = half * (lead - count * rise)
            gradient = white - root.to_white(graph.scatter(slope))
            inside = root.inside(ends.laplacian(bent))
            step = cho_solve((inside, True), gradient, check_finite=False)
            promised = 0.5 * float(step @ gradient)
            if promised <= _NEAR * (1.0 + abs(value)):
                break
            stride = 1.0
            while stride > _SHORTEST_STRIDE:
                tried = white - stride * step
                there, reached = seen(tried)
                if reached <= value:
                    break
                stride *= 0.5
            else:
                break
            white, margins, value = tried, there, reached
        return cls(bent, slope + bent * margins / half, tau)

    def at(self, tau: float) -> Sites:
        """Return a guess at another tau: the same, in its unit."""
        times = (tau / self.tau) ** 2
        return Sites(self.precision * times, self.shift * times, tau)


class Ends:
    """Where pairs of actions stand in a matrix (N, N) of which columns are next to each other."""

    def __init__(self, graph: ComparisonGraph) -> None:
        first = graph.pairs.first.astype(np.intp)
        second = graph.pairs.second.astype(np.intp)
        self.graph, self.size = graph, graph.actions
        self.outcomes = Outcomes(graph.pairs.count, graph.pairs.lead)
        self._first, self._second = first, second
        self._lower = second + first * self.size  # first < second
        self._upper = first + second * self.size

    def laplacian(self, weights: FloatArray) -> FloatArray:
        """Return the Laplacian (N, N) of weights (n,) of the pairs."""
        size = self.size
        found = np.zeros(size * size)
        found[self._lower] = -weights
        found[self._upper] = -weights
        own = np.bincount(self._first, weights, minlength=size)
        own += np.bincount(self._second, weights, minlength=size)
        found[:: size + 1] = own
        return found.reshape(size, size)

    def variances(self, covariance: FloatArray) -> FloatArray:
        """Return the variances (n,) of differences; only the lower triangle is looked at."""
        own = covariance.diagonal()
        flat = covariance.reshape(-1, order="A") if covariance.flags.f_contiguous else None
        across = covariance[self._second, self._first] if flat is None else flat[self._lower]
        found = own[self._first] + own[self._second] - 2.0 * across
        return np.asarray(np.maximum(found, 0.0))


@dataclass(frozen=True, eq=False)
class Propagated:
    """The negative log likelihood of comparisons, their actions' effects integrated out.

    Attributes
    ----------
    value : float
    effects : (N,) array
        Their means, given the decisions.
    values : (N,) array
        Those of actions, without effects.
    root : Root
    inside : (r, r) array
        The factor of I + S' W S.
    lower : (N, N) array
        The covariance of effects given the decisions, in its lower triangle.
    curved : (N, N) array
        W.
    slope : (N,) array
        Derivatives of the value by the values.
    by_log_tau : float
    sites : Sites
    settled : bool
    """

    value: float
    effects: FloatArray
    values: FloatArray
    root: Root
    inside: FloatArray
    lower: FloatArray
    curved: FloatArray
    slope: FloatArray
    by_log_tau: float
    sites: Sites
    settled: bool

    @classmethod
    def of(
        cls,
        ends: Ends,
        values: FloatArray,
        root: Root,
        extras: FloatArray,
        near: Sites | None = None,
        settled: float = SETTLED,
    ) -> Propagated:
        """Integrate effects with a covariance out; `near` is a guess of the sites."""
        tau = float(np.exp(extras[0]))
        sweep = Sweep(ends, values, root, near.at(tau)) if near is not None else None
        if sweep is None or not sweep.off <= _STRANGE:
            near, sites = None, Sites.likeliest(ends, values, root, tau)
            sweep = Sweep(ends, values, root, sites, far=True)
        if settled >= SETTLED:
            settled = min(max(settled, _SHARE * sweep.off), _LITTLE)
        sweep = sweep.until(settled)
        if sweep.off > settled and near is not None:  # a guess can lead astray
            return cls.of(ends, values, root, extras, None, settled)
        value = -sweep.log_chance if sweep.off <= _NONSENSE else np.inf
        return cls(
            value,
            sweep.effects,
            values,
            root,
            sweep.inside,
            sweep.lower,
            sweep.curved,
            -ends.graph.scatter(sweep.tilted.slope),
            -sweep.tilted.by_log_tau,
            sweep.wanted,
            sweep.off <= settled,
        )

    @cached_property
    def information(self) -> FloatArray:
        """M (N, N): what decisions say of the values."""
        root, size = self.root, len(self.values)
        if root.apart:
            variances = np.square(root.factor)
            if (self.curved.diagonal() * variances).min() > _SMALL:  # M = S^-1 (I - A^-1) S^-1
                scale = 1.0 / variances
                found = -self.lower * scale[:, None]
                found *= scale
                found[np.diag_indices(size)] += scale
                return whole_of(found)
            posterior = whole_of(self.lower)
            return np.asarray(self.curved - self.curved @ posterior @ self.curved)
        return np.asarray(self.curved - self.curved @ self.lower @ self.curved)

    @property
    def by_values(self) -> FloatArray:
        """Derivatives by the values (N,)."""
        return self.slope

    @property
    def by_covariance(self) -> FloatArray:
        """Derivatives by the covariance, of its shape."""
        slope = self.slope
        if self.root.apart:
            return np.asarray(0.5 * (self.information.diagonal() - slope * slope))
        return np.asarray(0.5 * (self.information - np.outer(slope, slope)))

    @property
    def by_extras(self) -> FloatArray:
        """The derivative by log tau (1,)."""
        return np.array([self.by_log_tau])

    def curvature(self, by_values: FloatArray, by_variances: FloatArray) -> FloatArray:
        """Return positive semidefinite curvature (q + 1, q + 1), the last by log tau."""
        return curvature_of(self.information, self.values + self.effects, by_values, by_variances)


class Sweep:
    """All sites looked at once: what they make of the effects, and what they should be.

    `far` from the fixed point nodes are put about the modes of the tilted densities, of which mean
    and variance are not yet known.
    """

    def __init__(
        self, ends: Ends, values: FloatArray, root: Root, sites: Sites, *, far: bool = False
    ) -> None:
        graph, precision = ends.graph, sites.precision
        self.sites = sites
        margins = graph.differences(values)
        self.curved = ends.laplacian(precision)
        self.inside = root.inside(self.curved)
        self.lower = root.posterior(self.inside)
        pull = graph.scatter(sites.shift - precision * margins)
        self.effects = _times(self.lower, pull, root.apart)
        moved = graph.differences(self.effects)
        mean = margins + moved
        variance = ends.variances(self.lower)
        lean = sites.shift - precision * mean
        kept = np.maximum(1.0 - precision * variance, 1e-12)  # of precision, without the site
        outside = variance / kept
        before, spread = mean - outside * lean, np.sqrt(variance)
        wide = np.sqrt(outside)
        about = ends.outcomes.modes(sites.tau, before, outside) if far else (mean, spread)
        leaning = np.divide(about[0] - before, wide, out=np.zeros_like(wide), where=wide > 0)
        if not far:
            leaning = wide * lean
        wider = np.divide(wide, about[1], out=np.ones_like(wide), where=about[1] > 0)
        self.tilted = tilted = ends.outcomes.tilted(sites.tau, about, leaning, wider)
        narrower = np.maximum(1.0 + outside * tilted.bend, 1e-12)
        wanted = np.maximum(-tilted.bend / narrower, 0.0)
        shift = (tilted.slope - tilted.bend * before) / narrower
        self.wanted = Sites(wanted, shift, sites.tau)
        self.off = float(
            max(
                np.abs((wanted - precision) * variance).max(),
                np.abs((tilted.slope - lean) * spread).max(),
            )
        )
        self._about = ends, values, root
        whole = tilted.log_chance - 0.5 * np.log(kept) + 0.5 * outside * lean * lean
        self.log_chance = float(
            whole.sum() - 0.5 * (lean @ moved) - np.log(self.inside.diagonal()).sum()
        )

    def until(self, settled: float) -> Sweep:
        """Return the sweep after which sites stand still, or the best there was."""
        path, best, here = Path(), self, self
        for _ in range(_SWEEPS):
            if best.off <= settled:
                break
            path.note(here.sites, here.wanted, damped=not here.off <= best.off)
            here = Sweep(*self._about, path.ahead(here.sites.tau), far=not here.off <= _FAR)
            if here.off <= best.off:
                best = here
        return best


def _times(lower: FloatArray, vector: FloatArray, apart: bool) -> FloatArray:
    """A symmetric matrix (N, N) times a vector; `apart`: it is in the lower triangle alone."""
    if not apart:
        return np.asarray(lower @ vector)
    return np.asarray(dsymv(1.0, lower, vector, lower=1))


class Path:
    """Sites sweep after sweep, and where they seem to lead (Anderson's extrapolation)."""

    def __init__(self) -> None:
        self._here: list[FloatArray] = []
        self._gone: list[FloatArray] = []
        self._stride = 1.0

    def note(self, sites: Sites, wanted: Sites, *, damped: bool) -> None:
        """Add sites, and what a sweep makes of them."""
        here = np.concatenate([sites.precision, sites.shift])
        there = np.concatenate([wanted.precision, wanted.shift])
        if damped:  # farther off than before: forget what led there, and take shorter steps
            self._here, self._gone = self._here[:0], self._gone[:0]
            self._stride = max(0.5 * self._stride, _SHORTEST)
        self._here = [*self._here[-_REMEMBERED:], here]
        self._gone = [*self._gone[-_REMEMBERED:], there - here]

    def ahead(self, tau: float) -> Sites:
        """Return the sites to look at next."""
        found = self._here[-1] + self._stride * self._gone[-1]
        if len(self._here) > 1:
            places, steps = np.diff(self._here, axis=0), np.diff(self._gone, axis=0)
            scale = np.linalg.norm(steps, axis=1)
            within = steps @ steps.T
            within[np.diag_indices(len(within))] += 1e-10 * scale * scale
            share = np.linalg.solve(within, steps @ self._gone[-1])
            found = found - share @ (places + self._stride * steps)
        size = len(found) // 2
        precision: npt.NDArray[np.float64] = np.maximum(found[:size], 0.0)
        return Sites(precision, np.asarray(found[size:]), tau)
