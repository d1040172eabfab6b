"""How a crowd decides: everybody by a rule and with errors of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_count
from welfarist.decisions import Choices, Comparisons
from welfarist.decisions.checked_columns import as_pairs
from welfarist.decisions.checked_menus import as_menus
from welfarist.people.utility_tables import as_utility_table
from welfarist.simulate.choosing import appeal_of, random_menus
from welfarist.simulate.crowds import Crowd
from welfarist.simulate.deciding import Pairs, made_comparisons, outcomes_of, random_pairs
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import World, check_number

# How many decisions everybody makes, or each of them.
Each = int | Sequence[int] | npt.NDArray[np.intp]


def crowd_comparisons(
    world: World | npt.ArrayLike,
    crowd: Crowd,
    pairs: npt.ArrayLike | None = None,
    *,
    each: Each | None = None,
    rho: float = 0.0,
    random_state: RandomState | None = None,
) -> Comparisons:
    """Return what everybody of a crowd prefers of pairs of actions, with errors.

    ``P(first preferred) = rho + (1 - 2 rho) sigmoid(tau (log M(first) - log M(second)))``, with
    everybody's own M and tau, as in :func:`comparisons`.

    Parameters
    ----------
    world : World, (N, d) array-like or data frame
        The actions. Of a world only its utilities count: its rule is nobody's.
    crowd : Crowd
    pairs : (n, 2) array-like of int, optional
        Row numbers of the actions that everybody compares. Left out, everybody gets pairs of their
        own, drawn uniformly.
    each : int or (G,) sequence of int, optional
        How many pairs are drawn for everybody, or for each; 39 if left out.
    rho : float
        Probability, below 1/2, that a preference is turned round however clear the case.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Examples
    --------
    >>> from welfarist.simulate import individuals, normal_crowd
    >>> world = individuals(100, 2, p=0)
    >>> crowd = normal_crowd([0, 0, 3], [1, 0.5, 0.2], 20)
    >>> decisions = crowd_comparisons(world, crowd, each=10)
    >>> decisions
    Comparisons(200 of 100 actions, 2 people)
    >>> decisions.by[::100].tolist()
    ['decider 01', 'decider 11']
    """
    table, names = _actions(world, crowd)
    rho = check_number(rho, "rho", 0.0, 0.5)
    if pairs is None:
        counts = _counts(each, len(crowd))
        asked = random_pairs(len(table), int(counts.sum()), random_state=random_state)
    else:
        _refuse_each(each, "pairs")
        same = as_pairs(pairs, len(table))
        counts = np.full(len(crowd), len(same))
        asked = np.tile(same, (len(crowd), 1))
    rng = stream(random_state, "comparisons of a crowd")
    luck, slip = rng.random(len(asked)), rng.random(len(asked)) < rho
    outcomes = np.empty(len(asked), dtype=np.int8)
    for i, part in _parts(counts):
        seen, own = _own_actions(table, asked[part])
        outcomes[part] = outcomes_of(crowd.rule(i), seen, own, float(crowd.taus[i]), luck[part])
    decided = np.where(slip, -outcomes, outcomes)
    by = np.repeat(np.array(crowd.names), counts)
    return made_comparisons(table, asked, decided, names, by)


def crowd_choices(
    world: World | npt.ArrayLike,
    crowd: Crowd,
    menus: object = None,
    *,
    each: Each | None = None,
    size: int | None = None,
    rho: float = 0.0,
    random_state: RandomState | None = None,
) -> Choices:
    """Return which action of menus everybody of a crowd chooses, with errors.

    ``P(a from S) = (1 - 2 rho) M(a)^tau / sum over b in S of M(b)^tau + 2 rho / K``, with
    everybody's own M and tau, as in :func:`choices`.

    Parameters
    ----------
    world : World, (N, d) array-like or data frame
        The actions. Of a world only its utilities count: its rule is nobody's.
    crowd : Crowd
    menus : (n, K) array-like of int, or list of lists of int, optional
        Menus from which everybody chooses. Left out, everybody gets menus of their own, drawn
        uniformly.
    each : int or (G,) sequence of int, optional
        How many menus are drawn for everybody, or for each; 39 if left out.
    size : int, optional
        How many actions a drawn menu has; 4 if left out.
    rho : float
        Below 1/2: with probability 2 rho a choice is made regardless of welfare.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Examples
    --------
    >>> from welfarist.simulate import individuals, normal_crowd
    >>> crowd = normal_crowd([0, 0, 3], [1, 0.5, 0.2], 20)
    >>> crowd_choices(individuals(100, 2, p=0), crowd, each=10, size=5)
    Choices(200 from menus of 5 of 100 actions, 2 people)
    """
    table, names = _actions(world, crowd)
    rho = check_number(rho, "rho", 0.0, 0.5)
    if menus is None:
        counts = _counts(each, len(crowd))
        drawn = 4 if size is None else check_count(size, "size", 2)
        offered: object = random_menus(
            len(table), int(counts.sum()), drawn, random_state=random_state
        )
        starts, rows = as_menus(offered, len(table))
    else:
        _refuse_each(each if size is None else size, "menus")
        starts, rows = _for_all(menus, len(table), len(crowd))
        counts = np.full(len(crowd), (len(starts) - 1) // len(crowd))
    rng = stream(random_state, "choices of a crowd")
    noise = rng.gumbel(size=len(rows))
    appeal = np.empty(len(rows))
    for i, part in _parts(counts):
        entries = slice(int(starts[part.start]), int(starts[part.stop]))
        own, place = np.unique(rows[entries], return_inverse=True)
        rule, seen = crowd.rule(i), table[own]
        value, at = np.asarray(rule.log(seen)), place.reshape(-1).astype(np.int32)
        appeal[entries] = appeal_of(rule, seen, at, value, float(crowd.taus[i]), noise[entries])
    sizes = np.diff(starts)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    taken = np.lexsort((-noise, -appeal, owner))[starts[:-1]]
    anything = starts[:-1] + rng.integers(0, sizes)
    chosen = rows[np.where(rng.random(len(sizes)) < 2.0 * rho, anything, taken)]
    by = np.repeat(np.array(crowd.names), counts)
    made = Choices(table, (starts, rows), chosen, by=by)
    made.stakeholders = names
    return made


def _actions(
    world: World | npt.ArrayLike, crowd: Crowd
) -> tuple[FloatArray, tuple[str, ...] | None]:
    """The utilities (N, d), and the people's names."""
    if not isinstance(crowd, Crowd):
        raise InputError(
            f"crowd must be a Crowd; found {type(crowd).__name__}. crowd_of_types() and "
            "normal_crowd() make one."
        )
    if isinstance(world, World):
        table, names = world.utilities, world.stakeholders
    else:
        table, names = as_utility_table(world)
    if table.shape[1] != crowd.people:
        raise InputError(
            f"the crowd's rules must be about the people of the world, {table.shape[1]}; found "
            f"{crowd.people}."
        )
    if None not in (names, crowd.stakeholders) and names != crowd.stakeholders:
        raise InputError(
            "the crowd's rules must be about the people of the world, in the same order; found "
            f"{crowd.stakeholders!r:.80} for {names!r:.80}."
        )
    return table, crowd.stakeholders if names is None else names


