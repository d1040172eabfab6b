"""Tables of utilities, scores and counts of every odd kind that fits into double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Rng = np.random.Generator

_SMALLEST = 5e-324


def chosen(rng: Rng, options: dict[Any, float]) -> Any:
    """Return one of the options, each as likely as its number says."""
    chances = np.array(list(options.values()))
    return list(options)[int(rng.choice(len(options), p=chances / chances.sum()))]


def _plain(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return rng.uniform(0.5, 10.0, shape)


def _answers(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return rng.integers(1, 6, shape).astype(np.float64)


def _zeros(rng: Rng, shape: tuple[int, int]) -> Numbers:
    table = rng.uniform(0.5, 10.0, shape).round(1)
    table[rng.random(shape) < rng.choice([0.05, 0.3, 0.7])] = 0.0
    return table


def _nothing_done(rng: Rng, shape: tuple[int, int]) -> Numbers:
    table = _plain(rng, shape)
    table[rng.integers(shape[0])] = 0.0
    return table


def _wide(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return np.asarray(10.0 ** rng.uniform(-6.0, 6.0, shape))


def _of_size(rng: Rng, shape: tuple[int, int]) -> Numbers:
    size = 10.0 ** rng.uniform(-300.0, 300.0)
    return np.asarray(_plain(rng, shape) * size)


def _apart(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return _plain(rng, shape) * 10.0 ** rng.uniform(-150.0, 150.0, (1, shape[1]))


def _everything(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return np.asarray(10.0 ** rng.uniform(-300.0, 300.0, shape))


def _denormal(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return np.asarray(rng.integers(0, 9, shape) * _SMALLEST)


def _nearly_equal(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return np.asarray(3.0 + 1e-15 * rng.integers(-3, 4, shape), dtype=np.float64)


def _the_same(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return np.full(shape, float(rng.choice([0.0, 1.0, 7.5, 1e-200, 1e200])))


def _equal_people(rng: Rng, shape: tuple[int, int]) -> Numbers:
    table = _plain(rng, shape)
    table[:, -1] = table[:, 0]
    return table


def _one_action(rng: Rng, shape: tuple[int, int]) -> Numbers:
    return np.repeat(_plain(rng, (1, shape[1])), shape[0], axis=0)


# How tables of utilities are drawn, and how often.
_TABLES: dict[Callable[[Rng, tuple[int, int]], Numbers], float] = {
    _plain: 6,
    _answers: 3,
    _zeros: 3,
    _nothing_done: 1,
    _wide: 1,
    _of_size: 2,
    _apart: 0.5,
    _everything: 0.5,
    _denormal: 0.5,
    _nearly_equal: 0.5,
    _the_same: 0.3,
    _equal_people: 1,
    _one_action: 0.3,
}


def utilities(rng: Rng) -> Numbers:
    """Return a table of a few actions (N, d), some of which may be the same."""
    people = int(chosen(rng, {1: 1, 2: 4, 3: 4, 4: 2, 6: 1}))
    actions = int(rng.integers(2, 26))
    table = chosen(rng, _TABLES)(rng, (actions, people))
    if rng.random() < 0.15:  # some actions twice
        again = rng.integers(actions, size=int(rng.integers(1, actions + 1)))
        table = np.concatenate([table, table[again]])
    return np.asarray(np.minimum(table, np.finfo(np.float64).max))


def scores(rng: Rng, welfare: Numbers) -> Numbers:
    """Return scores (N,) that have something to do with welfare (N,), or nothing."""
    spread = float(chosen(rng, {0.0: 1, 0.1: 4, 1.0: 1}))
    with np.errstate(over="ignore"):
        stated = welfare * (1.0 + spread * rng.normal(size=len(welfare)))
        stated = np.nan_to_num(stated, posinf=1e300, neginf=-1e300)
        factor = float(chosen(rng, {1.0: 8, -1.0: 0.5, 0.0: 0.3, 1e3: 1, 1e-320: 0.5, 1e200: 0.5}))
        stated = np.nan_to_num(stated * factor, posinf=1e300, neginf=-1e300)
    if rng.random() < 0.1:
        stated = stated + float(rng.choice([-5.0, 100.0, 1e9]))
    if rng.random() < 0.1:
        stated = np.round(stated)
    return np.asarray(stated, dtype=np.float64)


def counts(rng: Rng, rows: int) -> Numbers | None:
    """Return how often each decision was observed (n,); None if nobody said."""
    kind = chosen(rng, {"none": 6, "few": 2, "zeros": 1, "large": 0.7, "parts": 0.7, "odd": 0.4})
    if kind == "none":
        return None
    if kind == "few":
        return rng.integers(1, 5, rows).astype(np.float64)
    if kind == "zeros":
        return rng.integers(0, 3, rows).astype(np.float64)
    if kind == "large":
        size = float(rng.choice([1e6, 1e12, 1e15]))
        return size * rng.integers(1, 9, rows).astype(np.float64)
    if kind == "parts":
        return rng.uniform(0.01, 3.0, rows)
    return np.asarray(10.0 ** rng.uniform(-15.0, 15.0, rows))
