"""What is left of two actions when what they share is taken away.

Under weights w the action u is better than v at a power p if ``E(p) = log M(u) - log M(v) > 0``.
For p > 0 that is the sign of the exponential sum

    F(p) = sum_i w_i u_i^p - sum_i w_i v_i^p = sum_k c_k e^(p l_k),

with distinct levels ``l_1 > l_2 > …`` of log utility and the net mass ``c_k`` (u's less v's) of the
people at each; for p < 0 it is minus that sign. Levels at which both have the same mass drop out:
what the two actions share never matters. If nothing is left they tie for every p, as a vector and
its permutation do under equal weights.

The signs of ``C_k = c_1 + … + c_k`` say how often E can change its own: by summation in parts
``F(p) / p`` is the Laplace transform of C, and its zeros on the whole line are no more than the
changes of sign of C (Laguerre's extension of Descartes' rule). No change at all is first-order
stochastic dominance: everybody prefers one of the two behind the veil of ignorance, and so does
every rule of the family.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

Signs = npt.NDArray[np.int8]

_EPS = float(np.finfo(np.float64).eps)
# Masses that differ by less are the same up to the rounding of weights that should be equal.
_SAME_MASS = 4.0 * _EPS
# If cleaning away rounding unbalances the masses by more than this share, it was none.
_TELLING = 1e-6
# Log utilities that differ by less are the same: powers that told them apart would magnify the
# rounding of the logarithms as much as the difference.
_SAME_LEVEL = 128.0 * _EPS


@dataclass(frozen=True)
class SignedTerms:
    """The exponential sums of a number of pairs.

    Attributes
    ----------
    mass : (n, K) array
        Net masses c, from the highest level down; what has dropped out is 0 and stands last.
    level : (n, K) array
        Log utilities l, in descending order; a row's last one repeated where mass has dropped out.
    size : (n,) array
        How many terms each row has.
    rounding : (n,) array
        How far rounding may have moved the levels.
    balanced : (n,) bool array
        Whether the masses sum to 0, as they do unless somebody has nothing; then F(0) = 0.
    changes : (n,) array
        The most changes of sign that E can have, over all p (over p > 0 if not balanced).
    at_minus_infinity, at_zero, at_infinity : (n,) arrays of signs
        Which action is better at the three powers themselves; 0 is a tie. Not used at -inf and 0
        where somebody has nothing.
    """

    mass: FloatArray
    level: FloatArray
    size: npt.NDArray[np.intp]
    rounding: FloatArray
    balanced: npt.NDArray[np.bool_]
    changes: npt.NDArray[np.intp]
    at_minus_infinity: Signs
    at_zero: Signs
    at_infinity: Signs

    def __len__(self) -> int:
        return len(self.size)

    @property
    def towards_infinity(self) -> Signs:
        """Which action is better for all large p (n,): the sign of the highest level's mass."""
        return np.sign(self.mass[:, 0]).astype(np.int8)

    @property
    def towards_minus_infinity(self) -> Signs:
        """Which action is better for all p far below 0 (n,)."""
        last = np.maximum(self.size - 1, 0)
        return (-np.sign(self.mass[np.arange(len(self)), last])).astype(np.int8)

    def mirrored(self) -> SignedTerms:
        """The sums of -p instead of p, with E's sign kept: people at -l, actions exchanged."""
        column = np.arange(self.mass.shape[1])
        backwards = np.maximum(self.size[:, None] - 1 - column, 0)
        rows = np.arange(len(self))[:, None]
        present = column < self.size[:, None]
        mass = np.where(present, -self.mass[rows, backwards], 0.0)
        level = -self.level[rows, np.where(present, backwards, 0)]
        return SignedTerms(
            mass,
            level,
            self.size,
            self.rounding,
            self.balanced,
            self.changes,
            self.at_infinity,
            self.at_zero,
            self.at_minus_infinity,
        )


