"""Every power at which the welfares of two actions cross, for many pairs."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.counting.crossings.pair_terms import PairTerms
from welfarist.counting.crossings.terms import SignedTerms, Signs
from welfarist.counting.crossings.vectorised import Isolated, Isolation

Rows = npt.NDArray[np.intp]
Kernel = Literal["auto", "compiled", "numpy"]

# Pairs worked on at a time: their terms fit the cache.
_BLOCK = 2_048
# Below this many pairs NumPy is done before compiled code is loaded.
_WORTH_COMPILING = 2_000


@dataclass(frozen=True)
class Crossings:
    """Which action of each pair is better, at every power.

    Attributes
    ----------
    lowest : float
        Where the line of powers begins: -inf, or 0 (excluded) where somebody has nothing.
    at_lowest : (n,) array of signs
        Which action is better at p = -inf itself; 0 is a tie.
    beginning : (n,) array of signs
        Which is better just above `lowest`; 0 if they tie for every finite p.
    ending : (n,) array of signs
        Which is better for all large p.
    at_infinity : (n,) array of signs
        Which is better at p = inf itself.
    pair, power, radius : (m,) arrays
        The pair and the power of each tie, and how far off the power may be. In order of pair,
        then power.
    turns : (m,) bool array
        Whether the other action is better beyond the tie. Only at p = 0 can two welfares be seen
        to touch without crossing.
    undecided : (q, 3) array
        Pair, lowest and highest power of intervals in which two welfares agree up to rounding:
        they may touch there, or cross and cross back.
    """

    lowest: float
    at_lowest: Signs
    beginning: Signs
    ending: Signs
    at_infinity: Signs
    pair: Rows
    power: FloatArray
    radius: FloatArray
    turns: npt.NDArray[np.bool_]
    undecided: FloatArray

    @property
    def identical(self) -> npt.NDArray[np.bool_]:
        """Pairs (n,) that tie for every finite power."""
        return np.asarray(self.beginning == 0)


def find_crossings(
    logs: FloatArray,
    weights: FloatArray,
    first: npt.NDArray[np.integer],
    second: npt.NDArray[np.integer],
    kernel: Kernel = "auto",
) -> Crossings:
    """Find every power at which the welfares of two actions cross, and prove that it is all.

    Parameters
    ----------
    logs : (d, N) array
        Log utilities; -inf where somebody has nothing, which restricts the search to p > 0.
    weights : (d,) or (d, N) array
        Known weights; or those of each action, shared among who is present: 0 for who is not.
    first, second : (n,) arrays of int
        The actions of each pair.
    kernel : "auto", "compiled" or "numpy"
        Compiled loops (extra `fast`) or NumPy; "auto" takes the faster one that is there.

    Examples
    --------
    The sums of (1, 5, 5) and (2, 2, 6) are 11 and 10, their largest entries 5 and 6:

    >>> logs = np.log([[1.0, 2.0], [5.0, 2.0], [5.0, 6.0]])
    >>> found = find_crossings(logs, np.ones(3) / 3, np.array([0]), np.array([1]))
    >>> found.beginning, found.power.round(4), found.ending
    (array([-1], dtype=int8), array([-0.0854,  3.6049]), array([-1], dtype=int8))
    """
    pairs = PairTerms.of(logs, weights)
    from_zero = bool(np.isneginf(pairs.columns).any())
    compiled = _use_compiled(kernel, len(first))

    def work(block: slice) -> Crossings:
        return _of_terms(pairs.terms(first[block], second[block]), from_zero, compiled)

    blocks = [slice(i, i + _BLOCK) for i in range(0, len(first), _BLOCK)]
    return _joined(_mapped(work, blocks, compiled))


def _use_compiled(kernel: Kernel, pairs: int) -> bool:
    installed = importlib.util.find_spec("numba") is not None
    if kernel == "compiled" and not installed:
        raise InputError(
            'compiled kernels need the package numba; found none. pip install "welfarist[fast]"'
        )
    if kernel == "auto":
        return installed and pairs >= _WORTH_COMPILING
    return kernel == "compiled"


def _mapped(
    work: Callable[[slice], Crossings], blocks: list[slice], compiled: bool
) -> list[Crossings]:
    """Work through the blocks, on all cores: compiled loops and NumPy's release the interpreter."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if len(blocks) == 1 or not cores or cores == 1:
        return [work(block) for block in blocks]
    if compiled:
        work(slice(0, 1))  # compile once, not once per thread
    with ThreadPoolExecutor(cores) as pool:
        return list(pool.map(work, blocks))


