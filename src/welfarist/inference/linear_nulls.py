"""Linear combinations of the estimates, as somebody writes them: by name, with numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, is_real
from welfarist.inference.likelihood import AVERSIONS, Likelihood

_NUMBER = r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?"


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear combination of the estimates, plus a number.

    Attributes
    ----------
    coefficients : (k,) array
        In the order of `param_names`.
    constant : float
    words : str
        How it was written.
    """

    coefficients: FloatArray
    constant: float
    words: str

    def __add__(self, other: Linear) -> Linear:
        coefficients = self.coefficients + other.coefficients
        return Linear(coefficients, self.constant + other.constant, self.words)

    def times(self, factor: float) -> Linear:
        """Return so many of it."""
        return Linear(factor * self.coefficients, factor * self.constant, self.words)

    def at(self, estimates: FloatArray) -> float:
        """Return its value."""
        return float(self.coefficients @ estimates) + self.constant


def combination(likelihood: Likelihood, of: object) -> Linear:
    """Return what a text without "=", or a mapping of names to numbers, stands for."""
    if isinstance(of, Mapping):
        return _of_mapping(likelihood, of)
    if not isinstance(of, str):
        raise InputError(
            'a contrast must be a text such as "weight of a - weight of b", or a mapping such as '
            f'{{"a": 1, "b": -1}}; found {of!r:.60}.'
        )
    sides = _Reader(likelihood, of).equations()
    if len(sides) != 1 or len(sides[0]) != 1:
        raise InputError(
            f'a contrast is a number: it has no "=" and no comma; found {of!r}. wald_test takes '
            "equations."
        )
    return sides[0][0]


def equations(likelihood: Likelihood, null: object) -> list[Linear]:
    """Return what is 0 under a null: a text, a mapping, or a list of them.

    A text may hold several equations with commas between them, and chains: "a = b = c".
    """
    several = isinstance(null, Sequence) and not isinstance(null, str)
    parts: list[Any] = list(null) if several else [null]  # type: ignore[call-overload]
    if not parts:
        raise InputError("a Wald test needs at least one equation; found an empty list.")
    found: list[Linear] = []
    for part in parts:
        if isinstance(part, Mapping):
            made = _of_mapping(likelihood, part)
            found.append(Linear(made.coefficients, made.constant, f"{made.words} = 0"))
        elif isinstance(part, str):
            found.extend(_equations_in(likelihood, part))
        else:
            raise InputError(
                'a null must be a text such as "weight of a = weight of b", a mapping such as '
                f'{{"a": 1, "b": -1}}, or a list of them; found {part!r:.60}.'
            )
    return found


def _equations_in(likelihood: Likelihood, text: str) -> list[Linear]:
    found = []
    for sides in _Reader(likelihood, text).equations():
        if len(sides) == 1:  # as in other programs, what stands alone is 0
            found.append(Linear(sides[0].coefficients, sides[0].constant, f"{sides[0].words} = 0"))
        for left, right in pairwise(sides):
            made = left + right.times(-1.0)
            found.append(Linear(made.coefficients, made.constant, f"{left.words} = {right.words}"))
    return found


def _of_mapping(likelihood: Likelihood, given: Mapping[Any, Any]) -> Linear:
    known = _vocabulary(likelihood)
    total, words = _nothing(likelihood), ""
    for name, factor in given.items():
        if not is_real(factor) or not np.isfinite(factor):
            raise InputError(
                f"numbers of a contrast must be finite; found {factor!r} for {name!r}."
            )
        if str(name) not in known:
            raise _unknown(likelihood, str(name))
        total = total + known[str(name)].times(float(factor))
        size = "" if abs(factor) == 1 else f"{abs(factor):g} "
        sign = ("- " if factor < 0 else "+ ") if words else ("-" if factor < 0 else "")
        words = f"{words} {sign}{size}{name}".strip()
    return Linear(total.coefficients, total.constant, words or "nothing")


