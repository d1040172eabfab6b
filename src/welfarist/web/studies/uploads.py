"""Tables that somebody sends: read as commands read files, with the same messages."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from welfarist.app.asking import actions_to_ask_about
from welfarist.app.decisions import TableOptions
from welfarist.app.totals import totals_in
from welfarist.base.errors import InputError, WelfaristError
from welfarist.base.validation import FloatArray
from welfarist.files.limits import Limits, within
from welfarist.web.studies.unpacking import refuse_bomb
from welfarist.web.words import message_of

# A page is no place for larger tables; commands have other limits.
MOST_BYTES = 10 << 20
MOST_ACTIONS, MOST_PEOPLE = 5_000, 200
# What reading may take, whatever a file unpacks to: as many cells as there may be, twice over for
# columns that are left out; half of the memory that commands may take.
_LIMITS = Limits(
    columns=2_000, cells=2 * MOST_ACTIONS * MOST_PEOPLE, memory=4 << 30, seconds=30.0, answer=64e6
)
_LONGEST_NAME = 500
_UNUSUAL = re.compile(r"[^\w. ()-]+")
_LONGEST = 100


@dataclass(frozen=True, eq=False)
class Uploaded:
    """A table of actions that can be asked about.

    Attributes
    ----------
    file : str
        Its name.
    actions, stakeholders : tuples of str
    utilities : (N, d) array
    notes : tuple of str
        What was guessed, in sentences.
    """

    file: str
    actions: tuple[str, ...]
    stakeholders: tuple[str, ...]
    utilities: FloatArray
    notes: tuple[str, ...]


def read_upload(
    data: bytes, name: str, options: TableOptions | None = None, shift: float = 0.0
) -> Uploaded:
    """Read a table of actions, or say what is wrong with it and where.

    Parameters
    ----------
    data : bytes
    name : str
        The name that its sender gave the file; its ending says what kind of table it is.
    options : TableOptions, optional
    shift : float
        What is added to every utility, so that none is negative.
    """
    options, called = options or TableOptions(), plain_name(name)
    if len(data) > MOST_BYTES:
        raise InputError(
            f"{called}: a table must have {MOST_BYTES >> 20} megabytes at most; found "
            f"{len(data) / (1 << 20):.1f}. Leave out columns or rows that nobody is asked about."
        )
    refuse_bomb(data, called)
    with tempfile.TemporaryDirectory(prefix="welfarist-") as folder:
        path = Path(folder) / called
        path.write_bytes(data)
        try:
            options.check([str(path)])
            with within(_LIMITS):
                read = actions_to_ask_about(str(path), options, shift)
            notes = (*read.notes, *totals_in(read), *_shifted(called, shift))
        except WelfaristError as problem:
            raise InputError(_without(folder, message_of(problem))) from None
        found = Uploaded(
            called, read.names, tuple(read.stakeholders), np.asarray(read.utilities) + shift,
            tuple(_without(folder, note) for note in notes),
        )  # fmt: skip
    _check_size(found)
    return found


def _shifted(file: str, shift: float) -> tuple[str, ...]:
    return (f"{file}: {shift:g} was added to every utility.",) if shift else ()


def plain_name(name: str) -> str:
    r"""Return the name of a file without folders, and without what could mean something else.

    Examples
    --------
    >>> plain_name("C:\\Data\\actions 2.csv"), plain_name("../a:b.xlsx"), plain_name("-")
    ('actions 2.csv', 'a_b.xlsx', 'table.csv')
    """
    last = _UNUSUAL.sub("_", re.split(r"[/\\]", name)[-1]).strip(" .-_")
    return last[-_LONGEST:] or "table.csv"


def _without(folder: str, message: str) -> str:
    return message.replace(f"{folder}{os.sep}", "").replace(folder, "")


def _check_size(found: Uploaded) -> None:
    actions, people = found.utilities.shape
    if actions > MOST_ACTIONS or people > MOST_PEOPLE:
        raise InputError(
            f"{found.file}: questions can be about {MOST_ACTIONS} actions and {MOST_PEOPLE} "
            f"stakeholders at most; found {actions} and {people}. Leave some out."
        )
    longest = max((*found.actions, *found.stakeholders), key=len)
    if len(longest) > _LONGEST_NAME:
        raise InputError(
            f"{found.file}: a name must have {_LONGEST_NAME} letters at most; found one of "
            f"{len(longest)}, which begins with {longest[:40]!r}. Shorten it."
        )
