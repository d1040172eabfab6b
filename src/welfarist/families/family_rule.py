"""A rule of any family: weights and a shape, ready to judge actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import order_by_name, split_names
from welfarist.base.errors import InputError
from welfarist.base.validation import (
    FloatArray,
    as_numbers,
    as_shift,
    as_weights,
    check_names,
    normalised,
    utilities_error,
)
from welfarist.families.columns import Columns, People
from welfarist.families.levels import Level
from welfarist.families.welfare import Welfare

# Values that differ by no more than this share of their size are equal up to rounding.
_TIE = 64 * float(np.finfo(np.float64).eps)
# By which share of itself a utility is raised and lowered to see what it is worth at the margin.
_STEP = 6e-6


class JudgingFamily(Protocol):
    """What a rule needs of its family."""

    name: str
    level: Level
    is_mean: bool
    least: float
    by_place: bool

    def columns(self, utilities: FloatArray) -> Columns:
        """Return what the family sees of utilities (d, N)."""
        ...

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return the values of all actions."""
        ...

    def describe(self, p: float) -> str:
        """Return which rule a shape is, in words."""
        ...

    def numbers(self) -> dict[str, Any]:
        """Return what tells a member from others of the family with the same shape."""
        ...

    def shares(self, utilities: FloatArray, weights: FloatArray, p: float) -> FloatArray | None:
        """Return whose gains count how much in each action."""
        ...


class FamilyRule:
    """A member of a family, which judges actions by what they give to each person.

    Parameters
    ----------
    family : Family
    p : float
        The family's shape.
    weights : (d,) array-like
        Normalised to sum to 1.
    stakeholders : sequence of str, optional
        The people's names. A data frame's columns are then matched by name, in any order.
    shift : float
        A constant that is added to every utility before it is judged.
    """

    def __init__(
        self,
        family: JudgingFamily,
        p: float,
        weights: npt.ArrayLike,
        stakeholders: Sequence[str] | None = None,
        shift: float = 0.0,
    ) -> None:
        self.family = family
        self.p = float(p)
        self.weights = normalised(as_weights(weights))
        self.stakeholders = None if stakeholders is None else tuple(check_names(stakeholders))
        self.shift = as_shift(shift)

    def shifted(self, shift: float) -> FamilyRule:
        """Return the same rule with another constant that is added to every utility."""
        return FamilyRule(self.family, self.p, self.weights, self.stakeholders, shift)

    @property
    def doctrine(self) -> str:
        """The rule in words."""
        return self.family.describe(self.p)

    def value(self, utilities: npt.ArrayLike) -> Any:
        """Return what choices depend on differences of, (..., d) -> (...)."""
        table = self._matched(utilities)
        rows = np.array(table.reshape(-1, table.shape[-1]).T, order="C")
        people = self.family.columns(rows)
        found = self.family.welfare(people, self.weights, self.p).value + people.shift
        return found.reshape(table.shape[:-1]) if table.ndim > 1 else float(found[0])

    def __call__(self, utilities: npt.ArrayLike) -> Any:
        """Return the welfare of each action, (..., d) -> (...)."""
        value = self.value(utilities)
        if not self.family.level.is_ratio:
            return value
        return np.exp(value) if np.ndim(value) else float(np.exp(value))

    def log(self, utilities: npt.ArrayLike) -> Any:
        """Return the logarithm of the welfare of each action, where it is positive."""
        value = self.value(utilities)
        return value if self.family.level.is_ratio else np.log(value)

    def equally_distributed_equivalent(self, utilities: npt.ArrayLike) -> Any:
        """Return the utility which, given to everybody, would be just as good.

        It is the welfare, less the `shift`, in families whose welfare is a mean.
        """
        if not self.family.is_mean:
            raise InputError(
                "the utility that would be just as good for everybody is known where welfare is a "
                f"mean; found a rule of {self.family.name}, where it is on a scale of its own."
            )
        return self(utilities) - self.shift if self.shift else self(utilities)

    def compare(self, u: npt.ArrayLike, v: npt.ArrayLike) -> Any:
        """Return +1 where `u` is better than `v`, -1 where it is worse, 0 where they tie."""
        one, other = np.asarray(self.value(u)), np.asarray(self.value(v))
        rounding = _TIE * np.maximum(1.0, np.maximum(np.abs(one), np.abs(other)))
        difference = one - other
        order = np.where(np.abs(difference) > rounding, np.sign(difference), 0).astype(np.int64)
        return order if order.ndim else int(order)

    def rank(self, utilities: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the numbers of the actions (N, d), best first; ties keep their order."""
        return np.argsort(-np.asarray(self.value(utilities)), kind="stable")

    def shares(self, utilities: npt.ArrayLike) -> FloatArray:
        """Return what a gain of each person is worth (..., d), as shares that sum to 1 over people.

        Gains are rises of what they have by 1%, or in families that look at differences, the same
        amount for everybody.
        """
        table = self._matched(utilities)
        flat = table.reshape(-1, table.shape[-1])
        known = self.family.shares(flat, self.weights, self.p)
        if known is not None:
            return known.reshape(table.shape)
        gains = np.empty(table.shape)
        for person in range(table.shape[-1]):
            up, down = table.copy(), table.copy()
            up[..., person] *= 1.0 + _STEP
            down[..., person] *= 1.0 - _STEP
            gains[..., person] = np.asarray(self._plain(up)) - np.asarray(self._plain(down))
        total = gains.sum(axis=-1, keepdims=True)
        return np.where(total > 0, gains / np.where(total > 0, total, 1.0), self.weights)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain numbers and texts."""
        return {
            "family": self.family.name,
            **self.family.numbers(),
            "p": self.p,
            "weights": self.weights.tolist(),
            "stakeholders": None if self.stakeholders is None else list(self.stakeholders),
            **({"shift": self.shift} if self.shift else {}),
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FamilyRule):
            return NotImplemented
        return type(self.family) is type(other.family) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.family.name, self.p, self.weights.tobytes(), self.stakeholders))

    def __repr__(self) -> str:
        short = [float(f"{w:.4g}") for w in self.weights]
        return f"FamilyRule({self.family.name}: {self.doctrine}, weights={short})"

    def _plain(self, table: FloatArray) -> Any:
        return FamilyRule(self.family, self.p, self.weights).value(table)

    def _matched(self, utilities: npt.ArrayLike) -> FloatArray:
        """Utilities (..., d), shifted, with their columns in the order of the stakeholders."""
        values, names = split_names(utilities)
        table = as_numbers(values, "utilities").astype(np.float64)
        if table.ndim == 0 or table.shape[-1] != len(self.weights):
            raise InputError(
                f"utilities must have one entry per person, {len(self.weights)} in all; found "
                f"shape {table.shape}."
            )
        seen = table + self.shift if self.shift else table
        if not (seen >= self.family.least).all() or not np.isfinite(seen).all():
            raise utilities_error(table, self.family.least - self.shift)
        if names is None or self.stakeholders is None or self.family.by_place:
            return seen
        return seen[..., np.argsort(order_by_name(names, self.stakeholders))]
