"""The weighted power mean and its logarithm, for every power on the extended line.

``M(u; w, p) = (sum_i w_i u_i^p)^(1/p)`` is the whole family of welfare functions: p = 1 is the
weighted average, p = 0 the geometric mean, p = -inf the minimum and p = inf the maximum over the
people who count [PSPS24, Sec. 2].

The table is walked in blocks (see :mod:`welfarist.families.power_mean.blocks`); no temporary is as
large as the input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import (
    FloatArray,
    as_numbers,
    as_powers,
    check_lengths,
    check_weights,
    utilities_error,
)
from welfarist.families.power_mean.blocks import BLOCK, BadUtilityError, Block, Rows, mass, total
from welfarist.families.power_mean.formula_ranges import SMALL_POWER, ZERO_POWER, log_kept
from welfarist.families.power_mean.quick_mean import QuickMean


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
        How much each person counts, relative to the others, as in `numpy.average`: finite
        numbers, not negative and not all zero, the positive ones within a factor of 1e300 of
        each other. Either one number per person (d,), or an array with as many axes as
        `utilities` that broadcasts against it. With ``axis=None``, in the shape of `utilities`
        or flat. Equal weights if left out.
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
    given = as_numbers(utilities, "utilities")
    if given.size == 0 or given.ndim == 0:
        raise InputError(
            "utilities must hold at least one action with at least one person; found "
            f"an array of shape {given.shape}. Pass a list of numbers, or a table."
        )
    table, relative = _people_last(given, weights, axis)
    powers = as_powers(p)
    shape = _result_shape(table, powers, relative)
    welfare = np.empty(shape)
    everyone = (*shape, table.shape[-1])
    if relative is not None and relative.ndim > 1:
        relative = np.broadcast_to(relative, everyone)
    if powers.size > 1:
        powers = np.broadcast_to(powers, shape)
    try:
        with np.errstate(all="ignore"):  # zeros and infinities reach their limits, see _log_ratio
            _fill(welfare, np.broadcast_to(table, everyone), powers, relative, logarithm)
    except BadUtilityError:
        raise utilities_error(given) from None
    return welfare if shape else float(welfare)


def _people_last(
    table: npt.NDArray[Any], weights: npt.ArrayLike | None, axis: int | None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
    """Check the weights and move the people to the last axis of both arrays, without copying."""
    relative = None if weights is None else as_numbers(weights, "weights")
    if axis is None:
        if relative is not None:
            relative = _flat_weights(relative, table)
        return table.reshape(-1), relative
    if isinstance(axis, bool) or not isinstance(axis, int | np.integer):
        raise InputError(f"axis must be one whole number or None; found {axis!r}.")
    if not -table.ndim <= axis < table.ndim:
        raise InputError(
            f"axis must be one of the {table.ndim} axes of utilities; found axis={axis}."
        )
    if relative is not None:
        if 1 < relative.ndim != table.ndim:
            raise InputError(
                "weights must be one number per person, or have as many axes as utilities; found "
                f"shape {relative.shape} for utilities of shape {table.shape}."
            )
        people = axis if relative.ndim > 1 else -1
        check_weights(relative, people)
        relative = np.moveaxis(relative, people, -1)
        check_lengths(table.shape[axis], relative.shape[-1])
    return np.moveaxis(table, axis, -1), relative


def _flat_weights(weights: npt.NDArray[Any], table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return weights for a table that is taken as one action (d,)."""
    check_weights(weights, axis=None)
    if weights.shape not in (table.shape, (table.size,)):
        raise InputError(
            "weights must have the shape of utilities, or be flat with as many entries, when "
            f"axis=None; found shape {weights.shape} for utilities of shape {table.shape}."
        )
    return weights.reshape(-1)


