"""What people have, as a family sees it: one row per person, one column per action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.curvature import contracted_curvature
from welfarist.families.power_mean.derivatives import Ends, log_mean_of_logs
from welfarist.families.power_mean.many_means import log_means
from welfarist.families.welfare import Welfare

_LARGEST_EXPONENT = 690.0  # e^690 is near the largest double
# Numbers of a table from which it is worked through in parts, and of each part: all that is made of
# one then stays in a core's level-2 cache.
_WIDE, _PART = 2**17, 2**16
# Of tables up to this size what all means begin with is kept.
_SMALL = 2**15
# Numbers of a table of which derivatives by weight are not kept but worked out part by part.
_VAST = 2**26
# People from which a part holds so many actions: fewer of them would be scattered in memory.
_LEAST_ACTIONS = 64


class People(Protocol):
    """What a family may ask of the people, whether all are in memory or only sums over them."""

    @property
    def shift(self) -> float:
        """What was taken out of all columns."""
        ...

    @property
    def has_zeros(self) -> bool:
        """Whether somebody has nothing in some action."""
        ...

    @property
    def actions(self) -> int:
        """How many actions there are."""
        ...

    @property
    def size(self) -> int:
        """How many numbers one evaluation reads."""
        ...

    @property
    def largest_power(self) -> float:
        """The largest |p| of a power mean that is worth a search."""
        ...

    @property
    def table(self) -> FloatArray | None:
        """The columns (d, N) themselves, if all people are in memory."""
        ...

    def log_mean(self, weights: FloatArray, p: float) -> Welfare:
        """Return the log power mean of the columns' exponentials, with derivatives."""
        ...

    def log_mean_bending(
        self, weights: FloatArray, p: float, mean: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return its second derivatives that involve p, summed over actions with `pull` (N,)."""
        ...

    def take(self, actions: npt.NDArray[np.intp]) -> Self:
        """Return some of the actions, on the same unit."""
        ...


@runtime_checkable
class GlancedPeople(People, Protocol):
    """People of whom many rules can be judged at once, roughly: what a wide search asks of them."""

    @property
    def spread(self) -> float:
        """The standard deviation of the columns, by which powers are measured; never 0."""
        ...

    @property
    def looked_at(self) -> int:
        """How many numbers each of many rules with the same power reads."""
        ...

    def logs_at(self, p: float) -> FloatArray:
        """Return the columns (d, N) as rules with this power see them."""
        ...

    def log_means(self, log_weights: FloatArray, powers: FloatArray) -> FloatArray:
        """Return roughly the log power means (B, N) of B rules, from log weights (B, d)."""
        ...


@dataclass(frozen=True)
class Columns:
    """People who are all in memory.

    Attributes
    ----------
    logs : (d, N) array
        What each person has in each action; for a power mean log utilities less `shift`, -inf
        where somebody has nothing.
    shift : float
        What was taken out of all of them: for a power mean the mean log utility, which makes every
        fit independent of the unit of utility.
    has_zeros : bool
        Whether some entry is -inf.
    """

    logs: FloatArray
    shift: float = 0.0
    has_zeros: bool = False

    @classmethod
    def of_logs(cls, logs: FloatArray) -> Columns:
        """Take over logarithms (d, N), less their mean."""
        has_zeros = bool(np.isneginf(logs.min()))
        finite = logs[np.isfinite(logs)] if has_zeros else logs
        shift = float(finite.mean()) if finite.size else 0.0
        logs -= shift
        return cls(logs, shift, has_zeros)

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return int(self.logs.shape[1])

    @property
    def size(self) -> int:
        """How many numbers one evaluation reads."""
        return int(self.logs.size)

    @property
    def table(self) -> FloatArray:
        """The columns (d, N) themselves."""
        return self.logs

    @cached_property
    def largest_power(self) -> float:
        """The largest size of p worth a search: beyond it the limits themselves are compared.

        There a power mean is its extreme to within 1% where log utilities span 7, as from 1 to
        1000; where they span less, larger powers are needed for the same.
        """
        finite = self.logs[np.isfinite(self.logs)] if self.has_zeros else self.logs
        span = float(finite.max() - finite.min()) if finite.size else 0.0
        return min(max(_LARGEST_EXPONENT / max(span, 1e-12), 100.0), 1e5)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the columns, by which powers are measured; never 0."""
        finite = self.logs[np.isfinite(self.logs)] if self.has_zeros else self.logs
        return max(float(finite.std()) if finite.size else 0.0, 1e-6)

    def log_mean(self, weights: FloatArray, p: float) -> Welfare:
        """Return the log power mean of the columns' exponentials, with derivatives."""
        if self.logs.size < _WIDE or weights.ndim > 1:
            return log_mean_of_logs(self.logs, weights, p, self.has_zeros, self._ends)
        value, by_power = np.empty(self.actions), np.empty(self.actions)
        vast = self.logs.size >= _VAST
        found = Welfare(value, np.empty((0, 0)) if vast else np.empty_like(self.logs), by_power)
        for part in self.parts():
            here = self.log_mean_of_part(part, weights, p)
            value[part], by_power[part] = here.value, here.by_power
            if not vast:
                found.by_weight[:, part] = here.by_weight
        return WelfareInParts(self, weights, p, value, by_power) if vast else found

    def parts(self) -> Iterator[slice]:
        """Yield the actions in runs of which all that is made stays in a core's caches."""
        step = max(
            _PART // len(self.logs), min(_LEAST_ACTIONS, len(self.logs) // _LEAST_ACTIONS), 1
        )
        for start in range(0, self.actions, step):
            yield slice(start, min(start + step, self.actions))

    def log_mean_of_part(self, part: slice, weights: FloatArray, p: float) -> Welfare:
        """Return the same of some actions in a row, by weights (d,) that all share."""
        return log_mean_of_logs(self.logs[:, part], weights, p, self.has_zeros)

    def __getstate__(self) -> dict[str, Any]:
        return {name: kept for name, kept in vars(self).items() if name != "_ends"}

    @cached_property
    def _ends(self) -> Ends | None:
        """The smallest and largest logarithm of each action; None of tables with zeros."""
        return None if self.has_zeros or self.size > _SMALL else Ends.of(self.logs)

    def log_mean_bending(
        self, weights: FloatArray, p: float, mean: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return its second derivatives that involve p, summed over actions with `pull` (N,)."""
        if self.logs.size < _WIDE or weights.ndim > 1:
            return contracted_curvature(self.logs, weights, p, mean, pull, self.has_zeros)
        cross, twice = np.zeros(len(self.logs)), 0.0
        for part in self.parts():
            here, logs = mean.part(part), self.logs[:, part]
            found = contracted_curvature(logs, weights, p, here, pull[part], self.has_zeros)
            cross += found[0]
            twice += found[1]
        return cross, twice

    @property
    def looked_at(self) -> int:
        """How many numbers each of many rules reads."""
        return self.size

    def logs_at(self, p: float) -> FloatArray:
        """Return the columns (d, N): they are the same at every power."""
        del p
        return self.logs

    def log_means(self, log_weights: FloatArray, powers: FloatArray) -> FloatArray:
        """Return roughly the log power means (B, N) of B rules, from log weights (B, d)."""
        return log_means(self.logs, log_weights, powers)

    def weights_in_each(self, weights: FloatArray) -> FloatArray:
        """Return the weights (d,): they are the same in every action."""
        return weights

    def take(self, actions: npt.NDArray[Any]) -> Columns:
        """Return some of the actions, on the same unit."""
        return Columns(np.ascontiguousarray(self.logs[:, actions]), self.shift, self.has_zeros)


class WelfareInParts(Welfare):
    """Values of very many numbers, whose derivatives by weight are worked out where they are asked.

    They would take as much memory as the table, of which there may be no room for another.
    """

    __slots__ = ("_columns", "_p", "_weights")

    def __init__(
        self,
        columns: Columns,
        weights: FloatArray,
        p: float,
        value: FloatArray,
        by_power: FloatArray,
    ) -> None:
        self._columns, self._weights, self._p = columns, weights, p
        self.value, self.by_power, self.by_own = value, by_power, None

    @property
    def by_weight(self) -> FloatArray:  # type: ignore[override]
        """The derivatives (d, N) by weight, anew each time."""
        whole = np.empty_like(self._columns.logs)
        for part in self._columns.parts():
            whole[:, part] = self.part(part).by_weight
        return whole

    def along(self, numbers: FloatArray) -> FloatArray:
        """Return the product (d,) of the derivatives by weight with one number an action (N,)."""
        found = np.zeros(len(self._columns.logs))
        for part in self._columns.parts():
            found += self.part(part).by_weight @ numbers[part]
        return found

    def part(self, actions: slice) -> Welfare:
        """Return the same of some actions in a row."""
        return self._columns.log_mean_of_part(actions, self._weights, self._p)
