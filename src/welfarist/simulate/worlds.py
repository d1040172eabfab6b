"""A world: what each action gives to each person, and the rule its decision maker follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from welfarist.base.data_frames import by_name
from welfarist.base.errors import InputError
from welfarist.base.validation import (
    FloatArray,
    as_weights,
    check_count,
    check_lengths,
    check_names,
    is_real,
)
from welfarist.families.rule import WelfareFunction
from welfarist.people.utility_tables import as_utility_table
from welfarist.people.weights_option import NumbersOption
from welfarist.simulate.streams import RandomState, stream

WorldWeights = Literal["random", "equal"] | NumbersOption
Interval = tuple[float, float]

# The paper gives no parameters of its beta distributions; see `individuals` for these.
SHAPES: Interval = (1.0, 10.0)
LOWEST, HIGHEST = 1.0, 1000.0


@dataclass(frozen=True, eq=False)
class World:
    """Actions, the people they affect, and the true rule: what a learner is to find.

    Attributes
    ----------
    utilities : (N, d) array
        What each action gives to each person; read-only.
    rule : WelfareFunction
        The truth. Its stakeholders are the people's names.
    group_of : tuple of str or None
        The group each person belongs to (d,); learners take it as ``groups``.

    Examples
    --------
    >>> from welfarist import WelfareFunction
    >>> world = World([[1.0, 4.0], [2.0, 2.0]], WelfareFunction(0, stakeholders=["ann", "bo"]))
    >>> world
    World(2 actions, 2 people, p=0)
    >>> world.welfare
    array([2., 2.])
    >>> world.columns()
    {'ann': array([1., 2.]), 'bo': array([4., 2.])}
    >>> world[1:]
    World(1 actions, 2 people, p=0)
    """

    utilities: FloatArray
    rule: WelfareFunction
    group_of: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        table = as_utility_table(self.utilities)[0].view()
        table.flags.writeable = False
        object.__setattr__(self, "utilities", table)
        if not isinstance(self.rule, WelfareFunction):
            raise InputError(
                "rule must be a WelfareFunction, such as WelfareFunction(0); found "
                f"{type(self.rule).__name__}."
            )
        if self.group_of is not None and not isinstance(self.group_of, tuple | list | np.ndarray):
            raise InputError(
                f"group_of must hold one group per person; found {self.group_of!r:.60}."
            )
        if self.rule.weights is not None:
            check_lengths(self.people, len(self.rule.weights))
        if self.group_of is not None and len(self.group_of) != self.people:
            raise InputError(
                f"group_of must hold one group per person, {self.people} in all; found "
                f"{len(self.group_of)}."
            )

    def __len__(self) -> int:
        return self.actions

    def __getitem__(self, chosen: Any) -> World:
        """Return a world of some of the actions, by slice, row numbers or mask."""
        return World(np.atleast_2d(self.utilities[chosen]), self.rule, self.group_of)

    def __repr__(self) -> str:
        return f"World({self.actions} actions, {self.people} people, p={self.rule.p:.6g})"

    @property
    def actions(self) -> int:
        """Number of actions."""
        return len(self.utilities)

    @property
    def people(self) -> int:
        """Number of people."""
        return int(self.utilities.shape[1])

    @property
    def p(self) -> float:
        """The true power."""
        return self.rule.p

    @property
    def weights(self) -> FloatArray:
        """The true weights (d,), summing to 1."""
        known = self.rule.weights
        return np.full(self.people, 1.0 / self.people) if known is None else known

    @property
    def stakeholders(self) -> tuple[str, ...] | None:
        """The people's names, if they have any."""
        return self.rule.stakeholders

    @property
    def welfare(self) -> FloatArray:
        """True welfare of each action (N,)."""
        return np.asarray(self.rule(self.utilities))

    def columns(self) -> dict[str, FloatArray]:
        """Return the utilities by person, as data frames of any library are made from.

        Each person's column is (N,); people without names are "person 0", "person 1", ….
        """
        names = self.stakeholders or tuple(f"person {i}" for i in range(self.people))
        return dict(zip(names, self.utilities.T, strict=True))


def require_world(world: object) -> None:
    """Require a world to decide in."""
    if not isinstance(world, World):
        hint = "Pass charity.world." if hasattr(world, "world") else "individuals() makes one."
        raise InputError(f"world must be a World; found {type(world).__name__}. {hint}")


