"""What a command says and where: answers on standard output, everything else on standard error."""

from __future__ import annotations

import functools
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from welfarist.app.usage import UsageError
from welfarist.app.warned import heard
from welfarist.base.errors import WelfaristError
from welfarist.base.inert import on_one_line, visible
from welfarist.cli.ending import show_traceback
from welfarist.cli.exit_codes import INTERRUPTED, PROBLEM
from welfarist.cli.leaving import begun
from welfarist.cli.streams import OUTPUT, silence, solvers_on_stderr, whisper
from welfarist.cli.words import in_options, message_of

if TYPE_CHECKING:  # it brings NumPy, which no page of help needs
    from welfarist.base.exports import Table

_Value = TypeVar("_Value")

# What is shown of a message: a cell of a file may be a book.
_LONGEST = 1500


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that ends with a message and an exit code instead of a traceback."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            begun()
            command(*args, **options)
            sys.stdout.flush()
        except UsageError as mistake:
            raise _bad_parameter(mistake) from None
        except WelfaristError as problem:
            show_traceback()
            say(f"Error: {in_options(one_line(message_of(problem)))}")
            raise typer.Exit(PROBLEM) from None
        except BrokenPipeError:  # whoever read the output has seen enough
            silence(OUTPUT)  # no problem: a short answer would have been written in full
            raise typer.Exit from None
        except KeyboardInterrupt:
            say("Interrupted.")
            raise typer.Exit(INTERRUPTED) from None

    return run


def checked(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the callback of an option: a check whose refusals name the option."""

    def run(value: Any) -> Any:
        try:
            return check(value)
        except UsageError as mistake:
            raise _bad_parameter(mistake) from None

    return run


def _bad_parameter(mistake: UsageError) -> typer.BadParameter:
    """A mistake as the library of the command line knows it: with a hint, and exit code 2."""
    return typer.BadParameter(on_one_line(message_of(mistake)))


def one_line(text: str) -> str:
    """A message on one line, its middle left out where it is very long."""
    text = " ".join(text.split())
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} … {text[-half:]}"


def typed(ctx: typer.Context, name: str, value: _Value) -> _Value | None:
    """The value of an option that was typed; None for a default."""
    source = ctx.get_parameter_source(name)
    return value if source is not None and source.name == "COMMANDLINE" else None


@contextmanager
def working() -> Iterator[None]:
    """Keep standard output clean while something is worked out.

    What solvers written in other languages print goes to standard error. Warnings of this package
    are not shown: whoever works something out puts them into the answer. What other packages log,
    such as where they keep their fonts, is nobody's concern.
    """
    import logging

    logging.disable(logging.WARNING)
    with solvers_on_stderr(), heard():
        yield


def answer(*texts: object) -> None:
    """Print lines of the answer to standard output, with nothing in them that cannot be seen."""
    for text in texts:
        print(visible(str(text)))


def say(text: str) -> None:
    """Print what is no answer to standard error; that nobody hears it is no reason to stop."""
    whisper(on_one_line(text))


def say_notes(notes: Iterable[str]) -> None:
    """Print what was guessed and what must be known to standard error, each once."""
    for note in dict.fromkeys(notes):
        say(f"Note: {in_options(one_line(note))}")


def print_json(record: Mapping[str, Any]) -> None:
    """Print a record as strict JSON, in letters that standard output can hold."""
    from welfarist.base.exports import as_json

    utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    answer(as_json(record, ascii_only=not utf8))


def print_table(table: Table) -> None:
    """Print a table: no wider than the terminal, and as wide as it is where there is none."""
    if not sys.stdout.isatty():
        answer(table.as_text())
        return
    from welfarist.cli.narrow_tables import text_within

    answer(text_within(table, shutil.get_terminal_size().columns))
