"""Saved sketches are whole, checked, and the same."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from welfarist import InputError, Sketch

RNG = np.random.default_rng(2)
UTILITIES = np.exp(RNG.normal(2, 1, (600, 3)))
GROUPS = np.where(np.arange(600) < 20, "few", "many")


@pytest.mark.parametrize("counts", [None, RNG.uniform(1, 9, 600)])
def test_what_was_saved_comes_back(tmp_path, counts):
    sketch = Sketch.of(UTILITIES, GROUPS, counts)
    sketch.save(tmp_path / "people.sketch")
    found = Sketch.load(tmp_path / "people.sketch")
    assert found == sketch
    assert found.digest == sketch.digest
    assert hash(found) == hash(sketch)
    assert pickle.loads(pickle.dumps(sketch)) == sketch
    assert found.log_mean(-1.5).tolist() == sketch.log_mean(-1.5).tolist()
    some = sketch[1:]
    some.save(tmp_path / "some.sketch")
    assert Sketch.load(tmp_path / "some.sketch").actions == ("1", "2")


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "people.sketch"
    Sketch.of(UTILITIES, GROUPS).save(path)
    whole = path.read_bytes()
    assert b"pickle" not in whole
    rng = np.random.default_rng(7)
    for _ in range(40):
        at = int(rng.integers(len(whole)))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(damaged))
        with pytest.raises(InputError, match="must be a sketch"):
            Sketch.load(path)
    for size in (0, 10, 90, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match="must be a sketch"):
            Sketch.load(path)


def test_places_that_cannot_be_written_leave_nothing(tmp_path):
    sketch = Sketch.of(UTILITIES)
    with pytest.raises(InputError, match="there is no folder"):
        sketch.save(tmp_path / "nowhere" / "people.sketch")
    with pytest.raises(InputError, match="no such file"):
        Sketch.load(tmp_path / "people.sketch")
    assert not list(tmp_path.iterdir())
