"""Files that belong together are written together, or not at all."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from welfarist.base import folders
from welfarist.base.errors import InputError
from welfarist.base.half_written import Change, hidden, note_of, settle
from welfarist.base.whole_files import write_together, write_whole


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_all_files_are_written(tmp_path):
    (tmp_path / "a").write_text("old")
    write_together({tmp_path / "a": "new", tmp_path / "b": b"new too"})
    assert contents(tmp_path) == {"a": "new", "b": "new too"}


def test_files_go_away_in_the_same_moment(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("old")
    write_together({tmp_path / "a": "new"}, remove=[tmp_path / "b", tmp_path / "never there"])
    assert contents(tmp_path) == {"a": "new"}


FAILURES = [
    *(("fsync", time) for time in range(1, 8)),  # three files, their notes, one more
    *(("chmod", time) for time in (1, 2)),
    *(("replace", time) for time in (1, 2, 3)),
    ("unlink", 1),
]


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize(("step", "time"), FAILURES)
def test_if_one_cannot_be_written_none_is(tmp_path, monkeypatch, step, problem, time):
    """Whichever of them fails, and at whichever step, everything is as it was."""
    for name, text in (("a", "old"), ("c", "old too"), ("d", "to go")):
        (tmp_path / name).write_text(text)
    before = contents(tmp_path)
    real, calls = getattr(os, step), []

    def fail(*arguments):
        calls.append(arguments)
        if len(calls) == time:
            raise problem
        return real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(os, step, fail)
        kind = KeyboardInterrupt if isinstance(problem, KeyboardInterrupt) else InputError
        with pytest.raises(kind):
            write_together({tmp_path / name: "new" for name in "abc"}, remove=[tmp_path / "d"])
    assert contents(tmp_path) == before


def test_where_files_have_one_name_only(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")

    def refuse(*_arguments):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write_together({tmp_path / "a": "new", tmp_path / "b": "new"})
    assert contents(tmp_path) == {"a": "new", "b": "new"}


def test_where_folders_cannot_be_locked(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "fcntl", None)
    (tmp_path / "a").write_text("old")
    left = hidden(tmp_path / "a", "part", "0" * 16)
    left.write_text("perhaps somebody is at work")
    write_together({tmp_path / "a": "new", tmp_path / "b": "new"})
    assert contents(tmp_path) == {"a": "new", "b": "new", left.name: "perhaps somebody is at work"}


def test_a_place_that_cannot_be_written_to_is_refused_before_anything_is(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        write_together({tmp_path / "a": "new", tmp_path / "nowhere" / "b": "new"})
    assert contents(tmp_path) == {}


def test_who_may_use_a_file(tmp_path, monkeypatch):
    """An old file's permissions stay; a new one's are asked of nobody else in the process."""
    (tmp_path / "secret").write_text("old")
    (tmp_path / "secret").chmod(0o600)
    (tmp_path / "plain").touch()
    monkeypatch.setattr(os, "umask", lambda _mask: pytest.fail("it is the whole process's"))
    write_together({tmp_path / name: "new" for name in ("secret", "new")})
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes["secret"] == 0o600
    assert modes["new"] == modes["plain"]


def test_a_folder_is_written_down_after_its_names(tmp_path, monkeypatch):
    """A name that is given to a synced file can be lost in a power cut, unless the folder is."""
    done, real = [], os.fsync

    def noted(handle):
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        done.append(("folder" if is_folder else "file", (tmp_path / "a").exists()))
        real(handle)

    monkeypatch.setattr(os, "fsync", noted)
    write_whole(tmp_path / "a", "new")
    assert done == [("file", False), ("folder", True)]


def killed(targets, places=(), token="0123456789abcdef"):
    """Leave files as a run does that is killed when some of them have taken their places."""
    changes = []
    for target in targets:
        hidden(target, "part", token).write_text("new")
        known = hidden(target, "part", token).stat()
        made = (known.st_ino, known.st_size, known.st_mtime_ns)
        changes.append(Change(target, tuple(targets), token, target.exists(), made))
    for change in changes:
        change.keep_former()
        change.write_note()
    for change in changes:
        if change.target.name in places:
            change.place()
    return changes


@pytest.mark.parametrize("places", ["", "a", "ab", "b"])
@pytest.mark.parametrize("seen_from", ["a", "b"])
def test_what_a_killed_run_left_is_undone(tmp_path, places, seen_from):
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    a, b = tmp_path / "one" / "a", tmp_path / "other" / "b"
    a.write_text("old")
    killed([a, b], places)
    settle([a if seen_from == "a" else b])
    assert contents(a.parent) == {"a": "old"}
    assert contents(b.parent) == {}


def test_after_the_first_note_is_gone_the_change_has_happened(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("old")
    changes = killed([a, b], "ab")
    changes[0].forget()
    settle([b])
    assert contents(tmp_path) == {"a": "new", "b": "new"}


def test_what_somebody_has_written_since_stays(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("old")
    killed([a, b], "ab")
    b.write_text("somebody's own")
    settle([a])
    assert contents(tmp_path) == {"a": "old", "b": "somebody's own"}


@pytest.mark.parametrize(
    "note", ["", "{", "[]", '{"token": "../../x", "group": [], "was_there": true, "made": null}']
)
def test_a_note_that_is_half_written_changes_nothing(tmp_path, note):
    (tmp_path / "a").write_text("old")
    note_of(tmp_path / "a").write_text(note)
    settle([tmp_path / "a"])
    assert contents(tmp_path) == {"a": "old"}


def test_a_note_of_somebody_else_is_not_believed(tmp_path, monkeypatch):
    """In a folder for all, such as /tmp, anybody could leave one."""
    (tmp_path / "a").write_text("old")
    killed([tmp_path / "a", tmp_path / "b"], "ab")
    before = contents(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    real = os.stat
    monkeypatch.setattr(
        os, "stat", lambda path, **k: os.stat_result((*real(path, **k)[:4], 1, *real(path)[5:]))
    )
    settle([tmp_path / "a"])
    monkeypatch.undo()
    assert contents(tmp_path) == before


def test_leftovers_of_a_file_go_with_its_next_writing(tmp_path):
    names = ["model.json", "x" * 250]
    for name in names:
        hidden(tmp_path / name, "part", "0" * 16).write_text("half")
    others = tmp_path / ".model.json.00000000.part"
    others.write_text("somebody else's")
    for name in names:
        write_whole(tmp_path / name, "new")
    assert contents(tmp_path) == {names[0]: "new", names[1]: "new", others.name: "somebody else's"}


def test_writers_of_one_folder_take_turns(tmp_path):
    """Each of them finds its own files whole in between, however many there are."""
    rounds, torn = 8, []

    def write(text):
        for _ in range(rounds):
            write_together({tmp_path / name: text * 1000 for name in "ab"})

    def read():
        while any(writer.is_alive() for writer in writers):
            with folders.held([tmp_path]):
                seen = {path.read_text()[:1] for path in tmp_path.iterdir()}
                torn.extend([seen] if len(seen) > 1 else [])

    writers = [threading.Thread(target=write, args=(text,)) for text in "123"]
    for writer in writers:
        writer.start()
    read()
    assert not torn
    assert sorted(contents(tmp_path)) == ["a", "b"]


def test_nobody_waits_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "PATIENCE", 0.05)
    with folders.held([tmp_path]), pytest.raises(InputError, match="somebody else has been"):
        write_whole(tmp_path / "a", "new")
    assert contents(tmp_path) == {}
