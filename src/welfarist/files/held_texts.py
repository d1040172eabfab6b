"""The bytes of a text, read once and held until it has been read: as a whole, or part by part."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

# Bytes that are taken out together: few enough to be freed and used again for the next.
PART = 2**21
# Bytes in which one is looked for at a time.
_LOOK_AT = 2**18


class HeldText:
    r"""Bytes that can be cut into parts at the ends of lines.

    Parameters
    ----------
    held : bytes or (n,) array of uint8

    Examples
    --------
    >>> text = HeldText(b"a,b\n1,2\n3,4")
    >>> list(text.parts(5))
    [b'a,b\n1,2\n', b'3,4']
    >>> text.find(b"\n"), text.count(b"\n"), text[:3]
    (3, 2, b'a,b')
    """

    def __init__(self, held: bytes | npt.NDArray[np.uint8] = b"") -> None:
        self._held = held
        self._array = np.frombuffer(held, np.uint8)

    @classmethod
    def of(cls, file: BinaryIO, size: int) -> HeldText:
        """Read so many bytes of an open file, or as many as there are.

        Memory that NumPy asks for comes in large pages where the system has them, which for tens of
        megabytes takes a quarter of the time.
        """
        held = np.empty(size, np.uint8)
        view, filled = held.data, 0
        while filled < size and (more := file.readinto(view[filled:])):  # type: ignore[attr-defined]
            filled += more
        return cls(held[:filled])

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, chosen: slice) -> bytes:
        return self._array[chosen].tobytes()

    def __bytes__(self) -> bytes:
        return self._held if isinstance(self._held, bytes) else self._held.tobytes()

    def find(self, byte: bytes, start: int = 0) -> int:
        """Where a byte stands first, from a place on; -1 if nowhere."""
        for begin in range(start, len(self), _LOOK_AT):
            place = self[begin : begin + _LOOK_AT].find(byte)
            if place >= 0:
                return begin + place
        return -1

    def count(self, byte: bytes, start: int = 0, stop: int | None = None) -> int:
        """How often a byte stands in the text, or in a part of it."""
        part = self._array[start:stop]
        looks = range(0, len(part), _LOOK_AT)
        return sum(int(np.count_nonzero(part[i : i + _LOOK_AT] == byte[0])) for i in looks)

    def lines(self) -> Iterator[bytes]:
        """The lines, each with its end."""
        return iter(self.opened())

    def opened(self) -> io.BytesIO:
        """The text as a file."""
        return io.BytesIO(bytes(self))

    def parts(self, size: int | None = None) -> Iterator[bytes]:
        """The text in parts of at least so many bytes, each but the last to the end of a line."""
        begin, size = 0, size or PART
        while begin < len(self):
            end = self.find(b"\n", begin + size - 1) + 1 or len(self)
            yield self[begin:end]
            begin = end
