"""Surprises: the decisions that the rule least expected, with what it saw in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.checks.predictions import Predictions
from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.families.rule import WelfareFunction
from welfarist.inference.stages import place_of

# People who are named in a line of text.
_MOST_NAMED = 4
# Stands for the change from nothing to something; shares of it are numbers too.
_LARGEST = 1e300


@dataclass(frozen=True, eq=False)
class Surprise:
    """A comparison that was decided against the rule.

    Attributes
    ----------
    row : int
        Row of the decision in the data that were fitted, counted from 0.
    chosen, other : str
        The actions: their names, their numbers, or "the first action" and "the second action".
    position : str
        Which of the two was chosen, "first" or "second"; of a menu "place 3".
    utilities, other_utilities : (d,) arrays
        What each person has in the chosen action, and in the other.
    welfare, other_welfare : float
        By the rule, which adds `shift` to every utility first.
    shares, other_shares : (d,) arrays
        Each person's marginal share of either welfare: raising somebody's utility by 1% raises
        welfare by their share of 1%.
    log_ratio : float
        Log welfare of the other action less that of the chosen one; positive.
    probability : float or None
        What the rule gave to this choice; None where errors are counted.
    count : float
        How often this row was observed.
    by : object
        Who decided; None if that is not known.
    stakeholders : tuple of str
    shift : float
        What the rule adds to every utility; `utilities` are without it.
    choice : str
        Which choice of a ranking it is, such as "second"; "best" or "worst" where these were
        named, empty where each decision is one choice.
    label : str or None
        What the decision is called in the data, where menus have names of their own.
    gamma : float
        By which power of how many people it affects an action counts for itself; 0 for none.
    """

    row: int
    chosen: str
    other: str
    position: str
    utilities: FloatArray
    other_utilities: FloatArray
    welfare: float
    other_welfare: float
    shares: FloatArray
    other_shares: FloatArray
    log_ratio: float
    probability: float | None
    count: float
    by: Any
    stakeholders: tuple[str, ...]
    shift: float = 0.0
    choice: str = ""
    label: str | None = None
    gamma: float = 0.0

    @property
    def worth(self) -> tuple[float, float]:
        """What decides, of the chosen action and of the other: welfare with the size effect."""
        return (
            self.welfare * _size_of(self.utilities) ** self.gamma,
            self.other_welfare * _size_of(self.other_utilities) ** self.gamma,
        )

    @property
    def log_change(self) -> FloatArray:
        """Log utilities (d,) of the chosen action less those of the other, as the rule sees them.

        A change from nothing to something is larger than any other.
        """
        mine, other = self.utilities + self.shift, self.other_utilities + self.shift
        with np.errstate(divide="ignore", invalid="ignore"):
            change = np.nan_to_num(np.log(mine) - np.log(other))
        return np.asarray(np.clip(change, -_LARGEST, _LARGEST))

    def __str__(self) -> str:
        who = "" if self.by is None else f"{self.by} "
        though = (
            "though the rule prefers the other"
            if self.probability is None
            else f"though the rule gives that {_percent(self.probability)}"
        )
        often = "" if self.count == 1 else f", {self.count:g} times"
        added = f" ({self.shift:g} added to every utility)" if self.shift else ""
        named = "" if self.label is None else f" (menu {self.label})"
        choice = f" as {self.choice}" if self.choice else ""
        sized = ""
        if self.gamma:
            one, other = self.worth
            sized = f" ({one:.4g} against {other:.4g} with the size effect)"
        return (
            f"row {self.row}{named}: {who}chose {self.chosen}{choice} over {self.other}{often} "
            f"{though}: welfare {self.welfare:.4g} against {self.other_welfare:.4g}{added}{sized}; "
            f"{self._people()}"
        )

    def _people(self) -> str:
        """What the people have in whom the two actions differ most, in the eyes of the rule."""
        mattering = np.abs(self.log_change) * (self.shares + self.other_shares)
        order = np.argsort(-mattering, kind="stable")[:_MOST_NAMED]
        order = np.sort(order[self.affected[order]])
        parts = [
            f"{self.stakeholders[i]} {self.utilities[i]:.4g} against {self.other_utilities[i]:.4g} "
            f"(share {self.shares[i]:.2f} against {self.other_shares[i]:.2f})"
            for i in order.tolist()
        ]
        more = int(self.affected.sum()) - len(parts)
        return (", ".join(parts) or "nobody") + (f" and {more} more" if more else "")

    @property
    def affected(self) -> npt.NDArray[np.bool_]:
        """Whom (d,) both actions affect."""
        return ~np.isnan(self.utilities + self.other_utilities)

    def _record(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("row", "chosen", "other", "position", "probability", "log_ratio")
        }
        found |= {"choice": self.choice} if self.choice else {}
        found |= {} if self.label is None else {"label": self.label}
        found |= {"count": self.count, "by": self.by}
        found |= {"welfare": self.welfare, "other_welfare": self.other_welfare}
        if self.gamma:
            found["worth"], found["other_worth"] = self.worth
        for i, name in enumerate(self.stakeholders):
            # Beginnings, not ends, tell the columns apart whatever people are called.
            found[f"utility of {name}"] = float(self.utilities[i])
            found[f"other utility of {name}"] = float(self.other_utilities[i])
            found[f"share of {name}"] = float(self.shares[i])
            found[f"other share of {name}"] = float(self.other_shares[i])
        return found


def _size_of(utilities: FloatArray) -> float:
    """How many people an action affects; none of these is what it is, whoever that would be."""
    return float(max((~np.isnan(utilities)).sum(), 1))


@dataclass(frozen=True, eq=False)
class ScoreSurprise:
    """A score far from what the rule says.

    Attributes
    ----------
    row : int
        Row of the action in the data that were fitted, counted from 0.
    utilities, shares : (d,) arrays
        What each person has, and their marginal share of welfare.
    score, fitted, residual : float
        What was stated, what the rule says, and the former less the latter.
    standardised : float
        The residual in units of the residuals' root mean square.
    count : float
        How much the score counted.
    stakeholders : tuple of str
    name : str or None
        The action's name, if it has one.
    """

    row: int
    utilities: FloatArray
    shares: FloatArray
    score: float
    fitted: float
    residual: float
    standardised: float
    count: float
    stakeholders: tuple[str, ...]
    name: str | None = None

    @property
    def action(self) -> str:
        """What to call the action: its name, or its row number."""
        return f"action {self.row}" if self.name is None else self.name

    def __str__(self) -> str:
        named = zip(self.stakeholders, self.utilities, self.shares, strict=True)
        parts = [f"{name} {u:.4g} (share {s:.2f})" for name, u, s in list(named)[:_MOST_NAMED]]
        more = len(self.utilities) - len(parts)
        scored = "scored" if self.name is None else f"{self.name} was scored"
        return (
            f"row {self.row}: {scored} {self.score:.4g} though the rule says {self.fitted:.4g} "
            f"({self.standardised:+.1f} times the usual residual): {', '.join(parts)}"
            + (f" and {more} more" if more else "")
        )

    def _record(self) -> dict[str, Any]:
        names = ("row", "action", "score", "fitted", "residual", "standardised", "count")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        for i, name in enumerate(self.stakeholders):
            found[f"utility of {name}"] = float(self.utilities[i])
            found[f"share of {name}"] = float(self.shares[i])
        return found


class Surprises(Sequence[Any]):
    """Surprises, the largest first; prints as text, one line each.

    Attributes
    ----------
    total : float
        How many decisions went against the rule in all, counts included; for scores how many
        there are.
    observed : float
        How many decisions, or single choices of rankings, there are in all.
    dominated : float
        How many of them chose an action that is better for nobody and worse for somebody, which
        no rule of the family prefers; 0 for scores.
    """

    def __init__(
        self,
        found: Sequence[Any],
        total: float,
        observed: float,
        heading: str,
        dominated: float = 0.0,
    ) -> None:
        self._found, self.total, self._heading = tuple(found), total, heading
        self.observed, self.dominated = observed, dominated

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, which: Any) -> Any:
        return self._found[which]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._found)

    def __repr__(self) -> str:
        return f"Surprises({len(self)} of {self.total:g})"

    def __str__(self) -> str:
        return "\n".join([self._heading, *(f"  {surprise}" for surprise in self._found)])

    def to_frame(self) -> Any:
        """Return one row per surprise as a data frame."""
        records = [surprise._record() for surprise in self._found]
        names = list(records[0]) if records else ["row"]
        return to_frame({name: [record[name] for record in records] for name in names})


def surprising_choices(
    decided: Comparisons,
    predictions: Predictions,
    rule: WelfareFunction,
    stakeholders: tuple[str, ...],
    count: int,
) -> Surprises:
    """The decisions against the rule whose actions it tells apart most clearly.

    Since probabilities rise with the difference in log welfare, these are the least likely ones.
    Ties are left out: they go neither with nor against the rule.
    """
    against = np.flatnonzero(predictions.signs * predictions.outcomes < 0)
    total = float(predictions.counts[against].sum())
    clearest = np.argsort(-np.abs(predictions.margins[against]), kind="stable")
    chosen = against[clearest[: checked_count(count)]]
    found = [_surprise(decided, predictions, rule, stakeholders, i) for i in chosen.tolist()]
    dominated = float(predictions.counts[against] @ _dominated(decided, predictions, against))
    observed = float(predictions.counts.sum())
    heading = f"{total:.15g} of {observed:.15g} decisions went against the rule"
    if dominated:
        heading += f", {dominated:g} of them for an action that is better for nobody"
    heading += f"; the {len(found)} least expected:" if 1 < len(found) < total else ""
    return Surprises(found, total, observed, heading + ("." if not found else ""), dominated)


def surprising_menus(
    decided: Choices,
    single: Any,
    compared: Any,
    chances: FloatArray | None,
    rule: Any,
    stakeholders: tuple[str, ...],
    count: int,
    outside: tuple[float, float] | None = None,
    gamma: float = 0.0,
) -> Surprises:
    """The choices of another action than the rule's best, the least likely first.

    `single` are the choices one by one, of whose entries `compared` and `chances` (E,) speak;
    `outside` are the welfare of none of these and its value, if that could be chosen, `gamma` is
    the size effect. Without chances those come first that are clearest.
    """
    menus = single.menus
    counts = decided.counts[single.decision]
    whose = np.repeat(np.arange(len(menus)), menus.sizes)
    wrong = np.flatnonzero((menus.taken > 0) & ~compared.best())
    often = menus.taken[wrong] * counts[whose[wrong]]
    total = float(often.sum())
    likely = compared.z if chances is None else chances
    order = wrong[np.argsort(likely[wrong], kind="stable")][: checked_count(count)]
    found = [
        _menu_surprise(
            decided,
            single,
            compared,
            chances,
            rule,
            stakeholders,
            int(entry),
            whose,
            outside,
            gamma,
        )
        for entry in order
    ]
    observed = float((counts * menus.count).sum())
    heading = f"{total:.15g} of {observed:.15g} choices went against the rule"
    heading += f"; the {len(found)} least expected:" if 1 < len(found) < total else ""
    return Surprises(found, total, observed, heading + ("." if not found else ""))


def _best_entry(single: Any, compared: Any, menu: int) -> int:
    """The entry that the rule finds best of a menu."""
    begin, end = (int(single.menus.starts[menu + i]) for i in (0, 1))
    return begin + int(np.argmax(compared.z[begin:end]))


def _menu_surprise(
    decided: Choices,
    single: Any,
    compared: Any,
    chances: FloatArray | None,
    rule: Any,
    stakeholders: tuple[str, ...],
    entry: int,
    whose: npt.NDArray[np.intp],
    outside: tuple[float, float] | None,
    gamma: float,
) -> Surprise:
    menu = int(whose[entry])
    best = _best_entry(single, compared, menu)
    pair = single.original[[entry, best]]
    row = int(single.decision[menu])
    utilities, welfare, value, shares = _judged(decided, rule, pair, outside)
    places = [at - int(single.menus.starts[menu]) for at in (entry, best)]
    named = [_named(decided, *one) for one in zip(pair.tolist(), places, strict=True)]
    worth = value + gamma * np.log([_size_of(one) for one in utilities])
    # Two that give nothing are equally good.
    ratio = 0.0 if worth[0] == worth[1] else float(abs(worth[1] - worth[0]))
    return Surprise(
        row,
        named[0],
        named[1],
        f"place {places[0] + 1}",
        utilities[0],
        utilities[1],
        float(welfare[0]),
        float(welfare[1]),
        shares[0],
        shares[1],
        ratio,
        None if chances is None else float(chances[entry]),
        float(decided.counts[row]),
        None if decided.by is None else decided.by[row],
        stakeholders,
        rule.shift,
        _which_choice(decided, single.menus, menu),
        None if decided.labels is None else str(decided.labels[row]),
        gamma,
    )


def _which_choice(decided: Choices, menus: Any, menu: int) -> str:
    """Which choice of its decision one from a menu is; empty where each decision is one."""
    if not decided.in_stages:
        return ""
    if (decided.menus.sign < 0).any():
        return "worst" if menus.sign[menu] < 0 else "best"
    return place_of(int(menus.stage[menu]))


def _judged(
    decided: Choices, rule: Any, pair: npt.NDArray[np.intp], outside: tuple[float, float] | None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Utilities (2, d), welfare (2,), its value (2,) and shares (2, d); none of these has nobody.

    Welfare where many have nothing may be too small for a number; its logarithm is not.
    """
    inside = pair < decided.actions
    utilities = np.full((2, decided.people), np.nan)
    welfare, value = (np.full(2, level) for level in outside or (np.nan, np.nan))
    shares = np.zeros_like(utilities)
    if inside.any():
        utilities[inside] = decided.utilities[pair[inside]]
        seen = utilities[inside]
        welfare[inside], value[inside], shares[inside] = (
            rule(seen),
            rule.value(seen),
            rule.shares(seen),
        )
    return utilities, welfare, value, shares


