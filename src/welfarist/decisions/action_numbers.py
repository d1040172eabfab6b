"""The row numbers of actions that callers call by number or by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from welfarist.base.errors import InputError

# What stands in the place of an action that is not there.
NOBODY = -1


@dataclass(frozen=True)
class ActionNumbers:
    """The actions of a table, which have row numbers and may have names.

    A text is a name, a number a row number, even where names look like numbers.

    Attributes
    ----------
    size : int
        How many actions there are.
    names : (N,) sequence of str or None
    """

    size: int
    names: Sequence[str] | None = None

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names or ())}

    def known(self, given: Any, row: int | None, what: str) -> Any:
        """Return what was given (a list, or an array of any shape), with numbers for names.

        Parameters
        ----------
        given
            Row numbers, names, or nothing (None).
        row : int or None
            Where it is; None for one entry per row.
        what : str
            What it is called in messages.
        """
        if isinstance(given, np.ndarray):
            if given.dtype.kind not in "OUT":
                return given
            flat = self.known(given.reshape(-1).tolist(), row, what)
            return np.array(flat, dtype=object).reshape(given.shape)
        if not any(isinstance(one, str) for one in given):
            return given
        return [
            self._number(one, place if row is None else row, what) if isinstance(one, str) else one
            for place, one in enumerate(given)
        ]

    def _number(self, name: str, row: int, what: str) -> int:
        if name in self._row_of:
            return self._row_of[name]
        if self.names is None:
            raise InputError(
                f"{what} must hold row numbers of the table of actions, counted from 0, or their "
                f"names; found {name!r:.60} at row {row}, while actions have no names. "
                "Say names=…, or pass a pandas data frame whose index names them."
            )
        raise InputError(
            f"{what} must name actions of the table; found {name!r:.60} at row {row}, which is "
            f"none of the {self.size}. Correct the name, or add the action."
        )


def is_nobody(one: Any) -> bool:
    """Whether something stands for no action: None, NaN or -1."""
    return one is None or (isinstance(one, float | int | np.number) and (one != one or one == -1))


def without_padding(given: Iterable[Any]) -> list[Any]:
    """Return a list without what fills it up at its end.

    Examples
    --------
    >>> without_padding([2, 0, -1, None])
    [2, 0]
    """
    found = given.tolist() if isinstance(given, np.ndarray) else list(given)
    while found and is_nobody(found[-1]):
        found.pop()
    return found
