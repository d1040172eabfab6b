"""One trial of learning: decisions are simulated, a rule is learned, and set beside the truth."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import WelfaristWarning
from welfarist.base.validation import FloatArray
from welfarist.bounds.noisy_scores import expected_scores
from welfarist.bounds.parameters import Weights
from welfarist.bounds.planning import Task
from welfarist.counting.exact_solver import Exact
from welfarist.families.rule import WelfareFunction
from welfarist.learners import ChoiceLearner, ComparisonClassifier, WelfareRegressor
from welfarist.noise.choices import preference_probability
from welfarist.simulate import (
    World,
    choices,
    comparisons,
    random_menus,
    random_pairs,
    rankings,
    scores,
    true_order,
)
from welfarist.simulate.streams import stream

Seed = list[int]


@dataclass(frozen=True, eq=False)
class Setting:
    """What is simulated, and what the learner is told.

    Attributes
    ----------
    task : "scores", "comparisons", "flip" or "logistic"
    world : World
        The truth. Actions are drawn uniformly from its table.
    weights : "known" or "unknown"
        Whether the learner is told the true weights.
    noise : float
        nu of scores, rho of flips, tau of logistic noise; of no account otherwise.
    tau_max : float
        The largest temperature the learner considers, for logistic noise.
    menu_size, places : int
        From how many actions is chosen, and how many of them are ranked; 2 and 1 are comparisons.
    """

    task: Task
    world: World
    weights: Weights
    noise: float = 0.0
    tau_max: float = np.inf
    menu_size: int = 2
    places: int = 1

    @property
    def told(self) -> Any:
        """What a learner takes as its weights."""
        return self.world.weights if self.weights == "known" else "learn"

    def learned_from(self, n: int, seed: Seed) -> Any:
        """Return the learner of this task, fitted to n decisions of its own.

        It is the one the bound is about: the smallest squared error, the fewest wrong decisions,
        the largest likelihood.
        """
        if self.task == "scores":
            rows = stream(seed, "actions").integers(0, self.world.actions, n)
            drawn = self.world[rows]
            noisy = scores(drawn, self.noise, random_state=seed)
            return WelfareRegressor(weights=self.told, progress=False).fit(drawn.utilities, noisy)
        learner = ComparisonClassifier if self.menu_size == 2 else ChoiceLearner
        options: dict[str, Any] = dict(weights=self.told, progress=False)
        if self.task == "logistic":
            options.update(tau_max=self.tau_max, small_sample="none")
            return learner(**options).fit(self._decided(n, seed, tau=self.noise))
        flips: dict[str, Any] = dict(rho=self.noise) if self.task == "flip" else {}
        options.update(noise="flip" if flips else "none", **flips)
        options["solver"] = Exact(time_limit=0.0)  # the rule is wanted, not the proof
        return learner(**options).fit(self._decided(n, seed, **flips))

    def _decided(self, n: int, seed: Seed, **noise: Any) -> Any:
        """Return n decisions between pairs, or from menus, with errors."""
        world, drawn = self.world, cast(dict[str, Any], dict(random_state=seed))
        if self.menu_size == 2:
            return comparisons(world, random_pairs(world.actions, n, **drawn), **noise, **drawn)
        menus = random_menus(world.actions, n, self.menu_size, **drawn)
        if self.places == 1:
            return choices(world, menus, **noise, **drawn)
        return rankings(world, menus, places=self.places, **noise, **drawn)


class Outcome(NamedTuple):
    """How far a learned rule is from the truth.

    Attributes
    ----------
    excess_risk : float
        Expected loss beyond that of the best rule, in the loss of the task's bound.
    accuracy : float
        Share of comparisons it decides as the truth does, without noise; a tie is half right.
    p_error : float
        ``|p - p*|``; infinite if only one of them is.
    weights_kl : float
        ``KL(w* || w)``; infinite if somebody who counts was given no weight.
    """

    excess_risk: float
    accuracy: float
    p_error: float
    weights_kl: float


@dataclass(frozen=True, eq=False)
class Examination:
    """Where learned rules are judged: many actions and pairs of them, with the truth about each.

    Attributes
    ----------
    setting : Setting
    world : World
        The actions asked about.
    pairs : (k, 2) array
    order : (k,) array
        Which action of each pair is better.
    targets : (m,) array
        Each action's mean score, over the noise; for scores only.
    least : float
        The smallest mean squared distance of any rule from the targets; for scores only.
    """

    setting: Setting
    world: World
    pairs: npt.NDArray[np.intp]
    order: npt.NDArray[np.int8]
    targets: FloatArray
    least: float

    @classmethod
    def of(cls, setting: Setting, size: int, seed: Seed) -> Examination:
        """Return `size` actions and pairs of a setting; all of them if there are no more."""
        world = setting.world
        if world.actions > size:
            rows = stream(seed, "examined actions").choice(world.actions, size, replace=False)
            world = world[np.sort(rows)]
        if world.actions * (world.actions - 1) // 2 <= size:
            pairs = np.column_stack(np.triu_indices(world.actions, 1)).astype(np.intp)
        else:
            pairs = random_pairs(world.actions, size, random_state=seed)
        targets, least = np.empty(0), 0.0
        if setting.task == "scores":
            targets = expected_scores(world, setting.noise)
            least = _least_error(setting, world, targets)
        return cls(setting, world, pairs, true_order(world, pairs), targets, least)

    def judge(self, learned: Any) -> Outcome:
        """Return how far a fitted learner's rule is from the truth."""
        rule = WelfareFunction(learned.p_, learned.weights_)
        answers = true_order(World(self.world.utilities, rule), self.pairs)
        agreement = self.order.astype(np.float64) * answers
        if self.setting.task == "scores":
            excess = _mean_square(rule(self.world.utilities) - self.targets) - self.least
        elif self.setting.task == "logistic":
            excess = self._log_loss_beyond(rule, learned.tau_)
        else:  # a tie in truth costs every rule the same
            excess = float(np.mean(np.abs(self.order) - agreement)) / 2.0
        return Outcome(
            excess,
            float(np.mean(1.0 + agreement)) / 2.0,
            0.0 if rule.p == self.world.p else abs(rule.p - self.world.p),
            divergence(self.world.weights, learned.weights_),
        )

    def _log_loss_beyond(self, rule: WelfareFunction, tau: float) -> float:
        """Expected log loss of a rule, over the outcomes, less that of the truth."""
        z, best = self._margins(rule, tau), self._margins(self.world.rule, self.setting.noise)
        chance = preference_probability(best, 0.0)
        first = np.logaddexp(0.0, -z) - np.logaddexp(0.0, -best)
        second = np.logaddexp(0.0, z) - np.logaddexp(0.0, best)
        return float(np.mean(chance * first + (1.0 - chance) * second))

    def _margins(self, rule: WelfareFunction, tau: float) -> FloatArray:
        welfare = np.asarray(rule.log(self.world.utilities))
        return np.asarray(tau * (welfare[self.pairs[:, 0]] - welfare[self.pairs[:, 1]]))