def _named(decided: Choices, action: int, place: int) -> str:
    """What to call an action: by its name, its number, or where it stands in its menu."""
    if action >= decided.actions:
        return "none of these"
    if decided.names is not None:
        return str(decided.names[action])
    return f"action {action}" if decided.numbered else f"the {place_of(place)} of the menu"


def _dominated(
    decided: Comparisons, predictions: Predictions, against: npt.NDArray[np.intp]
) -> npt.NDArray[np.bool_]:
    """Whether each of some decisions (k,) went to an action that is better for nobody."""
    pairs = decided.pairs[predictions.rows[against]]
    first = predictions.outcomes[against] > 0
    chosen, other = np.where(first, *pairs.T), np.where(first, *pairs.T[::-1])
    nobody, somebody = np.ones(len(against), dtype=bool), np.zeros(len(against), dtype=bool)
    for person in decided.utilities.T:  # one at a time, so that no large table is copied
        nobody &= person[chosen] <= person[other]
        somebody |= person[chosen] < person[other]
    return nobody & somebody


def _surprise(
    decided: Comparisons,
    predictions: Predictions,
    rule: WelfareFunction,
    stakeholders: tuple[str, ...],
    i: int,
) -> Surprise:
    row, first = int(predictions.rows[i]), bool(predictions.outcomes[i] > 0)
    pair = decided.pairs[row] if first else decided.pairs[row][::-1]
    labels = _labels(decided, row)
    utilities = decided.utilities[pair]
    welfare, shares = rule(utilities), rule.shares(utilities)
    unlikelier = predictions.unlikelier
    return Surprise(
        row,
        labels[0] if first else labels[1],
        labels[1] if first else labels[0],
        "first" if first else "second",
        utilities[0],
        utilities[1],
        float(welfare[0]),
        float(welfare[1]),
        shares[0],
        shares[1],
        float(abs(predictions.margins[i])),
        None if unlikelier is None else float(unlikelier[i]),
        float(predictions.counts[i]),
        None if decided.by is None else decided.by[row],
        stakeholders,
        rule.shift,
    )