def signed_terms(
    first: FloatArray, second: FloatArray, weights: FloatArray, others: FloatArray | None = None
) -> SignedTerms:
    """Return the exponential sums of pairs of actions.

    Parameters
    ----------
    first, second : (n, d) arrays
        Log utilities of both actions; -inf where somebody has nothing.
    weights : (d,) or (n, d) array
        Positive weights; they need not sum to 1. Equal ones are best given as ones, whose sums
        are exact. Or those of the first action of each pair, 0 for who is absent from it.
    others : (n, d) array, optional
        Those of the second actions, if they differ; both have the same sum.
    """
    others = weights if others is None else others
    level, mass = _by_level(first, second, weights, others)
    nothing = np.isneginf(level)
    left = np.abs(np.where(nothing, mass, 0.0).sum(axis=1))
    balanced = left <= _SAME_MASS * weights.sum(axis=-1)
    mass = np.where(nothing, 0.0, mass)
    size, mass, level = _compact(mass, np.where(nothing, 0.0, level))
    largest = np.abs(level).max(axis=1)
    exact = bool((weights == np.floor(weights)).all() and (others == np.floor(others)).all())
    if exact and weights.ndim > 1:
        mass = _reduced(mass)
    changes = _changes(mass, size, exact=exact)
    return SignedTerms(
        mass,
        level,
        size,
        _EPS * largest,
        balanced,
        changes,
        _order(first.min(axis=1), second.min(axis=1)),
        _sign_at_zero(mass, level, largest),
        _order(first.max(axis=1), second.max(axis=1)),
    )


def masses_of(weights: FloatArray) -> FloatArray:
    """Return the weights (d,), or ones if they are equal: whole numbers add up without rounding."""
    return np.ones(len(weights)) if (weights == weights[0]).all() else weights