def run_trial(examination: Examination, n: int, seed: Seed) -> Outcome:
    """Simulate n decisions, learn from them and judge what was learned."""
    with _quiet():
        return examination.judge(examination.setting.learned_from(n, seed))


def divergence(true: FloatArray, learned: FloatArray) -> float:
    """Return KL(true || learned) of weights (d,) and (d,), infinite where one misses somebody.

    Examples
    --------
    >>> divergence(np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.5, 0.0]))
    0.0
    >>> divergence(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    inf
    """
    counted = true > 0
    if (learned[counted] <= 0).any():
        return float("inf")
    # Equal weights may differ by rounding, and a divergence is never negative.
    return max(0.0, float(np.sum(true[counted] * np.log(true[counted] / learned[counted]))))


def _least_error(setting: Setting, world: World, targets: FloatArray) -> float:
    """How near a rule can come to the mean scores: clipping moves them away from the true one."""
    true = _mean_square(world.welfare - targets)
    if true == 0:
        return 0.0
    with _quiet():
        best = WelfareRegressor(weights=setting.told, progress=False).fit(world.utilities, targets)
    return min(true, _mean_square(best.predict(world.utilities) - targets))


def _mean_square(residuals: FloatArray) -> float:
    return float(np.mean(np.square(residuals)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Small samples make fits warn, as they should; the outcomes show it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WelfaristWarning)
        yield
