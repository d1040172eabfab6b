"""What happens to files on their way: bits flip, ends are lost, blocks come twice, sizes lie."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import numpy as np

Rng = np.random.Generator
Damage = Callable[[Rng, bytes], bytes]

# Numbers that say of something that it is huge, as formats write them.
_HUGE = (
    b"\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x00\x00\x00\x00\x00\x01\x00\x00",  # 2**40, little end first
    b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f",  # as Parquet writes it
    b"\x80\x80\x80\x80\x80\x10",
    b"\x00\x00\x00\x40",
)
_MAGIC = (b"PAR1", b"ARROW1\x00\x00", b"PK\x03\x04", b"\x1f\x8b\x08", b"\xff\xfe", b"{")
_WORDS = (
    "", "NA", "nan", "inf", "-1", "1e999", "1e-999", "0", "1,5", "1.200", "=cmd()", '"', '""', "\t",
    "\x1b[31m", "\u202e", "true", "2024-01-01", "9" * 400, "[1]", "x" * 200_000, "null", "-0.0",
)  # fmt: skip
_CELL = re.compile(r'r="([A-Z]+)(\d+)"')
_PLACES = ("XFD1048576", "A1048576", "XFD1", "ZZZZZZ9", "A4294967296", "A0", "")
_BLOCK = 64


def damaged(rng: Rng, data: bytes, other: bytes, kind: str) -> tuple[str, bytes]:
    """Return what was done to a file of a kind (its ending), and what became of it.

    `other` is another file, of which it may get a part.
    """
    known: dict[str, Damage] = dict(_OF_ANY)
    known["splice"] = lambda rng, data: _splice(rng, data, other)
    known["two files"] = lambda rng, data: data + other if rng.random() < 0.5 else other + data
    if kind in ("csv", "tsv", "json"):
        known |= _OF_TEXT
    if kind == "xlsx":
        known |= _OF_ARCHIVES
    names = list(known)
    chosen = [names[int(i)] for i in rng.integers(0, len(names), int(rng.choice([1, 1, 1, 2])))]
    for name in chosen:
        data = known[name](rng, data)
    return ", ".join(chosen), data


def _at(rng: Rng, data: bytes) -> int:
    """Somewhere, more often at the ends, where formats say what is in between."""
    size = max(len(data), 1)
    where = rng.random()
    if where < 0.25:
        return int(rng.integers(0, min(size, _BLOCK)))
    if where < 0.5:
        return size - 1 - int(rng.integers(0, min(size, 4 * _BLOCK)))
    return int(rng.integers(0, size))


def _bits(rng: Rng, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 12))):
        if changed:
            changed[_at(rng, data)] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _noise(rng: Rng, data: bytes) -> bytes:
    at, size = _at(rng, data), int(rng.integers(1, _BLOCK))
    return data[:at] + rng.bytes(size) + data[at + size :]


def _cut(rng: Rng, data: bytes) -> bytes:
    return data[: _at(rng, data)]


def _beheaded(rng: Rng, data: bytes) -> bytes:
    return data[_at(rng, data) :]


def _dropped(rng: Rng, data: bytes) -> bytes:
    at, size = _at(rng, data), int(rng.integers(1, 8 * _BLOCK))
    return data[:at] + data[at + size :]


def _twice(rng: Rng, data: bytes) -> bytes:
    at, size = _at(rng, data), int(rng.integers(1, 8 * _BLOCK))
    return data[: at + size] + data[at:]


def _zeroed(rng: Rng, data: bytes) -> bytes:
    at, size = _at(rng, data), int(rng.integers(1, 4 * _BLOCK))
    return data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


def _nothings(rng: Rng, data: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + bytes(int(rng.integers(1, 9))) + data[at:]


def _huge(rng: Rng, data: bytes) -> bytes:
    at, number = _at(rng, data), _HUGE[int(rng.integers(len(_HUGE)))]
    return data[:at] + number + data[at + len(number) :]


def _head(rng: Rng, data: bytes) -> bytes:
    return _MAGIC[int(rng.integers(len(_MAGIC)))] + data[int(rng.integers(0, 9)) :]


def _splice(rng: Rng, data: bytes, other: bytes) -> bytes:
    return data[: _at(rng, data)] + other[_at(rng, other) :]


def _empty(rng: Rng, data: bytes) -> bytes:
    del rng, data
    return b""


_OF_ANY: dict[str, Damage] = {
    "bits": _bits,
    "noise": _noise,
    "cut": _cut,
    "beheaded": _beheaded,
    "dropped": _dropped,
    "twice": _twice,
    "zeroed": _zeroed,
    "zeros put in": _nothings,
    "huge": _huge,
    "another head": _head,
    "empty": _empty,
}


def _cells(rng: Rng, data: bytes) -> bytes:
    """Other entries in place of some, in any text that has them between marks."""
    parts = re.split(rb"([,;\t\n:\[\]{}]+)", data)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(0, len(parts)))
        parts[at] = _WORDS[int(rng.integers(len(_WORDS)))].encode()
    return b"".join(parts)


def _lines(rng: Rng, data: bytes) -> bytes:
    """Lines in another order, or one of them twice, or only the first."""
    lines = data.splitlines(keepends=True) or [b""]
    way = rng.random()
    if way < 0.3:
        return b"".join(lines[int(i)] for i in rng.permutation(len(lines)))
    if way < 0.6:
        return b"".join([*lines, lines[int(rng.integers(len(lines)))]])
    return lines[0]


def _marks(rng: Rng, data: bytes) -> bytes:
    old, new = (rng.choice([",", ";", "\t", "\n", "\r", '"', "'", " ", "."]) for _ in "ab")
    return data.replace(str(old).encode(), str(new).encode())


def _other_code(rng: Rng, data: bytes) -> bytes:
    text = data.decode("latin-1")
    return text.encode(str(rng.choice(["utf-16", "utf-16-be", "utf-32", "utf-8", "cp037"])))


_OF_TEXT: dict[str, Damage] = {
    "cells": _cells,
    "lines": _lines,
    "marks": _marks,
    "another encoding": _other_code,
}


def _parts(data: bytes) -> dict[str, bytes]:
    """The parts of an archive, none if it is one no more."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # whatever the damage before has done to it
        return {}


