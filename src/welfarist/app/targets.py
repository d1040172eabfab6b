"""Where something is written: never over what is read, and never twice to one place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from welfarist.app.usage import UsageError
from welfarist.base.whole_files import check_target
from welfarist.files.sources import STANDARD_INPUT, file_and_sheet


def check_targets(outputs: Mapping[str, str | None], inputs: Iterable[str | None] = ()) -> None:
    """Refuse places that cannot be written to or hold what is read, before any work is done.

    Parameters
    ----------
    outputs : mapping
        The files to write by what asks for them, such as ``{"save": "model.json"}``; None where
        nothing does.
    inputs : iterable of str or None
        What is read. Texts that name no files do no harm.
    """
    given = {option: path for option, path in outputs.items() if path is not None}
    files = [file_and_sheet(path)[0] for path in inputs if path is not None]
    read = [path for path in files if os.path.exists(path)]
    for option, path in given.items():
        _check_name(option, path)
        for source in read:
            if _same(path, source):
                raise UsageError(
                    f"{{{option}}} {{path}} would replace {{source}}, which is read. Name another "
                    "file.",
                    path=path,
                    source=source,
                )
    for option, path in given.items():
        for other, place in given.items():
            if other != option and _same(path, place):
                raise UsageError(
                    f"{{{option}}} and {{{other}}} must name different files; found {{path}} for "
                    "both.",
                    path=path,
                )
        check_target(path)


def _check_name(option: str, path: str) -> None:
    """Require the name of a file."""
    if path == STANDARD_INPUT:
        raise UsageError(
            f"{{{option}}} cannot write to standard output (-), which is for the answer. Name a "
            "file."
        )
    if not path.strip():
        raise UsageError(f"{{{option}}} needs the name of a file; found an empty one.")


def _same(one: str, other: str) -> bool:
    """Whether two names, one of which need not be there yet, stand for one file."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
