"""Messages of the package in the words of the pages."""

from __future__ import annotations

from welfarist.app.usage import RequestError

# What fields of forms are called; a message names them where a command line names options.
FIELDS = {
    "name": "“column of names”",
    "numbered": "“actions have no names”",
    "stakeholders": "“columns of stakeholders”",
    "ignore": "“columns to leave out”",
    "separator": "“separator”",
    "decimal": "“decimal mark”",
    "sheet": "“sheet”",
    "encoding": "“encoding”",
    "drop_missing": "“leave out incomplete rows”",
    "shift": "“add to every utility”",
    "aim": "“aim”",
    "sure": "“how sure”",
    "check_every": "“repeat every”",
}


def called(name: str) -> str:
    """Return what a field is called.

    Examples
    --------
    >>> called("sheet")
    '“sheet”'
    """
    return FIELDS.get(name, f"“{name.replace('_', ' ')}”")


def message_of(problem: Exception) -> str:
    """Return what is wrong, with what can be asked for as pages call it."""
    return problem.said(called) if isinstance(problem, RequestError) else str(problem)
