"""What further questions would be worth: whether they would change what is recommended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from welfarist.asking.coordinates import Rules
from welfarist.asking.evidence import IntArray
from welfarist.asking.information import answer_chances, gain_about_best, gain_about_rule
from welfarist.base.errors import InputError
from welfarist.base.exports import Table, strict
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count
from welfarist.recommending.standing import Standing
from welfarist.results.rule_draws import RuleDraws

# Rules that judge, interviews that are imagined, and questions among which one is chosen.
_JUDGES, _INTERVIEWS, _QUESTIONS = 400, 200, 200
# Actions that are likeliest to be the best, of which all pairs are possible questions.
_CONTENDERS = 20
# Expected regrets that are equal up to rounding.
_EQUAL = 1e-12
# What a question tells about the rule counts this much beside what it tells about the best.
_RULE_COUNTS = 0.1


@dataclass(frozen=True)
class Further:
    """What further questions would be worth.

    Attributes
    ----------
    questions : int
        How many different ones, each a pair of the actions themselves.
    regret : float
        Expected loss of welfare by what is recommended now: what to know the rule for certain would
        be worth.
    gain : float
        By how much the questions lower it on average (expected value of sample information).
    gain_error : float
        Standard error of that: interviews are imagined.
    p_change : float
        How likely the recommendation changes.
    first, second : str or None
        The question to ask first: which of these two is better; None where none can be asked.
    reason : str
        Why none can be; empty elsewhere.
    in_percent : bool
        Whether losses are in percent of welfare; else in its units.
    """

    questions: int
    regret: float
    gain: float
    gain_error: float
    p_change: float
    first: str | None
    second: str | None
    reason: str = ""
    in_percent: bool = True

    @property
    def sentence(self) -> str:
        """What it comes to."""
        if self.reason:
            return self.reason
        return (
            f"{self.questions} more question{'s' * (self.questions != 1)} about pairs of these "
            f"actions would change the recommendation with probability {self.p_change:.0%}, and "
            f"lower its expected regret from {self.regret:.2g}{self._kind} by "
            f"{self.gain:.2g}{self._points} (± {2 * self.gain_error:.1g}). "
            f"Ask first: is {self.first} better than {self.second}?"
        )

    @property
    def _kind(self) -> str:
        return "% of welfare" if self.in_percent else " units of welfare"

    @property
    def _points(self) -> str:
        return " points" if self.in_percent else ""

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, which strict JSON can hold."""
        found: dict[str, Any] = strict({**vars(self), "sentence": self.sentence})
        return found

    def table(self) -> Table:
        """Return what people read."""
        rows = (
            ("expected regret now", f"{self.regret:.3g}{'%' * self.in_percent}"),
            ("lowered by", f"{self.gain:.3g}{self._points}"),
            ("recommendation changes", f"{self.p_change:.0%}"),
        )
        return Table(
            f"{self.questions} more questions", ("", ""), rows, ("left", "right"), (self.sentence,)
        )


@dataclass(frozen=True, eq=False)
class _Judges:
    """Some rules, with what they say of actions and would answer.

    Attributes
    ----------
    regrets : (S, N) array
    best : (S,) array of int
    chances : list of (S, K) arrays
        Of each answer to each question.
    """

    regrets: FloatArray = field(repr=False)
    best: IntArray = field(repr=False)
    chances: list[FloatArray] = field(repr=False)

    def next_question(self, shares: FloatArray, asked: list[int]) -> int:
        """The question that is expected to tell most about which action is best."""
        about = gain_about_best(self.chances, shares, self.best, self.regrets.shape[1])
        about = about + _RULE_COUNTS * gain_about_rule(self.chances, shares)[0]
        about[asked] = -1.0
        return int(about.argmax())


