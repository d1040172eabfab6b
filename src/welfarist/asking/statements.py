"""Statements about a rule that are true of some draws and false of others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.families.power_mean.doctrines import power_of

_COMPARED = re.compile(r"^\s*(?P<left>.+?)\s*(?P<sign><|>)=?\s*(?P<right>.+?)\s*$")
_OF = "weight of "


def truth_of(statement: str, columns: Mapping[str, FloatArray]) -> npt.NDArray[np.bool_]:
    """Return for which draws (S,) a statement such as "p < 0" is true.

    Either side is a number, the name of a doctrine (its power), or the name of a column (S,).

    Examples
    --------
    >>> truth_of("p < Nash", {"p": np.array([-1.0, 0.5])}).tolist()
    [True, False]
    """
    found = _COMPARED.match(statement) if isinstance(statement, str) else None
    if found is None:
        raise InputError(
            f'a statement must be two sides with < or > between them, such as "p < 0"; found '
            f"{statement!r:.60}."
        )
    names = [known for column in columns for known in (column, column.removeprefix(_OF))]
    if any(_COMPARED.match(found[side]) for side in ("left", "right") if found[side] not in names):
        raise InputError(
            f"a statement must have one < or >; found {statement!r:.60}. Ask about it with a "
            'function of the draws, such as lambda draws: (draws["p"] > 0) & (draws["p"] < 1).'
        )
    left, right = (_side(found[side], columns) for side in ("left", "right"))
    return np.asarray(np.broadcast_to(left < right if found["sign"] == "<" else left > right,
                                      len(next(iter(columns.values())))))  # fmt: skip


def answered(found: Any, draws: int) -> npt.NDArray[np.bool_]:
    """Return what a function of the draws answered (S,), which must be yes or no for each."""
    answers = np.asarray(found)
    if answers.shape != (draws,) or answers.dtype.kind != "b":
        what = "None" if found is None else f"{answers.dtype} of shape {answers.shape}"
        raise InputError(
            f"a statement must answer True or False for each of the {draws} draws; found {what}. "
            'Write such as lambda draws: draws["p"] < 0.'
        )
    return answers


def named(name: str, columns: Mapping[str, FloatArray]) -> str:
    """Return the column a name means: its own, or that of a person's weight."""
    for known in (name, _OF + name):
        if known in columns:
            return known
    raise InputError(f"what is asked for must be one of {listed(list(columns))}; found {name!r}.")


def _side(text: str, columns: Mapping[str, FloatArray]) -> FloatArray:
    try:
        number = float(text)
    except ValueError:
        number = np.nan  # no number, or none that anything could be compared with
    if not np.isnan(number):
        return np.asarray(number)
    if text in columns or _OF + text in columns:
        return columns[named(text, columns)]
    try:
        return np.asarray(power_of(text))
    except InputError:
        return columns[named(text, columns)]  # which says what there is
