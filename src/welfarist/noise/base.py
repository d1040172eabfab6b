"""What a noise model says of choices: how likely each answer is, given the difference in welfare.

A model of one's own subclasses :class:`ChoiceNoise` and writes one method, :meth:`response`; loss
and derivatives follow from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from welfarist.base.parameters import LOG, Parameter
from welfarist.base.validation import FloatArray

# Below this the choices look random, and nothing about the rule can be read from them.
SMALLEST_TAU = 1e-6

TAU = Parameter("tau", "temperature tau", 0.0, np.inf, LOG, 0.1, 1e-6, 1.0, skewed=True)

# What a noise model without parameters of its own is given.
NO_OWN = np.empty(0)

# Where the models are that go by name.
_OURS = "welfarist.noise.choices"

# What is left of a probability that has become 1 or 0; its inverse is a number.
CERTAIN = 1e-10
_TINY = float(np.finfo(np.float64).tiny)
# Derivatives are taken as if no answer were less likely: of many such the sum is still a number.
STEEPEST = 1e-150
# Steps by which second derivatives are found where a model does not give them: the cube root of
# rounding, where the errors of both kinds are alike.
_STEP = 6e-6
# Probabilities that differ by less are the same but for rounding.
_ALIKE = 1e-9
# Values of each own parameter on a coarse grid.
_COARSE = 3


@dataclass(frozen=True)
class Response:
    """How likely each answer is, and how that changes.

    Attributes
    ----------
    likely, unlikely : (n,) arrays
        Probabilities that the first action is preferred, and that the second is. Neither is made
        as one minus the other, which would lose the digits of a small one.
    slope : (n,) array
        Derivative of `likely` by the standardised margin z.
    by_own : (r, n) array
        Derivatives of `likely` by the model's own parameters.
    """

    likely: FloatArray
    unlikely: FloatArray
    slope: FloatArray
    by_own: FloatArray


@dataclass(frozen=True)
class OwnDerivatives:
    """Derivatives of each comparison's loss by the model's own parameters.

    Attributes
    ----------
    by_own : (r, n) array
    cross : (r, n) array
        Second derivatives by z and each of them.
    information : (r, r, n) array
        Second derivatives by two of them.
    """

    by_own: FloatArray
    cross: FloatArray
    information: FloatArray


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class Choice:
    """Loss of outcomes and its derivatives in the standardised margin z.

    Attributes
    ----------
    loss : float
        Sum over comparisons of minus the log likelihood.
    by_margin : (n,) array
        Derivative of each comparison's loss by z.
    information : (n,) array
        Expected (or observed) second derivative by z.
    own : OwnDerivatives or None
        Derivatives by the model's own parameters, where it has any.
    """

    loss: float
    by_margin: FloatArray
    information: FloatArray
    own: OwnDerivatives | None = None


def in_steps(
    bounds: tuple[FloatArray, FloatArray], step: float, taus: Sequence[int] = (0,)
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of parameters where values that differ by `step` are the typical case.

    `taus` are the places of temperatures, which have one over the unit of values.
    """
    if step == 1.0:
        return bounds
    lower, upper = (np.array(end) for end in bounds)
    for end in (lower, upper):
        end[list(taus)] -= np.log(step)
    return lower, upper


