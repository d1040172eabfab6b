"""Decisions in files under a noise model: losses and slopes of all, curvature of a random share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.losses.judgement import Judgement
from welfarist.losses.point import QuadraticModel
from welfarist.losses.restraint import Restraint
from welfarist.losses.scanned.answers import Answer, Question
from welfarist.losses.scanned.rounds import Rounds
from welfarist.noise.base import ChoiceNoise

# From values of all actions of the table and the parameters to what is asked of every part.
Asking = Callable[[FloatArray, FloatArray], Question]


@dataclass(frozen=True, eq=False)
class ObservedScan:
    """Mean negative log likelihood of decisions in files.

    Its value and its gradient are those of all decisions; for each, the files are read once. Its
    curvature is that of the share: a step with it is nearly Newton's, and no part needs to know
    who is affected.

    Attributes
    ----------
    drawn : ObservedPairs or ObservedMenus
        The share, about the actions that are mentioned anywhere.
    rounds : Rounds
    asking : callable
    used : (A,) array of int
        Which actions of the table these are.
    actions : int
        How many actions the table has.
    rows : int
        Rows of the files.
    share_rows : int
        Rows of the share.
    total : float
        How many decisions were observed.
    nothing : float
        The mean loss of knowing nothing.
    """

    drawn: Any
    rounds: Rounds
    asking: Asking
    used: npt.NDArray[np.intp]
    actions: int
    rows: int
    share_rows: int
    total: float
    nothing: float
    limits: tuple[FloatArray, FloatArray] | None = field(default=None)

    squared = False
    unit = 1.0
    restraint = None
    in_parts = True
    countable = False

    def glance(self, values: FloatArray, powers: FloatArray) -> None:
        """None: many rules are judged by the share that is in memory."""
        del values, powers

    @property
    def comparisons(self) -> float:
        """How many comparisons of two actions the decisions are worth."""
        return float(self.drawn.comparisons) * self.total / float(self.drawn.total)

    @property
    def noise(self) -> ChoiceNoise:
        """How choices err."""
        noise: ChoiceNoise = self.drawn.noise
        return noise

    @property
    def tau_max(self) -> float:
        """The largest temperature."""
        return float(self.drawn.tau_max)

    @property
    def step(self) -> float:
        """How far apart values are in a typical case."""
        return float(self.drawn.step)

    @property
    def tau_ends(self) -> tuple[float, float]:
        """The smallest and the largest temperature that are searched."""
        ends: tuple[float, float] = self.drawn.tau_ends
        return ends

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The temperature, and what else the noise model learns."""
        found: tuple[Parameter, ...] = self.drawn.parameters
        return found

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values."""
        found: tuple[FloatArray, FloatArray] = self.drawn.bounds
        return found

    @property
    def options(self) -> dict[str, bool]:
        """What was asked for beside the noise, of choices from menus."""
        return dict(getattr(self.drawn, "options", {}))

    @property
    def sees_level(self) -> bool:
        """Whether something that all values gain alike would be noticed."""
        return bool(self.drawn.sees_level)

    @property
    def resolution(self) -> float:
        """Below this every outcome is certain."""
        return float(self.drawn.resolution)

    @property
    def features(self) -> dict[str, str]:
        """That decisions are not all in memory is not covered by every method."""
        return {**self.drawn.features, "scan": "decisions that stay in their files"}

    def if_noise_free(self, countable: bool) -> str:
        """What to say where choices could be without noise."""
        del countable
        return str(self.drawn.if_noise_free(False))

    def within(self, limits: tuple[FloatArray, FloatArray]) -> ObservedScan:
        """Return the same decisions, with narrower bounds (m,), (m,) of the parameters."""
        return replace(self, drawn=self.drawn.within(limits))

    def restrained(self, restraint: Restraint | None) -> ObservedScan:
        """Return the same decisions; nothing is charged for certainty here."""
        if restraint is None:
            return self
        raise InputError(
            "decisions that stay in their files must leave some doubt; found hardly any in the "
            "share that is in memory, so that the likelihood would have to be penalised. Scan with "
            'a larger share, or fit with small_sample="none".'
        )

    def respond(self, values: FloatArray, extras: FloatArray, has_zeros: bool) -> ScanResponse:
        """Return how well values (A,) and the noise model's parameters explain all decisions."""
        if len(self.used) < self.actions:
            whole = np.zeros(self.actions)
            whole[self.used] = values
        else:
            whole = values
        answer = self.rounds.ask(self.asking(whole, extras))
        pull = answer.pull if len(self.used) == self.actions else answer.pull[self.used]
        return ScanResponse(
            answer.loss / self.total, self, values, extras, has_zeros, replace(answer, pull=pull)
        )

    def exactly(self, response: ScanResponse, extras: FloatArray) -> ScanResponse:
        """Return the response with observed second derivatives of the share."""
        exact = replace(response)
        exact.of_share = self.drawn.exactly(response.share(), extras)
        return exact

    def start(self, values: FloatArray, has_zeros: bool) -> FloatArray:
        """Return parameters that go well with values, on the share."""
        found: FloatArray = self.drawn.start(values, has_zeros)
        return found

    def share(self, fraction: float, rng: np.random.Generator) -> tuple[Any, npt.NDArray[np.intp]]:
        """Return about this share of the decisions, from those in memory, and their actions."""
        part = fraction * self.rows / self.share_rows
        if part >= 1.0:
            return self.drawn, np.arange(len(self.used))
        return self.drawn.share(part, rng)  # type: ignore[no-any-return]

    def log_likelihood(self, value: float) -> float:
        """Return the log likelihood of all decisions where the mean loss is `value`."""
        return float(-self.total * value)

    def deviance(self, value: float, best: float) -> float:
        """Return twice the log likelihood that `value` loses against the mean loss `best`."""
        return float(2.0 * self.total * (value - best))

    def loss_at(self, deviance: FloatArray, best: float) -> FloatArray:
        """Return the mean losses (n,) that stand behind deviances (n,)."""
        return np.asarray(best + deviance / (2.0 * self.total))

    def without_noise(self, extras: FloatArray) -> FloatArray:
        """Return the parameters with tau at its cap."""
        found: FloatArray = self.drawn.without_noise(extras)
        return found

    def is_without_noise(self, extras: FloatArray) -> bool:
        """Whether tau is at its cap."""
        return bool(self.drawn.is_without_noise(extras))

    def one_by_one(self, decided: Any) -> NotOneByOne:
        """Return what refuses questions about every decision by itself."""
        del decided
        return NotOneByOne()

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> NoReturn:
        """Refuse to draw as many decisions as there are in the files."""
        del judged, extras, value
        raise InputError(ONE_BY_ONE)

    def null_loss(self) -> float:
        """Return the mean loss of knowing nothing."""
        return self.nothing

    def least_loss(self) -> float:
        """Return 0: no likelihood is larger than 1."""
        return 0.0

    def accuracy(self, response: ScanResponse) -> float:
        """Share of decisions on the right side of a rule."""
        return min(response.answer.right / self.total, 1.0)

    def goes_against(self, response: ScanResponse) -> bool:
        """Whether a worse action was chosen, however seldom."""
        return response.answer.right < self.total


