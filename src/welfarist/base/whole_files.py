"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from welfarist.base.errors import InputError
from welfarist.base.folders import sync
from welfarist.base.half_written import Change, held_settled, new_token, staged

Place = TypeVar("Place", bound=str | os.PathLike[str])


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file whole or not at all: an interrupted write leaves the old one as it was.

    The content goes to a temporary file in the same folder, which then takes the name. A link is
    followed; the permissions of an old file are kept. Of two who write a file, the last one wins.

    Parameters
    ----------
    path : str or path
    content : str or bytes
        Text is written as UTF-8, its line ends as they are.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "model.json", "{}")
    ...     (Path(folder) / "model.json").read_text()
    '{}'
    """
    write_together({path: content})


def write_together(contents: Mapping[Place, str | bytes], remove: Iterable[Path] = ()) -> None:
    """Write several files whole, all of them or none: what one reads in them belongs together.

    All contents are in temporary files before the first takes its name. If one cannot, those that
    had taken theirs give way to what was there before. If the process is killed in between, the
    next one that writes or reads one of the files does that (:mod:`welfarist.base.half_written`),
    and removes what was left behind. Two processes that write to one folder take turns.

    Parameters
    ----------
    contents : mapping
        What goes where, as in :func:`write_whole`.
    remove : iterable of paths
        Files that go away in the same moment; those that are not there do no harm.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_together({Path(folder) / "model.json": "{}", Path(folder) / "report.html": ""})
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['model.json', 'report.html']
    """
    for path in contents:
        check_target(path)
    new = {_place(path): (path, _bytes(content)) for path, content in contents.items()}
    old = [place for place in map(_place, remove) if place not in new]
    if not new and not old:
        return
    with _said(next(iter([*contents, *old]))), held_settled([*new, *old]) as alone:
        old = [place for place in old if place.exists()]
        _write(new, old, noted=alone and len(new) + len(old) > 1)


def _place(path: str | os.PathLike[str]) -> Path:
    """Where a file is: a link is followed."""
    return Path(os.path.realpath(path))


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _write(
    new: Mapping[Path, tuple[str | os.PathLike[str], bytes]], old: list[Path], *, noted: bool
) -> None:
    """Write and remove files while nobody else does; a note is left where a kill could part them.

    What cannot be done is undone.
    """
    group, token = (*new, *old), new_token()
    folders = [target.parent for target in group]
    changes = [Change(target, group, token, target.exists(), None) for target in group]
    said = {**{target: path for target, (path, _) in new.items()}, **{path: path for path in old}}
    try:
        for i, (target, (path, content)) in enumerate(new.items()):
            with _said(path):
                made = staged(target, token, content)
                changes[i] = Change(target, group, token, changes[i].was_there, made)
        for change in reversed(changes):  # the note of the first decides, and comes last
            with _said(said[change.target]):
                _prepare(change, alone=len(group) == 1, noted=noted)
        if noted:
            sync(folders)
        for change in changes:
            with _said(said[change.target]):
                change.place()
        sync(folders)
    except BaseException:  # also an interruption from the keyboard
        for change in reversed(changes):
            with contextlib.suppress(OSError):
                change.undo()
        raise
    for change in changes:  # from the first note's end on, all are new
        with contextlib.suppress(OSError):
            change.forget()


def _prepare(change: Change, *, alone: bool, noted: bool) -> None:
    """Make a change ready to be undone; a file that changes alone is replaced in one step."""
    if not alone:
        change.keep_former()
    if noted:
        change.write_note()


@contextlib.contextmanager
def _said(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file cannot be written, and why."""
    try:
        yield
    except OSError as problem:
        raise _not_written(path, problem) from problem


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a place that cannot be written to, before long work is done for it."""
    name = os.fspath(path)
    if not name:
        raise InputError("a file to write to must have a name; found an empty one. Name a file.")
    target = Path(os.path.realpath(path))
    # os.path answers no for a name that is too long, where Path would raise.
    if os.path.isdir(target):
        raise InputError(f"{name!s}: is a folder. Name a file in it to write to.")
    # Asked by the name as given: a pipe has no other.
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        raise InputError(
            f"{name!s}: must be an ordinary file, because it would be replaced; found a device or "
            "a pipe. Name another."
        )
    if not os.path.isdir(target.parent):
        raise InputError(
            f"{os.fspath(path)!s}: there is no folder {str(target.parent)!r} to write to. Make it "
            "first, or name another."
        )
    # A file is replaced, for which its folder must take new ones.
    old = [target] if os.path.exists(target) else []
    if not all(os.access(place, os.W_OK) for place in (target.parent, *old)):
        raise _not_allowed(path)


def _not_written(path: str | os.PathLike[str], problem: OSError) -> InputError:
    if isinstance(problem, PermissionError):
        return _not_allowed(path)
    return InputError(
        f"{os.fspath(path)!s}: could not be written: {problem.strerror or problem}. Nothing was "
        "changed. Choose another folder or file name."
    )


def _not_allowed(path: str | os.PathLike[str]) -> InputError:
    return InputError(
        f"{os.fspath(path)!s}: no permission to write there. Choose another folder or file name."
    )