def _vocabulary(likelihood: Likelihood) -> dict[str, Linear]:
    """What can be named: the estimates, epsilon, people for weights, attributes for slopes."""
    size = len(likelihood.names)
    found: dict[str, Linear] = {}
    for i, quantity in enumerate(likelihood.quantities):
        if quantity.is_weight:
            assert quantity.person is not None
            person = likelihood.stakeholders[quantity.person]
            found.setdefault(person, Linear(np.eye(size)[i], 0.0, person))
        if quantity.attribute is not None:
            found[quantity.attribute] = Linear(np.eye(size)[i], 0.0, quantity.attribute)
    for i, name in enumerate(likelihood.names):  # which come before people's names
        found[name] = Linear(np.eye(size)[i], 0.0, name)
    shape = [i for i, quantity in enumerate(likelihood.quantities) if quantity.is_shape]
    if shape and likelihood.loss.family.has_aversion:
        for name in set(AVERSIONS) - set(likelihood.names):
            found[name] = Linear(-np.eye(size)[shape[0]], 1.0, name)
    return found


def _nothing(likelihood: Likelihood, constant: float = 0.0, words: str = "") -> Linear:
    return Linear(np.zeros(len(likelihood.names)), constant, words)


def _unknown(likelihood: Likelihood, found: str) -> InputError:
    known = ", ".join(likelihood.names) or "nothing"
    return InputError(
        f"a contrast must be of what was learned: {known}; found {found!r}. What was given has "
        "no standard error."
    )


def _is_a_name(name: str) -> bool:
    """Whether a text can be told from a number and from a sign."""
    return re.search(r"\w", name) is not None and re.fullmatch(_NUMBER, name) is None


class _Reader:
    """Reads a text from left to right: names, numbers, + - * / = and commas."""

    def __init__(self, likelihood: Likelihood, text: str) -> None:
        self.likelihood, self.text = likelihood, text
        self.known = _vocabulary(likelihood)
        # The longest name first: "weight of a" is no "weight of a b", and a name may hold signs.
        names = sorted(filter(_is_a_name, self.known), key=len, reverse=True)
        spelled = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names)
        self.token = re.compile(
            rf"\s*(?:(?P<name>{spelled or '(?!)'})|(?P<number>{_NUMBER})|(?P<sign>[-+*/=,]))"
        )
        self.tokens = self._split()
        self.at = 0

    def _split(self) -> list[tuple[str, str]]:
        place, found = 0, []
        end = len(self.text.rstrip())
        while place < end:
            match = self.token.match(self.text, place)
            if match is None or match.lastgroup is None:
                raise _unknown(self.likelihood, self.text[place:end].strip())
            found.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()
        return found

    def equations(self) -> list[list[Linear]]:
        """The sides of each equation, one where there is no "="."""
        found = [[self._side()]]
        while self._next() in ("=", ","):
            sign = self.tokens[self.at][1]
            self.at += 1
            if sign == ",":
                found.append([])
            found[-1].append(self._side())
        if self._next():
            raise self._wrong(f"found {self._next()!r} where a sign should stand")
        return found

    def _side(self) -> Linear:
        """A sum of terms."""
        begun, total = self.at, _nothing(self.likelihood)
        sign = self._sign()
        while True:
            total = total + self._term().times(sign)
            if self._next() not in ("+", "-"):
                break
            sign = self._sign()
        return Linear(total.coefficients, total.constant, self._written(begun))

    def _sign(self) -> float:
        sign = 1.0
        while self._next() in ("+", "-"):
            sign = -sign if self._next() == "-" else sign
            self.at += 1
        return sign

    def _term(self) -> Linear:
        """A number, a name, or a number of them: "2 a", "2 * a", "a / 2"."""
        factor, named = 1.0, None
        while True:
            kind, found = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
            if kind == "number":
                factor *= float(found)
            elif kind == "name" and named is None:
                named = self.known[found]
            else:
                raise self._wrong("found no name or number where one should stand")
            self.at += 1
            if self._next() == "/":
                self.at += 1
                kind, found = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
                if kind != "number" or float(found) == 0.0:
                    raise self._wrong("found a division by something other than a number")
                factor /= float(found)
                self.at += 1
            if self._next() == "*":
                self.at += 1
            elif named is not None or self._kind() != "name":
                break
        unit = _nothing(self.likelihood, 1.0) if named is None else named
        return unit.times(factor)

    def _next(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def _written(self, begun: int) -> str:
        """The tokens of a side, with spaces where they help."""
        words = " ".join(found for _, found in self.tokens[begun : self.at])
        return re.sub(r"^([-+]) ", r"\1", words)

    def _wrong(self, why: str) -> InputError:
        return InputError(
            'an equation must be linear, such as "weight of a = weight of b" or '
            f'"weight of a - 2 weight of b = 0"; {why}, in {self.text!r}.'
        )
