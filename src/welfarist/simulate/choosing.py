"""How the decision maker of a world chooses from menus and ranks, with errors or without.

Choices are drawn by Gumbel noise: whoever adds independent Gumbel noise to tau log M of every
action and takes them in the order of the sums draws from the chances of
:class:`welfarist.ChoiceLearner`, the first from all, the second from what is left, and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_count
from welfarist.decisions import Choices
from welfarist.decisions.checked_menus import as_menus
from welfarist.decisions.menus import Menus
from welfarist.families.rule import WelfareFunction
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import World, check_number, require_world

IntArray = npt.NDArray[np.intp]

# Logarithms of welfare this close are those of actions that may be equally good.
_CLOSE = 1e-9


def random_menus(
    actions: int, count: int, size: int, *, random_state: RandomState | None = None
) -> IntArray:
    """Return `count` menus (n, K) of K = `size` different actions, each drawn uniformly.

    A menu may come up more than once.

    Examples
    --------
    >>> menus = random_menus(50, 1000, 4)
    >>> menus.shape, all(len(set(menu)) == 4 for menu in menus.tolist())
    ((1000, 4), True)
    """
    actions, count = check_count(actions, "actions", 2), check_count(count, "count")
    size = check_count(size, "size", 2)
    if size > actions:
        raise InputError(
            f"size must be at most the number of actions, {actions}; found {size}. A menu cannot "
            "offer an action twice."
        )
    rng = stream(random_state, "menus")
    drawn = np.empty((count, size), dtype=np.intp)
    for place in range(size):
        next_one = rng.integers(0, actions - place, count)
        # Of those that are left, counted without the ones drawn before.
        for earlier in np.sort(drawn[:, :place], axis=1).T:
            next_one += next_one >= earlier
        drawn[:, place] = next_one
    return drawn


def choices(
    world: World,
    menus: object = None,
    *,
    count: int | None = None,
    tau: float = np.inf,
    rho: float = 0.0,
    outside: float | None = None,
    random_state: RandomState | None = None,
) -> Choices:
    """Return which action of each menu the decision maker chooses, with errors.

    ``P(a from S) = (1 - 2 rho) M(a)^tau / sum over b in S of M(b)^tau + 2 rho / K``

    for a menu S of K actions; menus of two are :func:`comparisons`.

    Parameters
    ----------
    world : World
    menus : (n, K) array-like of int, or list of lists of int
        Row numbers of the actions to choose from: :func:`random_menus` or your own, as in
        :class:`welfarist.Choices`. None: all actions, `count` times.
    count : int, optional
        How many choices there are where `menus` is None; 1 if left out.
    tau : float
        Temperature, not negative: the larger, the fewer errors; inf is none, and one of several
        equally good actions is then drawn.
    rho : float
        Below 1/2: with probability 2 rho a choice is made regardless of welfare.
    outside : float, optional
        Welfare of none of these, where that can be chosen too.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Examples
    --------
    >>> from welfarist.simulate import correct_share, individuals
    >>> world = individuals(100, 3, p=-1.62)
    >>> menus = random_menus(100, 500, 5)
    >>> choices(world, menus, tau=10)
    Choices(500 from menus of 5 of 100 actions, 3 people)
    >>> correct_share(world, choices(world, menus))
    1.0
    """
    require_world(world)
    starts, rows = _menus_of(world, menus, count)
    value = np.asarray(world.rule.log(world.utilities))
    has_outside = outside is not None
    if has_outside:
        level = check_number(outside, "outside", 0.0, np.finfo(float).max)
        value = np.append(value, np.log(level) if level else -np.inf)
        rows = np.insert(rows, starts[1:], world.actions).astype(np.int32)
        starts = starts + np.arange(len(starts))
    rng = stream(random_state, "choices")
    order = _drawn(world, starts, rows, value, tau, rho, 1, rng)
    first = rows[order[starts[:-1]]]
    chosen = np.where(first < world.actions, first, -1)
    offered = starts, rows
    if has_outside:
        kept = rows < world.actions
        offered = starts - np.arange(len(starts)), rows[kept]
    made = Choices(world.utilities, offered, chosen, outside=has_outside)
    made.stakeholders = world.stakeholders
    return made


def rankings(
    world: World,
    menus: object = None,
    *,
    count: int | None = None,
    places: int | None = None,
    tau: float = np.inf,
    rho: float = 0.0,
    random_state: RandomState | None = None,
) -> Choices:
    """Return how the decision maker ranks the actions of each menu, with errors.

    The best is chosen from the menu, the second from what is left, and so on, each with the chances
    of :func:`choices`.

    Parameters
    ----------
    world, menus, count, tau, rho, random_state
        As in :func:`choices`.
    places : int, optional
        How many actions of each menu are ranked, from the best down; all if left out.

    Examples
    --------
    >>> from welfarist.simulate import individuals
    >>> world = individuals(100, 3, p=-1.62)
    >>> rankings(world, random_menus(100, 50, 4), tau=10)
    Choices(50 rankings, 150 choices from menus of 2 to 4 of 100 actions, 3 people)
    """
    require_world(world)
    starts, rows = _menus_of(world, menus, count)
    value = np.asarray(world.rule.log(world.utilities))
    longest = int(np.diff(starts).max())
    top = longest if places is None else check_count(places, "places")
    rng = stream(random_state, "rankings")
    order = _drawn(world, starts, rows, value, tau, rho, top, rng)
    ranked = [menu[:top] for menu in np.split(rows[order], starts[1:-1])]
    made = Choices.from_rankings(world.utilities, ranked, (starts, rows))
    made.stakeholders = world.stakeholders
    return made


def share_of_best(rule: Any, decided: Choices) -> float:
    """Return the share of first choices that fall on an action that the rule finds best.

    Where none of these could be chosen the rule has no say.
    """
    if decided.outside or decided.absent:
        raise InputError(
            "the share of correct choices needs the welfare of whatever could be chosen; found "
            "choices with none of these, or with people who are absent."
        )
    menus = decided.first_menus()
    value = np.asarray(rule.log(decided.utilities))[menus.rows]
    best = _best(rule, decided.utilities, menus, value)
    return float(np.average(menus.sums(menus.taken * best), weights=decided.told))


def _menus_of(
    world: World, menus: object, count: int | None
) -> tuple[IntArray, npt.NDArray[np.int32]]:
    """Where each menu begins, and the actions of all of them."""
    if menus is not None:
        if count is not None:
            raise InputError(
                f"count is how often to choose from all actions; found {count!r:.20} and menus as "
                "well. Leave one of them out."
            )
        return as_menus(menus, world.actions)
    times = check_count(1 if count is None else count, "count")
    return as_menus(np.tile(np.arange(world.actions), (times, 1)), world.actions)


def _drawn(
    world: World,
    starts: IntArray,
    rows: npt.NDArray[np.int32],
    value: FloatArray,
    tau: float,
    rho: float,
    places: int,
    rng: np.random.Generator,
) -> IntArray:
    """The entries (E,), menu by menu, those of each in the order in which they are taken."""
    tau = check_number(tau, "tau", 0.0, np.inf)
    rho = check_number(rho, "rho", 0.0, 0.5)
    noise = rng.gumbel(size=len(rows))
    slip = rng.random(len(rows)) < 2.0 * rho
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    appeal = appeal_of(world.rule, world.utilities, rows, value, tau, noise)
    order = np.lexsort((-noise, -appeal, owner))
    return _with_slips(order, starts, slip, places, rng)


def appeal_of(
    rule: WelfareFunction,
    utilities: FloatArray,
    rows: npt.NDArray[np.int32],
    value: FloatArray,
    tau: float,
    noise: FloatArray,
) -> FloatArray:
    """Return what entries (E,) of menus are taken by, the largest first; equals by their noise.

    Parameters
    ----------
    rule : WelfareFunction
    utilities : (N, d) array
    rows : (E,) array
        The action of each entry.
    value : (N,) array, or more where something else can be chosen
        Log welfare of each action.
    tau : float
    noise : (E,) array
        Gumbel noise.
    """
    if np.isinf(tau):
        return _levelled(rule, utilities, rows, value)
    seen = value[rows]
    with np.errstate(invalid="ignore"):
        # Nothing at all is worse than anything, unless welfare does not count.
        z = np.where(np.isinf(seen), seen if tau else 0.0, tau * seen)
    return np.asarray(z + noise)


def _levelled(
    rule: WelfareFunction,
    utilities: FloatArray,
    rows: npt.NDArray[np.int32],
    value: FloatArray,
) -> FloatArray:
    """Log welfare of the entries (E,), the same where it differs by rounding only."""
    order = np.argsort(value, kind="stable")
    lower, upper = order[:-1], order[1:]
    with np.errstate(invalid="ignore"):  # nothing against nothing is a tie
        gap = np.where(value[upper] == value[lower], 0.0, value[upper] - value[lower])
    tied = (gap <= _CLOSE * (1.0 + np.abs(value[upper]))) & (gap > 0)
    tied &= np.maximum(lower, upper) < len(utilities)
    if tied.any():
        tied[tied] = rule.compare(utilities[upper[tied]], utilities[lower[tied]]) == 0
    group = np.concatenate([[0], np.cumsum(~(tied | (gap == 0)))])
    level = np.empty(len(value))
    level[order] = value[order][np.unique(group, return_index=True)[1]][group]
    return level[rows]


def _with_slips(
    order: IntArray,
    starts: IntArray,
    slip: npt.NDArray[np.bool_],
    places: int,
    rng: np.random.Generator,
) -> IntArray:
    """The order with, at the slips (E,), whichever of what is left in place of the best of it.

    Of those that remain the order stays as it was drawn: without one of them it has the chances of
    the others.
    """
    within = np.arange(len(order)) - np.repeat(starts[:-1], np.diff(starts))
    found = order.copy()
    for at in np.flatnonzero(slip & (within < places)):
        end = int(starts[np.searchsorted(starts, at, side="right")])
        other = int(rng.integers(at, end))
        found[at : other + 1] = np.roll(found[at : other + 1], 1)
    return found


def _best(rule: Any, utilities: FloatArray, menus: Menus, value: FloatArray) -> FloatArray:
    """1 for the entries (E,) that nothing in their menu is better than, up to rounding; else 0."""
    top = menus.largest(value)
    first = [int(np.argmax(part)) for part in np.split(value, menus.starts[1:-1])]
    champion = menus.spread(menus.rows[menus.starts[:-1] + np.array(first, dtype=np.intp)])
    best = np.asarray(value == menus.spread(top))
    with np.errstate(invalid="ignore"):
        close = ~best & (menus.spread(top) - value <= _CLOSE * (1.0 + np.abs(value)))
    if close.any():
        one, other = utilities[menus.rows[close]], utilities[champion[close]]
        best[close] = rule.compare(one, other) == 0
    return best.astype(np.float64)
