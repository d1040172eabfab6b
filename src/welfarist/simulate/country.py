"""A country: people by the part, the regions they live in, and what each plan leaves them.

Nobody has all of its people in memory; a sketch of them is enough to know what its decision maker
thinks of each plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray, as_power, check_count, normalised
from welfarist.families.rule import WelfareFunction
from welfarist.people.sketch.parts import Labels, Part
from welfarist.people.sketch.sketch import Sketch, sketch_of_parts
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import World, WorldWeights, draw_weights, numbered_names

CountryWeights = Literal["population"] | WorldWeights

# People of one part: with a dozen plans 50 MB while it is made.
PART = 2**20
# What somebody typically earns, and what incomes lie between.
_TYPICAL = 30_000.0
_LEAST, _MOST = 1_000.0, 50_000_000.0
# What plans take, and how much of it they pay out again.
_RATES = (0.05, 0.5)
_PAID_OUT = (0.7, 1.3)
# By how much they treat a region better or worse.
_FAVOUR = 0.4


@dataclass(frozen=True, eq=False)
class Country:
    """People with incomes in regions, and plans that tax them and pay them something.

    Under a plan somebody has ``transfer + (1 - rate) * income``, in whole units; rate and transfer
    differ between regions.

    Attributes
    ----------
    people : int
    regions, plans : tuple of str
    shares : (G,) array
        How large a part of the people lives in each region.
    typical, spread : (G,) arrays
        Median income, and the standard deviation of its logarithm.
    rates, transfers : (N, G) arrays
    power : float
        The true power.
    weights : (G,) array or None
        How much each region counts, all its people together; None if everybody counts the same.
    seed : int, sequence of int, SeedSequence, Generator or RandomState, or None

    Examples
    --------
    >>> made = country(3000, 4, 2, p=-1, random_state=1)
    >>> made.regions, made.plans
    (('region 1', 'region 2'), ('plan 1', 'plan 2', 'plan 3', 'plan 4'))
    >>> [len(part.region) for part in made.parts()]
    [3000]
    >>> sketch = made.sketch()
    >>> sketch
    Sketch(4 actions, 2 groups, 3000 people)
    >>> made.world(sketch)
    World(4 actions, 2 people, p=-1)
    """

    people: int
    regions: tuple[str, ...]
    plans: tuple[str, ...]
    shares: FloatArray = field(repr=False)
    typical: FloatArray = field(repr=False)
    spread: FloatArray = field(repr=False)
    rates: FloatArray = field(repr=False)
    transfers: FloatArray = field(repr=False)
    power: float
    weights: FloatArray | None = field(repr=False)
    seed: RandomState | None = field(default=None, repr=False)

    @property
    def n_parts(self) -> int:
        """How many parts its people come in."""
        return -(-self.people // PART)

    def parts(self) -> Iterator[CountryPart]:
        """Yield its people part after part, the same whenever they are asked for."""
        return map(self.part, range(self.n_parts))

    def part(self, number: int) -> CountryPart:
        """Return the people of one part."""
        size = min(PART, self.people - number * PART)
        rng = stream(self.seed, f"people of part {number}")
        region = rng.choice(len(self.regions), size, p=self.shares).astype(np.int32)
        income = np.exp(rng.standard_normal(size) * self.spread[region])
        income = np.clip(income * self.typical[region], _LEAST, _MOST)
        kept = np.empty((len(self.plans), size), np.int32)
        for plan, (rates, transfers) in enumerate(zip(self.rates, self.transfers, strict=True)):
            kept[plan] = np.rint(transfers[region] + (1.0 - rates[region]) * income)
        return CountryPart(region, kept, self.regions, self.plans)

    def sketch(self) -> Sketch:
        """Return the sketch of everybody, a region a group."""
        return self.sketch_of(self.parts())

    def sketch_of(self, parts: Iterable[CountryPart]) -> Sketch:
        """Return the sketch of some of its parts, which may be written down on their way."""
        return sketch_of_parts(self.plans, (part.as_people() for part in parts))

    def rule(self, sketch: Sketch) -> WelfareFunction:
        """Return the true rule, in which regions stand where people stand elsewhere."""
        known = dict(zip(self.regions, self._known(sketch), strict=True))
        there = sketch.stakeholders  # nobody may live in a region of few
        return WelfareFunction(self.power, [known[name] for name in there], list(there))

    def _known(self, sketch: Sketch) -> FloatArray:
        if self.weights is not None:
            return self.weights
        heads = dict(zip(sketch.stakeholders, normalised(sketch.heads), strict=True))
        return np.array([heads.get(name, 0.0) for name in self.regions])

    def world(self, sketch: Sketch) -> World:
        """Return a small world in which the true rule finds in every plan what it finds here.

        Each region is one person in it, who has the power mean of all who live there.
        """
        return World(sketch.seen_at(self.power), self.rule(sketch))


@dataclass(frozen=True, eq=False)
class CountryPart:
    """Some people of a country.

    Attributes
    ----------
    region : (n,) array of int
        Where each lives, a row of `regions`.
    kept : (N, n) array of int
        What each plan leaves them.
    regions, plans : tuple of str
    """

    region: npt.NDArray[np.int32]
    kept: npt.NDArray[np.int32]
    regions: tuple[str, ...]
    plans: tuple[str, ...]

    def as_people(self) -> Part:
        """Return them as sketches take people in."""
        return Part(
            len(self.region),
            lambda plan: self.kept[plan].astype(np.float64),
            Labels(self.region, self.regions),
            None,
            None,
            lambda row: f"row {row}",
        )

    def columns(self) -> dict[str, npt.NDArray[np.int32]]:
        """Return what each plan leaves them (n,), by plan."""
        return dict(zip(self.plans, self.kept, strict=True))


def country(
    people: int,
    plans: int = 12,
    regions: int = 5,
    *,
    p: float,
    weights: CountryWeights = "random",
    random_state: RandomState | None = None,
) -> Country:
    """Return a country of people with incomes, and plans to tax them and pay them something.

    Parameters
    ----------
    people, plans, regions : int
    p : float
        The true power, in [-inf, inf].
    weights : "random", "equal", "population", (G,) array-like or mapping
        How much each region counts, all its people together: drawn uniformly from the simplex, all
        the same, by how many live there, so that everybody counts the same, or given.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Examples
    --------
    >>> made = country(1000, p=0, weights="population")
    >>> rule = made.rule(made.sketch())
    >>> len(rule.weights), bool(abs(rule.weights - made.shares).max() < 0.1)
    (5, True)
    """
    check_count(people, "people")
    check_count(plans, "plans")
    places = check_count(regions, "regions")
    rng = stream(random_state, "country")
    names = numbered_names("region", places)
    by_heads = isinstance(weights, str) and weights == "population"
    told: WorldWeights = "equal" if by_heads else weights
    known = draw_weights(told, places, names, rng)
    favour = rng.uniform(1.0 - _FAVOUR, 1.0 + _FAVOUR, (2, plans, places))
    rates, paid_out = rng.uniform(*_RATES, (plans, 1)), rng.uniform(*_PAID_OUT, (plans, 1))
    return Country(
        people,
        names,
        numbered_names("plan", plans),
        shares=rng.dirichlet(np.full(places, 5.0)),
        typical=_TYPICAL * np.exp(rng.uniform(-0.4, 0.4, places)),
        spread=rng.uniform(0.5, 0.9, places),
        rates=rates * favour[0],
        transfers=_TYPICAL * rates * paid_out * favour[1],
        power=as_power(p),
        weights=None if by_heads else known,
        seed=random_state,
    )