def shared_masses(one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights (n, d) of both actions of pairs, in a unit in which equal ones are whole.

    Those who are present in an action share 1. Where they do so equally, k in the first and l in
    the second, their weights are as l to k.
    """
    counts = [(side > 0).sum(axis=1) for side in (one, other)]
    equal = np.ones(len(one), dtype=bool)
    for side in (one, other):
        equal &= ((side == side.max(axis=1)[:, None]) | (side == 0)).all(axis=1)
    common = np.gcd(*counts)
    found = []
    for side, many in ((one, counts[1]), (other, counts[0])):
        whole = (side > 0) * (many // common)[:, None]
        found.append(np.where(equal[:, None], whole, side))
    return found[0], found[1]


def _by_level(
    first: FloatArray, second: FloatArray, weights: FloatArray, others: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Levels (n, 2 d) in descending order and the net mass at each, on the level's first entry."""
    both = np.concatenate([first, second], axis=1)
    order = np.argsort(-both, axis=1, kind="stable")
    level = np.take_along_axis(both, order, axis=1)
    with np.errstate(invalid="ignore"):  # nothing and nothing are the same
        moved = np.abs(first - second) > _tolerance(first)
        fresh = np.ones(level.shape, dtype=bool)
        fresh[:, 1:] = level[:, :-1] - level[:, 1:] > _tolerance(level[:, 1:])
    # Who has the same in both actions, and the same weight, drops out before anything is added up:
    # a small weight would be lost in the sum with theirs.
    moved |= weights != others
    both = np.concatenate([weights, -others], axis=-1)
    mass = np.where(np.concatenate([moved, moved], axis=1), both, 0.0)
    mass = np.take_along_axis(mass, order, axis=1)
    if not fresh.all():
        mass = _summed(mass, fresh, weights.shape[-1])
    return level, mass


def _summed(mass: FloatArray, fresh: npt.NDArray[np.bool_], people: int) -> FloatArray:
    """Add up the masses of each level, on its first entry; what only rounding leaves is 0."""
    starts = np.flatnonzero(fresh.reshape(-1))
    net = np.add.reduceat(mass.reshape(-1), starts)
    gross = np.add.reduceat(np.abs(mass).reshape(-1), starts)
    exact, cleaned = np.zeros(mass.shape), np.zeros(mass.shape)
    exact.reshape(-1)[starts] = net
    cleaned.reshape(-1)[starts] = np.where(np.abs(net) <= _SAME_MASS * people * gross, 0.0, net)
    # Where the rest is no larger than what would be cleaned away, it is no rounding.
    lost = np.abs((exact - cleaned).sum(axis=1)) > _TELLING * np.abs(cleaned).sum(axis=1)
    return np.where((lost & cleaned.any(axis=1))[:, None], exact, cleaned)


def _compact(
    mass: FloatArray, level: FloatArray
) -> tuple[npt.NDArray[np.intp], FloatArray, FloatArray]:
    """Move the terms that are left to the front of their rows, in order."""
    present = mass != 0.0
    size = present.sum(axis=1)
    if not present.all():
        order = np.argsort(~present, axis=1, kind="stable")
        mass = np.take_along_axis(mass, order, axis=1)
        level = np.take_along_axis(level, order, axis=1)
        last = np.minimum(np.arange(mass.shape[1]), np.maximum(size - 1, 0)[:, None])
        level = np.take_along_axis(level, last, axis=1)
        width = max(int(size.max(initial=0)), 1)
        mass, level = mass[:, :width], level[:, :width]
    return size, np.ascontiguousarray(mass), np.ascontiguousarray(level)


def _reduced(mass: FloatArray) -> FloatArray:
    """Whole masses (n, K) of each row without common factor.

    Pairs that compare alike, groups of different size among them, then have the same digits.
    """
    common = np.gcd.reduce(np.abs(mass).astype(np.int64), axis=1)
    return np.asarray(mass / np.maximum(common, 1)[:, None])


def _changes(mass: FloatArray, size: npt.NDArray[np.intp], *, exact: bool) -> npt.NDArray[np.intp]:
    """The most changes of sign among the cumulative masses, whatever those near 0 really are."""
    total = np.cumsum(mass, axis=1)
    slack = 0.0 if exact else 2.0 * mass.shape[1] * _EPS * np.cumsum(np.abs(mass), axis=1)
    sign = np.where(np.abs(total) > slack, np.sign(total), 0.0).astype(np.int8)
    unsure = np.zeros(sign.shape, dtype=bool) if exact else (sign == 0)
    # The last sum is the balance, which is 0 or else the sign of F(0).
    unsure &= np.arange(mass.shape[1]) < size[:, None] - 1
    # A sum of unknown sign can add two changes at most, and 0 adds none: carry the last sign on.
    known = np.where(sign != 0, np.arange(sign.shape[1]), 0)
    np.maximum.accumulate(known, axis=1, out=known)
    carried = np.take_along_axis(sign, known, axis=1)
    changed = (carried[:, 1:] != carried[:, :-1]).sum(axis=1)
    most = np.maximum(size - 2, 0)  # Descartes: one less than the terms, and p = 0 is one of them
    unbalanced = sign[np.arange(len(size)), np.maximum(size - 1, 0)] != 0
    found = changed + 2 * unsure.sum(axis=1)
    return np.asarray(np.where(unbalanced, found, np.minimum(found, most)), dtype=np.intp)


def _sign_at_zero(mass: FloatArray, level: FloatArray, largest: FloatArray) -> Signs:
    """Which geometric mean is larger (n,), where the masses are balanced."""
    difference = (mass * level).sum(axis=1)
    scale = np.abs(mass).sum(axis=1) * largest
    decided = np.abs(difference) > 2.0 * _EPS * scale * np.sqrt(mass.shape[1])
    return np.where(decided, np.sign(difference), 0.0).astype(np.int8)


def _order(first: FloatArray, second: FloatArray) -> Signs:
    with np.errstate(invalid="ignore"):
        decided = np.abs(first - second) > _tolerance(first)
    return np.where(decided, np.where(first > second, 1, -1), 0).astype(np.int8)


def _tolerance(level: FloatArray) -> FloatArray:
    return _SAME_LEVEL * np.maximum(1.0, np.where(np.isfinite(level), np.abs(level), 1.0))
