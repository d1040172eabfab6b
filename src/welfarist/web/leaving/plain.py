"""Plain values of others, taken one by one: what is not as it must be is said with its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from welfarist.base.errors import InputError

_LONGEST = 100_000


@dataclass(frozen=True)
class Plain:
    """A value, and where it stands.

    Attributes
    ----------
    value : anything
    place : str
        Such as "respondents, 3, name".
    """

    value: Any
    place: str = ""

    def __getitem__(self, name: str) -> Plain:
        """What stands under a name."""
        if not isinstance(self.value, dict):
            self.refuse("hold names and values")
        if name not in self.value:
            self.refuse(f"have {name!r}")
        return Plain(self.value[name], f"{self.place}, {name}" if self.place else name)

    def items(self, most: int) -> list[Plain]:
        """What stands in a list."""
        if not isinstance(self.value, list) or len(self.value) > most:
            self.refuse(f"be a list of {most:,} at most")
        return [Plain(one, f"{self.place}, {i + 1}") for i, one in enumerate(self.value)]

    def text(self, longest: int = _LONGEST, least: int = 0) -> str:
        """A text; no database keeps the letter of number 0, nor halves of letters."""
        value = self.value
        if not isinstance(value, str) or not least <= len(value) <= longest:
            self.refuse(f"be a text of {least} to {longest:,} letters")
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            self.refuse("be a text of letters that can be stored")
        return str(value)

    def whole(self, least: int, most: int) -> int:
        """A whole number."""
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.refuse(f"be a whole number from {least} to {most}")
        return int(value)

    def number(self, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite number."""
        value = self.value
        if not isinstance(value, int | float) or isinstance(value, bool):
            self.refuse("be a number")
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if not (math.isfinite(found) and least <= found <= most):
            self.refuse(f"be a finite number of {least:g} at least and {most:g} at most")
        return found

    def yes(self) -> bool:
        """Whether something holds."""
        if not isinstance(self.value, bool):
            self.refuse("be true or false")
        return bool(self.value)

    def one_of(self, known: Iterable[str]) -> str:
        """One of some words."""
        words = list(known)
        if not isinstance(self.value, str) or self.value not in words:
            self.refuse(f"be one of {', '.join(word or 'nothing' for word in words)}")
        return str(self.value)

    def time(self) -> datetime:
        """A moment, with its zone."""
        try:
            found = datetime.fromisoformat(self.text(40))
        except ValueError as problem:
            if isinstance(problem, InputError):
                raise
            self.refuse("be a time such as 2026-01-31T12:00:00+00:00")
        if found.tzinfo is None:
            self.refuse("be a time with its zone, such as 2026-01-31T12:00:00+00:00")
        try:
            return found.astimezone(UTC)
        except OverflowError:  # the first and the last hours of the calendar are elsewhere none
            self.refuse("be a time that the calendar has everywhere")

    def or_none(self, take: Callable[[Plain], Any]) -> Any:
        """What `take` makes of it, unless it is nothing."""
        return None if self.value is None else take(self)

    def refuse(self, must: str) -> NoReturn:
        """Say what must hold here."""
        where = self.place or "the file"
        raise InputError(f"{where}: it must {must}; found {self.value!r:.60}. Nothing was stored.")
