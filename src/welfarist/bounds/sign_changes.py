"""How often a comparison changes its sign as p runs from -inf to inf.

That number is what makes comparisons with known weights learnable: m comparisons with k changes
each divide the line of powers into at most m k + 1 parts, far fewer than 2^m labelings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import (
    FloatArray,
    as_numbers,
    as_weights,
    check_lengths,
    normalised,
    one_row,
)
from welfarist.bounds.parameters import check_people
from welfarist.counting.crossings import Crossings, find_crossings
from welfarist.counting.crossings.terms import masses_of, signed_terms

# Log utilities start out in [-reach, reach] with reach * max |p| equal to this: large enough for
# the sums of different powers to differ clearly, small enough for all terms to matter in each.
_REACH = 8.0
# The curve is followed until neighbours are this much nearer to each other than at the start, or
# the outermost this much further out.
_NEAREST = 0.1
_FURTHEST = 1.5
_STEPS_PER_GAP = 20
_MOST_STEPS = 50 * _STEPS_PER_GAP
_MOST_CORRECTIONS = 30
_SETTLED = 1e-15


@dataclass(frozen=True, eq=False)
class SignChanges:
    """How often comparisons change their sign.

    Attributes
    ----------
    count : (n,) array of int
        The powers in (-inf, inf) at which the other action becomes better.
    most : (n,) array of int
        No more are possible, by the order of the entries alone (Descartes' rule of signs for the
        cumulative weights, as in [PSPS24, Lemma A.7]).
    certain : (n,) array of bool
        Whether the count is proven to be all; False where two welfares agree up to rounding over
        an interval, in which they may touch, or cross and cross back.
    """

    count: npt.NDArray[np.intp]
    most: npt.NDArray[np.intp]
    certain: npt.NDArray[np.bool_]


def most_sign_changes(d: int, weights: Literal["equal", "any"]) -> int:
    """Bound how often a comparison can change its sign [PSPS24, Appendix A.6, after Lemma A.7].

    Formula: ``d - 1`` for equal weights, ``2 d - 1`` for any known weights.

    Computed as printed. ``sum w u^p - sum w v^p`` has at most d and 2 d - 1 zeros. p = 0 is one of
    them but changes no sign, because the difference is divided by p. The text takes it off for
    equal weights only; it can be taken off for any, which leaves ``2 d - 2``. The text asks for
    disjoint entries; what two actions share drops out, so that sharing only lowers the number.

    Parameters
    ----------
    d : int
        Number of people.
    weights : "equal" or "any"
        Whether everybody counts the same.

    Examples
    --------
    >>> most_sign_changes(4, "equal"), most_sign_changes(4, "any")
    (3, 7)
    """
    people = check_people(d)
    if weights not in ("equal", "any"):
        raise InputError(f'weights must be "equal" or "any"; found {weights!r:.60}.')
    return people - 1 if weights == "equal" else 2 * people - 1


def count_sign_changes(
    first: npt.ArrayLike, second: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> SignChanges:
    """Count, with proof, how often comparisons change their sign as p grows.

    Parameters
    ----------
    first, second : (n, d) or (d,) array-like
        Positive utilities of the two actions of each comparison.
    weights : (d,) array-like, optional
        How much each person counts; left out, everybody counts the same.

    Examples
    --------
    >>> count_sign_changes([[1, 5, 5], [1, 2, 3]], [[2, 2, 6], [2, 3, 4]]).count
    array([2, 0])
    """
    u, v = (_table(side, name) for side, name in ((first, "first"), (second, "second")))
    if u.shape != v.shape:
        raise InputError(
            "first and second must have the same shape, one row a comparison and one column a "
            f"person; found {u.shape} and {v.shape}."
        )
    shares = _shares(weights, u.shape[1])
    found = _crossings(u, v, shares)
    count = np.bincount(found.pair, minlength=len(u))
    counts = shares > 0
    terms = signed_terms(np.log(u[:, counts]), np.log(v[:, counts]), masses_of(shares[counts]))
    # K entries that differ have K cumulative weights of which the last is 0, up to rounding.
    most = np.minimum(terms.changes, np.maximum(terms.size - 2, 0))
    certain = count == most
    certain |= ~np.isin(np.arange(len(u)), found.undecided[:, 0])
    return SignChanges(count, most, certain)


def _crossings(first: FloatArray, second: FloatArray, shares: FloatArray) -> Crossings:
    """Find where the welfares of the rows (n, d) of two tables of positive utilities cross."""
    pairs = len(first)
    logs = np.log(np.concatenate([first, second])).T
    return find_crossings(logs, shares, np.arange(pairs), np.arange(pairs, 2 * pairs))


def _shares(weights: npt.ArrayLike | None, people: int) -> FloatArray:
    if weights is None:
        return np.full(people, 1.0 / people)
    given = one_row(as_weights(weights))
    check_lengths(people, len(given))
    return normalised(given)


def pair_crossing_at(powers: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Return two actions that cross exactly at given powers, if everybody counts the same.

    With k powers there are k + 1 people, so that no more crossings are possible and each changes
    the sign. At powers 1, …, k they are the roots of two polynomials that differ by a constant
    [PSPS24, Lemma A.8]. The general case is [PSPS24, Lemma A.9], which leaves the weights open
    though comparisons that are to be shattered together must share theirs. Equal weights suffice:
    k sums of powers ``sum_i u_i^p`` of k + 1 distinct numbers have derivatives of full rank (a
    generalised Vandermonde matrix), so that a curve of vectors with the same sums leads through
    every vector, and any two of its points cross at the given powers. The curve is followed here,
    in log utilities, from an evenly spaced vector to both sides.

    Parameters
    ----------
    powers : sequence of float
        Distinct finite powers. Up to about 12 that are not crowded work in double precision.

    Returns
    -------
    first, second : (k + 1,) arrays
        Utilities in ascending order; the first action is better below the smallest power.

    Examples
    --------
    >>> u, v = pair_crossing_at([-1, 0, 1])
    >>> bool(abs(u.sum() - v.sum()) < 1e-12), bool(abs(np.prod(u) / np.prod(v) - 1) < 1e-12)
    (True, True)
    """
    given = np.sort(np.atleast_1d(as_numbers(powers, "powers")).astype(np.float64))
    distinct = given.ndim == 1 and given.size and np.isfinite(given).all() and np.diff(given).all()
    if not distinct:
        raise InputError(
            f"powers must be distinct finite numbers, at least one; found {powers!r:.80}."
        )
    largest = float(np.abs(given).max())
    first, second = pair_within(given, _REACH / largest if largest > 0 else 1.0)
    found = _crossings(first[None], second[None], _shares(None, len(first)))
    if len(found.power) != len(given) or (np.abs(found.power - given) > found.radius).any():
        raise InputError(
            "powers must be few and far enough apart for double precision to tell the crossings "
            f"apart; found {len(given)} between {given[0]:g} and {given[-1]:g}. Space them out."
        )
    return first, second


