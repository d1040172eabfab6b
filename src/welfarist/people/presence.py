"""People whom an action does not affect: a utility that is missing because it is nobody's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from welfarist.base.data_frames import split_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers, owned
from welfarist.people.utility_tables import as_utility_table
from welfarist.people.weighting import Weighting

_WAY_OUT = (
    "Drop those rows, fill in what is missing, or say absent=True if it means that somebody is not "
    "affected."
)


def as_present_table(
    utilities: object, least: float, absent: bool
) -> tuple[FloatArray, tuple[str, ...] | None]:
    """Return a checked table of utilities (N, d), and the people's names, if it has any.

    If `absent`, NaN stands for who is not affected by an action; every action must affect somebody.
    """
    if not absent:
        return as_utility_table(utilities, least, copy=True, way_out=_WAY_OUT)
    values, names = split_names(utilities)
    table = as_numbers(values, "utilities").astype(np.float64, copy=False)
    missing = np.isnan(table)
    if not missing.any() or table.ndim != 2 or not table.size:
        return as_utility_table(utilities, least, copy=True)
    if missing.all(axis=1).any():
        row = int(np.argmax(missing.all(axis=1)))
        raise InputError(
            f"every action must affect somebody; found one that affects nobody, at row {row}. "
            "Leave it out."
        )
    if missing.all(axis=0).any():
        column = int(np.argmax(missing.all(axis=0)))
        who = column if names is None else repr(str(names[column]))
        raise InputError(
            f"everybody must be affected by some action; found nothing but NaN in column {who}. "
            "Leave that column out."
        )
    as_utility_table(np.where(missing, max(least, 1.0), table), least)  # which refuses all else
    return owned(table, utilities), names


def refuse_apart(utilities: FloatArray, people: Sequence[str], weighting: Weighting) -> None:
    """Require that weights can be learned: that people are seen together, if not all at once.

    Weights are shared among those present. Of people who never are, nor with somebody in common,
    nothing says who counts more.
    """
    present = ~np.isnan(utilities)
    if present.all():
        return
    there = (weighting.pull_back(present.T.astype(np.float64)) > 0).astype(np.float64)
    count, group = connected_components(csr_array(there @ there.T))
    if count == 1:
        return
    who = np.arange(len(people)) if weighting.group_of is None else weighting.group_of
    one, other = (people[int(np.argmax(group[who] == part))] for part in (0, 1))
    raise InputError(
        "weights can be learned of people who are affected together, or with others in common; "
        f"found that {one!r} never is with {other!r}. Give the weights, or "
        "share them within groups."
    )
