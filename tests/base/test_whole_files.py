"""Files that belong together are written together, or not at all."""

from __future__ import annotations

import os

import pytest

from welfarist.base.errors import InputError
from welfarist.base.whole_files import write_together


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_all_files_are_written(tmp_path):
    (tmp_path / "a").write_text("old")
    write_together({tmp_path / "a": "new", tmp_path / "b": b"new too"})
    assert contents(tmp_path) == {"a": "new", "b": "new too"}


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("time", [1, 2, 3])
def test_if_one_cannot_be_written_none_is(tmp_path, monkeypatch, step, problem, time):
    """Whichever of the three fails, and at whichever step, everything is as it was."""
    (tmp_path / "a").write_text("old")
    (tmp_path / "c").write_text("old too")
    real, calls = getattr(os, step), []

    def fail(*arguments):
        calls.append(arguments)
        if len(calls) == time:
            raise problem
        return real(*arguments)

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(KeyboardInterrupt if isinstance(problem, KeyboardInterrupt) else InputError):
        write_together({tmp_path / name: "new" for name in "abc"})
    assert contents(tmp_path) == {"a": "old", "c": "old too"}


def test_where_files_have_one_name_only(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")

    def refuse(*_arguments):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write_together({tmp_path / "a": "new", tmp_path / "b": "new"})
    assert contents(tmp_path) == {"a": "new", "b": "new"}


def test_a_place_that_cannot_be_written_to_is_refused_before_anything_is(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        write_together({tmp_path / "a": "new", tmp_path / "nowhere" / "b": "new"})
    assert contents(tmp_path) == {}
