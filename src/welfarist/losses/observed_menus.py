"""Choices from menus under logistic noise or lapses: negative log likelihood and derivatives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.decisions.choices import Choices
from welfarist.decisions.menus import Menus
from welfarist.losses.glances_at_menus import MenuGlance
from welfarist.losses.graph import ComparisonGraph
from welfarist.losses.judgement import Judgement
from welfarist.losses.menu_caution import charge, pairs_of
from welfarist.losses.menu_extras import Extras
from welfarist.losses.menu_resampling import MenuSampler, tells
from welfarist.losses.menu_response import MenuResponse
from welfarist.losses.restraint import Restraint
from welfarist.losses.single_menus import SingleMenus
from welfarist.noise.base import SMALLEST_TAU, ChoiceNoise, in_steps
from welfarist.noise.choices import LOGISTIC
from welfarist.noise.menus import Softmax
from welfarist.people.estimated.people import People

# A mean loss below this means that every choice has probability 1 up to rounding.
_ROUNDING = 1e-13
# A temperature this near to its cap, in logarithms, is at it.
_AT_CAP = 1e-3
# Menus of more actions than this are large, and each of their actions is paired with so many.
_LARGE, _PARTNERS = 33, 4
# How far below and above all utilities, in logarithms, the welfare of none of these is searched.
_BEYOND = 5.0


@dataclass(frozen=True)
class ObservedMenus:
    """Mean negative log likelihood of choices from menus.

    Domain: temperatures in (0, tau_max]; the other parameters in their ranges.

    Formula: see :mod:`welfarist.noise.menus`, with values ``z = sign tau V`` of the entries.

    Attributes
    ----------
    menus : Menus
        Each menu once.
    total : float
        How many choices were observed.
    extras : Extras
        What is learned beside the rule.
    tau_max : float
    actions : int
        How many actions there are, without none of these.
    limits : pair of arrays or None
        Bounds of the parameters, if they were narrowed.
    restraint : Restraint or None
        What is charged for certainty, where decisions are few.
    step : float
        How far apart values are in a typical case, in their unit: tau is searched in one over it.
    """

    menus: Menus
    total: float
    extras: Extras
    tau_max: float
    actions: int
    limits: tuple[FloatArray, FloatArray] | None = None
    restraint: Restraint | None = None
    step: float = 1.0
    _graph: ComparisonGraph | None = field(default=None, repr=False)

    squared = False
    in_parts = False
    unit = 1.0

    @property
    def noise(self) -> ChoiceNoise:
        """How choices err."""
        return self.extras.noise

    @property
    def comparisons(self) -> float:
        """How many comparisons of two actions the choices are worth: K - 1 of a menu of K."""
        return float(self.menus.count @ (self.menus.sizes - 1.0))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The temperature, and what else is learned."""
        return self.extras.parameters

    @property
    def options(self) -> dict[str, bool]:
        """What was asked for beside the noise."""
        sized, staged = self.extras.sizes is not None, self.extras.stages > 1
        return {"tau_by_stage": staged, "size_effect": sized}

    @property
    def countable(self) -> bool:
        """Whether there is nothing but the rule to learn from errors that are counted."""
        return not (self.sees_level or any(self.options.values()))

    @property
    def sees_level(self) -> bool:
        """Whether something that all values gain alike would be noticed."""
        return self.extras.outside is not None

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values; `limits` if those were narrowed."""
        if self.limits is not None:
            return self.limits
        return in_steps(self.extras.bounds(self.tau_max), self.step, self.extras.taus)

    @property
    def tau_ends(self) -> tuple[float, float]:
        """The smallest and the largest temperature that are searched."""
        return SMALLEST_TAU / self.step, self.tau_max / self.step

    def glance(self, values: FloatArray, powers: FloatArray) -> MenuGlance:
        """Look at what many rules make of the actions (B, N), with powers (B,)."""
        return MenuGlance(self, powers, values)

    def if_noise_free(self, countable: bool) -> str:
        """What to say where choices could be without noise, and errors may be countable."""
        found = f"tau at its cap, {self.tau_ends[1]:g}, or that it could as well be."
        if not countable:
            return f"{found} Raise tau_max, unless the choices are noise-free."
        return (
            f'{found} If the choices are noise-free, noise="none" finds a rule with the fewest '
            "errors; otherwise raise tau_max."
        )

    @property
    def rows(self) -> int:
        """How many comparisons distinct menus are worth: K - 1 of K actions."""
        return len(self.menus.rows) - len(self.menus)

    @property
    def resolution(self) -> float:
        """Below this every choice is certain."""
        return _ROUNDING

    @property
    def features(self) -> dict[str, str]:
        """What not every method covers."""
        found = {"menus": "choices from menus"}
        if self.noise != LOGISTIC:
            found["noise"] = self.noise.called
        if self.restraint is not None:
            found["restraint"] = "a penalised likelihood"
        return found

    def within(self, limits: tuple[FloatArray, FloatArray]) -> ObservedMenus:
        """Return the same decisions, with narrower bounds (m,), (m,) of the parameters."""
        return replace(self, limits=limits)

    @cached_property
    def tau_place(self) -> npt.NDArray[np.intp] | None:
        """Which of the temperatures each menu (m,) has; None if there is one."""
        if self.extras.stages == 1:
            return None
        return np.minimum(self.menus.stage, self.extras.stages - 1)

    def scales(self, extras: FloatArray) -> FloatArray:
        """What values are multiplied with in each menu (m,): its temperature, and its sign."""
        if self.tau_place is None:
            return np.asarray(self.menus.sign * np.exp(extras[0]))
        return np.asarray(self.menus.sign * np.exp(extras[self.extras.taus])[self.tau_place])

    def many_scales(self, extras: FloatArray) -> FloatArray:
        """The same (B, m) for the parameters (B, k) of many rules."""
        if self.tau_place is None:
            return np.asarray(self.menus.sign * np.exp(extras[:, :1]))
        taus = np.exp(extras[:, self.extras.taus])
        return np.asarray(self.menus.sign * taus[:, self.tau_place])

    @cached_property
    def alike(self) -> bool:
        """Whether all menus have the same temperature and sign."""
        return self.tau_place is None and bool((self.menus.sign > 0).all())

    def compare(self, values: FloatArray, extras: FloatArray, has_zeros: bool) -> Softmax:
        """Return how the entries of all menus compare, at values of the actions (N,)."""
        seen = self.extras.values(values, extras)
        if self.alike:
            return Softmax.of_actions(self.menus, seen * np.exp(extras[0]), has_zeros)
        z = self.menus.times_of(seen[self.menus.rows], self.scales(extras))
        return Softmax.of(self.menus, z, has_zeros)

    def respond(self, values: FloatArray, extras: FloatArray, has_zeros: bool) -> MenuResponse:
        """Return how well values (N,), tau and the noise model's own explain the choices."""
        here = self.compare(values, extras, has_zeros)
        place = self.extras.rho
        lost = here.loss(0.0 if place is None else float(extras[place])) / self.total
        response = MenuResponse(lost, self, extras, here, lost)
        if self.restraint is not None:
            charge(response, self.graph, values, has_zeros, self.restraint)
        return response

    @property
    def graph(self) -> ComparisonGraph:
        """Every two actions of each menu, each pair 2 / K times: a menu of two is one pair.

        Of large menus it is some of the pairs, which stand for all.
        """
        if self._graph is None:
            made = ComparisonGraph(pairs_of(self.menus, self._wide), self._wide)
            object.__setattr__(self, "_graph", made)
        assert self._graph is not None
        return self._graph

    @property
    def _wide(self) -> int:
        """How many actions there are, with none of these."""
        return self.actions + (self.extras.outside is not None)

    def exactly(self, response: MenuResponse, extras: FloatArray) -> MenuResponse:
        """Return the response with observed second derivatives."""
        del extras
        exact = replace(response, exact=True)
        exact.caution, exact.margins, exact.surest = (
            response.caution, response.margins, response.surest,
        )  # fmt: skip
        return exact

    def restrained(self, restraint: Restraint | None) -> ObservedMenus:
        """Return the same decisions, with something charged for certainty."""
        return replace(self, restraint=restraint)

    def seen_at(self, shift: float) -> ObservedMenus:
        """Return the same choices, of actions from whose values so much was taken out."""
        return replace(self, extras=replace(self.extras, shift=shift))

    @cached_property
    def stages(self) -> int:
        """How many choices in a row there are at most."""
        return int(self.menus.stage.max()) + 1

    def with_stages(self, stages: int) -> ObservedMenus:
        """Return the same choices, with so many temperatures."""
        return replace(self, extras=replace(self.extras, stages=stages), limits=None)

    def carried(self, extras: FloatArray, other: ObservedMenus) -> FloatArray:
        """Return parameters of these choices as those of `other`, with more temperatures or fewer.

        Temperatures that are new have the value of the first.
        """
        mine, theirs = self.extras, other.extras
        found = np.full(len(theirs.parameters), float(extras[0]))
        shared = min(len(mine.taus), len(theirs.taus))
        found[theirs.taus[:shared]] = extras[mine.taus[:shared]]
        found[theirs.of_actions] = extras[mine.of_actions]
        if mine.rho is not None and theirs.rho is not None:
            found[theirs.rho] = extras[mine.rho]
        return found

    def of_menus(self, menus: Menus) -> ObservedMenus:
        """Return other menus of the same actions, under the same noise."""
        return replace(self, menus=menus, total=menus.total, restraint=None, _graph=None)

    def with_taken(self, taken: FloatArray) -> ObservedMenus:
        """Return the same menus, of which each entry was chosen another number of times (E,)."""
        menus = self.menus.with_taken(taken)
        return replace(self, menus=menus, total=menus.total, _graph=None)

    def start(self, values: FloatArray, has_zeros: bool) -> FloatArray:
        """Return a temperature at which the typical menu spans one, and what goes with it."""
        lower, upper = self.bounds
        found = np.clip(np.zeros(len(self.parameters)), lower, upper)
        finite = np.isfinite(values)
        if self.extras.outside is not None:
            middle = float(values[finite].mean()) if finite.any() else 0.0
            found[self.extras.of_actions[-1]] = middle + self.extras.shift
        seen = self.extras.values(values, found)[self.menus.rows]
        if has_zeros and not np.isfinite(seen).all():
            known = seen[np.isfinite(seen)]
            seen = np.where(np.isfinite(seen), seen, known.mean() if len(known) else 0.0)
        span = self.menus.largest(seen) + self.menus.largest(-seen)
        typical = max(float(np.mean(span)), 1e-300)
        found[self.extras.taus] = -np.log(typical)
        if self.extras.rho is not None:
            found = self._best_lapse(values, found, has_zeros)
        return np.asarray(np.clip(found, lower, upper))

    def _best_lapse(self, values: FloatArray, found: FloatArray, has_zeros: bool) -> FloatArray:
        """The best of a few temperatures and flip rates: their loss has several local optima."""
        tried = []
        for step in (-1.0, 0.5, 2.0, 4.0):
            for rho in (0.01, 0.05, 0.15, 0.3):
                one = found.copy()
                one[self.extras.taus] += step
                one[1] = rho
                one = np.clip(one, *self.bounds)
                tried.append((self.respond(values, one, has_zeros).value, one))
        return min(tried, key=lambda pair: pair[0])[1]

    def share(
        self, fraction: float, rng: np.random.Generator
    ) -> tuple[ObservedMenus, npt.NDArray[np.intp]]:
        """Return about this share of the menus, and the actions that they mention."""
        chosen = rng.random(len(self.menus)) < fraction
        if not chosen.any():
            chosen[rng.integers(len(chosen))] = True
        part, used = self.menus.take(chosen).renumbered(self._wide)
        if self.extras.outside is not None:  # which every menu has, as its last
            used = used[:-1]
        return (
            replace(
                self, menus=part, total=part.total, extras=self.extras.take(used),
                actions=len(used), _graph=None,
            ),
            used,
        )  # fmt: skip

    def log_likelihood(self, value: float) -> float:
        """Return the log likelihood of all choices where the mean loss is `value`."""
        return float(-self.total * value)

    def deviance(self, value: float, best: float) -> float:
        """Return twice the log likelihood that `value` loses against the mean loss `best`."""
        return float(2.0 * self.total * (value - best))

    def loss_at(self, deviance: FloatArray, best: float) -> FloatArray:
        """Return the mean losses (n,) that stand behind deviances (n,)."""
        return np.asarray(best + deviance / (2.0 * self.total))

    def without_noise(self, extras: FloatArray) -> FloatArray:
        """Return the parameters with every tau at its cap."""
        found = np.array(extras)
        found[self.extras.taus] = np.log(self.tau_ends[1])
        return found

    def is_without_noise(self, extras: FloatArray) -> bool:
        """Whether the first tau is at its cap."""
        return bool(float(extras[0]) >= float(np.log(self.tau_ends[1])) - _AT_CAP)

    def one_by_one(self, decided: Choices) -> SingleMenus:
        """Return the decisions one by one."""
        return SingleMenus(self, decided)

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> MenuSampler:
        """Return what draws choices from a rule."""
        del value
        here = self.compare(judged.values, extras, judged.people.has_zeros)
        place = self.extras.rho
        return MenuSampler(self, here.chances(0.0 if place is None else float(extras[place])))

    def null_loss(self) -> float:
        """Return the mean loss of choosing at random."""
        return float(self.menus.count @ np.log(self.menus.sizes)) / self.total

    def least_loss(self) -> float:
        """Return the mean loss if every menu had the chances that were observed."""
        if self.restraint is not None:
            return -np.inf
        count = self.menus.spread(self.menus.count)
        share = np.divide(self.menus.taken, count, out=np.zeros(len(count)), where=count > 0)
        return float(-(xlogy(self.menus.taken, share).sum())) / self.total

    def accuracy(self, response: MenuResponse) -> float:
        """Share of first choices that the rule makes too; of several best ones each has a share."""
        menus = self.menus
        asked = menus.count * ((menus.stage == 0) & (menus.sign > 0))
        total = float(asked.sum())
        return min(float(asked @ response.here.hits()) / total, 1.0) if total else 0.0

    def goes_against(self, response: MenuResponse) -> bool:
        """Whether a worse action of some menu was chosen, however seldom."""
        return bool(((self.menus.taken > 0) & ~response.here.best()).any())


