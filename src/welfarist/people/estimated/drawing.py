"""Utilities as they could be, drawn: for whatever has no formula of its own for errors.

Draws come in pairs whose errors are each other's opposite: what is linear in errors, which is most
of it, is then averaged without any noise of the draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.people.estimated.spread import ByAction, ByPerson, Spread

# Draws by which chances are averaged: their own error is then below a hundredth.
TIMES = 400
# Log utilities that are drawn at a time.
_AT_ONCE = 2_000_000


def drawn_tables(
    people: Any, times: int = TIMES, rng: np.random.Generator | None = None
) -> Iterator[FloatArray]:
    """Yield tables of utilities (N, d) that are as likely as each other, by their errors.

    Parameters
    ----------
    people : People
    times : int
        How many; of an odd number the last has no opposite.
    rng : Generator, optional
        Left out, the draws are the same each time.

    Examples
    --------
    >>> from welfarist import People
    >>> people = People([[1.0, 4.0], [2.0, 2.0]], log_se=0.1, shrink=False)
    >>> logs = np.log(np.array(list(drawn_tables(people, 1000))))
    >>> bool(np.allclose(logs.mean(axis=0), np.log(people.utilities)))
    True
    >>> logs.std(axis=0).round(1)
    array([[0.1, 0.1],
           [0.1, 0.1]])
    """
    rng = np.random.default_rng(0) if rng is None else rng
    logs, spread = people.best_guess
    draw = _drawer(spread)
    step = max(2, _AT_ONCE // max(logs.size, 1))
    left = times
    while left > 0:
        for noise in draw(rng, min((left + 1) // 2, step)):
            yield np.exp(logs + noise).T
            if left > 1:
                yield np.exp(logs - noise).T
            left -= 2


def averaged(people: Any, of: Callable[[FloatArray], FloatArray], times: int = TIMES) -> FloatArray:
    """Return the mean of something that is made of a table of utilities (N, d), over draws.

    Examples
    --------
    >>> from welfarist import People
    >>> people = People([[1.0, 4.0], [2.0, 2.0]], log_se=0.1, shrink=False)
    >>> averaged(people, lambda table: np.log(table[:, 1])).round(3)
    array([1.386, 0.693])
    """
    tables = drawn_tables(people, times)
    total = np.asarray(of(next(tables)), dtype=np.float64)
    for table in tables:
        total = total + of(table)
    return total / times


def _drawer(spread: Spread) -> Callable[[np.random.Generator, int], FloatArray]:
    """A function that draws so many errors (n, d, N), its factors found once."""
    known = getattr(spread, "factors", None)
    if known is None:
        covariance: Any = spread.whole if isinstance(spread, ByPerson) else None
        if covariance is None:
            covariance = spread.covariance  # type: ignore[attr-defined]
        values, vectors = np.linalg.eigh(covariance)
        known = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    factors: FloatArray = known
    common: FloatArray | None = getattr(spread, "common", None)

    def draw(rng: np.random.Generator, count: int) -> FloatArray:
        standard = rng.normal(size=(len(factors), factors.shape[2], count))
        found = np.matmul(factors, standard)  # (N, d, n) or (d, N, n)
        axes = (2, 1, 0) if isinstance(spread, ByAction) else (2, 0, 1)
        drawn = found.transpose(axes)
        if common is not None:  # the same errors of everybody
            drawn = drawn + np.einsum(
                "iac,cn->nia", common, rng.normal(size=(common.shape[2], count))
            )
        return np.asarray(drawn)

    return draw
