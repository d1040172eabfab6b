"""One type of decision makers: a rule, its noise, and how many follow it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.people.weighting import sole_person

# A type this unsure of its choices, with somebody's weight on an edge, may follow no such rule: the
# share of what chance leaves open that its rule explains.
_POORLY_EXPLAINED = 0.4
# A weight below this is on an edge.
_EDGE = 0.01


@dataclass(frozen=True, eq=False)
class DeciderType:
    """A rule that some of the decision makers follow, with its noise.

    Attributes
    ----------
    welfare : WelfareFunction, or the rule of another family
        The rule, with the stakeholders' names.
    share : float
        The share of everybody who follows it.
    noise : mapping
        What the noise model learned, by name: "tau", "rho".
    explained : float
        The share of what chance leaves open that the rule explains of its members' decisions
        (McFadden's pseudo R squared).
    called : str or None
        The doctrine it was given as; None if it was learned.

    Examples
    --------
    >>> from welfarist import WelfareFunction
    >>> altruist = DeciderType(WelfareFunction(0, [0.6, 0.4]), 0.3, {"tau": 12.0}, 0.6)
    >>> altruist.p, altruist.tau, altruist.rank([[1.0, 9.0], [4.0, 4.0]])
    (0.0, 12.0, array([1, 0]))
    """

    welfare: Any
    share: float
    noise: dict[str, float]
    explained: float
    called: str | None = None

    @property
    def p(self) -> float:
        """The power, or the parameter of another family."""
        return float(self.welfare.p)

    @property
    def weights(self) -> FloatArray:
        """One weight per person (d,)."""
        return np.asarray(self.welfare.weights, dtype=np.float64)

    @property
    def tau(self) -> float:
        """The temperature of its choices: the larger, the fewer errors."""
        return float(self.noise["tau"])

    @property
    def rho(self) -> float:
        """How often its choices are turned round however clear the case; 0 without slips."""
        return float(self.noise.get("rho", 0.0))

    @property
    def doctrine(self) -> str:
        """The doctrine of its power, or between which two it lies; or who alone counts."""
        if self.sole is not None:
            return f"nobody but {self.sole} counts"
        return str(self.welfare.doctrine)

    @property
    def sole(self) -> str | None:
        """Who alone counts, so that every power is the same rule; None if several do."""
        person = sole_person(self.weights)
        if person is None:
            return None
        names = self.welfare.stakeholders
        return f"person {person}" if names is None else str(names[person])

    @property
    def doubtful(self) -> bool:
        """Whether it may follow no rule of the family: a weight on an edge, and many errors."""
        edge = len(self.weights) > 1 and float(self.weights.min()) < _EDGE
        return bool(edge and self.explained < _POORLY_EXPLAINED)

    def __call__(self, utilities: Any) -> Any:
        """Welfare (…) of actions (…, d)."""
        return self.welfare(utilities)

    def log(self, utilities: Any) -> Any:
        """The logarithm of welfare (…) of actions (…, d)."""
        return self.welfare.log(utilities)

    def rank(self, utilities: Any) -> npt.NDArray[np.intp]:
        """Row numbers of actions, the best first."""
        return np.asarray(self.welfare.rank(utilities))

    def compare(self, first: Any, second: Any) -> Any:
        """+1 where the first action is better, -1 where the second is, 0 where they tie."""
        return self.welfare.compare(first, second)
