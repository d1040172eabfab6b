"""What is known about the weights: nothing, groups that share, or everything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.validation import FloatArray


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
    """

    people: int
    fixed: FloatArray | None = None
    group_of: npt.NDArray[np.intp] | None = None

    @property
    def free(self) -> int:
        """How many numbers on the simplex are learned: d, the number of groups, or none."""
        if self.fixed is not None:
            return 0
        return self.people if self.group_of is None else int(self.group_of.max()) + 1

    def sizes(self) -> FloatArray:
        """How many people stand behind each free weight (free,)."""
        if self.group_of is None:
            return np.ones(self.people)
        return np.bincount(self.group_of).astype(np.float64)

    def start(self) -> FloatArray:
        """Free weights under which everybody counts the same (free,)."""
        if self.fixed is not None:
            return np.empty(0)
        return self.sizes() / self.people

    def to_people(self, free: FloatArray) -> FloatArray:
        """Weights per person (d,) from the free weights (free,)."""
        if self.fixed is not None:
            return self.fixed
        if self.group_of is None:
            return free
        return np.asarray((free / self.sizes())[self.group_of])

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
        np.add.at(pulled, self.group_of, by_weight)
        return np.asarray(pulled / self.sizes()[:, None])