def individuals(
    actions: int,
    people: int,
    *,
    p: float,
    weights: WorldWeights = "random",
    alpha: Interval = SHAPES,
    beta: Interval = SHAPES,
    u_min: float = LOWEST,
    u_max: float = HIGHEST,
    stakeholders: Sequence[str] | None = None,
    random_state: RandomState | None = None,
) -> World:
    """Return a world of people whose utilities are independent of each other.

    Each person has a beta distribution of their own, stretched to [u_min, u_max], from which their
    utility of every action is drawn [PSPS24, App. "Simulations"]. With the same seed, a world of
    more actions begins with those of a smaller one.

    Parameters
    ----------
    actions, people : int
        N and d.
    p : float
        The true power, in [-inf, inf].
    weights : "random", "equal", (d,) array-like or mapping
        The true weights: drawn uniformly from the simplex, the same for everybody, or given, in
        the order of the people or by their names.
    alpha, beta : (float, float)
        Ranges from which each person's two parameters are drawn uniformly.
    u_min, u_max : float
        Range of the utilities, 0 < u_min < u_max.
    stakeholders : list of str, optional
        The people's names.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Notes
    -----
    The paper does not give its beta parameters. It says that of its comparisons (p = 0.9,
    tau = 10) 71.4% were labelled correctly in the mean over its settings, and at most 86.5%. With
    parameters between 1 and 10, where no person's distribution has a peak at an end, the expected
    share is 80.2% for 5 people, 75.4% for 10, 70.6% for 20, 64.8% for 50 and 60.9% for 100: 72.8%
    in the mean over 5 to 50 people and 70.4% over 5 to 100. Three worlds for each number of people
    reach 84% at most, on average.

    Examples
    --------
    >>> world = individuals(200, 3, p=-2, random_state=1)
    >>> world
    World(200 actions, 3 people, p=-2)
    >>> bool(world.utilities.min() >= 1 and world.utilities.max() <= 1000)
    True
    >>> individuals(50, 2, p=0, weights=[1, 3]).weights
    array([0.25, 0.75])
    """
    count, d = check_count(actions, "actions"), check_count(people, "people")
    shapes = check_interval(alpha, "alpha"), check_interval(beta, "beta")
    low, high = check_range(u_min, u_max)
    names = None if stakeholders is None else check_names(stakeholders)
    rng = stream(random_state, "individuals")
    a, b = (rng.uniform(*interval, d) for interval in shapes)
    true_weights = draw_weights(weights, d, names, rng)
    drawn = low + (high - low) * rng.beta(a, b, (count, d))
    # Rounding must not carry a utility past the end of its range.
    return World(np.clip(drawn, low, high), WelfareFunction(p, true_weights, names))


def draw_weights(
    weights: WorldWeights, people: int, names: Sequence[str] | None, rng: np.random.Generator
) -> FloatArray:
    """Return the true weights (d,) of people, who may have names (d,): drawn, equal or given."""
    drawn = np.asarray(rng.dirichlet(np.ones(people)))  # always, so that utilities stay the same
    if isinstance(weights, str):
        if weights not in ("random", "equal"):
            raise InputError(
                f'weights must be "random", "equal" or one number per person; found {weights!r}.'
            )
        return drawn if weights == "random" else np.full(people, 1.0 / people)
    given = as_weights(by_name(weights, names, "weights"))
    if given.shape != (people,):
        raise InputError(
            f"weights must be one number per person, {people} in all; found shape {given.shape}."
        )
    return given


def check_interval(interval: Interval, what: str) -> Interval:
    """Require two positive numbers, the second not the smaller one."""
    try:
        low, high = (float(end) for end in interval)
    except (TypeError, ValueError):
        low = high = np.nan
    if not 0 < low <= high < np.inf:
        raise InputError(
            f"{what} must be two positive numbers, the smaller first; found {interval!r}."
        )
    return low, high


def check_range(u_min: float, u_max: float) -> Interval:
    """Require the range of utilities to have a width."""
    low, high = check_interval((u_min, u_max), "(u_min, u_max)")
    if low == high:
        raise InputError(f"u_min must be below u_max; found {low:g} for both.")
    return low, high


def check_number(value: object, what: str, least: float, most: float) -> float:
    """Require a number of the half-open interval [least, most), or inf where `most` is inf."""
    number = float(value) if is_real(value) else np.nan  # type: ignore[arg-type]
    if not (least <= number < most or number == most == np.inf):
        reach = f"from {least:g} up" if most == np.inf else f"from {least:g} to below {most:g}"
        raise InputError(f"{what} must be a number {reach}; found {value!r}.")
    return number


def numbered_names(what: str, count: int) -> tuple[str, ...]:
    """Return names (count,) that stand in the order of their numbers, however they are sorted.

    Examples
    --------
    >>> numbered_names("region", 10)[:2]
    ('region 01', 'region 02')
    """
    width = len(str(count))
    return tuple(f"{what} {number + 1:0{width}}" for number in range(count))
