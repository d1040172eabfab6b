"""Where a command writes: never over what it reads, and never twice to one place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import typer

from welfarist.files.sources import STANDARD_INPUT
from welfarist.files.writing import check_target


def check_targets(outputs: Mapping[str, str | None], inputs: Iterable[str | None]) -> None:
    """Refuse places that cannot be written to or hold what is read, before any work is done.

    Parameters
    ----------
    outputs : mapping
        The files to write by option, such as ``{"--save": "model.json"}``; None where the option
        was left out.
    inputs : iterable of str or None
        What the command reads. Values of options that are no files do no harm.
    """
    given = {option: path for option, path in outputs.items() if path is not None}
    read = [path for path in inputs if path is not None and os.path.exists(path)]
    for option, path in given.items():
        if path == STANDARD_INPUT:
            raise typer.BadParameter(
                f"{option} cannot write to standard output (-), which is for the answer. Name a "
                "file."
            )
        if not path.strip():
            raise typer.BadParameter(f"{option} needs the name of a file; found an empty one.")
        for source in read:
            if _same(path, source):
                raise typer.BadParameter(
                    f"{option} {path} would replace {source}, which is read. Name another file."
                )
    for option, path in given.items():
        for other, place in given.items():
            if other != option and _same(path, place):
                raise typer.BadParameter(
                    f"{option} and {other} must name different files; found {path} for both."
                )
        check_target(path)


def _same(one: str, other: str) -> bool:
    """Whether two names, one of which need not be there yet, stand for one file."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
