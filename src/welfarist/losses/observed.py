"""Decisions under a noise model, as losses, likelihoods and checks need them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.losses.glances import Glance
from welfarist.losses.judgement import Judgement
from welfarist.losses.point import QuadraticModel
from welfarist.losses.restraint import Restraint

UnitName = Literal["decisions", "clusters"]

# Terms of the margin for a slice of the single decisions (b, c).
TermColumns = Callable[[slice], FloatArray]


class Response(Protocol):
    """How well values explain decisions, and which way they should move."""

    @property
    def value(self) -> float:
        """The mean loss, with what is charged beside it."""
        ...

    @property
    def of_decisions(self) -> float:
        """The mean loss of the decisions alone."""
        ...

    def gradient(self, rows: FloatArray) -> FloatArray:
        """Return the gradient (q + m,) from derivatives of the values (q, N)."""
        ...

    def model(self, rows: FloatArray) -> QuadraticModel:
        """Return gradient and positive semidefinite curvature; `rows` may be overwritten."""
        ...

    def remainder(self, judged: Judgement, rows: FloatArray) -> FloatArray:
        """Return what the curvature lacks of the Hessian (q + m, q + m)."""
        ...


class Resampling(Protocol):
    """How resamples are drawn from what was observed."""

    def draw(self, rng: np.random.Generator) -> Any:
        """Return as many decisions, or clusters, drawn with replacement."""
        ...


class Sampler(Protocol):
    """Decisions that a rule makes about the actions that were observed."""

    @property
    def size(self) -> float:
        """How many decisions there are."""
        ...

    @property
    def actions(self) -> npt.NDArray[np.intp] | None:
        """The action of each row of what is drawn; None if they are as observed."""
        ...

    def draw(self, rng: np.random.Generator) -> Any:
        """Return new decisions in place of the observed ones."""
        ...


class ByDecider(Protocol):
    """Decisions apart by who made them, over what a likelihood has merged."""

    @property
    def people(self) -> int:
        """How many decision makers there are."""
        ...

    @property
    def counts(self) -> FloatArray:
        """How many decisions each of them (G,) made."""
        ...

    @property
    def answers(self) -> Any:
        """What each of them decided (G, c), as a sparse table in which alike people are near."""
        ...

    def weighted(self, times: FloatArray) -> Any:
        """Return all decisions, those of each decision maker so many times (G,)."""
        ...

    def log_likelihoods(
        self, values: FloatArray, extras: FloatArray, has_zeros: bool
    ) -> FloatArray:
        """Return each one's log likelihood (G, B) under B rules, from values (B, N)."""
        ...


class OneByOne(Protocol):
    """Decisions one by one, in the user's rows, where a likelihood has merged them."""

    @property
    def deciders(self) -> npt.NDArray[np.intp] | None:
        """The number (n,) of who made each decision that counts; None if nobody said."""
        ...

    def outer_scores(
        self, judged: Judgement, extras: FloatArray, basis: FloatArray, by: npt.NDArray[Any] | None
    ) -> FloatArray:
        """Return the sum of outer squares of scores along `basis` (m, q), by decision or `by`."""
        ...

    def resampling(self, unit: UnitName, size: int) -> Resampling:
        """Return how resamples of so many decisions, or of whole deciders, are drawn."""
        ...

    def by_decider(self) -> ByDecider:
        """Return the decisions apart by who decided, where somebody said."""
        ...

    def slopes(
        self,
        judged: Judgement,
        extras: FloatArray,
        basis: FloatArray,
        terms: FloatArray,
        columns: TermColumns | None = None,
        people: npt.NDArray[np.intp] | None = None,
        value: float = 0.0,
    ) -> Slopes:
        """Return slope and information about the estimates and new terms (e, N) of the values."""
        ...


@dataclass(frozen=True, eq=False)
class Slopes:
    """Slope and information of the log likelihood about estimates and new terms.

    Attributes
    ----------
    slope : (m + e,) array
        Of m moves of the estimates along their face (0 at the maximum) and e new terms.
    information : (m + e, m + e) array
    estimated : int
        m.
    observations : float
    loss : float
        Minus the log likelihood of the fit for choices; the sum of squares for scores.
    squared : bool
        Whether these are scores, whose slope and information lack the unknown variance.
    by_person : (G, m + e) array or None
        The slope of each decision maker's own decisions; None if nothing is known of them.
    """

    slope: FloatArray
    information: FloatArray
    estimated: int
    observations: float
    loss: float
    squared: bool
    by_person: FloatArray | None = None