def _of_terms(terms: SignedTerms, from_zero: bool, compiled: bool) -> Crossings:
    isolate = _isolate_compiled if compiled else _isolate_numpy
    right = isolate(terms, _start_signs(terms, from_zero), terms.changes)
    parts = [(right, 1.0)]
    tie_at_zero = np.flatnonzero(terms.balanced & (terms.at_zero == 0) & (terms.size > 0))
    if from_zero:
        tie_at_zero = tie_at_zero[:0]
    else:
        taken = np.bincount(right.pair, minlength=len(terms))
        taken[tie_at_zero] += 1
        left = isolate(terms.mirrored(), _start_signs(terms, False), terms.changes - taken)
        parts.append((left, -1.0))
    beginning = _above_zero(terms, right) if from_zero else terms.towards_minus_infinity
    found = np.concatenate([part.pair for part, _ in parts])
    # Where all other crossings account for the signs at both ends, the two only touch at 0.
    odd = beginning * np.where(np.bincount(found, minlength=len(terms)) % 2, -1, 1)
    turning = (odd != terms.towards_infinity)[tie_at_zero]
    pair = np.concatenate([found, tie_at_zero])
    nothing = np.zeros(len(tie_at_zero))
    power = np.concatenate([*(sign * part.power for part, sign in parts), nothing])
    radius = np.concatenate([*(part.radius for part, _ in parts), nothing])
    turns = np.concatenate([np.ones(len(found), dtype=bool), turning])
    order = np.lexsort((power, pair))
    whole, radius = _snapped(power[order], radius[order])
    undecided = [_undecided(part, sign) for part, sign in parts]
    undecided.append(_unaccounted(terms, beginning, pair[turns], tie_at_zero))
    return Crossings(
        0.0 if from_zero else -np.inf,
        terms.at_minus_infinity,
        beginning,
        terms.towards_infinity,
        terms.at_infinity,
        pair[order],
        whole,
        radius,
        turns[order],
        np.concatenate(undecided),
    )


def _unaccounted(
    terms: SignedTerms, beginning: Signs, turning: Rows, tie_at_zero: Rows
) -> FloatArray:
    """Pairs whose crossings do not lead from one end's sign to the other's: nothing is certain.

    None is known; rounding that hides a crossing near 0 or far out would show here.
    """
    turned = beginning * np.where(np.bincount(turning, minlength=len(terms)) % 2, -1, 1)
    lost = np.flatnonzero((turned != terms.towards_infinity) & (terms.size > 0))
    lost = np.setdiff1d(lost, tie_at_zero)
    return np.column_stack([lost, np.full(len(lost), -np.inf), np.full(len(lost), np.inf)])


def _start_signs(terms: SignedTerms, from_zero: bool) -> Signs:
    """The sign of E just above p = 0 (n,), 0 where it is unknown."""
    if not from_zero:
        return terms.at_zero
    balance = np.sign(terms.mass.sum(axis=1)).astype(np.int8)
    return np.where(terms.balanced, terms.at_zero, balance)


def _above_zero(terms: SignedTerms, right: Isolated) -> Signs:
    """The sign of E just above p = 0 (n,), also where the two tie at p = 0 itself.

    There it is what the crossings of larger powers leave of the sign far out.
    """
    start = _start_signs(terms, True)
    odd = np.bincount(right.pair, minlength=len(terms)) % 2 == 1
    far = np.where(odd, -terms.towards_infinity, terms.towards_infinity)
    return np.where((start == 0) & (terms.size > 0), far, start).astype(np.int8)


def _undecided(part: Isolated, sign: float) -> FloatArray:
    ends = np.sort(sign * np.stack([part.undecided_low, part.undecided_high]), axis=0)
    return np.column_stack([part.undecided_pair, *ends])


def _snapped(power: FloatArray, radius: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Powers that may be whole numbers are: sums, products and squares of whole utilities tie.

    Returns them and their radii, which still hold what was found.
    """
    whole = np.rint(power) + 0.0
    moved = np.abs(power - whole)
    near = moved <= radius
    return np.where(near, whole, power), np.where(near, radius + moved, radius)


def _isolate_numpy(terms: SignedTerms, start: Signs, most: Rows) -> Isolated:
    return Isolation(terms, start.astype(np.float64), most).run()


def _isolate_compiled(terms: SignedTerms, start: Signs, most: Rows) -> Isolated:
    from welfarist.counting.crossings.compiled import isolate

    n, width = terms.mass.shape
    found = np.empty((n, width + 8, 2))
    counts = np.zeros((n, 2), dtype=np.intp)
    depth = terms.level[:, :1] - terms.level
    isolate(terms.mass, depth, terms.size, terms.rounding, start, most, found, counts)
    column = np.arange(width + 8)
    pair, place = np.nonzero(column < counts[:, :1])
    crossing = found[pair, place]
    touching, row = np.nonzero(column >= width + 8 - counts[:, 1:])
    low, high = found[touching, row].T
    return Isolated(pair, crossing[:, 0], crossing[:, 1], touching, low, high)


def _joined(parts: list[Crossings]) -> Crossings:
    if len(parts) == 1:
        return parts[0]
    shifted = list(_renumbered(parts))
    fields = ("at_lowest", "beginning", "ending", "at_infinity")
    fields += ("pair", "power", "radius", "turns", "undecided")  # type: ignore[assignment]
    joined = {name: np.concatenate([getattr(part, name) for part in shifted]) for name in fields}
    return Crossings(lowest=parts[0].lowest, **joined)


def _renumbered(parts: list[Crossings]) -> Iterator[Crossings]:
    """The parts, with pairs counted from the first part's first on."""
    offset = 0
    for part in parts:
        undecided = part.undecided.copy()
        undecided[:, 0] += offset
        yield replace(part, pair=part.pair + offset, undecided=undecided)
        offset += len(part.beginning)
