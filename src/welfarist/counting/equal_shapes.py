"""At which rules of a family two actions are equally good, weights being known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_weights, normalised, utilities_error
from welfarist.counting.crossings import find_crossings
from welfarist.families.base import Family
from welfarist.families.differences.family import OnDifferences
from welfarist.families.known import family_of
from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.families.kolm_pollak.levels import unit_of
from welfarist.families.needs.family import NeedsFamily
from welfarist.families.power_mean.family import PowerMean
from welfarist.families.rank_dependent.family import RankDependentFamily
from welfarist.people.utility_tables import as_utility_table


def equally_good(
    first: Sequence[float] | npt.ArrayLike,
    second: Sequence[float] | npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    family: str | Family = "power",
) -> FloatArray:
    """Return every finite shape (k,) at which two actions are equally good, provably all of them.

    Parameters
    ----------
    first, second : (d,) array-like
        What both actions give to everybody.
    weights : (d,) array-like, optional
        Known weights; equal ones if left out.
    family : "power", "kolm", "rank" or NeedsFamily(zero)
        Of the shapes: powers p, aversions alpha in one over the unit of utility, powers of the
        places, or powers of what is beyond a zero.

    Returns
    -------
    (k,) array
        Ascending. Empty if one action is better at every shape, or both tie at all.

    Examples
    --------
    Health by fifths of the population in two regions: the first has the best-off fifth, the second
    the larger mean. The choice turns at one power, and at one aversion to absolute gaps:

    >>> one, other = [65, 68, 70, 72, 81], [70, 68, 70, 72, 77]
    >>> equally_good(one, other).round(4), equally_good(one, other, family="kolm").round(5)
    (array([2.4189]), array([-0.01942]))
    """
    seen = _known(family)
    table, _ = as_utility_table(np.array([first, second], dtype=np.float64), seen.least)
    if not np.isfinite(table).all():
        raise utilities_error(table)
    people = table.shape[1]
    shares = np.full(people, 1.0 / people) if weights is None else normalised(as_weights(weights))
    if shares.shape != (people,):
        raise InputError(
            f"weights must be one number per person, {people} in all; found shape {shares.shape}."
        )
    pair = np.array([0]), np.array([1])
    if isinstance(seen, KolmPollakFamily):
        unit = unit_of(table)
        levels = (table - table.mean()).T / unit
        return np.asarray(np.sort(-find_crossings(levels, shares, *pair).power / unit) + 0.0)
    columns = seen.columns(table.T.copy())
    logs = columns.logs if type(seen) is not NeedsFamily else np.asarray(seen.table_of(columns))
    return np.asarray(np.sort(find_crossings(logs, shares, *pair).power))


def _known(family: Any) -> Family:
    """A family of which crossings are known."""
    found = family_of(family)
    plain = found.of if isinstance(found, OnDifferences) else found
    if type(plain) not in (PowerMean, KolmPollakFamily, RankDependentFamily, NeedsFamily):
        raise InputError(
            "the shapes at which two actions are equally good are known of power means, "
            "Kolm-Pollak functions and rank dependent means, with or without a zero; found "
            f"{found.called}."
        )
    return plain
