"""Statements about a rule that are true of some draws and false of others."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.families.power_mean.doctrines import power_of

_COMPARED = re.compile(r"^\s*(?P<left>.+?)\s*(?P<sign><|>)=?\s*(?P<right>.+?)\s*$")


def truth_of(statement: str, columns: Mapping[str, FloatArray]) -> npt.NDArray[np.bool_]:
    """Return for which draws (S,) a statement such as "p < 0" is true.

    Either side is a number, the name of a doctrine (its power), or the name of a column (S,).

    Examples
    --------
    >>> truth_of("p < Nash", {"p": np.array([-1.0, 0.5])}).tolist()
    [True, False]
    """
    found = _COMPARED.match(statement)
    if found is None:
        raise InputError(
            f'a statement must be two sides with < or > between them, such as "p < 0"; found '
            f"{statement!r:.60}."
        )
    left, right = (_side(found[side], columns) for side in ("left", "right"))
    return np.asarray(np.broadcast_to(left < right if found["sign"] == "<" else left > right,
                                      len(next(iter(columns.values())))))  # fmt: skip


def named(name: str, columns: Mapping[str, FloatArray]) -> str:
    """Return the column a name means: its own, or that of a person's weight."""
    for known in (name, f"weight of {name}"):
        if known in columns:
            return known
    raise InputError(f"what is asked for must be one of {listed(list(columns))}; found {name!r}.")


def _side(text: str, columns: Mapping[str, FloatArray]) -> FloatArray:
    try:
        return np.asarray(float(text))
    except ValueError:
        pass
    if text in columns or f"weight of {text}" in columns:
        return columns[named(text, columns)]
    try:
        return np.asarray(power_of(text))
    except InputError:
        return columns[named(text, columns)]  # which says what there is
