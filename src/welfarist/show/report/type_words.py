"""Types of decision makers in words: how many, who counts, how often they err."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.show.report import words

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# Shares that have names, and how far from them they still go by it.
_SHARES = (
    (0.05, "one in twenty"), (0.1, "one in ten"), (0.2, "two in ten"), (0.25, "a quarter"),
    (0.3, "three in ten"), (1 / 3, "a third"), (0.4, "four in ten"), (0.5, "half"),
    (0.6, "six in ten"), (2 / 3, "two thirds"), (0.7, "seven in ten"), (0.75, "three quarters"),
    (0.8, "eight in ten"), (0.9, "nine in ten"),
)  # fmt: skip
_HARDLY_ANYBODY, _NEARLY_EVERYBODY = 0.03, 0.96
# Ratios of two weights that have names, and the ends beyond which there is none.
_RATIOS = (
    (3 / 4, "three quarters as much"), (2 / 3, "two thirds as much"), (1 / 2, "half as much"),
    (1 / 3, "a third as much"), (1 / 4, "a quarter as much"), (1 / 5, "a fifth as much"),
    (1 / 10, "a tenth as much"), (1 / 20, "a twentieth as much"),
)  # fmt: skip
_ALIKE, _HARDLY = 0.87, 0.035
# A weight this small is nobody's.
_NOBODY = 0.005
# People who are named with their weights.
_NAMED = 3


def number(count: int) -> str:
    """Return a small number as a word.

    Examples
    --------
    >>> number(3), number(12)
    ('three', '12')
    """
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def of_people(count: int) -> str:
    """Return a number of people."""
    return "1 person" if count == 1 else f"{count:,} people"


def share(value: float) -> str:
    """Return a share of people in words, nearly.

    Examples
    --------
    >>> share(0.435), share(0.34), share(0.01), share(1.0)
    ('about four in ten', 'about a third', 'hardly anybody', 'nearly everybody')
    """
    if value < _HARDLY_ANYBODY:
        return "hardly anybody"
    if value > _NEARLY_EVERYBODY:
        return "nearly everybody"
    return "about " + min(_SHARES, key=lambda named: abs(named[0] - value))[1]


def weights(values: FloatArray, names: Sequence[str]) -> str:
    """Say who counts how much, from weights (d,) that sum to 1.

    Examples
    --------
    >>> weights(np.array([0.75, 0.25]), ["self", "other"])
    'other counts about a third as much as self'
    >>> weights(np.array([0.2, 0.5, 0.3]), ["staff", "patients", "payers"])
    'most weight on patients (50%), then payers (30%) and staff (20%)'
    """
    order = np.argsort(-values, kind="stable").tolist()
    if float(values.max() - values.min()) < (1.0 - _ALIKE) * float(values.max()):
        return "everybody counts about the same" if len(values) > 2 else "both count about the same"
    if len(values) == 2:
        first, second = (names[i] for i in order)
        ratio = float(values[order[1]] / values[order[0]])
        if ratio < _HARDLY:
            return f"{second} hardly counts beside {first}"
        near = min(_RATIOS, key=lambda named: abs(np.log(named[0] / ratio)))[1]
        return f"{second} counts about {near} as {first}"
    seen = [i for i in order if values[i] > _NOBODY]
    shown = [f"{names[i]} ({words.percent(float(values[i]))})" for i in seen[:_NAMED]]
    said = f"most weight on {shown[0]}"
    if len(shown) > 1:
        said += f", then {listed(shown[1:])}"
    left = len(seen) - _NAMED
    others = f"; {number(left)} other{'' if left == 1 else 's'} less" if left > 0 else ""
    nobody = len(values) - len(seen)
    return said + others + (f"; {number(nobody)} hardly at all" if nobody else "")


def errors(accuracy: float) -> str:
    """Say how often a rule that gets this share of decisions right is not followed.

    Examples
    --------
    >>> errors(0.97)
    'their rule gets 97% of their decisions right'
    """
    return f"their rule gets {words.percent(accuracy)} of their decisions right"
