"""Choices about people whose utilities are estimates, under logistic noise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.losses.estimated.laplace import Decided, Integrated, check_actions
from welfarist.losses.estimated.menus import MenuDecisions
from welfarist.losses.estimated.pairs import Pairs
from welfarist.losses.estimated.scores import drawn_effects
from welfarist.losses.judgement import Judgement
from welfarist.losses.menu_resampling import MenuSampler
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.choices import LOGISTIC


def require_logistic(noise: ChoiceNoise) -> None:
    """Refuse noise under which effects of actions cannot be integrated out."""
    if noise != LOGISTIC:
        raise InputError(
            "utilities with errors need choices with logistic noise; found "
            f'{noise.called}. Use noise="logistic", or pass the table without errors.'
        )


def uncertain_values(judged: Judgement) -> tuple[FloatArray, FloatArray]:
    """Return the mean values (N,) of actions and their covariance, (N,) or (N, N)."""
    people: Any = judged.people
    uncertain = people.seen(judged.weights, judged.point.p, judged.welfare)
    return uncertain.biased(judged.welfare).value, uncertain.effects.covariance


def integrated(
    decided: Decided,
    observed: EstimatedPairs | EstimatedMenus,
    values: FloatArray,
    covariance: FloatArray,
    extras: FloatArray,
) -> Integrated:
    """Return the likelihood of decisions, searched from the likeliest effects of the last time."""
    near = observed.last.get("effects")
    if near is not None and len(near) != len(values):
        near = None
    found = Integrated.of(decided, values, covariance, extras, near)
    observed.last["effects"] = found.effects
    return found


@dataclass(frozen=True)
class EstimatedPairs(ObservedPairs):
    """Comparisons of actions whose values are uncertain.

    Attributes
    ----------
    last : dict
        The likeliest effects where the likelihood was last looked at: a guess for the next time.
    """

    last: dict[str, FloatArray] = field(default_factory=dict, compare=False, repr=False)

    countable = False

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

    @property
    def features(self) -> dict[str, str]:
        """Errors of utilities are not covered by every method."""
        return {**super().features, "estimated": "utilities with errors"}

    def integrate(
        self, values: FloatArray, covariance: FloatArray, extras: FloatArray
    ) -> Integrated:
        """Return their likelihood at mean values (N,) with a covariance, (N,) or (N, N)."""
        return integrated(Pairs(self.graph), self, values, covariance, extras)

    def share(
        self, fraction: float, rng: np.random.Generator
    ) -> tuple[EstimatedPairs, npt.NDArray[np.intp]]:
        """Return about this share of the comparisons, and the actions that they mention."""
        drawn: Any = super().share(fraction, rng)
        return replace(drawn[0], last={}), drawn[1]

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> Any:
        """Return what draws outcomes, of values that differ from their means as they may."""
        del value
        return PairDraws(self, *uncertain_values(judged), extras)

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

    def moved(self, shift: float) -> EstimatedPairs:
        """Return the same comparisons: what all values lack changes none."""
        del shift
        return self

    def without_noise(self, extras: FloatArray) -> Any:
        """None: choices err where utilities do, however sure the decision maker is."""
        del extras

    def is_without_noise(self, extras: FloatArray) -> bool:
        """Never, because utilities err."""
        del extras
        return False


@dataclass(frozen=True)
class EstimatedMenus(ObservedMenus):
    """Choices from menus of actions whose values are uncertain.

    Attributes
    ----------
    last : dict
        As of :class:`EstimatedPairs`.
    """

    last: dict[str, FloatArray] = field(default_factory=dict, compare=False, repr=False)

    countable = False

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

    @property
    def features(self) -> dict[str, str]:
        """Errors of utilities are not covered by every method."""
        return {**super().features, "estimated": "utilities with errors"}

    def integrate(
        self, values: FloatArray, covariance: FloatArray, extras: FloatArray
    ) -> Integrated:
        """Return their likelihood at mean values (N,) with a covariance, (N,) or (N, N)."""
        return integrated(MenuDecisions(self.menus, self.actions), self, values, covariance, extras)

    def share(
        self, fraction: float, rng: np.random.Generator
    ) -> tuple[EstimatedMenus, npt.NDArray[np.intp]]:
        """Return about this share of the menus, and the actions that they mention."""
        drawn: Any = super().share(fraction, rng)
        return replace(drawn[0], last={}), drawn[1]

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> Any:
        """Return what draws choices, of values that differ from their means as they may."""
        del value
        return MenuDraws(self, *uncertain_values(judged), extras)

    def drawn(
        self, values: FloatArray, extras: FloatArray, rng: np.random.Generator
    ) -> EstimatedMenus:
        """Return new choices between actions with these values (N,)."""
        chances = self.compare(values, extras, False).chances(0.0)
        drawn: Any = MenuSampler(self, chances).draw(rng)
        found: EstimatedMenus = replace(drawn, last={})
        return found

    def moved(self, shift: float) -> EstimatedMenus:
        """Return the same choices: what all values lack changes none."""
        del shift
        return self

    def without_noise(self, extras: FloatArray) -> Any:
        """None: choices err where utilities do, however sure the decision maker is."""
        del extras

    def is_without_noise(self, extras: FloatArray) -> bool:
        """Never, because utilities err."""
        del extras
        return False


@dataclass(frozen=True)
class MenuDraws:
    """Choices drawn from a rule whose values are uncertain."""

    observed: EstimatedMenus
    mean: FloatArray
    covariance: FloatArray
    extras: FloatArray

    actions = None

    @property
    def size(self) -> float:
        """How many choices there are."""
        return float(np.rint(self.observed.menus.count).sum())

    def draw(self, rng: np.random.Generator) -> EstimatedMenus:
        """Return new choices from the same menus."""
        effects = drawn_effects(self.covariance, rng)
        return self.observed.drawn(self.mean + effects, self.extras, rng)


@dataclass(frozen=True)
class PairDraws:
    """Comparisons drawn from a rule whose values are uncertain."""

    observed: EstimatedPairs
    mean: FloatArray
    covariance: FloatArray
    extras: FloatArray

    actions = None

    @property
    def size(self) -> float:
        """How many comparisons there are."""
        return float(np.rint(self.observed.graph.pairs.count).sum())

    def draw(self, rng: np.random.Generator) -> EstimatedPairs:
        """Return new outcomes of the same pairs."""
        effects = drawn_effects(self.covariance, rng)
        return self.observed.drawn(self.mean + effects, self.extras, rng)
