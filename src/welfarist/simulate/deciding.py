"""How the decision maker of a world decides: scores and comparisons, with errors or without."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_count
from welfarist.decisions import Choices, Comparisons
from welfarist.decisions.checked_columns import as_pairs
from welfarist.decisions.comparisons import as_comparisons
from welfarist.families.rule import WelfareFunction
from welfarist.noise.choices import preference_probability
from welfarist.simulate.choosing import share_of_best
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import World, check_number, require_world

Pairs = npt.NDArray[np.intp]

# More noise than this leaves nothing of an action's welfare in its score.
LARGEST_NU = 1e6

# Logarithms of welfare this close are compared again with an eye on rounding.
_CLOSE = 1e-9


def scores(world: World, nu: float = 0.0, *, random_state: RandomState | None = None) -> FloatArray:
    """Return the decision maker's score of each action (N,): its welfare, with noise.

    Parameters
    ----------
    world : World
    nu : float
        The noise is Gaussian; its standard deviation is nu times the range of the action's
        utilities, and scores are clipped to that range [PSPS24, Sec. 6]. 0 is no noise.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Examples
    --------
    >>> from welfarist.simulate import individuals
    >>> world = individuals(4, 3, p=2.72)
    >>> bool((scores(world) == world.welfare).all())
    True
    >>> noisy = scores(world, nu=0.1)
    >>> bool((noisy >= world.utilities.min(axis=1)).all())
    True
    """
    require_world(world)
    nu = check_number(nu, "nu", 0.0, LARGEST_NU)
    noise = stream(random_state, "scores").normal(size=world.actions)
    low, high = world.utilities.min(axis=1), world.utilities.max(axis=1)
    return np.asarray(np.clip(world.welfare + nu * (high - low) * noise, low, high))


def random_pairs(actions: int, count: int, *, random_state: RandomState | None = None) -> Pairs:
    """Return `count` pairs (n, 2) of different actions, each drawn uniformly.

    A pair may come up more than once.

    Examples
    --------
    >>> pairs = random_pairs(50, 1000)
    >>> pairs.shape, bool((pairs[:, 0] != pairs[:, 1]).all())
    ((1000, 2), True)
    """
    actions, count = check_count(actions, "actions", 2), check_count(count, "count")
    rng = stream(random_state, "pairs")
    first = rng.integers(0, actions, count)
    second = (first + rng.integers(1, actions, count)) % actions
    return np.column_stack([first, second]).astype(np.intp)


def pairs_with_others(
    actions: int, others: int, *, random_state: RandomState | None = None
) -> Pairs:
    """Return pairs (N k, 2) that set each action against k = `others` different other actions.

    The actions are seated in a circle at random, and each is set against those at k random
    distances. So each stands first k times and second k times, and no two actions meet twice
    unless there are too few for that, which is so where 2 k > N - 1.

    Examples
    --------
    >>> pairs = pairs_with_others(50, 10)
    >>> pairs.shape, len({frozenset(pair) for pair in pairs.tolist()})
    ((500, 2), 500)
    """
    actions, others = check_count(actions, "actions", 2), check_count(others, "others")
    if others >= actions:
        raise InputError(
            f"others must be below the number of actions, {actions}; found {others}. An action "
            "cannot be set against itself, nor twice against another."
        )
    rng = stream(random_state, "pairs")
    half = (actions - 1) // 2
    near = 1 + rng.permutation(half)
    # Going round the other way meets the same actions again, half way round meets itself.
    distances = np.concatenate([near, np.arange(half + 1, actions - half), actions - near])[:others]
    seat = rng.permutation(actions)
    place = np.arange(actions)[:, None]
    first, second = np.broadcast_arrays(seat[place], seat[(place + distances) % actions])
    return np.column_stack([first.ravel(), second.ravel()]).astype(np.intp)


def true_order(world: World, pairs: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """Return which action of each pair (n, 2) is better: +1 the first, -1 the second, 0 a tie.

    Welfares that differ by no more than rounding tie: see
    :meth:`welfarist.WelfareFunction.compare`.

    Examples
    --------
    >>> from welfarist import WelfareFunction
    >>> from welfarist.simulate import World
    >>> world = World([[1.0, 4.0], [2.0, 2.0], [1.0, 1.0]], WelfareFunction(0))
    >>> true_order(world, [[0, 1], [0, 2], [2, 1]])
    array([ 0,  1, -1], dtype=int8)
    """
    return _order(world.rule, world.utilities, as_pairs(pairs, world.actions))


def comparisons(
    world: World,
    pairs: npt.ArrayLike,
    *,
    tau: float = np.inf,
    rho: float = 0.0,
    random_state: RandomState | None = None,
) -> Comparisons:
    """Return what the decision maker prefers of each pair (n, 2) of actions, with errors.

    ``P(first preferred) = rho + (1 - 2 rho) sigmoid(tau (log M(first) - log M(second)))``

    [PSPS24, Sec. 4 and 5].

    Parameters
    ----------
    world : World
    pairs : (n, 2) array-like of int
        Row numbers of the actions to compare: :func:`random_pairs`, :func:`pairs_with_others` or
        your own.
    tau : float
        Temperature of logistic noise, not negative: the larger, the fewer errors; inf is no
        logistic noise, and actions of equal welfare then tie.
    rho : float
        Probability, below 1/2, that a preference is turned round however clear the case.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Examples
    --------
    >>> from welfarist.simulate import individuals, pairs_with_others
    >>> world = individuals(100, 3, p=-1.62)
    >>> pairs = pairs_with_others(100, 10)
    >>> comparisons(world, pairs, tau=10)
    Comparisons(1000 of 100 actions, 3 people)
    >>> correct_share(world, comparisons(world, pairs))
    1.0
    """
    require_world(world)
    tau = check_number(tau, "tau", 0.0, np.inf)
    rho = check_number(rho, "rho", 0.0, 0.5)
    chosen = as_pairs(pairs, world.actions)
    rng = stream(random_state, "comparisons")
    luck, slip = rng.random(len(chosen)), rng.random(len(chosen)) < rho
    outcomes = outcomes_of(world.rule, world.utilities, chosen, tau, luck)
    decided = np.where(slip, -outcomes, outcomes)
    return made_comparisons(world.utilities, chosen, decided, world.stakeholders)


def correct_share(world: World, decisions: Comparisons | Choices) -> float:
    """Return the share of comparisons, or of first choices, that are those of the true rule.

    A tie where the rule has a preference, or the reverse, counts as half correct. A choice of one
    of several that are equally good is correct.

    Examples
    --------
    >>> from welfarist.simulate import individuals, random_pairs
    >>> world = individuals(100, 5, p=0.9)
    >>> noisy = comparisons(world, random_pairs(100, 5000), rho=0.2)
    >>> round(correct_share(world, noisy), 1)
    0.8
    """
    require_world(world)
    if isinstance(decisions, Choices) and decisions.people == world.people:
        return share_of_best(world.rule, decisions)
    known = as_comparisons(decisions)
    if known is None or known.people != world.people:
        raise InputError(
            f"decisions must be Comparisons or Choices of the world's {world.people} people; "
            f"found {decisions!r:.80}."
        )
    order = true_order(world, known.pairs).astype(np.int64)
    right = np.where(order == known.outcomes, 1.0, 0.5 + 0.5 * order * known.outcomes)
    return float(np.average(right, weights=known.counts))


def outcomes_of(
    rule: WelfareFunction, utilities: FloatArray, pairs: Pairs, tau: float, luck: FloatArray
) -> npt.NDArray[np.int8]:
    """Return which action of each pair (n, 2) a rule prefers, by luck (n,) in [0, 1)."""
    if np.isinf(tau):
        return _order(rule, utilities, pairs)
    difference, _ = _log_difference(rule, utilities, pairs)
    with np.errstate(invalid="ignore"):
        z = np.nan_to_num(tau * difference, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return np.where(luck < preference_probability(z, 0.0), 1, -1).astype(np.int8)


def made_comparisons(
    utilities: FloatArray,
    pairs: Pairs,
    outcomes: npt.NDArray[np.int8],
    stakeholders: tuple[str, ...] | None,
    by: npt.NDArray[Any] | None = None,
) -> Comparisons:
    """Return outcomes (n,) of pairs (n, 2) as decisions, some of which are no ties."""
    if not outcomes.any():
        raise InputError(
            "at least one pair must differ in welfare; found only ties, from which nothing can be "
            "learned. Compare other actions."
        )
    # Ties without a -1 among them look like another code for preferences and would be refused.
    made = Comparisons(utilities, pairs, np.ones(len(pairs)), by=by)
    made.outcomes = outcomes
    made.stakeholders = stakeholders
    return made


def _order(rule: WelfareFunction, utilities: FloatArray, pairs: Pairs) -> npt.NDArray[np.int8]:
    """Which action of each pair (n, 2) a rule finds better, with an eye on rounding."""
    difference, size = _log_difference(rule, utilities, pairs)
    order = np.sign(difference).astype(np.int8)
    close = np.abs(difference) <= _CLOSE * (1.0 + size)
    if close.any():
        order[close] = rule.compare(utilities[pairs[close, 0]], utilities[pairs[close, 1]])
    return order


def _log_difference(
    rule: WelfareFunction, utilities: FloatArray, pairs: Pairs
) -> tuple[FloatArray, FloatArray]:
    """Return by how much log welfare differs in each pair (n,), and the size of its terms (n,)."""
    welfare = np.asarray(rule.log(utilities))
    first, second = welfare[pairs[:, 0]], welfare[pairs[:, 1]]
    with np.errstate(invalid="ignore"):  # nothing against nothing is a tie
        difference = np.where(first == second, 0.0, first - second)
    size = np.maximum(np.abs(first), np.abs(second))
    return difference, size