class ChoiceNoise:
    """How a decision maker errs between two actions.

    Every model has a temperature tau: ``z = tau (V(first) - V(second))``, with V the (log) welfare
    of the family. A model of one's own gives `name` and :meth:`response`, and names what else it
    learns in `own`. Which action comes first must not matter: at -z both probabilities change
    places, so that comparisons of the same two actions can be counted together.

    Attributes
    ----------
    name : str
    own : tuple of Parameter
        What the model learns beside tau; their coordinates are the identity.
    """

    name: str = ""
    own: tuple[Parameter, ...] = ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Everything that is learned: tau, then the model's own."""
        return (TAU, *self.own)

    @property
    def option(self) -> str | ChoiceNoise:
        """What a learner takes as its noise: a model of one's own itself, others by name."""
        return self.name if type(self).__module__ == _OURS else self

    @property
    def called(self) -> str:
        """What a user writes to get it."""
        return f'noise="{self.name}"'

    def bounds(self, tau_max: float) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values that are searched, in the parameters' coordinates.

        They are those where values that differ by about one are a typical case.
        """
        lower = [np.log(SMALLEST_TAU), *(parameter.lowest for parameter in self.own)]
        upper = [np.log(tau_max), *(parameter.highest for parameter in self.own)]
        return np.array(lower), np.array(upper)

    def response(self, z: FloatArray, own: FloatArray) -> Response:
        """Return how likely each answer is at margins (n,), given the own parameters (r,)."""
        raise NotImplementedError

    def probability(self, z: FloatArray, own: FloatArray) -> FloatArray:
        """Return the probability (n,) that the first action is preferred."""
        return self.response(z, own).likely

    def log_chances(self, z: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log probabilities (n,), (n,) of either answer at finite margins (n,)."""
        here = self.response(z, own)
        return np.log(np.maximum(here.likely, _TINY)), np.log(np.maximum(here.unlikely, _TINY))

    def at_infinity(self, own: FloatArray) -> Response:
        """Return the response where the first action is better by an infinite margin, (1,) each.

        So it is where the second gives nothing to anybody who counts. What a model of one's own
        cannot work out there is taken to be certain.
        """
        with np.errstate(all="ignore"):
            here = self.response(np.array([np.inf]), own)
        tilt = np.nan_to_num(here.by_own, nan=0.0, posinf=0.0, neginf=0.0)
        likely, unlikely = np.nan_to_num(here.likely, nan=1.0), np.nan_to_num(here.unlikely)
        return Response(likely, unlikely, np.zeros(1), tilt)

    @property
    def forgives(self) -> bool:
        """Whether the worse action may be chosen however clear the case is."""
        own = np.array([_middle(parameter) for parameter in self.own])
        return bool(self.at_infinity(own).unlikely[0] > 0)

    def start(
        self, margins: FloatArray, log_tau: float, count: FloatArray, lead: FloatArray
    ) -> FloatArray:
        """Return values (1 + r,) to begin with, given margins (n,) before tau and a log tau."""
        del margins, count, lead
        middle = [_middle(parameter) for parameter in self.own]
        return np.array([log_tau, *middle])

    def own_grid(self) -> FloatArray:
        """Values (g, r) of the own parameters that cover their ranges coarsely."""
        lines = [
            np.linspace(max(one.lowest, -1.0), min(one.highest, 1.0), _COARSE + 2)[1:-1]
            for one in self.own
        ]
        return np.array(list(product(*lines)), dtype=np.float64)

    def many_losses(
        self, z: FloatArray, own: FloatArray, first: FloatArray, second: FloatArray
    ) -> FloatArray:
        """Return the losses (B,) of many rules, without derivatives.

        Margins are (B, n), own parameters (B, r); `first` and `second` (n,) say how often each
        action was preferred.
        """
        if len(z) > 1 and not (own == own[:1]).all():
            rows = range(len(z))
            one_by_one = (
                self.many_losses(z[i : i + 1], own[i : i + 1], first, second) for i in rows
            )
            return np.concatenate(list(one_by_one))
        here = self.response(z.ravel(), own[0])
        likely, unlikely = np.maximum(here.likely, _TINY), np.maximum(here.unlikely, _TINY)
        logs = np.log(likely).reshape(z.shape), np.log(unlikely).reshape(z.shape)
        return np.asarray(-(logs[0] @ first) - logs[1] @ second)

    def choice(self, z: FloatArray, own: FloatArray, count: FloatArray, lead: FloatArray) -> Choice:
        """Loss of outcomes, with expected second derivatives.

        Domain: z real; `count` (n,) how often each pair was compared, `lead` (n,) how much more
        often the first was preferred than the second.

        Formula: ``-first log P - second log(1 - P)``, with first + second = count and
        first - second = lead.
        """
        first, second = (count + lead) / 2.0, (count - lead) / 2.0
        here = self.response(z, own)
        likely, unlikely = np.maximum(here.likely, _TINY), np.maximum(here.unlikely, _TINY)
        loss = -(first @ np.log(likely)) - second @ np.log(unlikely)
        # Where an outcome is certain the information is infinite; this much is plenty.
        spread = count / np.maximum(likely * unlikely, CERTAIN)
        slope, tilt = here.slope, here.by_own
        # A probability below the smallest number has a slope of that size: their ratio is plain.
        by_margin = second * (slope / unlikely) - first * (slope / likely)
        derivatives = None
        if self.own:
            both = np.array([[spread * one * other for other in tilt] for one in tilt])
            pull = second / np.maximum(unlikely, STEEPEST) - first / np.maximum(likely, STEEPEST)
            derivatives = OwnDerivatives(pull * tilt, spread * slope * tilt, both)
        return Choice(float(loss), by_margin, spread * slope * slope, derivatives)

    def observed(
        self, z: FloatArray, own: FloatArray, count: FloatArray, lead: FloatArray
    ) -> Choice:
        """:meth:`choice` with observed in place of expected second derivatives, by differences."""
        expected = self.choice(z, own, count, lead)

        def slopes(z: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
            found = self.choice(z, own, count, lead)
            return found.by_margin, np.empty((0, len(z))) if found.own is None else found.own.by_own

        step = _STEP * (1.0 + np.abs(z))
        (up, own_up), (down, own_down) = slopes(z + step, own), slopes(z - step, own)
        by_margin_twice = (up - down) / (2.0 * step)
        if expected.own is None:
            return Choice(expected.loss, expected.by_margin, by_margin_twice)
        cross = (own_up - own_down) / (2.0 * step)
        both = np.empty_like(expected.own.information)
        for i, parameter in enumerate(self.own):
            moved = np.zeros(len(own))
            moved[i] = _STEP * (1.0 + abs(own[i]))
            high = np.minimum(own + moved, parameter.highest)
            low = np.maximum(own - moved, parameter.lowest)
            both[i] = (slopes(z, high)[1] - slopes(z, low)[1]) / (high[i] - low[i])
        both = 0.5 * (both + both.transpose(1, 0, 2))
        derivatives = OwnDerivatives(expected.own.by_own, cross, both)
        return Choice(expected.loss, expected.by_margin, by_margin_twice, derivatives)

    def is_symmetric(self) -> bool:
        """Whether both probabilities change places where the actions do."""
        z = np.linspace(-4.0, 4.0, 17)
        own = np.array([_middle(parameter) for parameter in self.own])
        one, other = self.response(z, own), self.response(-z, own)
        return bool(np.allclose(one.likely, other.unlikely, rtol=_ALIKE, atol=_ALIKE))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _middle(parameter: Parameter) -> float:
    """A value well inside a parameter's range."""
    low, high = max(parameter.lowest, -1.0), min(parameter.highest, 1.0)
    return (low + high) / 2.0 if low < high else parameter.lowest