class NotOneByOne:
    """Decisions that stay in their files, of which nobody said who made them."""

    deciders = None

    def outer_scores(self, *_: Any) -> NoReturn:
        """Refuse: robust standard errors need every decision."""
        raise InputError(ONE_BY_ONE)

    resampling = slopes = by_decider = outer_scores


ONE_BY_ONE = (
    "robust and clustered standard errors, the bootstrap, simulated nulls and checks need every "
    "decision in memory; found decisions that stay in their files. Use standard errors "
    '(covariance="fisher", method="wald") and likelihood ratios, or fit a share of the decisions.'
)


@dataclass(slots=True)
class ScanResponse:
    """The negative log likelihood at values of the actions.

    Attributes
    ----------
    value : float
    observed : ObservedScan
    values : (A,) array
    extras : (m,) array
    has_zeros : bool
    answer : Answer
        Sums over all decisions.
    of_share : PairResponse, MenuResponse or None
        The share at the same point, once it is asked for.
    """

    value: float
    observed: ObservedScan
    values: FloatArray
    extras: FloatArray
    has_zeros: bool
    answer: Answer
    of_share: Any = None

    @property
    def of_decisions(self) -> float:
        """The loss of the decisions: there is no other."""
        return self.value

    def share(self) -> Any:
        """How the share responds to the same values."""
        if self.of_share is None:
            self.of_share = self.observed.drawn.respond(self.values, self.extras, self.has_zeros)
        return self.of_share

    def doubt(self) -> float:
        """How many decisions are in doubt, from the share."""
        return float(self.share().doubt()) * self.observed.total / float(self.observed.drawn.total)

    def gradient(self, rows: FloatArray) -> FloatArray:
        """Return the gradient, of all decisions."""
        centred = rows - np.add.reduce(rows, axis=1, keepdims=True) / rows.shape[1]
        whole = np.concatenate([centred @ self.answer.pull, self.answer.by_extras])
        return np.asarray(whole / self.observed.total)

    def model(self, rows: FloatArray) -> QuadraticModel:
        """Return the gradient of all decisions, and the Fisher matrix of the share."""
        gradient = self.gradient(rows)
        return QuadraticModel(gradient, self.share().model(rows).curvature)

    def remainder(self, judged: Judgement, rows: FloatArray) -> FloatArray:
        """Return what the curvature lacks of the Hessian, on the share."""
        found: FloatArray = self.share().remainder(judged, rows)
        return found