def observed_choices(
    choices: Choices,
    noise: ChoiceNoise,
    tau_max: float,
    *,
    by_stage: bool = False,
    size_effect: bool = False,
) -> tuple[ObservedMenus, npt.NDArray[np.intp]]:
    """Take over merged choices; return them, and the actions that they mention."""
    menus = choices.merged[0]
    kept = tells(menus)
    menus = menus if kept.all() else menus.take(kept)
    wide = choices.actions + choices.outside
    menus, used = menus.renumbered(wide)
    if choices.outside:
        used = used[:-1]
    table = choices.utilities[used]
    if isinstance(table, People):
        table = table.utilities
    stages = int(menus.stage.max()) + 1 if by_stage else 1
    sizes = np.log((~np.isnan(table)).sum(axis=1)) if size_effect else None
    ends = None
    if choices.outside:
        ends = _ends(table)
        if not menus.taken[menus.rows == len(used)].any():  # nothing says how little it is worth
            ends = ends[0], ends[0]
    extras = Extras(noise, stages, sizes, ends)
    return ObservedMenus(menus, menus.total, extras, tau_max, len(used)), used


def _ends(table: FloatArray) -> tuple[float, float]:
    """Between which logarithms the welfare of none of these is searched."""
    positive = table[table > 0]
    return float(np.log(positive.min())) - _BEYOND, float(np.log(positive.max())) + _BEYOND
