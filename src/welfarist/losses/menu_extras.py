"""What is learned from choices beside the rule: temperatures, slips, sizes and none of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from welfarist.base.parameters import IDENTITY, LOG, Parameter
from welfarist.base.validation import FloatArray
from welfarist.noise.base import SMALLEST_TAU, TAU, ChoiceNoise
from welfarist.noise.choices import RHO

# A size effect is searched between minus this and this: a head more would count like e^20.
_LARGEST_EFFECT = 20.0
# Logarithms of the smallest and the largest number: the welfare of none of these must be one.
_ENDS = float(np.log(5e-324)), float(np.log(np.finfo(np.float64).max))

SIZE_EFFECT = Parameter(
    "gamma", "size effect gamma", -_LARGEST_EFFECT, _LARGEST_EFFECT, IDENTITY, 0.1, 1e-6, 1.0
)
OUTSIDE = Parameter("outside", "welfare of none of these", 0.0, np.inf, LOG, 0.1, 1e-6, 1.0)


def tau_of_stage(stage: int) -> Parameter:
    """The temperature of a later choice, where each stage has its own."""
    return replace(
        TAU, name=f"tau of choice {stage + 1}", words=f"temperature of choice {stage + 1}"
    )


@dataclass(frozen=True)
class Extras:
    """What is learned from choices beside the rule, and where it is in the row of numbers.

    Attributes
    ----------
    noise : ChoiceNoise
        Logistic, or with lapses.
    stages : int
        How many temperatures there are.
    sizes : (N,) array or None
        Logarithms of how many people each action affects, where that counts for itself.
    outside : (float, float) or None
        Between which logarithms the welfare of none of these is searched, if it can be chosen.
    shift : float
        What was taken out of the values of actions.
    """

    noise: ChoiceNoise
    stages: int = 1
    sizes: FloatArray | None = None
    outside: tuple[float, float] | None = None
    shift: float = 0.0

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The first temperature, the noise model's own, other temperatures, what actions have."""
        later = [tau_of_stage(stage) for stage in range(1, self.stages)]
        actions = [SIZE_EFFECT] if self.sizes is not None else []
        actions += [OUTSIDE] if self.outside is not None else []
        return (*self.noise.parameters, *later, *actions)

    @property
    def rho(self) -> int | None:
        """The place of rho, if it is learned."""
        return 1 if RHO in self.noise.own else None

    @cached_property
    def taus(self) -> list[int]:
        """The places of the temperatures."""
        first = len(self.noise.parameters)
        return [0, *range(first, first + self.stages - 1)]

    @cached_property
    def of_actions(self) -> list[int]:
        """The places of what is added to the values of actions."""
        first = len(self.noise.parameters) + self.stages - 1
        return list(range(first, len(self.parameters)))

    def order(self, q: int) -> list[int]:
        """Where each of q moves of the rule and of the parameters is in the order of derivatives.

        These go by rows of values, those of the rule and then those of actions, by temperatures
        and by rho.
        """
        a = q + len(self.of_actions)
        place = dict(zip(self.taus, range(a, a + len(self.taus)), strict=True))
        place.update(zip(self.of_actions, range(q, a), strict=True))
        if self.rho is not None:
            place[self.rho] = a + len(self.taus)
        return [*range(q), *(place[i] for i in range(len(self.parameters)))]

    def bounds(self, tau_max: float) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values that are searched."""
        lower, upper = (list(ends) for ends in self.noise.bounds(tau_max))
        lower += [np.log(SMALLEST_TAU)] * (self.stages - 1)
        upper += [np.log(tau_max)] * (self.stages - 1)
        if self.sizes is not None:
            lower, upper = [*lower, -_LARGEST_EFFECT], [*upper, _LARGEST_EFFECT]
        if self.outside is not None:
            ends = np.clip(self.outside, *_ENDS).tolist()
            lower, upper = [*lower, ends[0]], [*upper, ends[1]]
        return np.array(lower), np.array(upper)

    def values(self, values: FloatArray, extras: FloatArray) -> FloatArray:
        """Values of the actions (N,), or with none of these (N + 1,), as choices see them."""
        found = values
        places = iter(self.of_actions)
        if self.sizes is not None:
            found = found + extras[next(places)] * self.sizes
        if self.outside is not None:
            found = np.append(found, extras[next(places)] - self.shift)
        return found

    def many_values(self, values: FloatArray, extras: FloatArray) -> FloatArray:
        """The same for the values (B, N) and parameters (B, m) of many rules."""
        found = values
        places = iter(self.of_actions)
        if self.sizes is not None:
            found = found + extras[:, next(places), None] * self.sizes
        if self.outside is not None:
            found = np.column_stack([found, extras[:, next(places)] - self.shift])
        return found

    def rows(self, rows: FloatArray) -> FloatArray:
        """Derivatives of those values: by the rule (q, N), then by what is added to them."""
        if not self.of_actions:
            return rows
        q, actions = rows.shape
        wide = actions + (self.outside is not None)
        found = np.zeros((q + len(self.of_actions), wide))
        found[:q, :actions] = rows
        if self.sizes is not None:
            found[q, :actions] = self.sizes
        if self.outside is not None:
            found[-1, actions] = 1.0
        return found

    def take(self, actions: npt.NDArray[np.intp]) -> Extras:
        """Return the same for some of the actions."""
        return self if self.sizes is None else replace(self, sizes=self.sizes[actions])
