"""Values of actions and their derivatives, as every family gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class Welfare:
    """Values of N actions and their derivatives, people by actions.

    Attributes
    ----------
    value : (N,) array
        In the family of power means log M.
    by_weight : (d, N) array
        Derivative with respect to each weight, up to a constant along the all-ones direction; in
        the family of power means chosen so that the weighted sum over people is 0.
    by_power : (N,) array
        Derivative with respect to the family's shape; that by the power is never negative
        [PSPS24, Lemma 2.1].
    by_own : (m, N) array or None
        Derivative with respect to the coordinate of each further parameter of the family, if it
        has any.
    """

    value: FloatArray
    by_weight: FloatArray
    by_power: FloatArray
    by_own: FloatArray | None = None

    def along(self, numbers: FloatArray) -> FloatArray:
        """Return the product (d,) of the derivatives by weight with one number an action (N,)."""
        return np.asarray(self.by_weight @ numbers)

    def part(self, actions: slice) -> Welfare:
        """Return the same of some actions in a row, without further parameters of the family."""
        return Welfare(self.value[actions], self.by_weight[:, actions], self.by_power[actions])
