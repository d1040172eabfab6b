"""Simulated decision makers who are asked, and how well they are known afterwards."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from welfarist.asking.interview import Interview
from welfarist.asking.posterior import Posterior
from welfarist.asking.prior import Prior
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_power, check_lengths, is_real
from welfarist.decisions import Comparisons
from welfarist.families.rule import WelfareFunction

Way = Literal["adaptive", "designed", "random"]
Said = Literal["first", "second", "equal"]
Truth = Literal["spread", "prior"] | float | WelfareFunction | Callable[..., Any]
# New pairs on which predictions are judged, for each decision maker.
_NEW_PAIRS = 1000
# Utilities of the actions, and asinh p of the decision makers, are uniform between these.
_LOW, _HIGH = 1.0, 100.0
_POWERS = (-2.0, 1.0)
_LEVEL = 0.95


@dataclass(frozen=True)
class Seen:
    """How well one decision maker is known.

    Attributes
    ----------
    accuracy : float
        Share of new pairs on which what is expected agrees with the truth.
    power_error : float
        By how much asinh p is wrong.
    power_covered, weights_covered : float
        Whether the 95% interval of p holds the truth, and the share of those of weights that do.
        Like the error of p they are NaN for rules of another family.
    """

    accuracy: float
    power_error: float
    power_covered: float
    weights_covered: float


@dataclass(frozen=True, eq=False)
class Decider:
    """A decision maker: a rule, and how they err.

    Attributes
    ----------
    rule : object with a method `log`
    tau, rho : float
    band : float
        The difference in log welfare within which they call two actions equal; 0: never.
    """

    rule: Any
    tau: float
    rho: float
    band: float = 0.0

    def answer(self, one: FloatArray, other: FloatArray, rng: np.random.Generator) -> Said:
        """Say which of two outcomes (d,) is better, or that they are equal.

        Formula: that of :mod:`welfarist.asking.evidence`.
        """
        first, second = self.chances(one, other)
        drawn = rng.random()
        if drawn < first:
            return "first"
        return "equal" if self.band and drawn >= first + second else "second"

    def chances(self, one: FloatArray, other: FloatArray) -> tuple[float, float]:
        """Return how likely it is that the first, and that the second of two outcomes is chosen."""
        logs = np.asarray(self.rule.log(np.array([one, other])))
        z = self.tau * (logs[0] - logs[1]) if logs[0] != logs[1] else 0.0
        b = self.tau * self.band
        first, second = (1.0 / (1.0 + np.exp(-np.clip(s * z - b, -500.0, 500.0))) for s in (1, -1))
        clear = 1.0 - 2.0 * self.rho
        return float(self.rho + clear * first), float(self.rho + clear * second)


@dataclass(frozen=True, eq=False)
class Setting:
    """How tables and decision makers come about.

    Attributes
    ----------
    actions : int or (N, d) array
        How many actions everybody has of their own, or those of all.
    tau, rho : float
        How they err; with truths from the prior these are drawn as well, and a band within which
        they call actions equal. Others never do.
    truth : "spread", "prior", float, WelfareFunction or callable
        Their rules; see :func:`welfarist.asking.study`.
    prior : Prior
        What is believed before the first answer.
    """

    actions: Any
    tau: float
    rho: float
    truth: Any
    prior: Prior

    def __post_init__(self) -> None:
        if not is_real(self.tau) or not self.tau > 0:
            raise InputError(f"tau must be a number above 0; found {self.tau!r}.")
        if not is_real(self.rho) or not 0 <= self.rho < 0.5:
            raise InputError(f"rho must be a number from 0 to below 0.5; found {self.rho!r}.")
        if is_real(self.truth):
            as_power(self.truth)
            return
        named = isinstance(self.truth, str) and self.truth in ("spread", "prior")
        if not named and not callable(self.truth):
            raise InputError(
                "the truth must be spread, prior, a power, a rule or a function; found "
                f"{self.truth!r:.60}."
            )

    def check_sent(self) -> None:
        """Require that other processes can be told of the truth."""
        named = getattr(self.truth, "__module__", None) == "__main__"
        typed_in = named and not hasattr(sys.modules["__main__"], "__file__")
        try:
            pickle.dumps(self.truth)
        except (pickle.PicklingError, AttributeError, TypeError):
            typed_in = True
        if typed_in:
            raise InputError(
                "with several jobs the truth must be a function or a class with a name in a "
                f"module, which other processes can import; found {self.truth!r:.80}. Put it into "
                "a file, or take jobs=1."
            )

    def decider(self, people: int, rng: np.random.Generator) -> Decider:
        """Draw a decision maker."""
        if self.truth == "prior":
            line = self.prior.coordinates(people, ties=True)
            drawn = line.rules(self.prior.draw(line, 1, rng))
            own = WelfareFunction(float(drawn.powers[0]), drawn.weights[0])
            return Decider(own, float(drawn.taus[0]), float(drawn.rhos[0]), float(drawn.bands[0]))
        return Decider(self._rule(people, rng), self.tau, self.rho)

    def _rule(self, people: int, rng: np.random.Generator) -> Any:
        truth = self.truth
        if isinstance(truth, WelfareFunction):
            check_lengths(people, people if truth.weights is None else len(truth.weights))
            return truth
        if callable(truth):
            rule = truth(rng, people)
            if not callable(getattr(rule, "log", None)):
                raise InputError(
                    "what the truth returns must have a method log, as a WelfareFunction has; "
                    f"found {rule!r:.60}."
                )
            return rule
        power = float(np.sinh(rng.uniform(*_POWERS))) if truth == "spread" else float(truth)
        return WelfareFunction(power, rng.dirichlet(np.ones(people)))

    def asked(
        self,
        people: int,
        way: str,
        counts: Sequence[int],
        seed: list[int],
        new_pairs: int = _NEW_PAIRS,
    ) -> list[Seen]:
        """Ask one decision maker, and look at what is known after so many questions.

        The same seed is the same decision maker, whatever the way.
        """
        rng = np.random.default_rng(seed)
        made_up = isinstance(self.actions, int)
        table = rng.uniform(_LOW, _HIGH, (self.actions, people)) if made_up else self.actions
        decider = self.decider(people, rng)
        if made_up:
            fresh = rng.uniform(_LOW, _HIGH, (new_pairs, 2, people))
        else:
            fresh = table[_different(len(table), new_pairs, rng)]
        judge = _Judge(decider, fresh, self.prior.largest)
        interview = Interview(
            table, self.prior, random_state=int(rng.integers(2**31)), designed=way == "designed",
            most=max(counts),
        )  # fmt: skip
        drawn = _different(len(table), max(counts), rng) if way == "random" else None
        seen = []
        for count in range(1, max(counts) + 1):
            if drawn is not None:
                interview.ask(*drawn[count - 1].tolist())
            if interview.question is not None:  # a small table may have no further one
                one, other = interview.actions[list(interview.next())]
                interview.answer(decider.answer(one, other, rng))
            if count in counts:
                seen.append(judge.seen(interview.posterior))
        return seen


class _Judge:
    """The truth about one decision maker, with which beliefs are compared.

    Parameters
    ----------
    decider : Decider
    fresh : (n, 2, d) array
        New pairs.
    largest : float
        The largest size of p that is believed possible, which stands for infinity.
    """

    def __init__(self, decider: Decider, fresh: FloatArray, largest: float) -> None:
        one, other = (np.asarray(decider.rule.log(fresh[:, side])) for side in (0, 1))
        self.first = one > other
        self.pairs = Comparisons.from_arrays(fresh[:, 0], fresh[:, 1], self.first)
        self.rule, self.largest = decider.rule, largest

    def seen(self, belief: Posterior) -> Seen:
        """Compare what is believed with the truth."""
        foreseen = belief.predict_proba(self.pairs)[:, 1] > 0.5
        accuracy = float(np.mean(foreseen == self.first))
        if not isinstance(self.rule, WelfareFunction):
            return Seen(accuracy, np.nan, np.nan, np.nan)
        p = float(np.clip(self.rule.p, -self.largest, self.largest))
        people = belief.stakeholders
        weights = self.rule.weights
        if weights is None:
            weights = np.full(len(people), 1.0 / len(people))
        error = abs(float(np.arcsinh(belief.estimate("p")) - np.arcsinh(p)))
        low, high = belief.interval("p", _LEVEL)
        ends = [belief.interval(f"weight of {who}", _LEVEL) for who in people]
        held = [a <= w <= b for (a, b), w in zip(ends, weights, strict=True)]
        return Seen(accuracy, error, float(low <= p <= high), float(np.mean(held)))


def _different(rows: int, count: int, rng: np.random.Generator) -> Any:
    """So many pairs of different rows, drawn at random (count, 2)."""
    first = rng.integers(0, rows, count)
    return np.column_stack([first, (first + rng.integers(1, rows, count)) % rows])
