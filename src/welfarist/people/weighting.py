"""What is known about the weights: nothing, groups that share, or everything.

What is learned about them lives in one of two places: numbers on a simplex, the weights of people
or groups; or slopes, numbers on the line from which weights follow (see
:mod:`~welfarist.people.attribute_weighting`). A weighting says how many it has of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray


@dataclass(frozen=True)
class Weighting:
    """How free parameters on a simplex become one weight per person.

    Attributes
    ----------
    fixed : (d,) array or None
        The weights, when they are known and nothing is to be learned.
    group_of : (d,) array of int or None
        The group each person belongs to; a group's weight is shared equally inside it.
    people : int
        d.
    heads : (d,) array or None
        How many people each of them stands for, if they stand for several: what is shared equally
        is shared by heads.
    """

    people: int
    fixed: FloatArray | None = None
    group_of: npt.NDArray[np.intp] | None = None
    heads: FloatArray | None = None

    @property
    def free(self) -> int:
        """How many numbers on the simplex are learned: d, the number of groups, or none."""
        if self.fixed is not None:
            return 0
        return self.people if self.group_of is None else int(self.group_of.max()) + 1

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What is learned on the line: the slopes, of which there are none here."""
        return ()

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where slopes are searched, in their coordinates."""
        return np.empty(0), np.empty(0)

    def within(self, limits: tuple[FloatArray, FloatArray]) -> Weighting:  # noqa: ARG002
        """Return the same with other bounds of its slopes."""
        return self

    def weights_at(self, free: FloatArray, slopes: FloatArray) -> FloatArray:  # noqa: ARG002
        """Weights per person (d,) from the free weights (free,) and the slopes."""
        return self.to_people(free)

    def slopes_of(self, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Slopes at which weights (d,) are these."""
        return np.empty(0)

    def theta(self, slopes: FloatArray) -> dict[str, float]:  # noqa: ARG002
        """Return what was learned of each attribute, by name."""
        return {}

    def sizes(self) -> FloatArray:
        """How many people stand behind each free weight (free,)."""
        if self.group_of is None:
            return np.ones(self.people) if self.heads is None else self.heads
        return np.bincount(self.group_of, self.heads).astype(np.float64)

    def largest(self, person: int) -> float:
        """The largest weight that somebody can have: all of it, shared with their group."""
        if self.group_of is None:
            return 1.0
        own = 1.0 if self.heads is None else float(self.heads[person])
        return own / float(self.sizes()[self.group_of[person]])

    def start(self) -> FloatArray:
        """Free weights under which everybody counts the same (free,)."""
        if self.fixed is not None:
            return np.empty(0)
        sizes = self.sizes()
        return sizes / (self.people if self.heads is None else sizes.sum())

    def to_people(self, free: FloatArray) -> FloatArray:
        """Weights per person (d,) from the free weights (free,)."""
        if self.fixed is not None:
            return self.fixed
        if self.group_of is None:
            return free
        shared = np.asarray((free / self.sizes())[self.group_of])
        return shared if self.heads is None else shared * self.heads

    def many_to_people(self, free: FloatArray) -> FloatArray:
        """Weights per person (B, d) from many free weights (B, free), in which they are affine."""
        nobody = self.to_people(np.zeros(self.free))
        each = np.array([self.to_people(row) - nobody for row in np.eye(self.free)])
        return np.asarray(nobody + free @ each.reshape(self.free, len(nobody)))

    def gather(self, weights: FloatArray) -> FloatArray:
        """Free weights (free,) from one weight per person (d,): a group's is its members' sum."""
        if self.fixed is not None:
            return np.empty(0)
        if self.group_of is None:
            return weights
        return np.asarray(np.bincount(self.group_of, weights), dtype=np.float64)

    def pull_back(self, by_weight: FloatArray) -> FloatArray:
        """Derivatives by free weight (free, N) from those by weight (d, N)."""
        if self.fixed is not None:
            return np.empty((0, by_weight.shape[1]))
        if self.group_of is None:
            return by_weight
        pulled = np.zeros((self.free, by_weight.shape[1]))
        shared = by_weight if self.heads is None else by_weight * self.heads[:, None]
        np.add.at(pulled, self.group_of, shared)
        return np.asarray(pulled / self.sizes()[:, None])


@dataclass(frozen=True)
class HeldWeight(Weighting):
    """One free weight held at a value: what is left is shared on a simplex of its own.

    Attributes
    ----------
    inner : Weighting
        With at least two free weights.
    held : int
        Which of its free weights is held.
    value : float
        At what, from 0 to below 1.
    """

    inner: Weighting = field(default_factory=lambda: Weighting(2))
    held: int = 0
    value: float = 0.0

    @classmethod
    def of(cls, inner: Weighting, held: int, value: float) -> HeldWeight:
        """Hold one of the free weights of `inner`."""
        return cls(inner.people, inner=inner, held=held, value=value)

    @property
    def free(self) -> int:
        """How many numbers on the simplex are left."""
        return self.inner.free - 1

    def sizes(self) -> FloatArray:
        """How many people stand behind each free weight (free,)."""
        return np.delete(self.inner.sizes(), self.held)

    def start(self) -> FloatArray:
        """Free weights under which everybody else counts the same (free,)."""
        sizes = self.sizes()
        return np.asarray(sizes / sizes.sum())

    def to_people(self, free: FloatArray) -> FloatArray:
        """Weights per person (d,) from the free weights (free,)."""
        whole = np.insert((1.0 - self.value) * free, self.held, self.value)
        return self.inner.to_people(whole)

    def gather(self, weights: FloatArray) -> FloatArray:
        """Free weights (free,) from one weight per person (d,): the others' shares of the rest.

        If the others have nothing, everybody among them counts the same.
        """
        others = np.delete(self.inner.gather(weights), self.held)
        total = float(others.sum())
        return np.asarray(others / total) if total > 0 else self.start()

    def pull_back(self, by_weight: FloatArray) -> FloatArray:
        """Derivatives by free weight (free, N) from those by weight (d, N)."""
        others = np.delete(self.inner.pull_back(by_weight), self.held, axis=0)
        return np.asarray((1.0 - self.value) * others)


def sole_person(weights: FloatArray) -> int | None:
    """Return who alone has a weight, None if several have: with one person every p is one rule.

    Examples
    --------
    >>> sole_person(np.array([0.0, 1.0])), sole_person(np.array([0.5, 0.5]))
    (1, None)
    """
    counted = np.flatnonzero(weights > 0)
    return int(counted[0]) if len(weights) > 1 and len(counted) == 1 else None
