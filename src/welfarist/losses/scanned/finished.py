"""Finished rounds in a file, from which a fit goes on that was stopped, with the same digits.

All that a fit does between rounds follows from their answers. So the file holds these, each under
the question it belongs to, beside what the first pass saw; a fit that is made again asks the same
questions, and finds the answers of the finished ones.
"""

from __future__ import annotations

import io
import os
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.whole_files import check_target, write_whole
from welfarist.decisions.scanned.survey import Seen
from welfarist.losses.scanned.answers import Answer

_FORMAT = "welfarist rounds 1"
# Rounds that are kept, the last ones.
_MOST = 32


class Finished:
    """What is done of a fit, in a file that is written whole or not at all after each round.

    Parameters
    ----------
    path : str or path
    digest : str
        Of the decisions; a file about others is refused.
    block : type
        What holds a share of decisions of this kind.
    """

    def __init__(self, path: str | os.PathLike[str], digest: str, block: Any) -> None:
        self._path, self._digest, self._block = path, digest, block
        self.seen: Seen | None = None
        self.answers: dict[str, Answer] = {}
        check_target(path)
        if os.path.exists(path):
            self._read()

    def see(self, seen: Seen) -> None:
        """Write down what the first pass saw."""
        self.seen = seen
        self._write()

    def add(self, key: str, answer: Answer) -> None:
        """Write down the answer of a round."""
        self.answers[key] = answer
        while len(self.answers) > _MOST:
            del self.answers[next(iter(self.answers))]
        self._write()

    def _write(self) -> None:
        arrays: dict[str, Any] = {_FORMAT: np.array(self._digest)}
        if self.seen is not None:
            seen = self.seen
            share = self._block.joined(seen.drawn)
            arrays["totals"] = np.array([seen.total, seen.nothing])
            arrays |= {"mentioned": seen.mentioned, "flags": seen.flags}
            for field in fields(self._block):
                if (column := getattr(share, field.name)) is not None:
                    arrays[f"share {field.name}"] = column
        arrays["keys"] = np.array(list(self.answers), dtype="U32")
        for i, answer in enumerate(self.answers.values()):
            arrays[f"sums {i}"] = np.array([answer.loss, answer.right, *answer.by_extras])
            arrays[f"pull {i}"] = answer.pull
        content = io.BytesIO()
        np.savez(content, **arrays)
        write_whole(self._path, content.getvalue())

    def _read(self) -> None:
        try:
            content = io.BytesIO(Path(self._path).read_bytes())
            with np.load(content, allow_pickle=False) as found:
                self._require_same(str(found[_FORMAT]))
                self._take(found)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as problem:
            if isinstance(problem, InputError):
                raise
            raise InputError(
                f"{os.fspath(self._path)!s}: resume must name a file that a fit has written, or "
                "one that does not exist yet; found something else. Name another file."
            ) from None

    def _require_same(self, digest: str) -> None:
        if digest != self._digest:
            raise InputError(
                f"{os.fspath(self._path)!s}: resume must name the file of a fit to the same "
                "decisions and actions; found one of others, or files that have changed since. "
                "Name another file, or remove this one."
            )

    def _take(self, found: Any) -> None:
        if "totals" in found:
            columns = {
                field.name: found.get(f"share {field.name}") for field in fields(self._block)
            }
            share = self._block(**columns)
            total, nothing = found["totals"].tolist()
            self.seen = Seen(total, nothing, found["mentioned"], found["flags"], (share,))
        for i, key in enumerate(found["keys"].tolist()):
            sums = found[f"sums {i}"]
            self.answers[key] = Answer(
                float(sums[0]), float(sums[1]), sums[2:].copy(), found[f"pull {i}"]
            )


def finished_of(resume: object, digest: str, block: Any) -> Finished | None:
    """Return the file that an option names; None where there is none."""
    if resume is None:
        return None
    if not isinstance(resume, str | os.PathLike):
        raise InputError(f"resume must be the name of a file; found {resume!r:.60}.")
    return Finished(Path(resume), digest, block)
