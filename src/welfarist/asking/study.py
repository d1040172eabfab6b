"""How much is learned from questions: simulated decision makers, asked in several ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from welfarist.asking.interview import Interview
from welfarist.asking.posterior import Posterior
from welfarist.asking.prior import Prior, as_prior
from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import Table
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count
from welfarist.decisions import Comparisons
from welfarist.families.rule import WelfareFunction

Way = Literal["adaptive", "designed", "random"]
_WAYS: tuple[Way, ...] = ("adaptive", "designed", "random")
# New pairs on which predictions are judged, for each decision maker.
_NEW_PAIRS = 1000
# Utilities of the actions, and asinh p of the decision makers, are uniform between these.
_LOW, _HIGH = 1.0, 100.0
_POWERS = (-2.0, 1.0)
_LEVEL = 0.95
_KEYS = (
    "people", "way", "questions", "deciders", "accuracy", "accuracy_error", "power_error",
    "power_covered", "weights_covered",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Study:
    """What came of it.

    Attributes
    ----------
    columns : dict
        One row for each number of people, way of asking and number of questions: the share of new
        pairs on which what is expected agrees with the truth, with its standard error, the mean
        error of asinh p, and how often 95% intervals of p and of weights hold the truth.
    """

    columns: dict[str, list[Any]]

    def to_frame(self) -> Any:
        """Return the rows as a data frame, of pandas if installed, else polars."""
        return to_frame(self.columns)

    def enough(self, accuracy: float, way: Way = "adaptive") -> int | None:
        """Return after how many questions of a way so many new pairs are foreseen; None if never.

        With several numbers of people, after how many it is so for all of them.
        """
        rows = list(zip(*(self.columns[key] for key in ("people", "way", "questions", "accuracy")),
                        strict=True))  # fmt: skip
        least: list[int] = []
        for people in sorted({row[0] for row in rows}):
            fine = [
                n for d, how, n, share in rows if (d, how) == (people, way) and share >= accuracy
            ]
            if not fine:
                return None
            least.append(int(min(fine)))
        return max(least)

    def __str__(self) -> str:
        rows = []
        for row in zip(*self.columns.values(), strict=True):
            d, way, count, _, share, error, power, held, weights = row
            shown = (f"{share:.3f} ± {error:.3f}", *(f"{x:.2f}" for x in (power, held, weights)))
            rows.append((way, str(d), str(count), *shown))
        header = ("", "people", "questions", "accuracy", "error of asinh p", "p covered", "weights")
        sides = ("left", *("right",) * 6)
        return Table("Learned from questions", header, tuple(rows), sides).as_text()  # type: ignore[arg-type]


def study(
    people: int | Sequence[int] = 5,
    *,
    questions: Sequence[int] = (5, 10, 20),
    ways: Sequence[Way] = _WAYS,
    deciders: int = 20,
    actions: int = 200,
    tau: float = 20.0,
    rho: float = 0.0,
    truth: Literal["spread", "prior"] | Callable[[np.random.Generator, int], Any] = "spread",
    prior: Prior | None = None,
    random_state: Any = None,
    progress: ProgressOption = "auto",
) -> Study:
    """Ask simulated decision makers in several ways, and see what is learned of them.

    Parameters
    ----------
    people : int or list of int
    questions : list of int
        After how many it is looked at.
    ways : list of "adaptive", "designed" and "random"
        Questions from the table or made up, chosen by what they are expected to tell; or pairs of
        actions drawn at random.
    deciders : int
        How many decision makers, each with a table of actions of their own.
    actions : int
    tau, rho : float
        How they err; with ``truth="prior"`` tau and rho are drawn as well.
    truth : "spread", "prior" or callable
        Their rules: weights drawn from the simplex and asinh p between -2 and 1, or all drawn from
        the prior; or what a function of a generator and the number of people returns, which has a
        method `log` for utilities (n, d): a rule of another family, say.
    prior : Prior, optional
        What is believed before the first answer.
    random_state : seed, optional
    progress : bool or "auto"

    Examples
    --------
    >>> found = study(3, questions=[8], ways=["adaptive", "random"], deciders=2, random_state=1)
    >>> adaptive, random = found.columns["accuracy"]
    >>> adaptive > random
    True
    """
    sizes = [check_count(d, "people", 2) for d in np.atleast_1d(np.asarray(people)).tolist()]
    counts = sorted(check_count(k, "questions") for k in questions)
    for way in ways:
        if way not in _WAYS:
            raise InputError(f"a way must be adaptive, designed or random; found {way!r}.")
    check_count(deciders, "deciders")
    world = _World(check_count(actions, "actions", 2), tau, rho, truth, as_prior(prior))
    seed = seed_of(random_state)
    cells = [(d, way, i) for d in sizes for way in ways for i in range(deciders)]
    found: dict[tuple[int, str, int], list[_Seen]] = {}
    for d, way, i in Progress(progress).track(cells, len(cells), "asking"):
        for count, seen in zip(counts, world.asked(d, way, counts, [seed, d, i]), strict=True):
            found.setdefault((d, way, count), []).append(seen)
    rows = [(*key[:2], key[2], len(seen), *_averages(seen)) for key, seen in found.items()]
    return Study(dict(zip(_KEYS, map(list, zip(*rows, strict=True)), strict=True)))


@dataclass(frozen=True)
class _Seen:
    """How well one decision maker is known."""

    accuracy: float
    power_error: float
    power_covered: float
    weights_covered: float


@dataclass(frozen=True, eq=False)
class _Decider:
    """A decision maker: a rule with a method `log`, and how they err."""

    rule: Any
    tau: float
    rho: float

    def answer(self, one: FloatArray, other: FloatArray, rng: np.random.Generator) -> bool:
        """Whether they say that the first of two outcomes (d,) is better."""
        logs = np.asarray(self.rule.log(np.array([one, other])))
        z = self.tau * (logs[0] - logs[1]) if logs[0] != logs[1] else 0.0
        better = 1.0 / (1.0 + np.exp(-np.clip(z, -500.0, 500.0)))
        return bool(rng.random() < self.rho + (1.0 - 2.0 * self.rho) * better)


@dataclass(frozen=True, eq=False)
class _World:
    """How tables and decision makers come about."""

    actions: int
    tau: float
    rho: float
    truth: Any
    prior: Prior

    def decider(self, people: int, rng: np.random.Generator) -> _Decider:
        """Draw a decision maker."""
        if callable(self.truth):
            return _Decider(self.truth(rng, people), self.tau, self.rho)
        if self.truth == "prior":
            line = self.prior.coordinates(people, ties=False)
            drawn = line.rules(self.prior.draw(line, 1, rng))
            rule = WelfareFunction(float(drawn.powers[0]), drawn.weights[0])
            return _Decider(rule, float(drawn.taus[0]), float(drawn.rhos[0]))
        if self.truth != "spread":
            raise InputError(
                f"the truth must be spread, prior or a function; found {self.truth!r:.60}."
            )
        power = float(np.sinh(rng.uniform(*_POWERS)))
        rule = WelfareFunction(power, rng.dirichlet(np.ones(people)))
        return _Decider(rule, self.tau, self.rho)

    def asked(self, people: int, way: str, counts: Sequence[int], seed: list[int]) -> list[_Seen]:
        """Ask one decision maker, and look at what is known after so many questions."""
        rng = np.random.default_rng(seed)
        table = rng.uniform(_LOW, _HIGH, (self.actions, people))
        decider = self.decider(people, rng)
        fresh = rng.uniform(_LOW, _HIGH, (_NEW_PAIRS, 2, people))
        if way == "random":
            return self._random(table, decider, counts, fresh, rng)
        interview = Interview(
            table, self.prior, random_state=int(rng.integers(2**31)), designed=way == "designed",
            most=max(counts),
        )  # fmt: skip
        seen = []
        for count in range(1, max(counts) + 1):
            first, second = interview.next()
            both = interview.actions[[first, second]]
            better = decider.answer(both[0], both[1], rng)
            interview.answer("first" if better else "second")
            if count in counts:
                seen.append(_judged(interview.posterior, decider, fresh))
        return seen

    def _random(
        self,
        table: FloatArray,
        decider: _Decider,
        counts: Sequence[int],
        fresh: FloatArray,
        rng: np.random.Generator,
    ) -> list[_Seen]:
        """The same of pairs drawn at random, all taken in at once."""
        most = max(counts)
        first = rng.integers(0, len(table), most)
        second = (first + rng.integers(1, len(table), most)) % len(table)
        said = [decider.answer(table[a], table[b], rng) for a, b in zip(first, second, strict=True)]
        decided = Comparisons(table, np.column_stack([first, second]), np.array(said))
        seed = int(rng.integers(2**31))
        return [
            _judged(Posterior(decided[:count], self.prior, seed, particles=1000), decider, fresh)
            for count in counts
        ]


def _judged(belief: Posterior, decider: _Decider, fresh: FloatArray) -> _Seen:
    """Compare what is believed with the truth, on new pairs (n, 2, d)."""
    one, other = (np.asarray(decider.rule.log(fresh[:, side])) for side in (0, 1))
    asked = Comparisons.from_arrays(fresh[:, 0], fresh[:, 1], one > other)
    foreseen = belief.predict_proba(asked)[:, 1] > 0.5
    accuracy = float(np.mean(foreseen == (one > other)))
    if not isinstance(decider.rule, WelfareFunction):
        return _Seen(accuracy, np.nan, np.nan, np.nan)
    p, weights = decider.rule.p, decider.rule.weights
    error = abs(float(np.arcsinh(belief.estimate("p")) - np.arcsinh(p)))
    low, high = belief.interval("p", _LEVEL)
    ends = [belief.interval(f"weight of {who}", _LEVEL) for who in belief.stakeholders]
    assert weights is not None
    held = [a <= w <= b for (a, b), w in zip(ends, weights, strict=True)]
    return _Seen(accuracy, error, float(low <= p <= high), float(np.mean(held)))


def _averages(seen: Sequence[_Seen]) -> tuple[float, float, float, float, float]:
    shares = np.array([one.accuracy for one in seen])
    error = float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else float("nan")
    means = [
        float(np.mean([getattr(one, name) for one in seen]))
        for name in ("power_error", "power_covered", "weights_covered")
    ]
    return float(shares.mean()), error, means[0], means[1], means[2]
