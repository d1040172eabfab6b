"""Numbers and rules in words that need no formula."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from welfarist.families.base import Family
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.show.symbols import rounded

# Decimals of a power.
_DECIMALS = 2
# Rules with p-values below this are called rejected.
COMPATIBLE = "compatible with the decisions"
REJECTED = 0.05
# A share that would be printed as 0.
TRIFLE = 5e-5


def power(
    p: float, interval: Sequence[float] = (-np.inf, np.inf), family: Family = POWER_MEAN
) -> str:
    """Return a power as it is written in a text, with as many digits as its interval needs."""
    return rounded(p, interval, family.doctrines)


def doctrine(p: float, family: Family = POWER_MEAN) -> str:
    """Return the doctrine of a power, the one that it is close to, or the two it lies between.

    In a family that has no words for a shape it is empty: the number says it all.
    """
    said = family.describe_closely(p, _DECIMALS)
    return "" if said.startswith(f"{family.shape.name} = ") else said


def meaning(p: float, family: Family = POWER_MEAN) -> str:
    """Say what a rule with this power looks at; empty if its family does not know."""
    return family.meaning(p, _DECIMALS)


def rule(number: str, p: float, family: Family, known: str = "") -> str:
    """Return a rule by its number, what is known of it, its doctrine and what that means.

    Examples
    --------
    >>> rule("1.00", 1.0, POWER_MEAN)
    'p = 1.00, utilitarian: the same gain counts the same for everybody'
    """
    name, looks = doctrine(p, family), meaning(p, family)
    said = f"{family.shape.name} = {number}{known}" + (f", {name}" if name else "")
    return said + (f": {looks}" if looks else "")


def percent(share: float) -> str:
    """Return a share as a percentage with a sensible number of digits."""
    digits = 0 if share >= 0.0995 or share < TRIFLE else 1 if share >= 0.00095 else 2
    return f"{100 * share:,.{digits}f}%"


def amount(value: float, digits: int = 3) -> str:
    """Return a utility or a welfare with a few digits, more if it is large.

    Examples
    --------
    >>> amount(0.12345), amount(1010.0)
    ('0.123', '1,010')
    """
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.{digits}g}"


def p_value(value: float) -> str:
    """Return a p-value with two digits, more where they tell on which side of the limit it is.

    Examples
    --------
    >>> p_value(0.0521), p_value(0.0499), p_value(0.234), p_value(1e-9)
    ('0.052', '0.0499', '0.23', 'below 0.0001')
    """
    if value < 1e-4:
        return "below 0.0001"
    digits = max(2, 1 - int(np.floor(np.log10(value))))
    while round(value, digits) == REJECTED and value < REJECTED - 1e-9:
        digits += 1
    return f"{value:.{digits}f}"


def verdict(value: float) -> str:
    """Say what a p-value speaks for."""
    return "rejected" if value < REJECTED else COMPATIBLE


def lower(words: str) -> str:
    """Return a sentence as it goes on after a colon or a "but"."""
    return words[:1].lower() + words[1:]


def first_sentence(words: str) -> str:
    """Return the first sentence of a text, without its full stop.

    Examples
    --------
    >>> first_sentence("p reached 1.5, the edge. Fix p.")
    'p reached 1.5, the edge'
    """
    return words.partition(". ")[0].removesuffix(".")


def counted(number: float, what: str) -> str:
    """Return a number of things, with thousands apart and the plural where it belongs."""
    shown = f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"
    return f"{shown} {what}" + ("" if number == 1 else "s")


def sentence(words: str, symbol: str = "p") -> str:
    """Return words with a capital letter and a full stop.

    A symbol that stands for a number stays small, and so does the p of every learner.
    """
    small = words.startswith((f"{symbol} ", "p "))
    first = words[:1] if small else words[:1].upper()
    return first + words[1:] + ("" if words.endswith(".") else ".")
