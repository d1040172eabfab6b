"""Choices about people whose utilities are estimates, under logistic noise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions.menus import Menus
from welfarist.decisions.merged_pairs import MergedPairs
from welfarist.losses.estimated.laplace import Integrated, check_actions
from welfarist.losses.estimated.menus import MenuDecisions
from welfarist.losses.estimated.propagated import SETTLED, Ends, Propagated
from welfarist.losses.estimated.roots import Root
from welfarist.losses.estimated.scores import drawn_effects
from welfarist.losses.graph import ComparisonGraph
from welfarist.losses.judgement import Judgement
from welfarist.losses.menu_resampling import MenuSampler
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.choices import LOGISTIC
from welfarist.people.estimated.spread import Reach

# Sites settle to this for differences of gradients.
_CLOSELY = 1e-8
# Losses are compared to this: sites that have settled leave so much open.
RESOLUTION = 1e-11


def require_logistic(noise: ChoiceNoise) -> None:
    """Refuse noise under which effects of actions cannot be integrated out."""
    if noise != LOGISTIC:
        raise InputError(
            "utilities with errors need choices with logistic noise; found "
            f'{noise.called}. Use noise="logistic", or pass the table without errors.'
        )


@dataclass(frozen=True)
class Uncertain:
    """Choices between actions whose values are uncertain: what all kinds have in common.

    Attributes
    ----------
    last : dict
        What was found where the likelihood was last looked at: a guess for the next time.
    """

    last: dict[str, Any] = field(default_factory=dict, compare=False, repr=False, kw_only=True)

    countable = False
    resolution = RESOLUTION

    @property
    def features(self) -> dict[str, str]:
        """Errors of utilities are not covered by every method."""
        known: Any = super()
        return {**known.features, "estimated": "utilities with errors"}

    def share(self, fraction: float, rng: np.random.Generator) -> tuple[Self, npt.NDArray[np.intp]]:
        """Return about this share of the decisions, and the actions that they mention."""
        known: Any = super()
        drawn, actions = known.share(fraction, rng)
        return replace(drawn, last={}), actions

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> Any:
        """Return what draws outcomes, of values that differ from their means as they may."""
        del value
        people: Any = judged.people
        uncertain = people.seen(judged.weights, judged.point.p, judged.welfare)
        mean = uncertain.biased(judged.welfare).value
        return Draws(self, mean, uncertain.effects.covariance, extras)

    def moved(self, shift: float) -> Self:
        """Return the same decisions: what all values lack changes none."""
        del shift
        return self

    def without_noise(self, extras: FloatArray) -> Any:
        """None: choices err where utilities do, however sure the decision maker is."""
        del extras

    def is_without_noise(self, extras: FloatArray) -> bool:
        """Never, because utilities err."""
        del extras
        return False

    def propagated(
        self, ends: Ends, values: FloatArray, effects: Reach, extras: FloatArray, exact: bool
    ) -> Propagated:
        """Return the likelihood of comparisons, from the sites of the last time."""
        near = self.last.get("sites")
        root = Root.of_reach(effects)
        found = Propagated.of(ends, values, root, extras, near, _CLOSELY if exact else SETTLED)
        self.last["sites"] = found.sites
        return found


@dataclass(frozen=True)
class EstimatedPairs(Uncertain, ObservedPairs):
    """Comparisons of actions whose values are uncertain."""

    @classmethod
    def of_exact(cls, observed: ObservedPairs) -> EstimatedPairs:
        """Take over comparisons of actions that were taken as exact."""
        require_logistic(observed.noise)
        check_actions(observed.graph.actions)
        known = (observed.graph, observed.total, observed.noise, observed.tau_max)
        return cls(*known, observed.limits)

    def without_errors(self) -> ObservedPairs:
        """Return the same comparisons of actions that are taken as exact."""
        return ObservedPairs(self.graph, self.total, self.noise, self.tau_max, self.limits)

    @cached_property
    def _ends(self) -> Ends:
        return Ends(self.graph)

    def integrate(
        self, values: FloatArray, effects: Reach, extras: FloatArray, *, exact: bool = False
    ) -> Propagated:
        """Return their likelihood at mean values (N,) with effects of errors."""
        return self.propagated(self._ends, values, effects, extras, exact)

    def drawn(
        self, values: FloatArray, extras: FloatArray, rng: np.random.Generator
    ) -> EstimatedPairs:
        """Return new outcomes between actions with these values (N,)."""
        count = np.rint(self.graph.pairs.count)
        margins = np.exp(extras[0]) * self.graph.differences(values)
        wins = rng.binomial(count.astype(np.int64), self.noise.probability(margins, extras[1:]))
        drawn: Any = self.with_counts(count, np.asarray(2.0 * wins - count))
        found: EstimatedPairs = replace(drawn, last={})
        return found


@dataclass(frozen=True)
class EstimatedMenus(Uncertain, ObservedMenus):
    """Choices from menus of actions whose values are uncertain."""

    @classmethod
    def of_exact(cls, observed: ObservedMenus) -> EstimatedMenus:
        """Take over choices from menus of actions that were taken as exact."""
        require_logistic(observed.noise)
        check_actions(observed.actions)
        more = [parameter.name for parameter in observed.parameters[1:]]
        if more:
            raise InputError(
                "of utilities with errors choices have one temperature and nothing else to learn "
                f"beside the rule; found {', '.join(more)}. Leave it out, or pass the table "
                "without errors."
            )
        known = (observed.menus, observed.total, observed.extras, observed.tau_max)
        return cls(*known, observed.actions, observed.limits)

    def without_errors(self) -> ObservedMenus:
        """Return the same choices of actions that are taken as exact."""
        known = (self.menus, self.total, self.extras, self.tau_max, self.actions)
        return ObservedMenus(*known, self.limits)

    @cached_property
    def _ends(self) -> Ends | None:
        """The menus as comparisons, if all have two actions."""
        if (self.menus.sizes != 2).any():
            return None
        return Ends(ComparisonGraph(as_pairs(self.menus, self.actions), self.actions))

    def integrate(
        self, values: FloatArray, effects: Reach, extras: FloatArray, *, exact: bool = False
    ) -> Propagated | Integrated:
        """Return their likelihood at mean values (N,) with effects of errors."""
        ends = self._ends
        if ends is not None:
            return self.propagated(ends, values, effects, extras, exact)
        root = Root.of_reach(effects)
        near = self.last.get("effects")
        decided = MenuDecisions(self.menus, self.actions)
        if near is not None and len(near) != root.rank:
            near = None
        found = Integrated.of(decided, values, root, extras, near)
        self.last["effects"] = found.white
        return found

    def drawn(
        self, values: FloatArray, extras: FloatArray, rng: np.random.Generator
    ) -> EstimatedMenus:
        """Return new choices between actions with these values (N,)."""
        chances = self.compare(values, extras, False).chances(0.0)
        drawn: Any = MenuSampler(self, chances).draw(rng)
        found: EstimatedMenus = replace(drawn, last={})
        return found


def as_pairs(menus: Menus, actions: int) -> MergedPairs:
    """Return choices between two as comparisons, each pair of actions once."""
    rows = menus.rows.reshape(-1, 2).astype(np.int64)
    taken = menus.taken.reshape(-1, 2)
    lead = menus.sign * (taken[:, 0] - taken[:, 1])
    turned = rows[:, 0] > rows[:, 1]
    keys = rows.min(axis=1) * actions + rows.max(axis=1)
    pairs, place = np.unique(keys, return_inverse=True)
    count = np.bincount(place, taken.sum(axis=1)).astype(np.float64)
    leads = np.bincount(place, np.where(turned, -lead, lead)).astype(np.float64)
    first, second = (ends.astype(np.int32) for ends in np.divmod(pairs, actions))
    return MergedPairs(first, second, count, leads)


@dataclass(frozen=True)
class Draws:
    """Decisions drawn from a rule whose values are uncertain."""

    observed: Any
    mean: FloatArray
    covariance: FloatArray
    extras: FloatArray

    actions = None

    @property
    def size(self) -> float:
        """How many decisions there are."""
        known = self.observed
        pairs = isinstance(known, EstimatedPairs)
        count = known.graph.pairs.count if pairs else known.menus.count
        return float(np.rint(count).sum())

    def draw(self, rng: np.random.Generator) -> Any:
        """Return new outcomes of the same decisions."""
        effects = drawn_effects(self.covariance, rng)
        return self.observed.drawn(self.mean + effects, self.extras, rng)
