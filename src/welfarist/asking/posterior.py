"""What is believed of a decision maker's rule after what was decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np

from welfarist.asking.choosing import best_chances
from welfarist.asking.cloud import systematic
from welfarist.asking.coordinates import Rules
from welfarist.asking.evidence import Evidence, evidence_of, joined, menu_chances, preferred
from welfarist.asking.filtering import State
from welfarist.asking.history import History
from welfarist.asking.prior import Prior, as_prior
from welfarist.asking.statements import answered
from welfarist.asking.telling import Numbers, before, moved_by_prior, told
from welfarist.asking.welfares import Outcomes, margins
from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, as_power, check_count, check_level
from welfarist.deciders.forms import Told
from welfarist.decisions import Choices, Comparisons
from welfarist.decisions.same_people import in_order_of
from welfarist.families.power_mean.doctrines import power_of
from welfarist.people.utility_tables import table_of_people

# Particles: their noise moves a mean by a fiftieth of a standard deviation, and the end of an
# interval by a tenth; by a fifth for many people, where tails are long.
PARTICLES = 20_000
# Entries of the largest array that is made at a time.
_BLOCK = 2_000_000
_WAYS = ("band", "half")


class Posterior:
    """What is believed of a decision maker's rule: power, weights and noise, after decisions.

    Parameters
    ----------
    decisions : Comparisons or Choices
        Those of one decision maker; several are taken for one.
    prior : Prior, optional
        What is believed before; ``Prior().in_words`` says what that is if left out.
    random_state : seed, optional
        With the same one every number is the same, to the last digit.
    particles : int
        How many rules stand for all. Four times as many halve the noise of what is said, and take
        four times as long; ends of intervals are the noisiest, where tails are long.
    ties : "band" or "half"
        What it means that two actions were called equal: that their welfares differ by less than a
        band, which is learned, or half a choice of each.

    Notes
    -----
    Rules are drawn from the prior and weighted by what they say of the decisions, which are let in
    one after the other; where few rules are left with weight, they are drawn anew and moved
    (sequential Monte Carlo with resample-move steps). Only utilities that are all in memory.

    Examples
    --------
    >>> table = [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0], [3.0, 3.0]]
    >>> decided = Comparisons(table, [[1, 0], [3, 2], [1, 2], [3, 0]], [1, 1, 1, 1])
    >>> belief = Posterior(decided, random_state=1)
    >>> belief
    Posterior(4 decisions, 2 people)
    >>> belief.probability("p < utilitarian") > 0.8
    True
    >>> belief.probability(more_averse_than="utilitarian") == belief.probability("p < 1")
    True
    """

    def __init__(
        self,
        decisions: Any,
        prior: Prior | None = None,
        random_state: Any = None,
        *,
        particles: int = PARTICLES,
        ties: Literal["band", "half"] = "band",
    ) -> None:
        if ties not in _WAYS:
            raise InputError(f'ties must be "band" or "half"; found {ties!r}.')
        piece = evidence_of(decisions)
        self._start(
            History(
                as_prior(prior), piece.people, ties == "band" and piece.has_ties,
                check_count(particles, "particles", 10), seed_of(random_state),
            ),
            decisions.stakeholders,
        )  # fmt: skip
        self._ties = ties
        self._history.add(piece)

    def _start(self, history: History, names: tuple[str, ...] | None) -> None:
        self._history, self._names = history, names
        self._ties = "band"

    @classmethod
    def of_history(cls, history: History, names: tuple[str, ...] | None) -> Posterior:
        """Return what is believed after pieces of evidence that are kept elsewhere."""
        made = object.__new__(cls)
        made._start(history, names)
        return made

    def __repr__(self) -> str:
        return f"Posterior({self.total:.15g} decisions, {self._history.people} people)"

    @property
    def prior(self) -> Prior:
        """What was believed before."""
        return self._history.prior

    @property
    def stakeholders(self) -> tuple[str, ...]:
        """The people; "person 0", "person 1", … if they have no names."""
        return self._names or tuple(f"person {i}" for i in range(self._history.people))

    @property
    def total(self) -> float:
        """How many decisions were taken in."""
        return sum(piece.total for piece in self._history.pieces)

    @property
    def state(self) -> State:
        """Particles and their weights."""
        return self._history.state

    # --- taking decisions in ---------------------------------------------------------------------

    def add(self, decisions: Any) -> Posterior:
        """Take further decisions in, one or many, and return self."""
        self._history.add(self._piece(decisions))
        self._forget()
        return self

    def undo(self) -> Posterior:
        """Forget what was added last, and return self."""
        if len(self._history.pieces) < 2:
            raise InputError("there must be something to undo; found nothing that was added.")
        self._history.undo()
        self._forget()
        return self

    def revise(self, k: int, decisions: Any) -> Posterior:
        """Put other decisions in the place of those that came k-th (the first are 0)."""
        count = len(self._history.pieces)
        if not isinstance(k, int | np.integer) or not 0 <= k < count:
            raise InputError(
                f"what is revised must be one of the {count} times decisions came, from 0; found "
                f"{k!r}."
            )
        self._history.revise(int(k), self._piece(decisions))
        self._forget()
        return self

    def _piece(self, decisions: Any) -> Evidence:
        piece = evidence_of(self._matched(decisions))
        if piece.has_ties and self._ties == "band" and not self._history.ties:
            self._history.with_ties()
        return piece

    def _matched(self, decisions: Any) -> Any:
        """Decisions about these people, in their order."""
        if isinstance(decisions, Comparisons | Choices):
            decisions = in_order_of(decisions, self._names)
            if decisions.people != self._history.people:
                raise InputError(
                    f"decisions must be about the {self._history.people} people of the posterior; "
                    f"found {decisions.people}."
                )
        return decisions

    def _forget(self) -> None:
        self.__dict__.pop("numbers", None)
        self.__dict__.pop("draws", None)

    # --- what is believed ------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The particles' rules and noise."""
        state = self.state
        return state.target.line.rules(state.cloud.theta)

    @cached_property
    def numbers(self) -> Numbers:
        """Every number of every particle, by name, with the particles' shares."""
        state = self.state
        return Numbers.of(self.rules, state.target.line, self.stakeholders, state.cloud.shares)

    def numbers_before(self) -> Numbers:
        """The same of rules drawn from the prior."""
        return before(self.prior, self.state.target.line, self.stakeholders)

    @cached_property
    def draws(self) -> Any:
        """Equally likely rules as a data frame: p, weights by name, tau, and rho or band."""
        rng = np.random.default_rng([self._history.seed, 1, 1])
        shares = self.state.cloud.shares
        rows = systematic(shares, len(shares), rng)
        columns: dict[str, Any] = dict(self.numbers.columns)
        return to_frame({name: values[rows] for name, values in columns.items()})

    def estimate(self, name: str = "p") -> float:
        """Return the median of a number: "p", "weight of a" or "a", "tau", "rho" or "band"."""
        return self.numbers.median(name)

    def interval(self, name: str = "p", level: float = 0.95) -> tuple[float, float]:
        """Return the ends between which a number lies with this probability, as much on each side.

        Parameters
        ----------
        name : str
            "p", "weight of a" or "a", "tau", "rho" or "band".
        level : float
        """
        return self.numbers.interval(name, check_level(level))

    def probability(
        self,
        statement: str | Callable[[Any], Any] | None = None,
        *,
        more_averse_than: str | float | None = None,
        less_averse_than: str | float | None = None,
    ) -> float:
        """Return how likely a statement about the rule is.

        Parameters
        ----------
        statement : str or callable, optional
            "p < 0", "p < Nash", "weight of a > weight of b", "tau > 5"; or a function of
            :attr:`draws` that answers for each row.
        more_averse_than, less_averse_than : str or float, optional
            A doctrine, such as "Nash", or a power: how likely it is that the decision maker is
            more (p is below) or less averse to inequality than that.
        """
        given = [x for x in (statement, more_averse_than, less_averse_than) if x is not None]
        if len(given) != 1:
            raise InputError(
                "a probability needs one statement, or one of more_averse_than and "
                f"less_averse_than; found {len(given)}."
            )
        if callable(statement):
            return float(np.mean(answered(statement(self.draws), len(self.draws))))
        if statement is None:
            power = _power(given[0])
            statement = f"p {'<' if less_averse_than is None else '>'} {power!r}"
        return self.numbers.probability(statement)

    def doctrines(self) -> dict[str, float]:
        """Return how likely it is that p is below each doctrine's power, for finite ones."""
        return self.numbers.doctrines()

    def predict_proba(self, decisions: Any) -> Any:
        """Return how likely each answer is, on average over what is believed.

        (n, 2) for comparisons, with the second action first, as learners have it, a tie counted as
        half of each; a list of n arrays for choices.
        """
        decisions = self._matched(decisions)
        # Both refuse what cannot be foreseen; a part of many decisions is enough for that.
        evidence_of(decisions[:1] if isinstance(decisions, Comparisons | Choices) else decisions)
        shares = self.state.cloud.shares
        if isinstance(decisions, Comparisons):
            first = np.empty(len(decisions))
            step = max(1, _BLOCK // len(shares))
            for start in range(0, len(decisions), step):
                part = slice(start, start + step)
                first[part] = self._first_preferred(decisions, decisions.pairs[part])
            return np.column_stack([1.0 - first, first])
        menus = decisions.first_menus()
        welfares = self._log_welfare(decisions.utilities)
        found = shares @ menu_chances(menus, welfares, self.rules)
        return np.split(found, menus.starts[1:-1])

    def _first_preferred(self, decisions: Comparisons, pairs: Any) -> FloatArray:
        used, place = np.unique(pairs, return_inverse=True)
        place, rules = place.reshape(-1, 2), self.rules
        welfares = self._log_welfare(decisions.utilities[used])
        z = margins(welfares[:, place[:, 0]], welfares[:, place[:, 1]]) * rules.taus[:, None]
        one, other = preferred(z, rules, band=self.state.target.line.ties)
        return np.asarray(0.5 + 0.5 * (self.state.cloud.shares @ (one - other)))

    def _log_welfare(self, utilities: FloatArray) -> FloatArray:
        rules = self.rules
        return Outcomes(utilities).log_welfare(rules.weights, rules.powers)

    def best(self, actions: Any) -> FloatArray:
        """Return how likely each of some actions (N, d) is to be the best of them, (N,).

        Columns of a data frame are matched to people by name.
        """
        table = table_of_people(actions, self._history.people, self._names)
        return best_chances(self.rules, self.state.cloud.shares, table)

    # --- telling ---------------------------------------------------------------------------------

    def refined(self, particles: int = PARTICLES) -> Posterior:
        """Return the same with more particles, all decisions taken in at once."""
        return self._again(self.prior, check_count(particles, "particles", 10))

    def _again(self, prior: Prior, particles: int) -> Posterior:
        """The same decisions under a prior, taken in at once."""
        past = self._history
        fresh = History(prior, past.people, past.ties, particles, past.seed)
        fresh.add(joined(past.people, past.pieces))
        return Posterior.of_history(fresh, self._names)

    def prior_matters(self) -> Any:
        """Return how estimates move under a wider and a flatter prior, as a data frame.

        One row a number: its median under this prior, under one with all spreads doubled
        (:meth:`Prior.wider`) and under one that is flat in asinh p (:meth:`Prior.flatter`); and how
        far the first two, and the first and the third, are apart in posterior standard deviations.
        p is compared as asinh p. Where that is more than about half of one, the prior speaks
        louder than the decisions.
        """
        size = self._history.size
        others = [self._again(prior, size) for prior in (self.prior.wider(), self.prior.flatter())]
        return to_frame(moved_by_prior(self.numbers, *(other.numbers for other in others)))

    def summary(self, level: float = 0.95) -> Told:
        """Return tables of what is believed: a text with other forms.

        Parameters
        ----------
        level : float
            Of the intervals.
        """
        words, prior = self.prior.in_words, self.numbers_before()
        return told(self.numbers, prior, self.total, check_level(level), words)


def _power(doctrine: Any) -> float:
    """The power of a doctrine, or a power itself."""
    return power_of(doctrine) if isinstance(doctrine, str) else as_power(doctrine)
