"""What is wrong with what was asked for, in words that fit a script, a command line and a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from welfarist.base.errors import InputError

# What somebody who asks calls the things to ask for: "--score" on a command line.
Called = Callable[[str], str]


class RequestError(InputError):
    """A problem with the data that asking for something else would solve.

    Parameters
    ----------
    message : str
        Names in braces stand for what can be asked for, such as ``{score}``, perhaps with what
        to say of it: ``{decimal:,}``, ``{numbered:True}``; or for what was found. Texts of other
        people, which may hold braces, belong into `found` only.
    **found
        What was found, by name.

    Examples
    --------
    >>> problem = RequestError("say {decimal:,} or {sheet:NAME}; found {path!r}.", path="{a}.csv")
    >>> print(problem)
    say decimal="," or sheet=NAME; found '{a}.csv'.
    >>> problem.said("--{}".format)
    "say --decimal , or --sheet NAME; found '{a}.csv'."
    """

    def __init__(self, message: str, **found: Any) -> None:
        super().__init__(message)
        self.found = found

    def __str__(self) -> str:
        return self.said()

    def said(self, called: Called = str) -> str:
        """Return the message, with everything that can be asked for called as `called` says."""
        return str(self.args[0]).format_map(_Names(called, self.found))

    def at(self, where: str) -> RequestError:
        """Return the same problem with where it was found said first."""
        return type(self)(f"{{where}}: {self.args[0]}", **self.found, where=where)


class UsageError(RequestError):
    """A mistake in what was asked for, whatever the data are."""


class _Names(dict[str, Any]):
    """What was found by name, and whatever else can be asked for."""

    def __init__(self, called: Called, found: dict[str, Any]) -> None:
        super().__init__(found)
        self._called = called

    def __missing__(self, name: str) -> _Name:
        return _Name(name, self._called(name))


class _Name:
    """Something that can be asked for, alone or with what to say of it."""

    def __init__(self, name: str, called: str) -> None:
        self._name, self._called = name, called

    def __format__(self, value: str) -> str:
        if not value:
            return self._called
        if self._called == self._name:  # nobody but Python calls an argument by its bare name
            return f"{self._called}={_in_python(value)}"
        return self._called if value == "True" else f"{self._called} {value}"


def _in_python(value: str) -> str:
    """A value as Python writes it; a word in capitals stands for one."""
    if value == "True" or (value.isupper() and len(value) > 1) or value[0] in "'\"":
        return value
    parts = [f'"{part}"' for part in value.split(",")]
    return f"[{', '.join(parts)}]" if all(value.split(",")) and len(parts) > 1 else f'"{value}"'
