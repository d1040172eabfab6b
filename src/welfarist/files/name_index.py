"""Looking up many names in a long list of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_HASH_BITS = 64
# A table has from four to eight places for each name, so that few names share one.
_SPARE_BITS = 2
# Each table takes other bits of the hash values: those on top once these are multiplied by it.
_MIXED = np.uint64(0x9E3779B97F4A7C15)
# Tables after which names are left that share all bits, which does not happen.
_MOST_TABLES = 16
# How many texts are looked up at a time.
_PART = 2**16


@dataclass(frozen=True)
class _Table:
    """The number of one name in each place, by the top bits of a hash value."""

    numbers: npt.NDArray[np.int32]
    shift: np.uint64

    @classmethod
    def of(cls, hashes: npt.NDArray[np.uint64], numbers: npt.NDArray[np.int32]) -> _Table:
        """The table of some names; where several have the same place, the last of them has it."""
        bits = len(numbers).bit_length() + _SPARE_BITS
        table = cls(np.empty(2**bits, dtype=np.int32), np.uint64(_HASH_BITS - bits))
        table.numbers[:] = numbers[0]
        table.numbers[table._places(hashes)] = numbers
        return table

    def look_up(self, hashes: npt.NDArray[np.uint64], found: npt.NDArray[np.int32]) -> None:
        """Fill in the number (n,) of the name that may be meant; of any name where none is."""
        # All are within: to clip them takes less time than to make sure.
        self.numbers.take(self._places(hashes), out=found, mode="clip")

    def _places(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        return (hashes >> self.shift).view(np.int64)


class NameIndex:
    """The number of each name in a list, found by hash values of 64 bits.

    They are looked up in a table; the few names whose place there is taken stand in a second,
    smaller one, and so on. A million names are looked up among 100,000 in a tenth of the time that
    polars takes to turn them into an enumeration, or to join the two.

    No two names of the list share a hash value: that is made sure. A name which is not in the list
    shares that of one in it with a probability of 5e-15 if there are 100,000.

    Parameters
    ----------
    names : polars.Series
        Texts, all different.
    """

    def __init__(self, names: Any) -> None:
        self._hashes = mixed = names.hash().to_numpy()
        self._tables: list[_Table] = []
        self._sure = True
        left = np.arange(len(mixed), dtype=np.int32)
        while len(left) and self._sure:
            table = _Table.of(mixed, left)
            self._tables.append(table)
            there = np.empty_like(left)
            table.look_up(mixed, there)
            crowded = there != left
            left, there, mixed = left[crowded], there[crowded], mixed[crowded] * _MIXED
            shared = (self._hashes[left] == self._hashes[there]).any()
            self._sure = not shared and len(self._tables) < _MOST_TABLES

    def rows(self, column: Any) -> npt.NDArray[np.int32] | None:
        """Return the numbers (n,) of texts in the list, or None if one of them is not in it.

        The column may hold their hash values in place of the texts.
        """
        found = np.empty(len(column), dtype=np.int32)
        hashes = (column if column.dtype.is_integer() else column.hash()).to_numpy()
        for start in range(0, len(column), _PART):  # what is needed on the way stays small
            part = slice(start, start + _PART)
            if not self._numbers(hashes[part], found[part]):
                return None
        return found

    def _numbers(self, hashes: npt.NDArray[np.uint64], found: npt.NDArray[np.int32]) -> bool:
        """Fill in the numbers of names by their hash values (n,); tell whether all are known."""
        if not self._sure or not self._tables:
            return False
        self._tables[0].look_up(hashes, found)
        left = np.flatnonzero(self._hashes.take(found, mode="clip") != hashes)
        mixed = hashes[left]
        for table in self._tables[1:]:
            mixed = mixed * _MIXED
            again = np.empty(len(left), dtype=np.int32)
            table.look_up(mixed, again)
            found[left] = again
            strange = self._hashes[again] != hashes[left]
            left, mixed = left[strange], mixed[strange]
        return not len(left)
