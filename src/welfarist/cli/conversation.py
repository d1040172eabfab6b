"""A conversation in a terminal: a question, a key, and the next one, until enough is known."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.text import Text

from welfarist.app.asking import Put, Session
from welfarist.base.errors import InputError
from welfarist.base.inert import on_one_line
from welfarist.cli.console import print_table
from welfarist.cli.keys import Keys
from welfarist.cli.next_commands import to_go_on, to_learn
from welfarist.cli.question_screen import Page, question_lines

_ANSWERS: dict[str, Any] = {"1": "first", "2": "second", "0": "equal", "s": "skip"}
_LEAVE = ("", "q")
_WHY = ("w", "?")
_SAID = {"first": "1", "second": "2", "equal": "equal", "skip": "skipped"}
_KEYS = "1 first   2 second   0 equal   s skip   u undo   w why   q leave"
_FEW_KEYS = "1 2 0 s u w q, ? for help"
_HELP = (
    "1 or 2: that one is better. 0: they are equally good. s: skip it, nothing is learned from it.",
    "u: take the last answer back. q, Ctrl-D, Ctrl-C: leave; every answer is kept.",
)
_NO_NAMES = ("one outcome", "another outcome")


class Conversation:
    """Questions and answers in a terminal.

    Parameters
    ----------
    session : Session
    keys : Keys
    """

    def __init__(self, session: Session, keys: Keys) -> None:
        self._session, self._keys = session, keys
        self._console = Console(
            file=sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False
        )

    def run(self) -> None:
        """Ask until enough is known, or whoever answers leaves."""
        if self._session.count:
            self._say(f"{_answers(self._session.count)} in {self._session.request.save}; it goes "
                      "on from there.")  # fmt: skip
        try:
            while self._ask() if not self._session.reason else self._finish():
                pass
        except (KeyboardInterrupt, SystemExit):
            self._farewell()
            raise

    # --- one question ----------------------------------------------------------------------------

    def _ask(self) -> bool:
        """Put a question until a key does something about it; whether there is another one."""
        put = self._session.question
        self._keys.forget()
        self._show(put)
        while True:
            key = self._keys.read()
            if key in _LEAVE:
                self._farewell()
                return False
            if key in _ANSWERS:
                self._note(f"> {_SAID[_ANSWERS[key]]}")
                self._session.answer(_ANSWERS[key])
                return True
            if key == "u":
                if self._undone():
                    return True
            elif key in _WHY:
                self._explain(put)
            elif key != "\n":
                self._note("That key means nothing here: 1, 2, 0, s, u, w or q. ? explains them.")

    def _show(self, put: Put) -> None:
        page = self._page()
        more = f", about {put.more} more" if put.more else ", perhaps the last"
        who = "" if self._session.request.by is None else f" to {self._session.request.by}"
        self._say("")
        self._lines(
            [Text(on_one_line(f"Question {put.number}{who}{more}: which is better?"), "bold")]
        )
        self._say("")
        self._lines(question_lines(page, _names(put), put.people, put.outcomes.tolist()))
        self._say("")
        self._note(_KEYS if page.width > len(_KEYS) else _FEW_KEYS)

    def _explain(self, put: Put) -> None:
        self._say(f"Why this question: {put.reason}.")
        for number, name in enumerate(put.names, 1):
            if name:
                self._say(f"{number} is {name}.")
        for line in _HELP:
            self._say(line)
        if not self._keys.single:
            self._say("After a key, press Enter.")

    def _undone(self) -> bool:
        """Take the last answer back; whether there was one."""
        try:
            self._session.undo()
        except InputError as problem:
            self._note(str(problem))
            return False
        self._note("> undone")
        return True

    # --- the end ---------------------------------------------------------------------------------

    def _finish(self) -> bool:
        """Show what was learned; whether the last answer was taken back."""
        session = self._session
        self._say("")
        self._lines([Text(f"That is enough: {session.reason}.", "bold")])
        self._note("Working out what was learned …" if not self._page().plain else "Working ...")
        for table in session.learned().tables():
            self._say("")
            print_table(table)
        self._say("")
        self._next()
        if not session.count:
            return False
        self._keys.forget()
        self._say("")
        self._note("u takes the last answer back, any other key ends.")
        return self._keys.read() == "u" and self._undone()

    def _farewell(self) -> None:
        """Say what there is, and what to type next."""
        self._say("")
        self._say(f"{_answers(self._session.count)} in {self._session.request.save}.")
        self._command("Go on", to_go_on(self._session))
        self._next()

    def _next(self) -> None:
        if self._session.decided:
            self._command("Learn from the answers", to_learn(self._session))

    # --- printing --------------------------------------------------------------------------------

    def _page(self) -> Page:
        columns, lines = shutil.get_terminal_size()
        encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
        return Page(columns, lines, plain=encoding != "utf8")

    def _say(self, text: str) -> None:
        self._lines([Text(on_one_line(text))])

    def _note(self, text: str) -> None:
        self._lines([Text(on_one_line(text), "dim")])

    def _command(self, what: str, command: str) -> None:
        """A line to copy: it is never broken by us."""
        self._say(f"{what}:")
        self._console.print(Text(f"  {on_one_line(command)}"), soft_wrap=True)

    def _lines(self, lines: Iterable[Text]) -> None:
        for line in lines:
            self._console.print(line)
        sys.stdout.flush()


def _names(put: Put) -> list[str]:
    return [name or unnamed for name, unnamed in zip(put.names, _NO_NAMES, strict=True)]


def _answers(count: int) -> str:
    return f"{count} answer is" if count == 1 else f"{count} answers are"
