"""Arrays whose entries can be asked for by name as well as by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from welfarist.base.errors import InputError


class NamedValues(np.ndarray[Any, np.dtype[np.float64]]):
    """Numbers, or rows of them, that also go by names; otherwise an array like any other.

    What is made from it (a slice, a sum) is an array whose entries have no names.

    Examples
    --------
    >>> made = NamedValues.of([0.5, 2.0], ("p", "tau"))
    >>> float(made["tau"]), float(made[1]), made.to_dict()
    (2.0, 2.0, {'p': 0.5, 'tau': 2.0})
    >>> made
    p    0.5
    tau  2.0
    """

    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Any, names: Sequence[str]) -> NamedValues:
        """Name the entries (k,), or the rows (k, …), of a copy."""
        made = np.array(values, dtype=np.float64).view(cls)
        made.names = tuple(names)
        return made

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(_place(self.names, index))
        return found.view(np.ndarray) if isinstance(found, np.ndarray) else found

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        del context
        return array[()] if return_scalar else np.asarray(array)

    def __reduce__(self) -> Any:
        return NamedValues.of, (np.asarray(self), self.names)

    def __repr__(self) -> str:
        return _listed(self.names, self) or repr(np.asarray(self))

    def __str__(self) -> str:
        return _listed(self.names, self) or str(np.asarray(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, or lists of them, by name."""
        return dict(zip(self.names, np.asarray(self).tolist(), strict=True))


class MaskedNamedValues(np.ma.MaskedArray):
    """The same where some of the numbers do not exist: those are masked.

    Examples
    --------
    >>> made = MaskedNamedValues.of([0.1, 0.0], [False, True], ("p", "weight of staff"))
    >>> float(made["p"]), made["weight of staff"] is np.ma.masked
    (0.1, True)
    """

    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Any, mask: Any, names: Sequence[str]) -> MaskedNamedValues:
        """Name numbers (k,), of which those under the mask (k,) do not exist."""
        made = cls(np.array(values, dtype=np.float64), mask=mask)
        made.names = tuple(names)
        return made

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(_place(self.names, index))

    def __reduce__(self) -> Any:
        return MaskedNamedValues.of, (self.data, np.ma.getmaskarray(self), self.names)

    def __repr__(self) -> str:
        return _listed(self.names, self) or super().__repr__()

    def __str__(self) -> str:
        return _listed(self.names, self) or super().__str__()

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers by name, None for those that do not exist."""
        return dict(zip(self.names, self.tolist(), strict=True))


def _place(names: tuple[str, ...], index: Any) -> Any:
    """The number of a name; anything else is an index already."""
    if not isinstance(index, str):
        return index
    if index not in names:
        known = ", ".join(names) if names else "nothing, for the entries have no names"
        raise InputError(
            f"an estimate must be one of those that were learned: {known}; found {index!r}."
        )
    return names.index(index)


def _listed(names: tuple[str, ...], values: Any) -> str:
    """A line a name, with the numbers as NumPy writes them; empty without names."""
    if not names:
        return ""
    width = max(map(len, names))
    rows = [str(np.ma.masked if row is np.ma.masked else np.asarray(row)) for row in values]
    return "\n".join(f"{name:<{width}}  {row}" for name, row in zip(names, rows, strict=True))