def _result_shape(
    table: npt.NDArray[Any], powers: FloatArray, weights: npt.NDArray[Any] | None
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
    weights: npt.NDArray[Any] | None,
    logarithm: bool,
) -> None:
    """Write the welfare of every action into `welfare` (...), block by block.

    `table` is (..., d); `powers` has one entry or the shape of `welfare`; `weights` is None,
    (d,) or (..., d).
    """
    shared = weights is None or weights.ndim == 1
    if welfare.ndim > 1 and powers.size > 1 and table[0].size >= BLOCK:
        for i in range(len(welfare)):  # a grid of powers: each may suit the quick evaluation
            first = powers[i].reshape(-1)[:1]
            row_powers = first if (powers[i] == first).all() else powers[i]
            row_weights = weights if shared else weights[i]  # type: ignore[index]
            _fill(welfare[i], table[i], row_powers, row_weights, logarithm)
        return
    rows, out, powers = Rows(table), welfare.reshape(-1), powers.reshape(-1)
    row_weights = None if shared else Rows(weights)  # type: ignore[arg-type]
    people = table.shape[-1]
    step = max(1, BLOCK // people)
    scratch = np.empty((2, min(BLOCK, people) * min(step, len(rows))))
    quick = None
    if people <= BLOCK and len(rows) > step and shared and powers.size == 1:
        quick = QuickMean.if_suitable(float(powers[0]), weights, people, logarithm)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        block = rows[part]
        if quick is not None and quick.fill(out[part], block, scratch[0]):
            continue
        block_weights = weights if row_weights is None else row_weights[part]
        block_powers = powers if powers.size == 1 else powers[part]
        out[part] = _welfare(block, block_weights, block_powers, scratch, logarithm)


def _welfare(
    rows: npt.NDArray[Any],
    weights: npt.NDArray[Any] | None,
    powers: FloatArray,
    scratch: FloatArray,
    logarithm: bool,
) -> FloatArray:
    """Welfare of the actions `rows` (m, d), for one power or one per action (m,)."""
    if powers.size == 1 or (powers == powers[0]).all():
        return _welfare_at(Block(rows, weights, scratch), powers[0], logarithm)
    welfare = np.empty(len(rows))
    # One formula and one anchor serve each regime, whatever the powers inside it.
    regimes = np.sign(powers) * (1 + (np.abs(powers) >= SMALL_POWER) + np.isinf(powers))
    for regime in np.unique(regimes):
        chosen = np.flatnonzero(regimes == regime)
        shared = weights is None or weights.ndim == 1
        own = weights if shared else weights[chosen]  # type: ignore[index]
        block = Block(rows[chosen], own, scratch)
        welfare[chosen] = _welfare_at(block, powers[chosen], logarithm)
    return welfare


def _welfare_at(block: Block, p: Any, logarithm: bool) -> FloatArray:
    """Welfare for one power, or for powers (m,) of one regime.

    The result is anchored at the extreme that dominates the sum, ``M = extreme * exp(ratio)``:
    the exponents are then at most 0, a constant vector returns itself to the last digit, and the
    rounding of large logarithms never reaches M.
    """
    some_power = float(np.max(p))
    extreme = block.extreme(largest=some_power > 0)
    if some_power == 1 and np.ndim(p) == 0 and not logarithm and extreme.max() < 1e300:
        return _average(block)
    # Where the extreme is 0 everybody has nothing (p > 0), or somebody has (p <= 0).
    alive = extreme > 0
    log_extreme = np.log(np.where(alive, extreme, 1.0))
    ratio = np.zeros(len(block)) if np.isinf(some_power) else _log_ratio(block, p, log_extreme)
    if logarithm:
        return np.where(alive, log_extreme + ratio, -np.inf)
    # exp(ratio) alone could overflow where the product does not.
    safe = np.abs(ratio) < 600
    return np.where(safe, extreme * np.exp(ratio), np.where(alive, np.exp(log_extreme + ratio), 0))


def _average(block: Block) -> FloatArray:
    """M at p = 1 (m,)."""
    added: Any = 0.0
    counted: Any = 0.0
    for values, weights in block.parts():
        added = added + total(weights, values)
        counted = counted + mass(weights, values)
    return np.asarray(added / counted)


def _log_ratio(block: Block, p: Any, log_extreme: FloatArray) -> FloatArray:
    """log(M / extreme) (m,) for finite powers of one regime.

    Formula: ``log(sum w exp(p x) / sum w) / p`` with ``x = log(u / extreme)``, where |p| is not
    small.
    """
    if np.max(np.abs(p)) < SMALL_POWER:
        return _log_ratio_centred(block, p, log_extreme)
    powered: Any = 0.0
    counted: Any = 0.0
    for offsets, weights in block.offsets(log_extreme):
        offsets *= p
        powered = powered + total(weights, np.exp(offsets, out=offsets))
        counted = counted + mass(weights, offsets)
    return np.asarray(np.log(powered / counted) / p)


def _log_ratio_centred(block: Block, p: Any, log_extreme: FloatArray) -> FloatArray:
    """log(M / extreme) (m,) for powers near 0.

    Formula: ``mean(x) + log1p(sum w expm1(p c) / sum w) / p`` with ``c = x - mean(x)``, in which
    the first-order term has cancelled before the division by p. For p > 0 those with utility 0
    only take their weight out of the sum: ``log(weight of the others / sum w) / p``.
    """
    # Only a positive power lets welfare survive a utility of 0.
    dropped = block.weight_of_zeros() if np.max(p) > 0 else np.zeros(1)
    drop = bool(dropped.any())
    kept: Any = 0.0
    mean: Any = 0.0
    for offsets, weights in block.offsets(log_extreme, drop):
        kept = kept + mass(weights, offsets)
        mean = mean + total(weights, offsets)
    mean = mean / kept
    if np.max(np.abs(p)) < ZERO_POWER:
        curved: Any = 0.0
    else:
        grown: Any = 0.0
        for offsets, weights in block.offsets(log_extreme, drop):
            offsets -= mean
            offsets *= p
            grown = grown + total(weights, np.expm1(offsets, out=offsets))
        curved = np.where(np.abs(p) < ZERO_POWER, 0.0, np.log1p(grown / kept) / p)
    return np.asarray(mean + curved + log_kept(kept, dropped, p) if drop else mean + curved)
