"""The rule that the sliders are set to, as a link carries it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from welfarist.base.errors import InputError
from welfarist.families.power_mean.doctrines import DOCTRINES, close_doctrine_of
from welfarist.families.rule import WelfareFunction
from welfarist.web.learned.powers import written

# Where the slider of p ends; beyond it there are links and buttons.
LOWEST, HIGHEST = -6.0, 3.0
_LARGEST = 1e6
_NAMES = {doctrine.name.lower(): doctrine.p for doctrine in DOCTRINES}
_LONGEST = 30


@dataclass(frozen=True)
class ChosenRule:
    """A power, and how much everybody counts, in numbers of any scale.

    Attributes
    ----------
    p : float
    weights : tuple of float
        As they stand on the sliders; what counts is their ratio.
    """

    p: float
    weights: tuple[float, ...]

    @classmethod
    def equal(cls, people: int, p: float = 1.0) -> ChosenRule:
        """Everybody counts the same."""
        return cls(p, (50.0,) * people)

    @classmethod
    def of_query(cls, p: str | None, weights: Sequence[str], people: int) -> ChosenRule:
        """Read what a link says; what it leaves out is as usual.

        Examples
        --------
        >>> ChosenRule.of_query("nash", ["3", "1"], 2)
        ChosenRule(p=0.0, weights=(3.0, 1.0))
        """
        power = 1.0 if p is None else _power(p)
        if not weights:
            return cls.equal(people, power)
        if len(weights) != people:
            raise InputError(
                f"a link must have one weight for each of {people} stakeholders; found "
                f"{len(weights)}."
            )
        found = tuple(_weight(text) for text in weights)
        if not sum(found) > 0:
            raise InputError("somebody must count: one weight at least must be above 0.")
        chosen = cls(power, found)
        _ = chosen.welfare  # weights may be too far from each other to reckon with
        return chosen

    @property
    def query(self) -> str:
        """What stands in a link."""
        return urlencode([("p", f"{self.p:g}"), *(("w", f"{w:g}") for w in self.weights)])

    @property
    def on_slider(self) -> float:
        """The power, or the end of the slider that is nearer to it."""
        return min(max(self.p, LOWEST), HIGHEST)

    @property
    def power(self) -> str:
        """The power as it is written."""
        return written(self.p)

    @property
    def doctrine(self) -> str:
        """The power in words."""
        return close_doctrine_of(self.p, 2)

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights, which sum to 1."""
        total = sum(self.weights)
        return tuple(weight / total for weight in self.weights)

    def but(self, p: float) -> ChosenRule:
        """The same weights with another power."""
        return ChosenRule(p, self.weights)

    @property
    def welfare(self) -> WelfareFunction:
        """The rule itself."""
        return WelfareFunction(self.p, list(self.shares))


def _power(text: str) -> float:
    name = text.strip().lower()
    try:
        value = _NAMES[name] if name in _NAMES else float(name)
    except ValueError:
        value = math.nan
    too_long = math.isinf(value) and name.lstrip("+-")[:1].isdecimal()
    if math.isnan(value) or too_long or _LARGEST < abs(value) < math.inf:
        raise InputError(
            "p must be a number, inf, -inf or the name of a doctrine, such as Nash; found "
            f"{text[:_LONGEST]!r}."
        )
    return value


def _weight(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= _LARGEST:
        raise InputError(
            f"a weight must be a number from 0 to {_LARGEST:,.0f}; found {text[:_LONGEST]!r}."
        )
    return value