def _labels(decided: Comparisons, row: int) -> tuple[str, str]:
    """What to call both actions of a decision."""
    first, second = decided.pairs[row].tolist()
    if decided.names is not None:
        return decided.names[first], decided.names[second]
    if decided.numbered:
        return f"action {first}", f"action {second}"
    return "the first action", "the second action"


def surprising_scores(
    decided: Scores,
    fitted: FloatArray,
    rule: WelfareFunction,
    stakeholders: tuple[str, ...],
    count: int,
) -> Surprises:
    """The scores with the largest residuals."""
    residual = decided.values - fitted
    counts = decided.counts
    usual = float(np.sqrt(counts @ np.square(residual) / counts.sum()))
    unit = usual if usual > 0 else 1.0
    kept = np.flatnonzero(counts > 0)
    order = kept[np.argsort(-np.abs(residual[kept]), kind="stable")][: checked_count(count)]
    shares = rule.shares(decided.utilities[order])
    found = [
        ScoreSurprise(
            row,
            decided.utilities[row],
            shares[k],
            float(decided.values[row]),
            float(fitted[row]),
            float(residual[row]),
            float(residual[row] / unit),
            float(counts[row]),
            stakeholders,
            None if decided.names is None else decided.names[row],
        )
        for k, row in enumerate(order.tolist())
    ]
    heading = f"The {len(found)} scores that are furthest from the rule, of {counts.sum():g}:"
    return Surprises(found, float(counts.sum()), float(counts.sum()), heading)


def checked_count(count: object) -> int:
    """Return how many are wanted, a whole number from 1 on."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"count must be a whole number from 1 on; found {count!r}.")
    return int(count)


def _percent(probability: float) -> str:
    """A probability below one half, so that a small one does not read as 0%."""
    if probability >= 0.0995:
        return f"{probability:.0%}"
    return f"{probability:.1%}" if probability >= 0.00095 else f"{100 * probability:.2g}%"
