"""Rankings, best and worst, and ratings, read as one choice after another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import as_numbers
from welfarist.decisions.action_numbers import ActionNumbers, is_nobody, without_padding
from welfarist.decisions.checked_menus import as_chosen, as_menus
from welfarist.decisions.menus import IntArray, Menus

# Menus whose actions lie one after another: where each begins (n + 1,), and row numbers (E,).
Offered = tuple[IntArray, npt.NDArray[np.int32]]


@dataclass(frozen=True)
class Ranked:
    """Rankings, place by place.

    Attributes
    ----------
    ranking : (R,) array of int
        Which ranking each ranked action is in, in ascending order.
    action : (R,) array of int
    level : (R,) array of int
        The place in its ranking, from 0; tied actions share one.
    size : int
        How many rankings there are.
    """

    ranking: IntArray
    action: IntArray
    level: IntArray
    size: int

    @classmethod
    def of(cls, rankings: Sequence[Any], actions: ActionNumbers) -> Ranked:
        """Read lists of actions, best first, in which a list holds those that are tied."""
        owner: list[int] = []
        action: list[Any] = []
        level: list[int] = []
        for row, ranking in enumerate(rankings):
            places = _places(ranking, row)
            for place, one in enumerate(places):
                tied = list(one) if _is_list(one) else [one]
                if not tied or any(map(is_nobody, tied)):
                    raise InputError(
                        "rankings must name an action at each place, and have nothing missing "
                        f"before their ends; found none at row {row}, place {place}."
                    )
                action.extend(tied)
                level.extend([place] * len(tied))
                owner.extend([row] * len(tied))
        ranking_of = np.array(owner, dtype=np.intp)
        numbers = _numbers(action, ranking_of, actions)
        made = cls(ranking_of, numbers, np.array(level, dtype=np.intp), len(rankings))
        made._refuse_twice(actions.size)
        return made

    @classmethod
    def of_ratings(cls, ratings: npt.NDArray[np.float64]) -> Ranked:
        """Take the order of ratings (n, N), the highest first, NaN where one was not rated."""
        owner, action = np.nonzero(~np.isnan(ratings))
        rated = ratings[owner, action]
        order = np.lexsort((-rated, owner))
        owner, action, rated = owner[order], action[order], rated[order]
        starts = np.diff(owner, prepend=-1) != 0
        fresh = np.cumsum(starts | (np.diff(rated, prepend=np.nan) != 0))
        first = np.maximum.accumulate(np.where(starts, fresh, 0))
        return cls(owner, action, np.asarray(fresh - first, dtype=np.intp), len(ratings))

    def _refuse_twice(self, actions: int) -> None:
        keys = self.ranking * actions + self.action
        order = np.argsort(keys, kind="stable")
        twice = np.diff(keys[order]) == 0
        if twice.any():
            at = int(order[int(np.argmax(twice))])
            raise InputError(
                f"rankings must hold each action once; found action {self.action[at]} twice at "
                f"row {self.ranking[at]}."
            )

    def exploded(self, offered: Offered | None, actions: int) -> tuple[Menus, IntArray]:
        """Return rankings as choices, and the ranking (m,) that each belongs to.

        The first is chosen from all, the second from all but the first, and so on; what was offered
        and not ranked is below all that is. Tied actions share one choice, after which all of them
        are out. Menus are in the order in which actions were `offered`, or by row number: the place
        in a menu must not tell the ranking.
        """
        order = np.argsort(self.ranking * actions + self.action, kind="stable")
        keys = (self.ranking * actions + self.action)[order]
        stages = np.zeros(self.size, dtype=np.intp)
        np.maximum.at(stages, self.ranking, self.level + 1)
        if offered is None:
            owner, rows = self.ranking[order], self.action[order].astype(np.int32)
            level = self.level[order]
        else:
            self._refuse_strange(offered, actions)
            owner, rows = np.repeat(np.arange(self.size), np.diff(offered[0])), offered[1]
            wanted = owner * actions + rows
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            level = np.where(keys[place] == wanted, self.level[order][place], stages[owner])
        return _one_after_another(owner, rows, level, stages)

    def _refuse_strange(self, offered: Offered, actions: int) -> None:
        """Require actions of the menu that was offered."""
        there = np.repeat(np.arange(self.size), np.diff(offered[0])) * actions + offered[1]
        strange = ~np.isin(self.ranking * actions + self.action, there)
        if strange.any():
            at = int(np.argmax(strange))
            raise InputError(
                f"a ranking must hold actions of its menu; found {self.action[at]}, which is not "
                f"in it, at row {self.ranking[at]}."
            )


def _one_after_another(
    owner: IntArray, rows: npt.NDArray[np.int32], level: IntArray, stages: IntArray
) -> tuple[Menus, IntArray]:
    """Menus from what was offered (F,), each with its level, that of unranked ones beyond all.

    An action is in the menus of all stages up to its own.
    """
    first = np.cumsum(stages) - stages  # the number of each ranking's first menu
    times = np.minimum(level + 1, stages[owner])
    entry = np.repeat(np.arange(len(owner)), times)
    stage = np.arange(len(entry)) - np.repeat(np.cumsum(times) - times, times)
    menu = first[owner[entry]] + stage
    order = np.argsort(menu, kind="stable")
    entry, stage, menu = entry[order], stage[order], menu[order]
    ranked = level < stages[owner]
    tied = np.bincount((first[owner] + level)[ranked], minlength=int(stages.sum()))
    sizes = np.bincount(menu, minlength=int(stages.sum())).astype(np.intp)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    whose = np.repeat(np.arange(len(stages)), stages)
    every = Menus(
        starts,
        rows[entry],
        np.where(level[entry] == stage, 1.0 / tied[menu], 0.0),
        np.ones(len(sizes)),
        np.arange(len(sizes)) - first[whose],
    )
    # Of menus of one the first is kept, so that every decision has a menu.
    kept = (sizes > 1) | (every.stage == 0)
    return (every, whose) if kept.all() else (every.take(kept), whose[kept])


def offered_to(menus: object, actions: ActionNumbers, size: int) -> Offered:
    """Read the menus of so many rankings."""
    starts, rows = as_menus(menus, actions)
    if len(starts) - 1 != size:
        raise InputError(
            f"menus must hold one menu for each of the {size} rankings; found {len(starts) - 1}."
        )
    return starts, rows


def best_and_worst(
    offered: Offered, best: object, worst: object, actions: ActionNumbers
) -> tuple[Menus, IntArray]:
    """Return the best of each menu and the worst of what is left as choices, and whose they are."""
    starts, rows = offered
    top = as_chosen(best, starts, rows, False, "best", actions)
    bottom = as_chosen(worst, starts, rows, False, "worst", actions)
    same = top == bottom
    if same.any():
        row = int(np.argmax(same))
        raise InputError(
            f"best and worst must be two actions; found {rows[top[row]]} as both at row {row}."
        )
    size = len(starts) - 1
    first, last = np.zeros(len(rows)), np.zeros(len(rows))
    first[top], last[bottom] = 1.0, 1.0
    left = np.ones(len(rows), dtype=bool)
    left[top] = False
    fewer = (starts - np.arange(size + 1)).astype(np.intp)
    joined = Menus(
        np.concatenate([starts, starts[-1] + fewer[1:]]),
        np.concatenate([rows, rows[left]]),
        np.concatenate([first, last[left]]),
        np.repeat([1.0, -1.0], size),
        np.repeat([0, 1], size).astype(np.intp),
    )
    return joined, np.tile(np.arange(size), 2)


def as_ratings(ratings: object, actions: int) -> npt.NDArray[np.float64]:
    """Return ratings (n, N), NaN where an action was not rated."""
    table = as_numbers(ratings, "ratings").astype(np.float64)
    if table.ndim != 2 or table.shape[1] != actions:
        raise InputError(
            f"ratings must be a table with one column for each of the {actions} actions; found "
            f"shape {table.shape}."
        )
    if np.isinf(table).any():
        row = int(np.argmax(np.isinf(table).any(axis=1)))
        raise InputError(
            f"ratings must be finite, or NaN where there is none; found inf at row {row}."
        )
    nothing = np.isnan(table).all(axis=1)
    if nothing.any():
        row = int(np.argmax(nothing))
        raise InputError(f"ratings must rate at least one action; found none at row {row}.")
    return table


def _is_list(one: Any) -> bool:
    if isinstance(one, int | float | str | bytes | np.number):
        return False
    return isinstance(one, Iterable)


def _places(ranking: Any, row: int) -> list[Any]:
    """The places of a ranking, without what fills it up."""
    if not _is_list(ranking):
        raise InputError(
            f"rankings must be lists of row numbers, best first; found {ranking!r:.60} at row "
            f"{row}."
        )
    found = without_padding(ranking)
    if not found:
        raise InputError(f"rankings must hold at least one action; found none at row {row}.")
    return found


def _numbers(given: list[Any], ranking: IntArray, actions: ActionNumbers) -> IntArray:
    """The row numbers of ranked actions (R,), whole ones of the table."""
    if any(isinstance(one, str) for one in given):
        ends = np.flatnonzero(np.diff(ranking, prepend=-1, append=-1)).tolist()
        given = [
            one
            for a, b in pairwise(ends)
            for one in actions.known(given[a:b], int(ranking[a]), "rankings")
        ]
    every = as_numbers(given, "rankings")
    bad = (every != np.floor(every)) | (every < 0) | (every >= actions.size)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"rankings must point into the table of {actions.size} actions, from 0 to "
            f"{actions.size - 1}; found {every[at]:g} at row {ranking[at]}."
        )
    return every.astype(np.intp)
