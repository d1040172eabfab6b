"""What to take next by a rule that is known up to a point: an order, and how sure it is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from welfarist.asking.prior import Prior
from welfarist.base.data_frames import row_names, to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import Alignment, Table, number, pair, strict
from welfarist.base.front_door import public
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count, check_level
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rule import WelfareFunction
from welfarist.people.estimated.drawing import drawn_tables
from welfarist.people.present_rule import PresentRule
from welfarist.people.source import has_errors, is_source
from welfarist.people.utility_tables import table_of_people
from welfarist.recommending.by_family import ByFamily, choices_by_family, family_fits
from welfarist.recommending.drawing import DRAWS, Uncertainty, draw_rules
from welfarist.recommending.further import Further, further_questions
from welfarist.recommending.raising import Raise, raises_needed
from welfarist.recommending.reasons import Why, why_preferred
from welfarist.recommending.ruled_out import dominated, never_best
from welfarist.recommending.standing import Standing
from welfarist.results.family_fits import FamilyFit
from welfarist.results.record import FitResult
from welfarist.results.rule_draws import RuleDraws
from welfarist.results.saved_choices import utilities_for
from welfarist.results.saved_models import Model

# What the rule of a fit is called.
_FITS_BEST = "The rule that fits best"
_TIE = 1e-12
# Rows of a table that people read.
_SHOWN = 20
# Which numbers of a seed draw utilities.
_UTILITIES = 7


@dataclass(frozen=True, eq=False)
class Recommendation:
    """Actions in order of expected regret, with how sure the order is.

    Attributes
    ----------
    names : tuple of str
        The actions, in the order in which they were passed.
    utilities : (N, d) array
    order : (N,) array of int
        Rows, least expected regret first.
    places : (N,) array of int
        Of `order`; equals share the best place among them.
    welfare, low, high : (N,) arrays
        Median and interval of each action, in the order in which they were passed.
    p_best, p_top : (N,) arrays
        Probability of being the best, and among the best `k`; ties share it.
    regret, regret_error : (N,) arrays
        Expected loss of welfare by taking this one, and the standard error of its being worked out
        from some rules only: in percent of the best action's, or in units of welfare where that
        has no natural zero (`regret_in`).
    dominated, never_best : (N,) bool arrays
    never_best_means : str
        What it was taken to mean.
    k : int
    level : float
    rule : WelfareFunction
        The rule itself, which says why.
    rule_is : str
        Which one that is, in words.
    draws : RuleDraws
        What the probabilities are about.
    families : ByFamily or None
        What the rules of other families would take that fit as well; None where nothing is known.
    as_exact : float or None
        Where utilities are estimates: what the expected regret of the first action would be if the
        best guess of them were exact. What is more comes from not knowing utilities well.
    """

    names: tuple[str, ...]
    utilities: FloatArray = field(repr=False)
    order: npt.NDArray[np.intp] = field(repr=False)
    places: npt.NDArray[np.intp] = field(repr=False)
    welfare: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    p_best: FloatArray = field(repr=False)
    p_top: FloatArray = field(repr=False)
    regret: FloatArray = field(repr=False)
    regret_error: FloatArray = field(repr=False)
    dominated: npt.NDArray[np.bool_] = field(repr=False)
    never_best: npt.NDArray[np.bool_] = field(repr=False)
    never_best_means: str
    k: int
    level: float
    rule: Any
    rule_is: str
    draws: RuleDraws = field(repr=False)
    families: ByFamily | None = field(default=None, repr=False)
    as_exact: float | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        return self.table().as_text()

    @property
    def best(self) -> str:
        """The action of least expected regret."""
        return self.names[int(self.order[0])]

    @property
    def regret_in(self) -> str:
        """What regret is told in: "percent" of welfare, or "welfare"."""
        return "percent" if self.draws.family.level.is_ratio else "welfare"

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The table as columns by name, best action first."""
        rows = self.order
        return {
            "action": [self.names[row] for row in rows.tolist()],
            "welfare": self.welfare[rows].tolist(),
            "low": self.low[rows].tolist(),
            "high": self.high[rows].tolist(),
            "p_best": self.p_best[rows].tolist(),
            "regret": self.regret[rows].tolist(),
            "dominated": self.dominated[rows].tolist(),
            "p_top": self.p_top[rows].tolist(),
            "never_best": self.never_best[rows].tolist(),
            "place": self.places.tolist(),
        }

    def to_frame(self) -> Any:
        """Return a data frame with a row for each action, best first.

        Its columns are action, welfare, low, high, p_best, regret (in percent), dominated, p_top,
        never_best and place.
        """
        return to_frame(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, which strict JSON can hold."""
        keys = list(self.columns)
        rows = zip(*self.columns.values(), strict=True)
        found: dict[str, Any] = strict(
            {
                "recommended": self.best,
                "actions": [dict(zip(keys, row, strict=True)) for row in rows],
                "k": self.k,
                "level": self.level,
                "regret_in": self.regret_in,
                "uncertainty": self.draws.source,
                "draws": len(self.draws),
                "seed": self.draws.seed,
                "regret_if_exact": self.as_exact,
                "families": None if self.families is None else self.families.to_dict(),
                "notes": list(self.lines()),
            }
        )
        return found

    def table(self, top: int | None = None) -> Table:
        """Return what people read; `top` keeps the best only."""
        shown = min(len(self), _SHOWN if top is None else top)
        percent = self.regret_in == "percent"
        rows = []
        for place, row in zip(
            self.places[:shown].tolist(), self.order[:shown].tolist(), strict=True
        ):
            ends = " to ".join(pair(self.low[row], self.high[row]))
            marks = [
                "dominated" * bool(self.dominated[row]),
                "never best" * bool(self.never_best[row] and not self.dominated[row]),
            ]
            rows.append(
                (
                    str(place), self.names[row], number(self.welfare[row]), ends,
                    f"{self.p_best[row]:.0%}", f"{self.p_top[row]:.0%}",
                    f"{self.regret[row]:.2f}%" if percent else number(self.regret[row]),
                    " ".join(filter(None, marks)),
                )
            )  # fmt: skip
        header = (
            "", "action", "welfare", f"{100 * self.level:g}% of what is believed", "best",
            f"best {self.k}", "regret", "",
        )  # fmt: skip
        right = ("right",) * 5
        sides = cast("tuple[Alignment, ...]", ("right", "left", *right, "left"))
        left = len(self) - shown
        more = (f"{left} more action{'s' * (left != 1)} not shown",) if left else ()
        return Table(
            f"Recommended: {self.best}", header, tuple(rows), sides, (*more, *self.lines())
        )

    @property
    def has_no_zero(self) -> bool:
        """Whether welfare has no natural zero: it may be negative."""
        return self.draws.family.least < 0

    def lines(self) -> tuple[str, ...]:
        """Return what must be known to read the table."""
        said = [
            f"best: how likely it is the best of {len(self)}; best {self.k}: among the best "
            f"{self.k}; ties share it",
            "regret: expected loss by taking it, "
            + (
                "in percent of the welfare of the best"
                if self.regret_in == "percent"
                else "in units of welfare"
                + ", which has no natural zero to take percents from" * self.has_no_zero
            ),
            f"By {self.draws.in_words}",
        ]
        if self.dominated.any():
            said.append("dominated: another action gives everybody as much and somebody more")
        if (self.never_best & ~self.dominated).any():
            said.append(f"never best: {self.never_best_means}")
            if (self.p_best[self.never_best] > 0).any():
                said.append("best allows for decisions that erred, and never best does not")
        first = self._first_by_rule()
        if self.places[list(self.order).index(first)] > 1:
            said.append(
                f"{self.rule_is} would take {self.names[first]}; {self.best} loses less on average "
                "over all rules that may be the right one"
            )
        if self.as_exact is not None:
            unit = "%" if self.regret_in == "percent" else ""
            said.append(
                "Utilities are estimates, and were drawn anew for every rule: the regret of "
                f"{self.best} is {self.regret[self.order[0]]:.2g}{unit}, and would be "
                f"{self.as_exact:.2g}{unit} if the best guess of them were exact"
            )
        if self.families is not None and self.families.sentence:
            said.append(self.families.sentence)
        return tuple(said)

    def _first_by_rule(self) -> int:
        """The row that the rule itself would take."""
        if not np.isnan(self.utilities).any():
            return int(np.asarray(self.rule.rank(self.utilities))[0])
        return int(PresentRule(self.rule).value(self.utilities).argmax())

    def row(self, action: str | int) -> int:
        """Return the row of an action, by its name or its number."""
        if isinstance(action, int | np.integer) and 0 <= action < len(self):
            return int(action)
        if action in self.names:
            return self.names.index(action)
        raise InputError(
            f"there must be an action of this name; found none called {action!r:.60}. Actions are "
            f"{', '.join(self.names[:5])}{', …' if len(self) > 5 else ''}."
        )

    def why(self, first: str | int | None = None, second: str | int | None = None) -> Why:
        """Say why one action is better than another; left out, the first two of the order.

        Parameters
        ----------
        first, second : str or int, optional
            Names, or row numbers.
        """
        one, other = self._two(first, second)
        return why_preferred(
            self.rule, self.utilities[[one, other]], (self.names[one], self.names[other]),
            self.draws.stakeholders,
        )  # fmt: skip

    def raises(self, first: str | int | None = None, second: str | int | None = None) -> Raise:
        """Say how much each person's utility in the second must rise to make it as good.

        Parameters
        ----------
        first, second : str or int, optional
            Names, or row numbers; left out, the first two of the order.
        """
        one, other = self._two(first, second)
        return raises_needed(
            self.rule, self.utilities[[one, other]], (self.names[one], self.names[other]),
            self.draws.stakeholders,
        )  # fmt: skip

    def further(self, questions: int = 10, random_state: Any = 0) -> Further:
        """Say what further questions would be worth, and which one to ask.

        Parameters
        ----------
        questions : int
            How many, each chosen after the answers before.
        random_state : seed
        """
        if self.as_exact is not None:
            raise InputError(
                "what questions are worth needs utilities that are taken as exact, because answers "
                "tell of the rule alone; found estimates with errors. Pass the best guess, "
                "people.utilities, to take it as exact: errors are not allowed for then."
            )
        return further_questions(
            self.draws, self.utilities, self.names, questions, taken=int(self.order[0]),
            random_state=random_state,
        )  # fmt: skip

    def report(self, path: str | os.PathLike[str], title: str | None = None, **given: Any) -> None:
        """Write one HTML page for whoever decides: what to take, how sure that is, and why.

        Parameters
        ----------
        path : str or path
            Where to write; an old file is replaced.
        title : str, optional
            The heading.
        given
            Such as ``note``, ``unit`` and ``date``; see :func:`welfarist.write_report`.
        """
        public("write_report")(self, path, title=title, **given)

    def _two(self, first: str | int | None, second: str | int | None) -> tuple[int, int]:
        if len(self) < 2:
            raise InputError("two actions are needed to compare them; found one.")
        one = int(self.order[0]) if first is None else self.row(first)
        rest = [row for row in self.order.tolist() if row != one]
        other = rest[0] if second is None else self.row(second)
        if one == other:
            raise InputError(f"two different actions are needed; found {self.names[one]} twice.")
        return one, other


def recommend(
    learned: Any,
    actions: Any,
    *,
    names: Sequence[str] | None = None,
    k: int = 3,
    level: float = 0.95,
    uncertainty: Uncertainty = "auto",
    prior: Prior | None = None,
    draws: int = DRAWS,
    random_state: Any = 0,
    families: bool = True,
) -> Recommendation:
    """Say which of some actions to take, and how sure that is.

    Parameters
    ----------
    learned : fitted estimator, its result_, Posterior, Interview, RuleDraws or saved Model
        A saved model must have been saved with draws.
    actions : (N, d) array-like, data frame or People
        One row an action; columns of a data frame are matched to people by name. Of
        :class:`~welfarist.People` utilities are drawn along with the rules, so that every number
        allows for both; reasons are given for the best guess.
    names : sequence of str, optional
        Of the actions; left out, a data frame's index, or "action 0" and so on.
    k : int
        The probability of being among so many best is told.
    level : float
        Of the intervals of welfare.
    uncertainty, prior, draws, random_state
        As in :func:`draw_rules`.
    families : bool
        Whether to fit rules of other families to the same decisions, and to say what those take
        that fit as well. A saved model has them with its draws. False saves the time of two fits.

    Notes
    -----
    Actions are in order of expected regret, which is what they lose on average over rules that may
    be the right one: in percent of the best action's welfare, or in units of welfare by families
    for which it has no natural zero.

    Examples
    --------
    >>> import welfarist as wf
    >>> world = wf.simulate.individuals(20, 2, p=0, random_state=1)
    >>> pairs = wf.simulate.random_pairs(20, 40, random_state=1)
    >>> decided = wf.simulate.comparisons(world, pairs, tau=20, random_state=1)
    >>> fit = wf.ComparisonClassifier().fit(decided)
    >>> said = recommend(fit, [[5.0, 5.0], [4.0, 9.0], [4.0, 5.0]], names=["a", "b", "c"])
    >>> said.best, bool(said.p_best[0] > 0.9), said.dominated.tolist()
    ('a', True, [False, False, True])
    """
    believed = draw_rules(
        learned, draws, uncertainty=uncertainty, prior=prior, random_state=random_state
    )
    share, most = check_level(level), check_count(k, "k")
    result = getattr(learned, "result_", learned)
    known = _table(actions, believed, result)
    people: Any = known if is_source(known) else None
    table: FloatArray = known if people is None else people.utilities
    called = _names(actions, names, len(table))
    standing = _standing(believed, table, people, random_state)
    regret = standing.regret
    unit = 100.0 if standing.is_ratio else 1.0
    p_best = standing.among_best(1)
    order = np.lexsort((-p_best, np.round(regret, 12)))
    falls = np.diff(regret[order]) > _TIE
    places = np.concatenate([[0], np.cumsum(falls)])
    middle, low, high = standing.welfare(share)
    proven = people is None and isinstance(result, FitResult)
    exact = never_best(result, table) if proven else None
    # Nobody knows whether what is estimated is less than what is estimated as well.
    lost = dominated(table) if people is None else np.zeros(len(table), dtype=bool)
    never = ~standing.best_sometimes() if exact is None else exact
    fits = _fits(result) if families and people is None else ()
    first = int(order[0])
    as_exact = None if people is None else unit * Standing.of(believed, table).regret[first]
    return Recommendation(
        called, table, order.astype(np.intp), np.searchsorted(places, places) + 1, middle, low,
        high, p_best, standing.among_best(most), unit * regret,
        unit * standing.regret_errors(), lost, never, _meaning(exact, len(believed), people),
        most, share, *_rule_of(learned, believed), believed,
        choices_by_family(fits, table, called, first), as_exact,
    )  # fmt: skip


def _standing(believed: RuleDraws, table: FloatArray, people: Any, random_state: Any) -> Standing:
    """How actions stand under all rules, each with utilities of its own if people have errors."""
    if people is None:
        return Standing.of(believed, table)
    rng = np.random.default_rng([seed_of(random_state), _UTILITIES])
    return Standing.of(believed, table, drawn_tables(people, len(believed), rng))


def _fits(result: Any) -> tuple[FamilyFit, ...]:
    """Rules of several families, of a fit or a saved model."""
    if isinstance(result, Model):
        return result.families
    return family_fits(result)


def _meaning(exact: object, draws: int, people: object) -> str:
    """What never best means."""
    if exact is not None:
        return "no rule that explains every decision finds it best"
    return (
        f"none of {draws} rules{'' if people is None else ', each with utilities of its own,'} "
        "finds it best, so that its probability is hardly above "
        f"{300 / draws:.2g}%"
    )


def _table(actions: Any, believed: RuleDraws, result: Any) -> Any:
    """Actions (N, d), in which NaN stands for who is absent if the rule was learned so.

    Or people with errors, in the order of the rules' people.
    """
    if hasattr(actions, "__len__") and not len(actions):
        raise InputError("there must be actions to choose from; found none.")
    if has_errors(actions):
        if believed.shift:
            raise InputError(
                "utilities with errors must be judged as they are; found a rule that adds "
                f"{believed.shift:g} to them. Learn one without, or pass people.utilities."
            )
        if actions.shape[1] != believed.people:
            raise InputError(
                f"outcomes must be about the {believed.people} people who are known; found "
                f"{actions.shape[1]}."
            )
        return actions.in_order(believed.stakeholders)
    if getattr(result, "absent", False) or getattr(_decided(result), "absent", False):
        found = utilities_for(result.welfare, actions, absent=True)
        if found.shape[1] == believed.people:
            return found
    least = -np.inf if believed.family.level.is_ratio is False else -believed.shift
    return table_of_people(actions, believed.people, believed.stakeholders, least)


def _decided(result: Any) -> Any:
    return result.decided if isinstance(result, FitResult) else None


def _names(actions: Any, names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    given = row_names(actions) if names is None else tuple(map(str, names))
    if given is None:
        return tuple(f"action {row}" for row in range(count))
    if len(given) != count or len(set(given)) != count:
        raise InputError(
            f"names must be {count} different ones, one for each action; found {len(set(given))} "
            f"different ones among {len(given)}."
        )
    return given


def _rule_of(learned: Any, believed: RuleDraws) -> tuple[Any, str]:
    """The rule itself, and which it is: what fits best, or the middle of what is believed."""
    result = getattr(learned, "result_", learned)
    if isinstance(result, FitResult | Model):
        return result.welfare, _FITS_BEST
    weights = believed.weights.mean(axis=0)
    power = float(np.quantile(believed.powers, 0.5, method="nearest"))
    if believed.family == POWER_MEAN:
        rule: Any = WelfareFunction(power, weights, believed.stakeholders, believed.shift)
    else:
        rule = believed.family.rule(power, weights, believed.stakeholders).shifted(believed.shift)
    return rule, "The middle rule (mean weights, median shape)"
