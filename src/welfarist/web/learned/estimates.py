"""A number of a rule, as it is believed to be."""

from __future__ import annotations

from dataclasses import dataclass

from welfarist.asking.posterior import Posterior

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A median, and the ends between which a number lies with probability 0.95."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, belief: Posterior, name: str) -> Estimate:
        """Read it from what is believed."""
        return cls(belief.estimate(name), *belief.interval(name, LEVEL))