def _counts(each: Each | None, deciders: int) -> npt.NDArray[np.intp]:
    """How many decisions everybody (G,) makes."""
    if each is None or isinstance(each, int | np.integer):
        return np.full(deciders, check_count(39 if each is None else each, "each"))
    counts = np.array([check_count(count, "each") for count in each], dtype=np.intp)
    if len(counts) != deciders:
        raise InputError(
            f"each must be one number, or {deciders}, one a decision maker; found {len(counts)}."
        )
    return counts


def _refuse_each(each: object, what: str) -> None:
    if each is not None:
        raise InputError(
            f"each and size are of {what} that are drawn; found {what} that are given as well. "
            "Leave one of them out."
        )


def _for_all(
    menus: object, actions: int, deciders: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
    """The same menus for everybody: where each begins, and the actions of all of them."""
    starts, rows = as_menus(menus, actions)
    begun = (starts[:-1] + np.arange(deciders)[:, None] * len(rows)).ravel()
    return np.append(begun, deciders * len(rows)), np.tile(rows, deciders)


def _parts(counts: npt.NDArray[np.intp]) -> Iterator[tuple[int, slice]]:
    """Everybody's number, and which decisions are theirs."""
    ends = np.cumsum(counts)
    for i, (start, end) in enumerate(zip((ends - counts).tolist(), ends.tolist(), strict=True)):
        yield i, slice(start, end)


def _own_actions(table: FloatArray, pairs: Pairs) -> tuple[FloatArray, Pairs]:
    """The actions that somebody compares, and their row numbers: the others need no welfare."""
    own, place = np.unique(pairs, return_inverse=True)
    return table[own], place.reshape(pairs.shape).astype(np.intp)
