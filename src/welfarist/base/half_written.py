"""Files that change together: what is noted down, so that a killed run can be undone.

Several files cannot take their names at once. Before the first does, a note is left beside each of
them: which files change together, and how the new one is recognised. What they replace keeps a
second name. The note of the first file decides: as long as it is there, the change has not
happened, and whoever finds it puts back what was there before; when it is gone, the change has
happened, and whatever else is left is swept away.

Names beside a file ``model.json``, all hidden: ``.model.json.<mark>.undo`` is the note,
``.model.json.<mark>.<token>.part`` the new file until it takes its place, ``….former`` the second
name of the old one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from welfarist.base.errors import InputError
from welfarist.base.folders import held, sync

Kind = Literal["part", "former"]

# A hidden name has more letters than the file's, which may be as long as allowed.
_MOST_OF_NAME = 40
_TOKEN = re.compile(r"[0-9a-f]{16}")
# What a new file may be used for by whom, before the user's mask takes some of it away.
_NEW_FILE, _MINE_ALONE = 0o666, 0o600


def new_token() -> str:
    """Return what tells the files of one change from those of all others."""
    return secrets.token_hex(8)


@dataclass(frozen=True)
class Change:
    """What happens to one file when several change together.

    Attributes
    ----------
    target : Path
        The file; no link.
    group : tuple of Path
        All files of the change; the note of the first decides.
    token : str
        The change's own.
    was_there : bool
        Whether there is an old file.
    made : tuple of int or None
        By what the new file is recognised; None where the file goes away.
    """

    target: Path
    group: tuple[Path, ...]
    token: str
    was_there: bool
    made: tuple[int, ...] | None

    @property
    def part(self) -> Path:
        """The new file before it takes its place."""
        return hidden(self.target, "part", self.token)

    @property
    def former(self) -> Path:
        """The second name of the old file."""
        return hidden(self.target, "former", self.token)

    @property
    def note(self) -> Path:
        """The note beside the file."""
        return note_of(self.target)

    def keep_former(self) -> None:
        """Give the old file a second name, under which it stays when it is replaced."""
        if not self.was_there:
            return
        try:
            os.link(self.target, self.former)
        except OSError:  # some file systems have no second names
            shutil.copy2(self.target, self.former)
            with open(self.former, "rb") as copied:
                os.fsync(copied.fileno())

    def write_note(self) -> None:
        """Leave the note; it is on the disk when this is done."""
        record = {
            "token": self.token,
            "group": [str(path) for path in self.group],
            "was_there": self.was_there,
            "made": self.made,
        }
        with open(os.open(self.note, _FRESH, _MINE_ALONE), "w", encoding="ascii") as note:
            note.write(json.dumps(record))
            note.flush()
            os.fsync(note.fileno())

    def place(self) -> None:
        """Let the new file take its place, or the old one go."""
        if self.made is None:
            os.unlink(self.target)
        else:
            os.replace(self.part, self.target)

    def undo(self) -> None:
        """Put back what was there, unless somebody has changed it since; forget the change."""
        if identity(self.target) == self.made:
            if _is_file(self.former):
                os.replace(self.former, self.target)
            elif self.made is not None and not self.was_there:
                os.unlink(self.target)
            sync([self.target.parent])
        self.forget()

    def forget(self) -> None:
        """Remove everything but the file itself; the change has happened, or never began."""
        for left in (self.note, self.former, self.part):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(left)


# Opened for writing, from nothing, and never through a link.
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)


def hidden(target: Path, kind: Kind, token: str) -> Path:
    """Return a name beside a file that belongs to one change of it."""
    return target.with_name(f"{_stem(target)}.{token}.{kind}")


def note_of(target: Path) -> Path:
    """Return where the note of a file would be."""
    return target.with_name(f"{_stem(target)}.undo")


def _stem(target: Path) -> str:
    mark = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:8]
    return f".{target.name[:_MOST_OF_NAME]}.{mark}"


def staged(target: Path, token: str, content: bytes) -> tuple[int, ...]:
    """Write a new file beside its place and return by what it is recognised.

    It may be used as the old one, or as new files may, before there is anything in it.
    """
    part = hidden(target, "part", token)
    old = _mode(target)
    handle = os.open(part, _FRESH | os.O_EXCL, _NEW_FILE if old is None else _MINE_ALONE)
    with open(handle, "wb") as file:
        if old is not None:
            os.chmod(part, old)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    found = identity(part)
    assert found is not None
    return found


def identity(path: Path) -> tuple[int, ...] | None:
    """Return by what a file is told from others in its place; None if there is none."""
    try:
        known = os.lstat(path)
    except FileNotFoundError:
        return None
    return known.st_ino, known.st_size, known.st_mtime_ns


def _mode(target: Path) -> int | None:
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return None


def _is_file(path: Path) -> bool:
    """Whether there is an ordinary file, and no link."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


