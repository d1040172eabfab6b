"""Gaussian effects of actions that nobody observed, integrated out by Laplace's method.

Decisions have the negative log likelihood f(m) at values m = y + eta, where eta is normal with
covariance K over actions. To second order about the mode::

    Phi = f(y + eta) + eta' K^-1 eta / 2 + log det(I + K W) / 2,    W = f''(y + eta)

So menus of three and more are: comparisons are done better (:mod:`.propagated`).

With Sigma = (K^-1 + W)^-1, g = f', h the derivative of ``tr(Sigma W)/2`` by m and
``e = (I - W Sigma) h``, what implicit differentiation of the mode gives is::

    dPhi/dy = g + e
    dPhi/dK = (W - W Sigma W - g g' - e g' - g e') / 2

Nothing is divided by K, so that errors may be 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg import cho_solve

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.losses.estimated.roots import Root, whole_of

# The mode is found when a step promises less than this share of the log likelihood (the
# determinant is off by the root of it); once it promises less than the other, it is taken whatever
# rounding says of the decrease, as long as the next one promises less.
_FOUND, _CLOSE = 1e-24, 1e-9
_STEPS, _HALVINGS = 100, 30
# The most actions whose effects are integrated out together.
MOST_ACTIONS = 4_000


class Outcomes(Protocol):
    """Decisions at values of the actions: derivatives of their negative log likelihood.

    Attributes
    ----------
    value : float
    """

    value: float

    @property
    def slope(self) -> FloatArray:
        """Derivatives by the values (N,)."""
        ...

    @property
    def curvature(self) -> FloatArray:
        """Second derivatives by the values (N, N), positive semidefinite."""
        ...

    def curved(self, matrix: FloatArray) -> FloatArray:
        """Return the second derivatives times a matrix (N, r)."""
        ...

    @property
    def by_extras(self) -> FloatArray:
        """Derivatives by the noise model's parameters (k,)."""
        ...

    @property
    def cross(self) -> FloatArray:
        """Derivatives of the slope by the noise model's parameters (k, N)."""
        ...

    def tilt(self, covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return derivatives of half the trace of covariance times curvature: (N,), (k,)."""
        ...


class Decided(Protocol):
    """Decisions, as functions of values of the actions."""

    @property
    def actions(self) -> int:
        """How many actions there are."""
        ...

    def at(self, values: FloatArray, extras: FloatArray) -> Outcomes:
        """Return the decisions at values (N,)."""
        ...


def check_actions(actions: int) -> None:
    """Refuse more actions than can be integrated over together."""
    if actions > MOST_ACTIONS:
        raise InputError(
            f"utilities with errors are for at most {MOST_ACTIONS:,} actions that were decided "
            f"about; found {actions:,}. Fit a share of the decisions, or pass the table without "
            "errors."
        )


def curvature_of(
    information: FloatArray,
    values: FloatArray,
    by_values: FloatArray,
    by_variances: FloatArray,
) -> FloatArray:
    """Return positive semidefinite curvature (q + 1, q + 1) by parameters, the last log tau.

    That of a normal likelihood with the same `information` (N, N) about values (N,), of which
    derivatives by parameters are known, and those of variances, (q, N) each. What log tau moves are
    all `values` alike, effects included; what it does to the determinant is left out.
    """
    rows = np.vstack([by_values, values - values.mean()])
    found = rows @ information @ rows.T
    q = len(by_values)
    found[:q, :q] += 0.5 * by_variances @ np.square(information) @ by_variances.T
    return np.asarray(found)


@dataclass(frozen=True, eq=False)
class Integrated:
    """The negative log likelihood of decisions, their actions' effects integrated out.

    Attributes
    ----------
    value : float
    effects : (N,) array
        The likeliest ones.
    values : (N,) array
        y, without them.
    root : Root
    inside : (r, r) array
        The factor of I + S' W S.
    outcomes : Outcomes
        At the mode.
    white : (r,) array
        The likeliest effects, without what they have in common.
    """

    value: float
    effects: FloatArray
    values: FloatArray
    root: Root
    inside: FloatArray
    outcomes: Outcomes
    white: FloatArray

    @classmethod
    def of(
        cls,
        decided: Decided,
        values: FloatArray,
        root: Root,
        extras: FloatArray,
        near: FloatArray | None = None,
    ) -> Integrated:
        """Integrate effects with a covariance out; `near` is a guess of the white ones (r,)."""
        white = np.zeros(root.rank) if near is None else near
        here = decided.at(values + root.of_white(white), extras)
        size, last = here.value + 0.5 * float(white @ white), np.inf
        for _ in range(_STEPS):
            inside = root.inside(here.curvature)
            slope = root.to_white(here.slope) + white
            step = cho_solve((inside, True), slope, check_finite=False)
            promised = 0.5 * float(step @ slope)
            close = promised <= _CLOSE * (1.0 + abs(size))
            if promised <= _FOUND * (1.0 + abs(size)) or (close and promised >= last):
                break
            last = promised
            stride = 1.0
            for _ in range(_HALVINGS):
                tried = white - stride * step
                there = decided.at(values + root.of_white(tried), extras)
                reached = there.value + 0.5 * float(tried @ tried)
                if close or reached <= size:
                    break
                stride *= 0.5
            else:  # rounding hides any further decrease
                break
            white, here, size = tried, there, reached
        value = size + float(np.log(inside.diagonal()).sum())
        return cls(value, root.of_white(white), values, root, inside, here, white)

    @cached_property
    def posterior(self) -> FloatArray:
        """Covariance of the effects given the decisions (N, N)."""
        found = self.root.posterior(self.inside)
        return whole_of(found) if self.root.apart else found

    @cached_property
    def _explained(self) -> FloatArray:
        """W Sigma (N, N)."""
        return self.outcomes.curved(self.posterior)

    @cached_property
    def information(self) -> FloatArray:
        """W - W Sigma W (N, N): what decisions say of y."""
        found = self.outcomes.curvature - self.outcomes.curved(self._explained.T)
        return np.asarray(0.5 * (found + found.T))

    @cached_property
    def _tilted(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """h, e and the derivatives of the trace by the noise model's parameters."""
        by_value, by_extras = self.outcomes.tilt(self.posterior)
        return by_value, by_value - self._explained @ by_value, by_extras

    @property
    def by_values(self) -> FloatArray:
        """Derivatives by y (N,)."""
        return np.asarray(self.outcomes.slope + self._tilted[1])

    @property
    def by_covariance(self) -> FloatArray:
        """Derivatives by the covariance, of its shape."""
        slope, moved = self.outcomes.slope, self._tilted[1]
        if self.root.apart:
            own = self.information.diagonal()
            return np.asarray(0.5 * (own - slope * slope) - moved * slope)
        cross = np.outer(moved, slope)
        return 0.5 * (self.information - np.outer(slope, slope) - cross - cross.T)

    def curvature(self, by_values: FloatArray, by_variances: FloatArray) -> FloatArray:
        """Return positive semidefinite curvature (q + 1, q + 1), the last by log tau.

        Of derivatives of y and of variances by parameters, (q, N) each.
        """
        return curvature_of(self.information, self.values + self.effects, by_values, by_variances)

    @property
    def by_extras(self) -> FloatArray:
        """Derivatives by the noise model's parameters (k,)."""
        by_value, _, by_extras = self._tilted
        through_mode = self.outcomes.cross @ (self.posterior @ by_value)
        return np.asarray(self.outcomes.by_extras + by_extras - through_mode)