class Observed(Protocol):
    """Decisions under a noise model.

    What is here is all that a loss, a likelihood and their checks know of a kind of decisions:
    another kind (choices from menus, say) is another class with these methods.
    """

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The noise model's parameters."""
        ...

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Their smallest and largest values, in their coordinates, (m,) each."""
        ...

    @property
    def total(self) -> float:
        """How many decisions were observed."""
        ...

    @property
    def rows(self) -> int:
        """How many rows of data one evaluation passes over."""
        ...

    @property
    def countable(self) -> bool:
        """Whether errors in such decisions can be counted exactly, and nothing else is learned."""
        ...

    @property
    def restraint(self) -> Restraint | None:
        """What is charged for certainty, where decisions are few."""
        ...

    @property
    def unit(self) -> float:
        """What a mean loss is multiplied with to be in the user's unit."""
        ...

    @property
    def resolution(self) -> float:
        """A difference in loss that is nothing but rounding."""
        ...

    @property
    def squared(self) -> bool:
        """Whether the loss is a squared error rather than a negative log likelihood."""
        ...

    @property
    def in_parts(self) -> bool:
        """Whether decisions stay in their files, so that each response reads these."""
        ...

    def if_noise_free(self, countable: bool) -> str:
        """What to say where the decisions could be without noise, and errors may be countable."""
        ...

    @property
    def sees_level(self) -> bool:
        """Whether something that all values gain alike would be noticed."""
        ...

    @property
    def features(self) -> dict[str, str]:
        """What not every method covers, with what a user calls it."""
        ...

    def restrained(self, restraint: Restraint | None) -> Self:
        """Return the same decisions, with something charged for certainty; choices only."""
        ...

    def within(self, limits: tuple[FloatArray, FloatArray]) -> Self:
        """Return the same decisions, with narrower bounds (m,), (m,) of the parameters."""
        ...

    def respond(self, values: FloatArray, extras: FloatArray, has_zeros: bool) -> Response:
        """Return how well values (N,) and the noise model's parameters (m,) explain decisions."""
        ...

    def exactly(self, response: Any, extras: FloatArray) -> Any:
        """Return a response whose curvature is observed, not expected."""
        ...

    def glance(self, values: FloatArray, powers: FloatArray) -> Glance | None:
        """Look at what many rules make of the actions (B, N); None if that is not worth it.

        `powers` are theirs (B,).
        """
        ...

    def start(self, values: FloatArray, has_zeros: bool) -> FloatArray:
        """Return parameters (m,) that go well with values (N,)."""
        ...

    def share(self, fraction: float, rng: np.random.Generator) -> tuple[Self, npt.NDArray[np.intp]]:
        """Return about this share of the decisions, drawn at random, and the actions they need."""
        ...

    def log_likelihood(self, value: float) -> float:
        """Return the log likelihood of all decisions where the mean loss is `value`."""
        ...

    def deviance(self, value: float, best: float) -> float:
        """Return twice the log likelihood that `value` loses against the mean loss `best`."""
        ...

    def loss_at(self, deviance: FloatArray, best: float) -> FloatArray:
        """Return the mean losses (n,), in the user's unit, that stand behind deviances (n,)."""
        ...

    def without_noise(self, extras: FloatArray) -> FloatArray | None:
        """Return parameters as nearly without noise as is searched; None if there are none."""
        ...

    def is_without_noise(self, extras: FloatArray) -> bool:
        """Whether parameters are where noise ends."""
        ...

    def one_by_one(self, decided: Any) -> OneByOne:
        """Return the decisions one by one."""
        ...

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> Sampler:
        """Return what draws decisions from a rule whose mean loss is `value`."""
        ...

    def null_loss(self) -> float:
        """Return the mean loss of knowing nothing: coin flips, or the mean of all scores."""
        ...

    def least_loss(self) -> float:
        """Return a mean loss that no rule can have less of."""
        ...