@contextlib.contextmanager
def held_settled(targets: Sequence[Path]) -> Iterator[bool]:
    """Keep others from writing to files that no killed run has left half written.

    Yields
    ------
    bool
        As :func:`welfarist.base.folders.held` does.
    """
    while True:
        settle(targets)
        with held({target.parent for target in targets}) as alone:
            if alone and any(map(_noted, targets)):
                continue  # somebody began, and was killed, in between
            if alone:
                for target in targets:
                    _sweep(target)
            yield alone
            return


def settle(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Undo changes of files that killed runs left half done; wait for those who are at it.

    It costs a look at each file's folder, and more only where there is something to do.
    """
    for path in paths:
        try:
            target = Path(os.path.realpath(path))
        except OSError:  # as in a folder that has been deleted: there is nothing to settle
            continue
        try:
            while _noted(target) and _settled(target):
                pass
        except OSError as problem:
            raise InputError(
                f"{os.fspath(path)}: the run that wrote it was killed half-way, and what it left "
                f"cannot be undone: {problem.strerror}. Let its owner read it with welfarist once, "
                "or write it again."
            ) from problem


def _settled(target: Path) -> bool:
    """Settle the change that a file's note speaks of; whether it is worth looking again."""
    known = _read(target)
    group = (target,) if known is None else known.group
    folders = {path.parent for path in group if path.parent.is_dir()}
    with held({*folders, target.parent}) as alone:
        if not alone:
            return False  # nobody can know whether its writer is still at work
        now = _read(target)
        if now != known:
            return True  # its writer was at work, and is done
        if now is None:  # a note that is no more than begun: nothing had been replaced
            _sweep(target)
            note_of(target).unlink(missing_ok=True)
            return True
        _undo(now)
    return True


def _undo(found: Change) -> None:
    """Put everything back, or sweep up; the note that decides goes last."""
    first = _read(found.group[0])
    begun = first is not None and first.token == found.token
    for path in reversed(found.group):
        change = _read(path)
        if change is not None and change.token == found.token:
            if begun:
                change.undo()
            else:
                change.forget()


def _sweep(target: Path) -> None:
    """Remove what killed runs left beside a file; others must be kept from writing."""
    left = re.compile(rf"{re.escape(_stem(target))}\.{_TOKEN.pattern}\.(?:part|former)")
    with os.scandir(target.parent) as entries:
        names = [entry.name for entry in entries if left.fullmatch(entry.name)]
    for name in names:
        target.with_name(name).unlink(missing_ok=True)


def _noted(target: Path) -> bool:
    """Whether a note is there that may be believed: in a folder for all anybody could leave one."""
    try:
        note = os.lstat(note_of(target))
    except OSError:
        return False
    believed = {os.geteuid(), os.stat(target.parent).st_uid} if hasattr(os, "geteuid") else set()
    return stat.S_ISREG(note.st_mode) and note.st_uid in believed


def _read(target: Path) -> Change | None:
    """The change that a note speaks of; None without one, or with half of one."""
    if not _noted(target):
        return None
    try:
        record = json.loads(note_of(target).read_text(encoding="ascii"))
        token, made = str(record["token"]), record["made"]
        group = tuple(Path(path) for path in record["group"])
        made = None if made is None else tuple(int(number) for number in made)
        found = Change(target, group, token, bool(record["was_there"]), made)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return found if _TOKEN.fullmatch(token) and target in group else None