def pair_within(powers: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    """Return two actions (k + 1,) that cross at powers (k,), from log utilities within ±reach."""
    start = np.linspace(-reach, reach, len(powers) + 1)
    ends = [np.exp(_followed(start, powers, direction)) for direction in (1.0, -1.0)]
    # For p -> -inf the smaller minimum loses.
    low, high = sorted(ends, key=lambda utilities: float(utilities[0]))
    return high, low


def _followed(start: FloatArray, powers: FloatArray, direction: float) -> FloatArray:
    """Follow the curve of equal power sums from log utilities (k + 1,) until two nearly meet."""
    gap = float(np.diff(start).min())
    furthest = _FURTHEST * float(np.abs(start).max())
    logs = start
    for _ in range(_MOST_STEPS):
        _, _, rows = np.linalg.svd(_slopes(logs, powers))
        along = rows[-1] * np.sign(rows[-1, -1])
        ahead = _corrected(logs + direction * gap / _STEPS_PER_GAP * along, start, powers)
        if np.diff(ahead).min() < _NEAREST * gap or np.abs(ahead).max() > furthest:
            break
        logs = ahead
    return logs


def _corrected(logs: FloatArray, start: FloatArray, powers: FloatArray) -> FloatArray:
    """Return the nearest log utilities (k + 1,) whose power sums are those at the start."""
    for _ in range(_MOST_CORRECTIONS):
        change = np.linalg.lstsq(_slopes(logs, powers), _excess(logs, start, powers), rcond=None)[0]
        logs = logs - change
        if np.abs(change).max() <= _SETTLED * np.abs(logs).max():
            break
    return logs


def _slopes(logs: FloatArray, powers: FloatArray) -> FloatArray:
    """Derivatives (k, k + 1) of the power sums by log utilities, each row scaled to at most 1."""
    exponents = powers[:, None] * logs
    return np.asarray(np.exp(exponents - exponents.max(axis=1, keepdims=True)))


def _excess(logs: FloatArray, start: FloatArray, powers: FloatArray) -> FloatArray:
    """Power sums less those at the start (k,), divided by p and scaled as the slopes are."""
    exponents = powers[:, None] * start
    scale = (powers[:, None] * logs).max(axis=1, keepdims=True)
    moved = logs - start
    nonzero = np.where(powers == 0, 1.0, powers)[:, None]
    growth = np.where(powers[:, None] == 0, moved, np.expm1(powers[:, None] * moved) / nonzero)
    return np.asarray((np.exp(exponents - scale) * growth).sum(axis=1))


def _table(utilities: npt.ArrayLike, name: str) -> FloatArray:
    table = np.atleast_2d(as_numbers(utilities, name)).astype(np.float64)
    if table.ndim != 2 or not table.size or not (np.isfinite(table) & (table > 0)).all():
        raise InputError(
            f"{name} must hold positive utilities, one row a comparison and one column a person; "
            f"found shape {table.shape} with {table.min(initial=np.inf):g} as smallest entry."
        )
    return table
