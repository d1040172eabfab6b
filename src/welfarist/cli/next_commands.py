"""What can be typed after an interview: how to go on, and how to learn from the answers."""

from __future__ import annotations

import shlex
from dataclasses import asdict

from welfarist.app.asking import AskRequest, Session
from welfarist.app.decisions import TableOptions
from welfarist.cli.words import option


def to_go_on(request: AskRequest) -> str:
    """The command that goes on with an interview; its settings are in the file."""
    by = [] if request.by is None else ["--by", request.by]
    words = ["welfarist", "ask", request.actions, "--save", request.save, *by]
    return shlex.join([*words, *_as_typed(request.table)])


def to_learn(session: Session) -> str:
    """The command that learns a rule from the answers."""
    request, table = session.request, session.table_to_fit
    how = request.table
    if table != request.actions:  # a table that was written as the answers were
        how = TableOptions(separator=how.separator, encoding=how.encoding)
    return shlex.join(["welfarist", "fit", table, "--comparisons", request.save, *_as_typed(how)])


def _as_typed(table: TableOptions) -> list[str]:
    """How a table is read, in options."""
    found = []
    for name, value in asdict(table).items():
        if value is True:
            found.append(option(name))
        elif value:
            found += [option(name), value]
    return found
