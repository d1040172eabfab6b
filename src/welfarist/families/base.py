"""What a family of welfare functions gives.

A family turns what people have, weights and one parameter of its own, its *shape*, into a value
per action. Choices depend on differences of values; scores on the level that a value stands for.

A family of one's own subclasses :class:`Family` and writes `name`, `shape` and :meth:`welfare`.
Where it gives no second derivatives, they are found by differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.parameters import LOG, Parameter
from welfarist.base.validation import FloatArray, is_real
from welfarist.families.columns import Columns, People
from welfarist.families.family_rule import FamilyRule
from welfarist.families.levels import DIFFERENCE, Level
from welfarist.families.named import Doctrine
from welfarist.families.welfare import Welfare

# A step by which derivatives are found: the cube root of rounding, where both errors are alike.
_STEP = 6e-6
# What stands for 0 in the search over a shape that is positive.
_NEAR_ZERO = 1e-6


class Family:
    """A family of welfare functions.

    Attributes
    ----------
    name : str
        What a user writes: ``family="power"``.
    title : str
        What a report calls its rules.
    shape : Parameter
        The family's own parameter.
    level : Level
        What a value says about scores.
    starts, more_starts : tuples of float
        Shapes from which a search begins, and with which it goes on where the first disagree.
    plain : float or None
        The shape that is reported, with equal weights, where no rule explains more than that.
    ratios : bool
        Whether weights matter through ``log(w) / p`` far out, as in a power mean.
    is_mean : bool
        Whether welfare lies between the smallest and the largest utility.
    doctrines : tuple of Doctrine
        Shapes that have names.
    says : str
        What the shape says, in a sentence for readers who know no formula; if it is empty, a
        report says what the doctrines mean.
    at_end : str
        What it means that the shape ended where its range does, where that is a finding.
    has_aversion : bool
        Whether one less the shape is what economists call inequality aversion.
    least : float
        The smallest utility that it takes: 0, or minus infinity where a scale needs no zero.
    by_place : bool
        Whether weights belong to places, from the worst to the best off, and not to persons.
    own : tuple of Parameter
        Further parameters beside the shape, which are learned with it.
    """

    name: str = ""
    title: str = ""
    shape: Parameter
    level: Level = DIFFERENCE
    starts: tuple[float, ...] = (1.0, -1.0)
    more_starts: tuple[float, ...] = (0.0,)
    plain: float | None = None
    ratios: bool = False
    is_mean: bool = False
    doctrines: tuple[Doctrine, ...] = ()
    says: str = ""
    at_end: str = ""
    has_aversion: bool = False
    least: float = 0.0
    by_place: bool = False
    own: tuple[Parameter, ...] = ()

    @property
    def called(self) -> str:
        """What a user writes to get it."""
        return f'family="{self.name}"'

    @property
    def label(self) -> str:
        """What a comparison of families calls it."""
        return self.name or type(self).__name__

    @property
    def noun(self) -> str:
        """What one of its rules is called after "a" or "the"."""
        return f"rule of the family {self.title or self.name or type(self).__name__}"

    def suited_to(self, utilities: Any) -> Family:
        """Return the family with what it needs to know of a table (N, d): of units, for example.

        It is called once before a fit; what stands in the place of a table has everything already.
        """
        del utilities
        return self

    @property
    def candidates(self) -> tuple[Family, ...]:
        """Members of which a fit takes the one with the lowest BIC; none if it is one already."""
        return ()

    @property
    def chosen(self) -> str:
        """How a member came to be chosen among candidates, in a sentence; empty if it was not."""
        return ""

    def index(self, people: People) -> FloatArray | None:
        """Return what all rules are weighted sums of (c, N), up to scale; None if nothing is."""
        del people
        return None

    def of_index(self, shares: FloatArray) -> tuple[FloatArray, float, FloatArray]:
        """Return weights (d,), shape and further parameters of shares (c,) of :meth:`index`."""
        raise NotImplementedError

    def labels(self, people: tuple[str, ...]) -> tuple[str, ...]:
        """Return what each weight (d,) is of: a person, unless weights belong to places."""
        return people

    def like_power(self, p: float) -> float:
        """Return the power of a power mean that does about the same, of a shape that has one."""
        return p

    def noise_in_words(self, tau: float) -> str:
        """Say what a temperature means, where it has a unit; empty where it has none."""
        del tau
        return ""

    @property
    def own_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where further parameters are searched (m,), (m,), in their coordinates."""
        return np.empty(0), np.empty(0)

    @property
    def own_start(self) -> FloatArray:
        """Where a search of further parameters begins (m,), in their coordinates."""
        return np.empty(0)

    def within(self, bounds: tuple[FloatArray, FloatArray]) -> Family:
        """Return the same with other bounds (m,), (m,) of further parameters."""
        del bounds
        return self

    def at(self, own: FloatArray) -> Family:
        """Return the member whose further parameters (m,), in their coordinates, are these."""
        del own
        return self

    def numbers(self) -> dict[str, Any]:
        """Return what a file must hold of a member beside its name, shape and weights."""
        return {}

    def of_numbers(self, numbers: Any, people: int) -> Family:
        """Return the member that :meth:`numbers` described, of a rule for so many people.

        Raises ValueError where it describes none.
        """
        if numbers != {}:
            raise ValueError("nothing")
        del people
        return self

    def own_values(self) -> dict[str, float]:
        """Return the further parameters of a member of the family, by name."""
        return {}

    def step(self, people: People) -> float:
        """Return how far apart values are in a typical case, in their unit: 1 of logarithms.

        Temperatures are searched in one over it, so that no fit depends on the unit.
        """
        del people
        return 1.0

    def columns(self, utilities: FloatArray) -> Columns:
        """Return what the family sees of utilities (d, N), which it may overwrite."""
        return Columns(utilities)

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return the values of all actions at weights (d,) and shape p, with first derivatives."""
        raise NotImplementedError

    def table_of(self, people: People) -> FloatArray | None:
        """Return what people have (d, N) on the scale of values, if all are in memory."""
        return people.table

    def search_range(self, people: People) -> tuple[float, float]:
        """Return the smallest and the largest shape that are searched."""
        del people
        low, high = self.shape.lowest, self.shape.highest
        if self.shape.coordinate is LOG:  # 0 itself is infinitely far away
            low = max(low, _NEAR_ZERO)
        return low, high

    def allowed(self, p: float, people: People) -> float:
        """Return a shape like this one that may be searched."""
        low, high = self.search_range(people)
        return min(max(p, low), high)

    def limits(self, people: People) -> tuple[float, ...]:
        """Return infinite shapes that are compared for themselves: no search reaches them."""
        del people
        return ()

    def bend_by_weights(
        self, rows: FloatArray, pull: FloatArray, p: float, extra: float
    ) -> FloatArray:
        """Return second derivatives by two weights, summed over actions with `pull` (N,).

        `rows` (k, N) are the derivatives by the k weights that move; `extra` times their outer
        squares is added. Values that are straight lines in the weights have no others.
        """
        del p
        return np.asarray((rows * (extra * pull)) @ rows.T)

    def bend_further(
        self, people: People, weights: FloatArray, p: float, pull: FloatArray
    ) -> FloatArray | None:
        """Return what :meth:`bend_by_weights` lacks (d, d) of derivatives by two weights, if any.

        Like it, summed over actions with `pull` (N,), and along moves that keep the weights' sum.
        """
        del people, weights, p, pull
        return None

    def bend_by_shape(
        self, people: People, weights: FloatArray, p: float, here: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return second derivatives that involve the shape, summed over actions with `pull` (N,).

        They are those by each weight and the shape (d,), and the one by the shape twice; here
        they are found by differences.
        """
        del here
        low, high = self.search_range(people)
        step = _STEP * (1.0 + abs(p))
        below, above = max(p - step, low), min(p + step, high)
        one, other = (self.welfare(people, weights, x) for x in (above, below))
        width = above - below
        cross = ((one.by_weight - other.by_weight) @ pull) / width
        return cross, float((one.by_power - other.by_power) @ pull) / width

    def describe(self, p: float) -> str:
        """Return which rule a shape is, in words."""
        for named in self.doctrines:
            if named.p == p:
                return named.name
        return f"{self.shape.name} = {p:.4g}"

    def describe_closely(self, p: float, digits: int) -> str:
        """Return which rule a shape is as it is printed with some decimals."""
        shown = p if abs(p) == float("inf") else round(p, digits) + 0.0
        return self.describe(shown)

    def meaning(self, p: float, digits: int) -> str:
        """Return what a rule looks at whose shape is printed with some decimals, if known."""
        shown = p if abs(p) == float("inf") else round(p, digits)
        return next((named.meaning for named in self.doctrines if named.p == shown), "")

    def explain(self, p: float) -> str:
        """Return what the welfare of an action is, in words or as a formula."""
        del p
        return f"what the {self.noun} makes of the weights and of the utilities it gives"

    def reach(self, p: float, weights: FloatArray) -> FloatArray | None:
        """Return how far each weight reaches (d,) where weights mislead; None where they do not."""
        del p, weights
        return None

    def reach_in_words(self, p: float, shown: str) -> str:
        """Say what reach is at a shape that is printed as `shown`."""
        del p, shown
        return ""

    def shape_of(self, p: object, has_zeros: bool) -> float:
        """Return the shape that somebody gave: a number in its range, or a doctrine's name."""
        del has_zeros
        named = {_plain(doctrine.name): doctrine.p for doctrine in self.doctrines}
        if isinstance(p, str) and _plain(p) in named:
            return named[_plain(p)]
        if is_real(p) and self.shape.lowest <= float(p) <= self.shape.highest:  # type: ignore[arg-type]
            return float(p)  # type: ignore[arg-type]
        known = ", ".join(f'"{doctrine.name}"' for doctrine in self.doctrines)
        raise InputError(
            f"p must be a value of {self.shape.name}, from {self.shape.lowest:g} to "
            f"{self.shape.highest:g}{f', or one of {known}' if known else ''}, with "
            f"{self.called}; found {p!r}."
        )

    def shares(self, utilities: FloatArray, weights: FloatArray, p: float) -> FloatArray | None:
        """Return whose gains count how much in each action (N, d) of utilities (N, d).

        None where nobody knows a formula: then rules see what rises by 1% are worth.
        """
        del utilities, weights, p
        return None

    def rule(self, p: float, weights: Any, stakeholders: Any = None) -> Any:
        """Return the rule with this shape and these weights, ready to judge actions."""
        return FamilyRule(self, p, weights, stakeholders)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _plain(name: str) -> str:
    """A doctrine's name as anybody may write it."""
    return name.strip().lower().replace("-", " ").replace("_", " ")
