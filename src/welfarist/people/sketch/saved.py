"""Sketches in files: numbers with a digest, and no code.

A file begins with one line that says what it is and the SHA-256 digest of all that follows: the
names, as JSON, and the arrays, in NumPy's archive format without pickles.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.ordinary_files import open_ordinary
from welfarist.base.whole_files import check_target, write_whole
from welfarist.people.sketch.bins import BIN_BITS, FIRST_BIN, LAST_BIN, SUMS
from welfarist.people.sketch.gathering import Gathered
from welfarist.people.sketch.header import MAGIC
from welfarist.people.sketch.tally import KEPT, Tally

_ARRAYS = {
    "keys": (np.int64, 1),
    "sums": (np.int64, 2),
    "high": (np.int64, 2),
    "cell": (np.int64, 1),
    "value": (np.float64, 1),
    "count": (np.int64, 1),
    "rows": (np.int64, 1),
    "zeros": (np.int64, 1),
    "low": (np.uint64, 1),
    "high_end": (np.uint64, 1),
}
_BY_CELL = ("rows", "zeros", "low", "high_end")


def content_of(gathered: Gathered) -> bytes:
    """Return what a file holds of a sketch, the digest not included."""
    tally = gathered.tally
    names = {
        "actions": list(gathered.actions),
        "groups": list(gathered.groups),
        "counted": tally.counted,
    }
    arrays: dict[str, Any] = {
        name: getattr(tally, name) for name in _ARRAYS if getattr(tally, name) is not None
    }
    arrays["names"] = np.frombuffer(json.dumps(names).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def digest_of(gathered: Gathered) -> str:
    """Return a digest (SHA-256) of everything a sketch knows: the same digits, the same digest."""
    found = hashlib.sha256(json.dumps([gathered.actions, gathered.groups]).encode())
    for name in _ARRAYS:
        array = getattr(gathered.tally, name)
        if array is not None:
            found.update(name.encode() + str(array.shape).encode())
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def write(gathered: Gathered, path: str | os.PathLike[str]) -> None:
    """Write a sketch to a file, whole or not at all."""
    check_target(path)
    content = content_of(gathered)
    write_whole(path, MAGIC + hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def read(path: str | os.PathLike[str]) -> Gathered:
    """Return the sketch in a file, if it is one and whole."""
    name = os.fspath(path)
    if not os.path.exists(name):
        raise InputError(f"{name}: there is no such file. Check the name.")
    with open_ordinary(name, advice="Name a sketch.") as file:
        head = file.read(len(MAGIC))
        if head != MAGIC:
            raise InputError(
                f"{name}: must be a sketch that welfarist saved; found something else. Make one "
                "with Sketch.of(...).save(path)."
            )
        digest, content = file.readline(65), file.read()
    if hashlib.sha256(content).hexdigest().encode() != digest.strip():
        raise _damaged(name)
    try:
        return _checked(content)
    except (KeyError, ValueError, TypeError, OSError, zipfile.BadZipFile):
        raise _damaged(name) from None


def _damaged(name: str) -> InputError:
    return InputError(
        f"{name}: must be a sketch as it was saved; found one that was cut short or changed. Save "
        "or copy it again."
    )


def _checked(content: bytes) -> Gathered:
    """Return what a file holds, or raise a ValueError where it is no sketch."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    names = json.loads(arrays.pop("names").tobytes())
    actions, groups = (tuple(map(str, names[what])) for what in ("actions", "groups"))
    counted, cells = bool(names["counted"]), len(actions) * len(groups)
    for name, array in arrays.items():
        kind, axes = _ARRAYS[name]
        _require(array.dtype == kind and array.ndim == axes)
    tally = Tally(cells=cells, counted=counted, **{"high": None, **arrays})
    _require(cells > 0 and (tally.high is not None) == counted)
    _require(all(len(getattr(tally, name)) == cells for name in _BY_CELL))
    for high in (tally.sums, tally.high):
        _require(high is None or high.shape == (len(tally.keys), SUMS))
    number = tally.keys & (2**BIN_BITS - 1)
    _require(bool(((number >= FIRST_BIN) & (number <= LAST_BIN)).all()))
    _require(bool((np.diff(tally.keys) > 0).all()))
    for cell in (tally.keys >> BIN_BITS, tally.cell):
        _require(not len(cell) or (int(cell.min()) >= 0 and int(cell.max()) < cells))
    _require(len(tally.cell) == len(tally.value) == len(tally.count))
    _require(bool((tally.sums[:, 0] > 0).all() and (tally.value > 0).all()))
    _require(bool(np.isfinite(tally.value).all() and (tally.rows <= KEPT + 1).all()))
    return Gathered(actions, groups, tally.checked())


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError
