"""Choices of every kind from odd menus: ragged, of one action, repeated; rankings with ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import welfarist as wf
from fuzz import odd_numbers
from fuzz.attack import Case
from fuzz.odd_numbers import chosen

Rng = np.random.Generator
Numbers = npt.NDArray[np.float64]

# How choices are told, and how often.
_WAYS = {
    "lists": 5, "padded": 1, "arrays": 1, "all": 1, "long": 1.5, "comparisons": 0.5,
    "rankings": 4, "best and worst": 1.5, "ratings": 1,
}  # fmt: skip
# Of these none of these may be chosen.
_SINGLE = ("lists", "padded", "arrays", "all", "long")
_MOST_OF_RATINGS = 12


def table(rng: Rng) -> tuple[Numbers, bool]:
    """Return utilities (N, d), and whether NaN in them means that somebody is absent."""
    found = odd_numbers.utilities(rng)
    absent = bool(rng.random() < 0.3)
    if absent:
        gone = rng.random(found.shape) < rng.choice([0.0, 0.1, 0.4, 0.8])
        if rng.random() < 0.97:  # else an action may affect nobody, which is refused
            gone[np.arange(len(gone)), rng.integers(found.shape[1], size=len(gone))] = False
        found = np.where(gone, np.nan, found)
    return found, absent


def choices(rng: Rng, utilities: Numbers) -> Case:
    """Return choices among actions (N, d) that have something to do with a rule, or nothing."""
    way = chosen(rng, _WAYS)
    rows = int(chosen(rng, {1: 0.5, 3: 1, 8: 2, 20: 3, 40: 2}))
    values = _log_welfare(rng, utilities) * float(rng.choice([0.0, 3.0, 30.0]))
    outside = way in _SINGLE and bool(rng.random() < 0.25)
    menus = _menus(rng, way, rows, len(utilities))
    orders = [_order(rng, menu, values) for menu in menus]
    counts = odd_numbers.counts(rng, rows)
    by = rng.integers(int(rng.integers(1, 9)), size=rows) if rng.random() < 0.2 else None
    case: Case = {
        "way": way,
        "outside": outside,
        "menus": menus,
        "counts": None if counts is None else counts.tolist(),
        "by": None if by is None else [f"judge {i}" for i in by],
        "names": bool(rng.random() < 0.2),
    }
    return {**case, **_told(rng, case, orders)}


def _told(rng: Rng, case: Case, orders: list[list[int]]) -> Case:
    """What was decided, from actions of menus in their order, best first."""
    if case["way"] == "rankings":
        whole = bool(rng.random() < 0.5)
        ranked = [_with_ties(rng, order if whole else _some(rng, order)) for order in orders]
        return {"rankings": ranked, "of_menus": bool(rng.random() < 0.7)}
    if case["way"] == "best and worst":
        return {"best": [o[0] for o in orders], "worst": [o[-1] for o in orders]}
    if case["way"] == "ratings":
        return {"ratings": _ratings(rng, orders)}
    first: list[Any] = [order[0] for order in orders]
    if case["outside"]:
        often = float(rng.choice([0.0, 0.2, 0.9, 1.0]))
        first = [None if rng.random() < often else one for one in first]
    return {"chosen": first}


def _log_welfare(rng: Rng, utilities: Numbers) -> Numbers:
    """Log welfare (N,) under some rule, of those who are there."""
    people = utilities.shape[1]
    p, weights = float(rng.normal(0, 3)), rng.dirichlet(np.ones(people))
    found = np.zeros(len(utilities))
    with np.errstate(all="ignore"):
        for row, line in enumerate(utilities):
            there = ~np.isnan(line)
            if there.any():
                rule = wf.WelfareFunction(p, weights[there] / weights[there].sum())
                found[row] = float(rule.log(line[there]))
    # Nothing at all is far below everything else, and can be multiplied.
    return np.nan_to_num(found, neginf=-1e6, posinf=1e6)


def _menus(rng: Rng, way: str, rows: int, actions: int) -> list[list[int]]:
    """Menus of row numbers, some of which may come again."""
    if way == "all":
        return [list(range(actions))] * rows
    if way == "comparisons":
        return [rng.permutation(actions)[:2].tolist() for _ in range(rows)]
    least = 2 if way == "best and worst" else 1
    most = min(int(chosen(rng, {2: 1, 3: 2, 5: 3, 10: 1, 25: 0.3})), actions)
    alone = float(rng.choice([0.0, 0.0, 0.1, 0.5]))  # the share of menus of one
    made: list[list[int]] = []
    again = float(rng.choice([0.0, 0.0, 0.3, 0.9]))
    for _ in range(rows):
        if made and rng.random() < again:
            before = made[int(rng.integers(len(made)))]
            made.append(rng.permutation(before).tolist())
            continue
        size = int(rng.integers(max(least, min(2, most)), most + 1))
        size = least if rng.random() < alone else size
        made.append(rng.permutation(actions)[:size].tolist())
    return made


def _order(rng: Rng, menu: list[int], values: Numbers) -> list[int]:
    """The actions of a menu in the order in which somebody puts them, best first."""
    worth = values[menu] + rng.gumbel(size=len(menu))
    return [menu[i] for i in np.argsort(-worth, kind="stable")]


def _some(rng: Rng, order: list[int]) -> list[int]:
    return order[: int(rng.integers(1, len(order) + 1))]


def _with_ties(rng: Rng, order: list[int]) -> list[Any]:
    """A ranking in which some neighbours are tied."""
    often = float(rng.choice([0.0, 0.0, 0.2, 1.0]))
    found: list[Any] = [order[0]]
    for action in order[1:]:
        if rng.random() < often:
            before = found[-1] if isinstance(found[-1], list) else [found[-1]]
            found[-1] = [*before, action]
        else:
            found.append(action)
    return found


def _ratings(rng: Rng, orders: list[list[int]]) -> list[dict[str, float]]:
    """Ratings of the actions of menus by row number, few enough to be equal now and then."""
    most = int(rng.integers(1, _MOST_OF_RATINGS))
    return [
        {str(action): float(max(most - place, 0)) for place, action in enumerate(order)}
        for order in orders
    ]