def further_questions(
    draws: RuleDraws,
    table: FloatArray,
    names: tuple[str, ...],
    questions: int = 10,
    *,
    taken: int | None = None,
    random_state: Any = 0,
) -> Further:
    """Say what further questions would be worth before taking one of some actions.

    Parameters
    ----------
    draws : RuleDraws
        Equally likely rules with their noise.
    table : (N, d) array
        The actions, of which pairs are asked about.
    names : tuple of str
    questions : int
    taken : int, optional
        The row that is recommended now; left out, that of least expected regret.
    random_state : seed

    Notes
    -----
    Interviews are imagined: a rule is drawn that answers as it errs, each question is the one that
    tells most after the answers before, and beliefs are weighed anew (without the rule that
    answers). The gain of an interview is the expected regret of what is recommended now less that
    of what would then be, both after its answers.
    """
    count = check_count(questions, "questions")
    standing = Standing.of(draws, table)
    unit = 100.0 if standing.is_ratio else 1.0
    now = int(standing.regret.argmin()) if taken is None else taken
    regret = float(unit * standing.regret[now])
    reason = _none_possible(draws, names)
    if not reason and not standing.regrets[:, now].any():
        reason = f"All rules that may be the right one find {names[now]} best: nothing to gain."
    if reason:
        return Further(count, regret, 0.0, 0.0, 0.0, None, None, reason, standing.is_ratio)
    rng = np.random.default_rng([seed_of(random_state), 7])
    kept = rng.permutation(len(draws))[:_JUDGES]
    pairs = _pairs(standing, rng)
    some = draws.take(kept)
    rules = Rules(some.weights, some.powers, some.taus, some.rhos, some.bands)
    chances = answer_chances(standing.values[kept], pairs, rules, bool(some.bands.any()))
    judges = _Judges(standing.regrets[kept], standing.values[kept].argmax(axis=1), chances)
    even = np.full(len(kept), 1.0 / len(kept))
    gains, changes = np.empty(_INTERVIEWS), np.empty(_INTERVIEWS)
    for row in range(_INTERVIEWS):
        after = _imagined(judges, even, int(rng.integers(len(kept))), count, rng)
        left = after @ judges.regrets
        gains[row] = unit * (left[now] - left.min())
        changes[row] = left[now] > left.min() + _EQUAL
    one, other = (names[i] for i in pairs[judges.next_question(even, [])])
    return Further(
        min(count, len(pairs)), regret, float(gains.mean()),
        float(gains.std(ddof=1) / np.sqrt(_INTERVIEWS)), float(changes.mean()), one, other, "",
        standing.is_ratio,
    )  # fmt: skip


def _none_possible(draws: RuleDraws, names: tuple[str, ...]) -> str:
    if len(names) < 2:
        return "There is one action only, and nothing to ask."
    if not draws.has_noise:
        return (
            "What questions would be worth is known after comparisons or choices only: how answers "
            "err is not known otherwise."
        )
    if len(draws) < 2:
        raise InputError("what questions would be worth needs several rules; found one.")
    return ""


def _pairs(standing: Standing, rng: np.random.Generator) -> IntArray:
    """Questions (K, 2): pairs of contenders, and some others."""
    actions = standing.values.shape[1]
    order = np.argsort(-standing.among_best(1), kind="stable")[:_CONTENDERS]
    first, second = np.triu_indices(len(order), 1)
    found = np.column_stack([order[first], order[second]])
    if actions > len(order):
        drawn = rng.integers(actions, size=(_QUESTIONS, 2))
        found = np.concatenate([found, drawn[drawn[:, 0] != drawn[:, 1]]])
    return np.asarray(found, dtype=np.intp)


def _imagined(
    judges: _Judges, even: FloatArray, truth: int, count: int, rng: np.random.Generator
) -> FloatArray:
    """Shares of the rules (S,) after an interview with one of them."""
    logs = np.zeros(len(even))
    logs[truth] = -np.inf  # it must not recognise itself
    shares, asked = even, list[int]()
    for _ in range(min(count, judges.chances[0].shape[1])):
        question = judges.next_question(shares, asked)
        asked.append(question)
        said = np.array([chance[truth, question] for chance in judges.chances])
        answer = judges.chances[int(rng.choice(len(said), p=said / said.sum()))]
        logs = logs + np.log(np.maximum(answer[:, question], np.finfo(np.float64).tiny))
        grown = np.exp(logs - logs.max())
        shares = grown / grown.sum()
    return shares
