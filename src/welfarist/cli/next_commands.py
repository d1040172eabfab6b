"""What can be typed after an interview: how to go on, and how to learn from the answers."""

from __future__ import annotations

import shlex
from dataclasses import asdict

from welfarist.app.ask_settings import AskSettings
from welfarist.app.asking import AskRequest, Session
from welfarist.app.decisions import TableOptions
from welfarist.cli.words import option
from welfarist.files.answers import BY


def to_go_on(session: Session) -> str:
    """The command that goes on with an interview; its settings are in the file, beside answers."""
    request = session.request
    by = [] if request.by is None else ["--by", request.by]
    words = ["welfarist", "ask", request.actions, "--save", request.save, *by]
    settings = [] if session.count else _as_typed(session.settings)
    return shlex.join([*words, *settings, *_shift(request), *_as_typed(request.table)])


def to_learn(session: Session) -> str:
    """The command that learns a rule from the answers, or everybody's where several gave some."""
    request, table = session.request, session.table_to_fit
    how = request.table
    if table != request.actions:  # a table that was written as the answers were
        how = TableOptions(separator=how.separator, encoding=how.encoding)
    words = ["welfarist", "fit", table, "--comparisons", request.save]
    each = ["--by", BY, "--each"] if session.others else []
    return shlex.join([*words, *each, *_shift(request), *_as_typed(how)])


def _shift(request: AskRequest) -> list[str]:
    return ["--shift", f"{request.shift:.15g}"] if request.shift else []


def _as_typed(told: TableOptions | AskSettings) -> list[str]:
    """How a table is read, or questions are chosen, in options; what is as usual is left out."""
    found, usual = [], asdict(type(told)())
    for name, value in asdict(told).items():
        if value is True:
            found.append(option(name))
        elif value and value != usual[name]:
            found += [option(name), str(value)]
    return found