def _packed(rng: Rng, parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    way = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2][int(rng.integers(3))]
    with zipfile.ZipFile(file, "w", way) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, way)
    return file.getvalue()


def _inside(rng: Rng, data: bytes) -> bytes:
    """Damage to one of the parts, which are packed again as if nothing had been."""
    parts = _parts(data)
    if not parts:
        return data
    name = list(parts)[int(rng.integers(len(parts)))]
    way = [*_OF_ANY.values(), _tags][int(rng.integers(len(_OF_ANY) + 1))]
    return _packed(rng, {**parts, name: way(rng, parts[name])})


def _tags(rng: Rng, data: bytes) -> bytes:
    """Numbers of a part that are others: of rows, of shared texts, of styles."""
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return data
    one = numbers[int(rng.integers(len(numbers)))]
    new = [b"-1", b"0", b"99999999", b"18446744073709551616", b"1e9", b"x"][int(rng.integers(6))]
    return data[: one.start()] + new + data[one.end() :]


def _places(rng: Rng, data: bytes) -> bytes:
    """Cells that stand somewhere else, such as in the last row of the last column."""
    parts = _parts(data)
    sheets = [name for name in parts if "worksheets/sheet" in name and name.endswith(".xml")]
    if not sheets:
        return data
    text = parts[sheets[0]].decode("utf-8", "replace")
    cells = list(_CELL.finditer(text))
    if cells:
        one = cells[int(rng.integers(len(cells)))]
        place = _PLACES[int(rng.integers(len(_PLACES)))]
        text = f'{text[: one.start()]}r="{place}"{text[one.end() :]}'
    return _packed(rng, {**parts, sheets[0]: text.encode()})


_OF_ARCHIVES: dict[str, Damage] = {
    "inside": _inside,
    "inside again": _inside,
    "places": _places,
}
