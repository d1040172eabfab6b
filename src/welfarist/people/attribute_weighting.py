"""Weights that follow from people's attributes: ``w_i ~ n_i exp(theta . x_i)``.

Nothing of that is on a simplex: theta may be any number, and everybody counts. It is learned like
the parameters of a noise model, in coordinates of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from welfarist.base.parameters import Parameter, in_units_of
from welfarist.base.validation import FloatArray
from welfarist.people.weighting import Weighting

# How far theta is searched, times half the range of its attribute: weights differ by e^100 there.
FARTHEST = 50.0
# e^-660 is 1e-287: positive, and its inverse is a number.
_LOWEST_LOG_WEIGHT = -660.0


def theta_name(attribute: str) -> str:
    """What the coefficient of an attribute is called.

    Examples
    --------
    >>> theta_name("age")
    'theta[age]'
    """
    return f"theta[{attribute}]"


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class AttributeWeighting(Weighting):
    """How coefficients of attributes become one weight per person.

    Domain: q attributes of d people, none constant, none a combination of the others.

    Formula: ``w_i ~ n_i exp(theta . x_i)``. A solver steps in ``t = theta r``, r half the range
    of the attribute, with ``z = (x - middle) / r`` in [-1, 1]: the same weights, whatever the unit.

    Derivatives: with D = z - E_w z, ``dw/dt = w D`` and, for derivatives v by weight,
    ``sum_i v_i d2w_i/dt dt' = sum_i w_i (v_i - E_w v) D_i D_i'``.

    Attributes
    ----------
    attributes : tuple of str
        Their names.
    table : (q, d) array
        What they are for each person, in units of their own.
    heads : (d,) array
        How many people stand behind each, or in what proportion; positive.
    limits : pair of (q,) arrays or None
        Where t is searched, if not as far as makes any difference.
    """

    attributes: tuple[str, ...] = ()
    table: FloatArray = field(default_factory=lambda: np.empty((0, 0)), repr=False)
    heads: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    limits: tuple[FloatArray, FloatArray] | None = field(default=None, repr=False)

    @property
    def free(self) -> int:
        """No number is on a simplex."""
        return 0

    @cached_property
    def units(self) -> FloatArray:
        """Half the range of each attribute (q,), by which theta is multiplied to be t."""
        return np.asarray(np.ptp(self.table, axis=1) / 2.0)

    @cached_property
    def scaled(self) -> FloatArray:
        """The attributes (q, d), from -1 to 1 each."""
        middle = (self.table.max(axis=1) + self.table.min(axis=1)) / 2.0
        return np.asarray((self.table - middle[:, None]) / self.units[:, None])

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """One theta for each attribute, in units of the attribute."""
        return tuple(
            Parameter(theta_name(name), theta_name(name), coordinate=in_units_of(1.0 / unit))
            for name, unit in zip(self.attributes, self.units.tolist(), strict=True)
        )

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where t is searched, (q,) each."""
        if self.limits is not None:
            return self.limits
        farthest = np.full(len(self.attributes), FARTHEST)
        return -farthest, farthest

    def within(self, limits: tuple[FloatArray, FloatArray]) -> AttributeWeighting:
        """Return the same with other bounds (q,), (q,) of t."""
        return replace(self, limits=limits)

    def start(self) -> FloatArray:
        """Nothing: no number is on a simplex."""
        return np.empty(0)

    def to_people(self, free: FloatArray) -> FloatArray:  # noqa: ARG002 - there are none
        """Weights per person (d,) where attributes say nothing: everybody's head counts one."""
        return np.asarray(self.heads / self.heads.sum())

    def weights_at(self, free: FloatArray, slopes: FloatArray) -> FloatArray:
        """Weights per person (d,) at t (q,)."""
        if not slopes.any():  # the plain rule to the last digit
            return self.to_people(free)
        exponents = np.log(self.heads) + slopes @ self.scaled
        weights = np.exp(np.maximum(exponents - exponents.max(), _LOWEST_LOG_WEIGHT))
        return np.asarray(weights / weights.sum())

    def gather(self, weights: FloatArray) -> FloatArray:  # noqa: ARG002 - there are none
        """Nothing: no number is on a simplex."""
        return np.empty(0)

    def pull_back(self, by_weight: FloatArray) -> FloatArray:
        """Nothing (0, N): no number is on a simplex."""
        return np.empty((0, by_weight.shape[1]))

    def slopes_of(self, weights: FloatArray) -> FloatArray:
        """Return t (q,) at which weights (d,) are these, or as nearly as can be; 0 if they are n.

        By least squares in the logarithm of weights per head.
        """
        logs = np.log(np.maximum(weights, np.exp(_LOWEST_LOG_WEIGHT)) / self.heads)
        if np.ptp(logs) <= 1e-14 * (1.0 + np.abs(logs).max()):
            return np.zeros(len(self.attributes))
        centred = self.scaled - self.scaled.mean(axis=1, keepdims=True)
        found = np.linalg.lstsq(centred.T, logs - logs.mean(), rcond=None)[0]
        return np.asarray(np.clip(found, *self.bounds))

    def moved_by(self, weights: FloatArray) -> FloatArray:
        """Derivatives (q, d) of weights (d,) by t, at these weights."""
        return np.asarray(weights * self._centred(weights))

    def bent_by(self, weights: FloatArray, by_weight: FloatArray) -> FloatArray:
        """Sum over people of derivatives by weight (d,) times second derivatives by t (q, q)."""
        centred = self._centred(weights)
        return np.asarray((centred * (weights * (by_weight - weights @ by_weight))) @ centred.T)

    def _centred(self, weights: FloatArray) -> FloatArray:
        return np.asarray(self.scaled - (self.scaled @ weights)[:, None])

    def theta(self, slopes: FloatArray) -> dict[str, float]:
        """Return theta by attribute, from t (q,) with whatever follows it."""
        pairs = zip(self.parameters, slopes.tolist(), strict=False)
        values = [parameter.coordinate.back(value) for parameter, value in pairs]
        return dict(zip(self.attributes, values, strict=True))

    def holding(self, theta: Mapping[int, float]) -> Weighting:
        """Return what is left to learn where some thetas, by their place, have given values."""
        exponents = np.zeros(self.people)
        for place, value in theta.items():
            exponents += value * self.units[place] * self.scaled[place]
        heads = self.heads * np.exp(exponents - exponents.max())
        kept = [i for i in range(len(self.attributes)) if i not in theta]
        if not kept:
            return Weighting(self.people, fixed=heads / heads.sum())
        names = tuple(self.attributes[i] for i in kept)
        limits = None if self.limits is None else tuple(bound[kept] for bound in self.limits)
        return replace(self, attributes=names, table=self.table[kept], heads=heads, limits=limits)  # type: ignore[arg-type]
