"""What is wrong with what was asked for, in words that fit a command line as well as a page."""

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
        Names in braces stand for what can be asked for, such as ``{score}``, or for what was
        found. Texts of other people, which may hold braces, belong into `found` only.
    **found
        What was found, by name.

    Examples
    --------
    >>> problem = RequestError("{sheet} is for workbooks; found {path!r}.", path="{a}.csv")
    >>> print(problem)
    sheet is for workbooks; found '{a}.csv'.
    >>> problem.said("--{}".format)
    "--sheet is for workbooks; found '{a}.csv'."
    """

    def __init__(self, message: str, **found: Any) -> None:
        super().__init__(message)
        self.found = found

    def __str__(self) -> str:
        return self.said()

    def said(self, called: Called = str) -> str:
        """Return the message, with everything that can be asked for called as `called` says."""
        return str(self.args[0]).format_map(_Names(called, self.found))


class UsageError(RequestError):
    """A mistake in what was asked for, whatever the data are."""


class _Names(dict[str, Any]):
    """What was found by name, and whatever else can be asked for."""

    def __init__(self, called: Called, found: dict[str, Any]) -> None:
        super().__init__(found)
        self._called = called

    def __missing__(self, name: str) -> str:
        return self._called(name)
