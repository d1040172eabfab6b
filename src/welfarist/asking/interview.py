"""An interview: one question after another, each chosen by what the answers so far leave open."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from welfarist.asking import saved
from welfarist.asking.choosing import Candidate, Wishes, chosen, safely_best
from welfarist.asking.evidence import Evidence
from welfarist.asking.history import History
from welfarist.asking.posterior import Posterior
from welfarist.asking.prior import Prior, as_prior
from welfarist.asking.questions import Answer, Question, traded_people
from welfarist.asking.stopping import StopRule
from welfarist.asking.welfares import Outcomes
from welfarist.base.data_frames import row_names
from welfarist.base.errors import InputError
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count, is_real
from welfarist.decisions import Comparisons
from welfarist.decisions.checked_columns import as_action_names
from welfarist.people.source import refuse_source
from welfarist.people.utility_tables import as_utility_table, table_of_people

Aim = Literal["best"] | Sequence[int] | None
# Particles: enough to choose questions by, few enough to move while somebody waits.
_PARTICLES = 1000
_SIGNS = {"first": 1.0, "second": -1.0, "equal": 0.0}
_DESIGNED = {False: "no", True: "only", "too": "too"}


class Interview:
    """Ask a decision maker which of two actions is better, and learn their rule from it.

    Parameters
    ----------
    actions : (N, d) array-like or data frame
        What each action gives to each person.
    prior : Prior, optional
        What is believed before the first answer.
    aim : None, "best" or list of int
        What questions are for: the rule, or which action is best, of all or of these rows.
    random_state : seed, optional
        With the same one, and the same answers, the questions are the same.
    designed : bool or "too"
        Whether outcomes are made up that trade two or three people against each other, in place of
        questions about actions of the table, or besides. They get row numbers after the table's.
    most : int
        The most questions there should be, those that are skipped among them.
    bits : float
        It is enough when the best question is expected to tell less than this.
    sure : float
        It is enough when the best action is known with this probability, with an `aim`: under what
        is believed, and for somebody of whom it is less certain how often they err as well.
    same_people : float
        The largest share of questions that may be about the same two people.
    check_every : int, optional
        Every so many questions an earlier one is put again with sides changed, to see whether
        answers agree; left out, no question is repeated.

    Attributes
    ----------
    actions : (N + k, d) array
        The table, and the outcomes that were made up.
    questions : list of Question
        Those that were answered or skipped.
    answers : list of str

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> table = rng.uniform(1.0, 100.0, (50, 3))
    >>> interview = Interview(table, random_state=1, most=8)
    >>> while not interview.done:
    ...     first, second = interview.next()
    ...     better = table[first].min() > table[second].min()
    ...     interview.answer("first" if better else "second")
    >>> len(interview.answers), interview.reason
    (8, '8 questions were answered, the most there should be')
    >>> interview.posterior.estimate("p") < -1
    True
    """

    def __init__(
        self,
        actions: Any,
        prior: Prior | None = None,
        aim: Aim = None,
        random_state: Any = None,
        *,
        designed: bool | Literal["too"] = False,
        most: int = 40,
        bits: float = 0.2,
        sure: float = 0.9,
        same_people: float = 0.5,
        check_every: int | None = None,
    ) -> None:
        names = row_names(actions)
        table, self.stakeholders = as_utility_table(actions, copy=True)
        refuse_source(table, "an interview")
        if table.shape[1] < 2 or len(table) < 2:
            raise InputError(
                "an interview needs two actions and two people at least; found a table of shape "
                f"{table.shape}."
            )
        self.names = None if names is None else as_action_names(names, len(table))
        self.prior, self.seed = as_prior(prior), seed_of(random_state)
        self.prior.coordinates(table.shape[1], ties=True)  # which refuses weights of other people
        if designed not in (True, False, "too"):
            raise InputError(f'designed must be True, False or "too"; found {designed!r:.60}.')
        self.designed = _DESIGNED[designed]
        self.stop = StopRule(
            _between(bits, "bits", 0.0, np.inf), _between(sure, "sure", 0.0, 1.0),
            check_count(most, "most"),
        )  # fmt: skip
        self.same_people = _between(same_people, "same_people", 0.0, 1.0)
        self.check_every = (
            None if check_every is None else check_count(check_every, "check_every", 2)
        )
        self._table, self._made_up = table, np.empty((0, table.shape[1]))
        self.aim = _aim(aim, len(table))
        self.questions: list[Question] = []
        self.answers: list[Answer] = []
        self._about: list[tuple[int, int]] = []
        self._history = History(self.prior, table.shape[1], True, _PARTICLES, self.seed)
        self._pending: tuple[Question, tuple[int, int]] | None = None
        self._nothing_left = False

    # --- asking ----------------------------------------------------------------------------------

    def next(self) -> tuple[int, int]:
        """Return the row numbers of the two actions to ask about, first and second.

        The question stays the same until it is answered.
        """
        question = self.question
        if question is None:
            raise InputError(
                "there must be a question left; found none that was not asked. Have outcomes made "
                "up."
            )
        return question.first, question.second

    @property
    def question(self) -> Question | None:
        """The question that is put now, with the reason for it; None if none is left."""
        if self._pending is None and not self._nothing_left:
            self._choose()
        return None if self._pending is None else self._pending[0]

    def ask(self, first: int, second: int) -> None:
        """Put a question of one's own, by row numbers, in the place of the one that was chosen."""
        limit = len(self.actions)
        if not (_is_row(first, limit) and _is_row(second, limit)) or first == second:
            raise InputError(
                f"a question must be about two different rows below {limit}; found {first!r} and "
                f"{second!r}."
            )
        one, other = self.actions[[first, second]]
        weights = np.full(len(one), 1.0 / len(one))
        about = traded_people(one[None], other[None], weights)[0]
        question = Question(int(first), int(second), self.stop.bits, "it was asked for")
        self._pending = question, (int(about[0]), int(about[1]))

    def take_in(self, outcomes: Any) -> tuple[int, ...]:
        """Add outcomes (k, d) that were made up elsewhere, and return their row numbers.

        Columns of a data frame are matched to people by name.
        """
        table = table_of_people(outcomes, self._table.shape[1], self.stakeholders)
        at = len(self.actions)
        self._made_up = np.concatenate([self._made_up, table])
        return tuple(range(at, at + len(table)))

    def answer(self, answer: Answer) -> None:
        """Take an answer in: "first", "second", "equal" or "skip"."""
        _check_answer(answer)
        _ = self.next()
        assert self._pending is not None
        question, about = self._pending
        self._history.add(self._piece(question, answer))
        self.questions.append(question)
        self.answers.append(answer)
        self._about.append(about)
        self._fresh()

    def undo(self) -> None:
        """Take the last answer back; its question is put again."""
        if not self.answers:
            raise InputError("there must be an answer to undo; found none.")
        question, about = self.questions.pop(), self._about.pop()
        self.answers.pop()
        self._history.undo()
        self._keep_made_up([*self.questions, question])
        self._fresh()
        self._pending = question, about

    def revise(self, k: int, answer: Answer) -> None:
        """Give another answer to the k-th question, from 0; later ones stay as they are."""
        _check_answer(answer)
        if not _is_row(k, len(self.answers)):
            raise InputError(
                f"the question must be one of the {len(self.answers)} that were answered, from 0; "
                f"found {k!r}."
            )
        self._history.revise(int(k), self._piece(self.questions[k], answer))
        self.answers[k] = answer
        self._keep_made_up(self.questions)
        self._fresh()

    def _fresh(self) -> None:
        """Forget what followed from the answers before."""
        self._pending, self._nothing_left = None, False
        self.__dict__.pop("recommended", None)

    # --- what was learned ------------------------------------------------------------------------

    @property
    def actions(self) -> FloatArray:
        """The table (N, d), and below it the outcomes that were made up."""
        return np.concatenate([self._table, self._made_up])

    @property
    def posterior(self) -> Posterior:
        """What is believed now, for oneself: what is added to it does not change the interview.

        Its `refined()` has more digits.
        """
        _ = self._history.state  # worked out before it is copied
        return Posterior.of_history(self._history.copy(), self.stakeholders)

    @property
    def decisions(self) -> Comparisons:
        """The answers as comparisons, skipped questions left out."""
        told = [i for i, answer in enumerate(self.answers) if answer != "skip"]
        if not any(_SIGNS[self.answers[i]] for i in told):
            raise InputError(
                "there must be an answer that prefers an action; found none. Answer more questions."
            )
        pairs = [(self.questions[i].first, self.questions[i].second) for i in told]
        outcomes = np.array([int(_SIGNS[self.answers[i]]) for i in told], dtype=np.int8)
        names = self.names
        if names is not None:
            names = (*names, *(f"made up {i + 1}" for i in range(len(self._made_up))))
        made = Comparisons(self.actions, pairs, np.where(outcomes == 0, 1, outcomes), names=names)
        made.outcomes, made.stakeholders = outcomes, self.stakeholders
        return made

    @cached_property
    def recommended(self) -> tuple[int, float]:
        """The action that is likeliest to be the best, by row number, and how likely it is.

        To be on the safe side that is the lesser of two chances: under what is believed, and with
        the spread of log tau twice what the prior has. `posterior.best` has the first alone.
        """
        rows = self.aim or tuple(range(len(self._table)))
        chances = safely_best(self._history.state, self._table[list(rows)])
        top = int(np.argmax(chances))
        return rows[top], float(chances[top])

    @property
    def consistency(self) -> float | None:
        """Share of repeated questions that were answered as before; None if none was."""
        seen: dict[frozenset[int], int | None] = {}
        agreed = []
        for question, answer in zip(self.questions, self.answers, strict=True):
            if answer == "skip":
                continue
            said = {"first": question.first, "second": question.second}.get(answer)
            if question.pair in seen:
                agreed.append(seen[question.pair] == said)
            seen[question.pair] = said
        return float(np.mean(agreed)) if agreed else None

    # --- stopping --------------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether enough is known, or enough was asked; `reason` says why."""
        return bool(self.reason)

    @property
    def reason(self) -> str:
        """Why to stop asking; nothing if there is no reason to."""
        question = self.question
        return self.stop.reason(
            len(self.answers), None if question is None else question.bits, self._sureness,
            self.answers.count("skip"),
        )  # fmt: skip

    @property
    def about_more(self) -> int:
        """About how many more questions it takes."""
        question = self.question
        if question is None or self.done:
            return 0
        asked, skipped = len(self.answers), self.answers.count("skip")
        people = self._table.shape[1]
        return max(1, self.stop.about_more(asked, question.bits, self._sureness, people, skipped))

    @property
    def _sureness(self) -> float | None:
        return None if self.aim is None else self.recommended[1]

    # --- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the interview to a file: table, settings, questions and answers, as JSON."""
        saved.write(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Interview:
        """Read an interview from a file, to go on where it was left: the questions are the same."""
        return cls.from_dict(saved.read(path))

    def to_dict(self) -> dict[str, Any]:
        """Return what :meth:`save` writes."""
        return saved.as_record(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Interview:
        """Return the interview of a record that :meth:`to_dict` made."""
        made: Interview
        made, past = saved.from_record(cls, record)
        made._made_up = past.made_up
        for question, about, answer in past.answered:
            made._history.add(made._piece(question, answer))
            made.questions.append(question)
            made.answers.append(answer)
            made._about.append(about)
        made._pending = past.pending
        return made

    # --- choosing --------------------------------------------------------------------------------

    def _choose(self) -> None:
        """Choose the next question, from what is believed and the number of answers alone."""
        count = len(self.answers)
        rng = np.random.default_rng([self.seed, 1, count])
        again = self._check(rng)
        if again is not None:
            self._pending = again
            return
        asked = [(q.pair, about) for q, about in zip(self.questions, self._about, strict=True)]
        wishes = Wishes(self.designed, self.same_people, self.aim)
        found = chosen(self._history.state, self._table, wishes, asked, rng)
        self._nothing_left = found is None
        if found is not None:
            self._pending = self._numbered(found, rng), found.people

    def _numbered(self, found: Candidate, rng: np.random.Generator) -> Question:
        """Give a question its row numbers, with sides drawn by lot."""
        rows = [found.one, found.other]
        if found.one < 0:
            at = len(self._table) + len(self._made_up)
            self._made_up = np.concatenate([self._made_up, found.outcomes])
            rows = [at, at + 1]
        if rng.random() < 0.5:
            rows.reverse()
        who = " and ".join(self._who(i) for i in found.people)
        why = f"it is mostly about {who}, and expected to tell {found.bits:.2f} bits about the rule"
        if self.aim is not None:
            why = f"it is expected to tell {found.about_best:.2f} bits about which action is best"
        bits = found.bits if self.aim is None else max(found.bits, found.about_best)
        return Question(rows[0], rows[1], bits, why)

    def _check(self, rng: np.random.Generator) -> tuple[Question, tuple[int, int]] | None:
        """An earlier question with its sides changed, when it is time for one."""
        count = len(self.answers)
        if self.check_every is None or not count or (count + 1) % self.check_every:
            return None
        pairs = [question.pair for question in self.questions]
        once = [
            i for i, answer in enumerate(self.answers)
            if answer != "skip" and pairs.count(pairs[i]) == 1
        ]  # fmt: skip
        if not once:
            return None
        k = int(rng.choice(once))
        asked = self.questions[k]
        why = "it was asked before, and is put again to see whether answers agree"
        return Question(asked.second, asked.first, asked.bits, why), self._about[k]

    def _piece(self, question: Question, answer: Answer) -> Evidence:
        """What an answer says."""
        people = self._table.shape[1]
        if answer == "skip":
            return Evidence.none(people)
        outcomes = Outcomes(self.actions[[question.first, question.second]])
        first, second = np.array([0], dtype=np.intp), np.array([1], dtype=np.intp)
        return Evidence(outcomes, first, second, np.array([_SIGNS[answer]]), np.ones(1))

    def _keep_made_up(self, questions: Sequence[Question]) -> None:
        """Forget outcomes that were made up for other questions than these."""
        last = max((max(question.pair) for question in questions), default=-1)
        self._made_up = self._made_up[: max(last + 1 - len(self._table), 0)]

    def _who(self, person: int) -> str:
        return f"person {person}" if self.stakeholders is None else self.stakeholders[person]

    def __repr__(self) -> str:
        n, d = self._table.shape
        return f"Interview({len(self.answers)} answers, {n} actions, {d} people)"


def _check_answer(answer: object) -> None:
    if not isinstance(answer, str) or answer not in (*_SIGNS, "skip"):
        raise InputError(
            f'an answer must be "first", "second", "equal" or "skip"; found {answer!r}.'
        )


def _aim(aim: Any, actions: int) -> tuple[int, ...] | None:
    """The rows of which the best is looked for."""
    if aim is None:
        return None
    if isinstance(aim, str):
        if aim != "best":
            raise InputError(f'the aim must be "best" or row numbers; found {aim!r}.')
        return tuple(range(actions))
    rows = np.asarray(aim)
    whole = rows.ndim == 1 and rows.dtype.kind in "iu"
    if not whole or len(set(rows.tolist())) < 2 or rows.min() < 0 or rows.max() >= actions:
        raise InputError(
            f"the aim must be two or more different row numbers below {actions}; found {aim!r:.60}."
        )
    return tuple(dict.fromkeys(int(row) for row in rows))


def _is_row(value: object, limit: int) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and 0 <= value < limit  # type: ignore[operator]


def _between(value: object, what: str, low: float, high: float) -> float:
    if not is_real(value) or not low < value <= high or value == np.inf:  # type: ignore[operator]
        reach = f"up to {high:g}" if np.isfinite(high) else "and finite"
        raise InputError(f"{what} must be above {low:g} {reach}; found {value!r}.")
    return float(value)  # type: ignore[arg-type]
