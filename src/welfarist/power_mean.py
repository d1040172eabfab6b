"""The weighted power mean and its logarithm, for every power on the extended line.

``M(u; w, p) = (sum_i w_i u_i^p)^(1/p)`` is the whole family of welfare functions: p = 1 is the
weighted average, p = 0 the geometric mean, p = -inf the minimum and p = inf the maximum over the
people who count [PSPS24, Sec. 2].

The table is walked in blocks that fit the processor's cache, laid out people by actions so that
every reduction over people runs along memory; no temporary is as large as the input.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.errors import InputError
from welfarist.validation import (
    FloatArray,
    as_numbers,
    as_powers,
    as_weights,
    check_lengths,
    normalised,
    utilities_error,
)

# Block of utilities worked on at a time: 65,536 doubles are 512 KiB, which with one scratch copy
# stays inside a core's level-2 cache.
_BLOCK = 2**16

# From this |p| on, log(sum w exp(p x)) / p amplifies rounding by at most 1/p = 4, and the faster
# exp serves. Below it |p| * range(log u) <= 0.25 * 1455 < 709, so that expm1 cannot overflow for
# any pair of doubles, and the centred formula keeps every digit as p -> 0.
_SMALL_POWER = 0.25

# Where the quick evaluation applies: utilities within a block differ by at most a factor of
# e^20 = 5e8, which costs at most 20 units in the last place, and nothing underflows.
_QUICK_SPAN = 20.0
_QUICK_POWER = 30.0

# |p| * Var(log u) / 2 is the first term by which M differs from the geometric mean; the largest
# variance doubles allow is 1455^2 / 4, so below this power the difference is under 1e-24.
_ZERO_POWER = 1e-30


def power_mean(
    utilities: npt.ArrayLike,
    p: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    axis: int | None = -1,
) -> Any:
    """Weighted power mean of utilities: the welfare of each action.

    Parameters
    ----------
    utilities : array-like
        Non-negative, finite numbers; `axis` runs over the people.
    p : float or array-like
        The power, anywhere in [-inf, inf]. An array is broadcast against the result, so that
        row-wise powers or a whole grid of them can be asked for at once.
    weights : array-like, optional
        How much each person counts, relative to the others, as in `numpy.average`: any
        non-negative numbers, not all zero. Either one number per person, or an array that
        broadcasts against `utilities`. Equal weights if left out.
    axis : int or None
        The axis of the people; None takes all of `utilities` as one action.

    Returns
    -------
    float or numpy.ndarray
        Welfare, in the shape of `utilities` without `axis` (broadcast with `p`).

    Notes
    -----
    Domain: u >= 0, w >= 0, p in [-inf, inf].

    Formula: ``M(u; w, p) = (sum w u^p / sum w)^(1/p)``.

    Limits: the geometric mean at p = 0, the minimum at -inf and the maximum at inf, over the
    people with positive weight. A person with weight 0 changes nothing. If somebody who counts
    has utility 0, welfare is 0 for every p <= 0.

    Examples
    --------
    >>> power_mean([1.0, 2.0, 4.0], p=1)
    2.3333333333333335
    >>> power_mean([1.0, 2.0, 4.0], p=0)
    2.0
    >>> power_mean([[1.0, 2.0, 4.0], [2.0, 2.0, 2.0]], p=float("-inf"))
    array([1., 2.])
    >>> power_mean([1.0, 2.0, 4.0], p=1, weights=[1, 2, 1])
    2.25
    """
    return _evaluate(utilities, p, weights, axis, logarithm=False)


def log_power_mean(
    utilities: npt.ArrayLike,
    p: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    axis: int | None = -1,
) -> Any:
    """Natural logarithm of the weighted power mean; -inf where welfare is 0.

    Takes the arguments of :func:`power_mean` and does not overflow or underflow where the
    welfare itself would lose digits.

    Examples
    --------
    >>> log_power_mean([1.0, 1.0, 1.0], p=-3)
    0.0
    >>> log_power_mean([0.0, 5.0], p=-1)
    -inf
    """
    return _evaluate(utilities, p, weights, axis, logarithm=True)


def _evaluate(
    utilities: npt.ArrayLike,
    p: npt.ArrayLike,
    weights: npt.ArrayLike | None,
    axis: int | None,
    logarithm: bool,
) -> Any:
    table, relative = _people_last(utilities, weights, axis)
    powers = as_powers(p)
    shape = _result_shape(table, powers, relative)
    welfare = np.empty(shape)
    everyone = (*shape, table.shape[-1])
    if relative is not None and relative.ndim > 1:
        relative = np.broadcast_to(relative, everyone)
    if powers.size > 1:
        powers = np.broadcast_to(powers, shape)
    with np.errstate(all="ignore"):  # zeros and infinities reach their limits, see _log_ratio
        _fill(welfare, np.broadcast_to(table, everyone), powers, relative, logarithm)
    return welfare if shape else float(welfare)


def _people_last(
    utilities: npt.ArrayLike, weights: npt.ArrayLike | None, axis: int | None
) -> tuple[npt.NDArray[Any], FloatArray | None]:
    """Check both arrays and move the people to the last axis, without copying."""
    table = as_numbers(utilities, "utilities")
    if table.size == 0 or table.ndim == 0:
        raise InputError(
            "utilities must hold at least one action with at least one person; found "
            f"an array of shape {table.shape}. Pass a list of numbers, or a table."
        )
    relative = None if weights is None else as_numbers(weights, "weights")
    if axis is None:
        table = table.reshape(-1)
        relative = None if relative is None else relative.reshape(-1)
        axis = -1
    if isinstance(axis, bool) or not isinstance(axis, int | np.integer):
        raise InputError(f"axis must be one whole number or None; found {axis!r}.")
    if not -table.ndim <= axis < table.ndim:
        raise InputError(
            f"axis must be one of the {table.ndim} axes of utilities; found axis={axis}."
        )
    if relative is not None and relative.ndim > 1:
        if relative.ndim != table.ndim:
            raise InputError(
                "weights must be one number per person, or have as many axes as utilities; found "
                f"shape {relative.shape} for utilities of shape {table.shape}."
            )
        relative = np.moveaxis(relative, axis, -1)
    table = np.moveaxis(table, axis, -1)
    if relative is None:
        return table, None
    checked = as_weights(relative)
    check_lengths(table.shape[-1], checked)
    return table, checked


def _result_shape(
    table: npt.NDArray[Any], powers: FloatArray, weights: FloatArray | None
) -> tuple[int, ...]:
    batches = [table.shape[:-1]]
    if weights is not None:
        batches.append(weights.shape[:-1])
    try:
        actions = np.broadcast_shapes(*batches)
    except ValueError:
        raise InputError(
            f"weights must broadcast against utilities; found weights for actions of shape "
            f"{batches[1]} and utilities for actions of shape {batches[0]}."
        ) from None
    try:
        return np.broadcast_shapes(powers.shape, actions)
    except ValueError:
        raise InputError(
            f"p must broadcast against the actions; found p of shape {powers.shape} for actions "
            f"of shape {actions}. Pass one number, one per action, or a column p[:, None]."
        ) from None


def _fill(
    welfare: FloatArray,
    table: npt.NDArray[Any],
    powers: FloatArray,
    weights: FloatArray | None,
    logarithm: bool,
) -> None:
    """Write the welfare of every action into `welfare` (...), block by block.

    `table` is (..., d); `powers` has one entry or the shape of `welfare`; `weights` is None,
    (d,) or (..., d).
    """
    shared = weights is None or weights.ndim == 1
    if welfare.ndim > 1 and not (table.flags.c_contiguous and shared):
        for i in range(len(welfare)):  # views that cannot be flattened without a copy
            row_powers = powers if powers.size == 1 else powers[i]
            row_weights = weights if shared else weights[i]  # type: ignore[index]
            _fill(welfare[i], table[i], row_powers, row_weights, logarithm)
        return
    people = table.shape[-1]
    rows, out, powers = table.reshape(-1, people), welfare.reshape(-1), powers.reshape(-1)
    step = max(1, _BLOCK // people)
    scratch = np.empty(min(_BLOCK, people) * min(step, len(rows)))
    quick = None
    if len(rows) > step and shared and powers.size == 1:
        quick = _QuickMean.if_suitable(float(powers[0]), weights, people, logarithm)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        if quick is not None and quick.fill(out[part], rows[part], scratch):
            continue
        block_weights = weights if shared else weights[part]  # type: ignore[index]
        try:
            block = _Block(rows[part], block_weights, scratch)
            out[part] = _welfare(block, powers if powers.size == 1 else powers[part], logarithm)
        except _BadUtilityError:
            raise utilities_error(table) from None


@dataclass(frozen=True)
class _QuickMean:
    """Tables of ordinary numbers: one anchor for a whole block instead of one per action.

    Saves the transposition and three passes. The price is rounding in proportion to the span of
    the logarithms, which is why a block must span less than `_QUICK_SPAN`.
    """

    p: float
    weights: FloatArray
    logarithm: bool

    @classmethod
    def if_suitable(
        cls, p: float, weights: FloatArray | None, people: int, logarithm: bool
    ) -> _QuickMean | None:
        """Return a quick evaluator for this rule, or None where only the careful one will do."""
        if abs(p) > _QUICK_POWER or p == 1 or not (weights is None or weights.all()):
            return None
        p = 0.0 if abs(p) < _ZERO_POWER else p
        return cls(p, normalised(np.ones(people) if weights is None else weights), logarithm)

    def fill(self, welfare: FloatArray, rows: npt.NDArray[Any], scratch: FloatArray) -> bool:
        """Write the welfare (m,) of `rows` (m, d); return whether they were ordinary enough."""
        logs = scratch[: rows.size].reshape(rows.shape)
        np.log(rows, out=logs, dtype=np.float64)
        lowest, highest = logs.min(), logs.max()
        if not highest - lowest <= _QUICK_SPAN:  # also where a NaN or an infinity is present
            return False
        if abs(self.p) < _SMALL_POWER:
            self._fill_centred(welfare, logs)
        else:
            anchor = highest if self.p > 0 else lowest
            logs -= anchor
            logs *= self.p
            np.dot(np.exp(logs, out=logs), self.weights, out=welfare)
            np.log(welfare, out=welfare)
            welfare /= self.p
            welfare += anchor
        if not self.logarithm:
            np.exp(welfare, out=welfare)
        return True

    def _fill_centred(self, welfare: FloatArray, logs: FloatArray) -> None:
        np.dot(logs, self.weights, out=welfare)
        if self.p != 0:
            logs -= welfare[:, None]
            logs *= self.p
            grown = np.expm1(logs, out=logs) @ self.weights
            welfare += np.log1p(grown) / self.p


class _BadUtilityError(Exception):
    """A block holds a utility that is not allowed; the caller knows how to name its place."""


class _Block:
    """A few actions whose people are read one cache-sized part at a time, people first.

    Parameters
    ----------
    rows : (m, d) array
        Utilities.
    weights : None, (d,) or (m, d) array
        Relative weights. People whom shared weights leave out are dropped here, before anything
        is computed, so that no product of zero and infinity can arise.
    scratch : (at least m * min(d, _BLOCK),) array
        Where the parts are put, so that walking a table does not allocate one anew per block.
    """

    def __init__(
        self, rows: npt.NDArray[Any], weights: FloatArray | None, scratch: FloatArray
    ) -> None:
        if weights is not None and weights.ndim == 1 and not weights.all():
            _require_utilities(rows)
            counted = np.flatnonzero(weights)
            rows, weights = rows[:, counted], weights[counted]
        self._rows = rows
        self._weights = weights
        self._scratch = scratch
        self._scale = 1.0 if weights is None else 1.0 / float(weights.max())
        self._step = max(1, min(rows.shape[1], _BLOCK // len(rows)))
        self._held: slice | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, chosen: npt.NDArray[np.intp]) -> _Block:
        """Return the chosen actions only."""
        shared = self._weights is None or self._weights.ndim == 1
        weights = self._weights if shared else self._weights[chosen]  # type: ignore[index]
        return _Block(self._rows[chosen], weights, self._scratch)

    def mass(self) -> FloatArray | float:
        """Return the sum of the weights, a number or one per action (m,)."""
        if self._weights is None:
            return float(self._rows.shape[1])
        return np.asarray((self._weights * self._scale).sum(axis=-1))

    def extreme(self, largest: bool) -> FloatArray:
        """Return the largest or smallest utility among the people who count (m,)."""
        reduce, neutral = (np.maximum, -np.inf) if largest else (np.minimum, np.inf)
        found = np.full(len(self), neutral)
        for values, weights in self.parts():
            _require_utilities(values)
            if weights is not None and weights.ndim > 1:
                values = np.where(weights > 0, values, neutral)
            found = reduce(found, reduce.reduce(values, axis=0))
        return found

    def parts(self) -> Iterator[tuple[FloatArray, FloatArray | None]]:
        """Yield utilities (k, m) and their weights: None for equal, (k,) or (k, m)."""
        people = self._rows.shape[1]
        for start in range(0, people, self._step):
            part = slice(start, min(start + self._step, people))
            values = self._scratch[: (part.stop - start) * len(self)].reshape(-1, len(self))
            if self._held != part:
                np.copyto(values, self._rows[:, part].T, casting="same_kind")
                self._held = part
            if self._weights is None:
                yield values, None
            else:
                yield values, np.ascontiguousarray(self._weights[..., part].T * self._scale)

    def offsets(
        self, log_extreme: FloatArray, drop_zeros: bool = False
    ) -> Iterator[tuple[FloatArray, FloatArray | None]]:
        """Yield log(utility / extreme) (k, m) and weights; who does not count is at 0."""
        for values, weights in self.parts():
            self._held = None  # the part is overwritten below
            logs = np.log(values, out=values)
            logs -= log_extreme
            ignored = weights == 0 if weights is not None and weights.ndim > 1 else None
            if drop_zeros and np.isneginf(logs.min()):
                zeros = np.isneginf(logs)
                ignored = zeros if ignored is None else ignored | zeros
                shared = np.ones(len(values)) if weights is None else weights
                weights = np.where(zeros, 0.0, shared[:, None] if shared.ndim == 1 else shared)
            if ignored is not None:
                logs[ignored] = 0.0
            yield logs, weights


def _require_utilities(values: npt.NDArray[Any]) -> None:
    # A NaN makes both comparisons false, so two reductions find everything that is not allowed.
    if not (values.min() >= 0 and values.max() < np.inf):
        raise _BadUtilityError


def _total(weights: FloatArray | None, values: FloatArray) -> FloatArray:
    """Sum over people of weights times values (k, m) -> (m,)."""
    if weights is None:
        return np.asarray(values.sum(axis=0))
    if weights.ndim == 1:
        return np.asarray(weights @ values)
    return np.asarray(np.einsum("km,km->m", weights, values))


def _welfare(block: _Block, powers: FloatArray, logarithm: bool) -> FloatArray:
    """Welfare of the actions of a block (m,), for one power or one per action (m,)."""
    if powers.size == 1 or (powers == powers[0]).all():
        return _welfare_at(block, powers[0], logarithm)
    welfare = np.empty(len(block))
    # One formula and one anchor serve each regime, whatever the powers inside it.
    regimes = np.sign(powers) * (1 + (np.abs(powers) >= _SMALL_POWER) + np.isinf(powers))
    for regime in np.unique(regimes):
        chosen = np.flatnonzero(regimes == regime)
        welfare[chosen] = _welfare_at(block.take(chosen), powers[chosen], logarithm)
    return welfare


def _welfare_at(block: _Block, p: Any, logarithm: bool) -> FloatArray:
    """Welfare for one power, or for powers (m,) of one regime.

    The result is anchored at the extreme that dominates the sum, ``M = extreme * exp(ratio)``:
    the exponents are then at most 0, a constant vector returns itself to the last digit, and the
    rounding of large logarithms never reaches M.
    """
    some_power = float(np.max(p))
    extreme = block.extreme(largest=some_power > 0)
    if some_power == 1 and np.ndim(p) == 0 and not logarithm and extreme.max() < 1e300:
        total = sum(_total(weights, values) for values, weights in block.parts())
        return np.asarray(total / block.mass())
    # Where the extreme is 0 everybody has nothing (p > 0), or somebody has (p <= 0).
    alive = extreme > 0
    log_extreme = np.log(np.where(alive, extreme, 1.0))
    ratio = np.zeros(len(block)) if np.isinf(some_power) else _log_ratio(block, p, log_extreme)
    if logarithm:
        return np.where(alive, log_extreme + ratio, -np.inf)
    # exp(ratio) alone could overflow where the product does not.
    safe = np.abs(ratio) < 600
    return np.where(safe, extreme * np.exp(ratio), np.where(alive, np.exp(log_extreme + ratio), 0))


def _log_ratio(block: _Block, p: Any, log_extreme: FloatArray) -> FloatArray:
    """log(M / extreme) (m,) for finite powers of one regime.

    Formula: ``log(sum w exp(p x) / sum w) / p`` with ``x = log(u / extreme)`` where |p| is not
    small; otherwise ``mean(x) + log1p(sum w expm1(p c) / sum w) / p`` with ``c = x - mean(x)``,
    in which the first-order term has cancelled before the division by p.
    """
    if np.max(np.abs(p)) >= _SMALL_POWER:
        powered: Any = 0.0
        for offsets, weights in block.offsets(log_extreme):
            offsets *= p
            powered = powered + _total(weights, np.exp(offsets, out=offsets))
        return np.asarray(np.log(powered / block.mass()) / p)
    positive = bool(np.max(p) > 0)  # only then can welfare survive a utility of 0
    kept: Any = 0.0
    mean: Any = 0.0
    for offsets, weights in block.offsets(log_extreme, drop_zeros=positive):
        kept = kept + (len(offsets) if weights is None else weights.sum(axis=0))
        mean = mean + _total(weights, offsets)
    mean = mean / kept
    if np.max(np.abs(p)) < _ZERO_POWER:
        curved: Any = 0.0
    else:
        grown: Any = 0.0
        for offsets, weights in block.offsets(log_extreme, drop_zeros=positive):
            offsets -= mean
            offsets *= p
            grown = grown + _total(weights, np.expm1(offsets, out=offsets))
        curved = np.where(np.abs(p) < _ZERO_POWER, 0.0, np.log1p(grown / kept) / p)
    lost = np.where(kept < block.mass(), np.log(kept / block.mass()) / p, 0.0) if positive else 0.0
    return np.asarray(mean + curved + lost)
