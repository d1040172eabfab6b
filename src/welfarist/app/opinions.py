"""What several decision makers think of actions: one of them, somebody new, or every type."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.app.judging import row_of
from welfarist.app.rules import Rule, RuleRequest, actions_for, model_of, percentage, rule_of
from welfarist.app.usage import UsageError
from welfarist.base.errors import InputError
from welfarist.base.exports import Table, number
from welfarist.base.validation import FloatArray
from welfarist.deciders.saved import DecidersModel
from welfarist.deciders.saved_rules import Believed
from welfarist.files import Actions, is_sketch
from welfarist.files.cells import nearest, shown

# Digits of log welfare that rounding leaves alone.
_SURE_DIGITS = 12
# Actions times rules that are held at once.
_MOST = 50_000_000
# A type that somebody is less likely to be of than this is not named.
_WORTH_NAMING = 0.005


@dataclass(frozen=True)
class Opinions:
    """Several decision makers, and the actions that they are asked about.

    Attributes
    ----------
    model : DecidersModel
    file : str
        Where it was read from.
    actions : Actions
        Their columns are in the order of the model's stakeholders.
    who : str or None
        One of the decision makers; None is somebody new.
    notes : tuple of str
    """

    model: DecidersModel
    file: str
    actions: Actions
    who: str | None
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What a table calls who is asked."""
        if self.who is not None:
            return f"{self.who}, of {self.file}"
        kind = "types of" if self.model.kind == "types" else "people like"
        return f"{kind} the {len(self.model.deciders)} people of {self.file}"

    @cached_property
    def believed(self) -> Believed:
        """Which rules whoever is asked may follow."""
        return self.model.believed(self.who)

    @cached_property
    def worth(self) -> FloatArray:
        """What every action is worth (k, n) by each of these rules: differences decide."""
        utilities = np.asarray(self.actions.utilities)
        return self.model.rules.worth(self.believed.rules, utilities)

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """The place (k, n) of every action by each rule; equals share the best among them."""
        return np.array([_places(row) for row in self.worth])

    def mean(self, values: npt.NDArray[Any]) -> FloatArray:
        """The mean (…) of what each rule says (k, …), by how likely it is."""
        return np.asarray(np.tensordot(self.believed.chances, values, axes=1))

    def chances(self, first: Any, second: Any) -> FloatArray:
        """How likely each first action is preferred to its second (n,), errors included."""
        return self.mean(self._preferring(first, second, erring=True))

    def agreeing(self, first: Any, second: Any) -> FloatArray:
        """The share of these rules (n,) that put the first above the second; ties count half."""
        return self.mean(self._preferring(first, second, erring=False))

    def _preferring(self, first: Any, second: Any, *, erring: bool) -> FloatArray:
        one, other = self.worth[:, first], self.worth[:, second]
        return self.model.rules.preferring(self.believed.rules, one, other, erring=erring)

    def each_preferring(self, first: Any, second: Any) -> FloatArray:
        """How likely each type (K, n) prefers the first action, errors included."""
        return self._preferring(first, second, erring=True)

    @property
    def by_types(self) -> bool:
        """Whether what is said is said by types, too."""
        return self.model.kind == "types"

    def lines(self) -> list[str]:
        """What must be said of who is asked."""
        if not self.by_types or self.who is None:
            return []
        sure = [
            f"type {k + 1} ({percentage(chance)})"
            for k, chance in enumerate(self.believed.chances.tolist())
            if chance >= _WORTH_NAMING
        ]
        return [f"{self.who} is of {' or '.join(sure)}"]


def judged_by(asked: RuleRequest, who: str | None = None) -> Rule | Opinions:
    """Read the actions and who judges them: one rule, or several decision makers."""
    model = model_of(asked)
    if isinstance(model, DecidersModel):
        return _opinions_of(asked, model, who)
    if who is not None:
        raise UsageError(
            "{who} goes with models of several decision makers: welfarist fit … {each} or {types}. "
            "Leave it out."
        )
    return rule_of(asked, model)


def _opinions_of(asked: RuleRequest, model: DecidersModel, who: str | None) -> Opinions:
    file = asked.model
    assert file is not None
    if is_sketch(asked.actions):
        raise UsageError(
            "a model of several decision makers judges a table of actions; found a sketch, {path}. "
            "Give its groups as columns of a table.",
            path=asked.actions,
        )
    if who is not None:
        who = _known(model, who, file)
    actions, notes = actions_for(asked, model.stakeholders, -model.shift, model.absent)
    most = _MOST // len(model.believed(who).rules)
    if len(actions) > most:
        raise InputError(
            f"{actions.file}: a model of several decision makers judges at most {most} actions at "
            f"a time; found {len(actions)}. Leave out those that nobody would prefer."
        )
    if not model.converged:
        notes += (f"{file}: it was learned by a search that did not end well. Fit it again.",)
    return Opinions(model, file, actions, who, (*notes, *_doubtful(model, file)))


def _known(model: DecidersModel, who: str, file: str) -> str:
    if who in model.deciders:
        return who
    near = nearest(who, model.deciders)
    hint = f"Did you mean {' or '.join(map(shown, near))}?" if near else "Leave it out for anybody."
    raise InputError(
        f"{file}: there is nobody called {shown(who)} among the {len(model.deciders)} people it "
        f"was learned from. {hint}"
    )


def _doubtful(model: DecidersModel, file: str) -> tuple[str, ...]:
    odd = [str(k + 1) for k, one in enumerate(model.types) if one.doubtful]
    if not odd:
        return ()
    which = f"type {odd[0]} errs" if len(odd) == 1 else f"types {' and '.join(odd)} err"
    return (f"{file}: {which} often, with a weight on an edge: such people may follow no rule.",)


def _places(worth: FloatArray) -> npt.NDArray[np.intp]:
    """The place (n,) of each action by what it is worth (n,), without digits that are rounding."""
    sure = np.round(worth, _SURE_DIGITS)
    best_first = np.sort(-sure)
    return np.asarray(np.searchsorted(best_first, -sure) + 1)


@dataclass(frozen=True)
class Ranked:
    """Actions in the order of the average place that people give them.

    Attributes
    ----------
    asked : Opinions
    order : (m,) array of int
        Rows of the actions, best first.
    """

    asked: Opinions
    order: npt.NDArray[np.intp]

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        asked = self.asked
        return {
            "model": asked.file,
            "kind": asked.model.kind,
            "who": asked.who,
            "order": "average place",
            "actions": [self._record(row, i) for i, row in enumerate(self.order.tolist())],
            "notes": list(asked.notes),
        }

    def _record(self, row: int, i: int) -> dict[str, Any]:
        asked = self.asked
        found: dict[str, Any] = {
            "action": asked.actions.names[row],
            "average_place": float(self._average[row]),
            "best_for": float(self._best[row]),
            "welfare": float(self._welfare[row]),
            "preferred_to_next": self._beats[i],
        }
        if asked.by_types:
            found["types"] = [
                {"place": int(place), "welfare": float(np.exp(worth))}
                for place, worth in zip(asked.places[:, row], asked.worth[:, row], strict=True)
            ]
        return found

    @cached_property
    def _average(self) -> FloatArray:
        return self.asked.mean(self.asked.places)

    @cached_property
    def _best(self) -> FloatArray:
        """The share (n,) of people for whom an action is best; equals share."""
        first = self.asked.places == 1
        return self.asked.mean(first / first.sum(axis=1, keepdims=True))

    @cached_property
    def _welfare(self) -> FloatArray:
        """The median (n,) of the welfare of an action by what is believed."""
        return np.exp(_medians(self.asked.worth, self.asked.believed.chances))

    @cached_property
    def _beats(self) -> list[float | None]:
        """How likely each is preferred to the next; None for the last that there is."""
        order = order_of(self.asked)
        found = self.asked.chances(order[:-1], order[1:]).tolist() if len(order) > 1 else []
        return [*found, None]

    def table(self) -> Table:
        """What people read."""
        asked, rows = self.asked, self.order.tolist()
        columns = {
            "": [str(i + 1) for i in range(len(rows))],
            "action": [asked.actions.names[row] for row in rows],
            "average place": [f"{self._average[row]:.2f}" for row in rows],
            "best for": [percentage(self._best[row]) for row in rows],
            "beats next": [percentage(self._beats[i]) for i in range(len(rows))],
        }
        if asked.by_types:
            for k, one in enumerate(asked.model.types):
                cells = zip(asked.worth[k, rows], asked.places[k, rows], strict=True)
                columns[f"type {k + 1}, {percentage(one.share)}"] = [
                    f"{number(float(np.exp(worth)))} ({place})" for worth, place in cells
                ]
        else:
            columns["welfare"] = [number(float(self._welfare[row])) for row in rows]
        many = len(asked.actions) != 1
        return Table(
            f"{len(asked.actions)} action{'s' * many} by {asked.name}",
            tuple(columns),
            tuple(zip(*columns.values(), strict=True)),
            ("right", "left", *("right",) * (len(columns) - 2)),  # type: ignore[arg-type]
            tuple(self._lines()),
        )

    def _lines(self) -> list[str]:
        known = self.asked.who is not None
        whose = "how likely it is that" if known else "the share of people for whom"
        said = [
            *self.asked.lines(),
            f"order: by the average place, {_over(self.asked)}",
            f"best for: {whose} it is the best of all"
            + (f" for {self.asked.who}" if known else ""),
            "beats next: how likely it is preferred to the one below, errors included",
        ]
        if self.asked.by_types:
            said.append("type: welfare by its rule, in brackets its place")
        else:
            said.append("welfare: the median of what is believed")
        return [*said, *_about_sizes(self.asked)]


def _how_many(asked: Opinions) -> str:
    return "of people" if asked.who is None else "chance"


def _about_sizes(asked: Opinions) -> list[str]:
    """Say what stands in the place of welfare where the number of people counts for itself."""
    if "gamma" not in asked.model.rules.noise:
        return []
    return ["welfare: times the number of people affected to the power that each rule has for it"]


def _over(asked: Opinions) -> str:
    if asked.who is not None:
        return f"over the rules that {asked.who} may follow"
    return "over people"


def order_of(asked: Opinions) -> npt.NDArray[np.intp]:
    """Return the rows of the actions, those with the best average place first."""
    average = asked.mean(asked.places)
    return np.argsort(np.round(average, _SURE_DIGITS), kind="stable")


def rank(asked: Opinions, top: int | None = None) -> Ranked:
    """Put actions in the order that whoever is asked would; `top` keeps the best only."""
    return Ranked(asked, order_of(asked)[:top])


def _medians(values: FloatArray, chances: FloatArray) -> FloatArray:
    """The median (n,) of what rules say (k, n), by how likely each is (k,)."""
    order = np.argsort(values, axis=0, kind="stable")
    below = np.cumsum(chances[order], axis=0)
    middle = (below >= 0.5 * below[-1] - 1e-12).argmax(axis=0)
    columns = np.arange(values.shape[1])
    return np.asarray(values[order[middle, columns], columns])


@dataclass(frozen=True)
class Preference:
    """What several decision makers say of two actions.

    Attributes
    ----------
    asked : Opinions
    rows : two numbers
        Of the actions.
    """

    asked: Opinions
    rows: tuple[int, int]

    @property
    def names(self) -> tuple[str, str]:
        """The two actions."""
        one, other = (self.asked.actions.names[row] for row in self.rows)
        return one, other

    @cached_property
    def chance(self) -> float:
        """How likely whoever is asked chooses the first, errors included."""
        return float(self.asked.chances([self.rows[0]], [self.rows[1]])[0])

    @cached_property
    def agreeing(self) -> float:
        """The share of people, or the chance, whose rule puts the first above the second."""
        return float(self.asked.agreeing([self.rows[0]], [self.rows[1]])[0])

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        asked = self.asked
        found: dict[str, Any] = {
            "model": asked.file,
            "kind": asked.model.kind,
            "who": asked.who,
            "preferred": self.preferred,
            "probability_first": self.chance,
            "share_first": self.agreeing,
            "actions": [{"action": name} for name in self.names],
            "notes": list(asked.notes),
        }
        if asked.by_types:
            found["types"] = self._types()
        return found

    @property
    def preferred(self) -> str | None:
        """The action that more rules put above the other; None if as many put it below."""
        if round(self.agreeing, _SURE_DIGITS) == 0.5:
            return None
        return self.names[0] if self.agreeing > 0.5 else self.names[1]

    def _types(self) -> list[dict[str, Any]]:
        asked, (one, other) = self.asked, self.rows
        erring = asked.each_preferring([one], [other])[:, 0]
        return [
            {
                "share": float(chance),
                "welfare": [float(np.exp(asked.worth[k, row])) for row in self.rows],
                "probability_first": float(erring[k]),
            }
            for k, chance in enumerate(asked.believed.chances)
        ]

    def table(self) -> Table:
        """What people read."""
        asked, (one, other) = self.asked, self.names
        if asked.by_types:
            header: tuple[str, ...] = ("", _how_many(asked), one, other, f"chooses {one}")
            rows = [
                (
                    f"type {k + 1}",
                    percentage(told["share"]),
                    *(number(welfare) for welfare in told["welfare"]),
                    percentage(told["probability_first"]),
                )
                for k, told in enumerate(self._types())
            ]
        else:
            header = ("welfare", one, other)
            levels = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
            rows = [(name, *self._quantiles(level)) for name, level in levels.items()]
        sides = ("left", *("right",) * (len(header) - 1))
        return Table(f"By {asked.name}", header, tuple(rows), sides, tuple(self._lines()))  # type: ignore[arg-type]

    def _quantiles(self, level: float) -> list[str]:
        chances = self.asked.believed.chances
        found = []
        for row in self.rows:
            values = self.asked.worth[:, row]
            order = np.argsort(values, kind="stable")
            place = int(np.searchsorted(np.cumsum(chances[order]), level - 1e-12))
            found.append(number(float(np.exp(values[order[min(place, len(order) - 1)]]))))
        return found

    def _lines(self) -> list[str]:
        one, who = self.names[0], self.asked.who
        said = [f"Preferred: {self.preferred}." if self.preferred else "Neither is preferred."]
        if who is None:
            said += [
                f"{self.agreeing:.1%} of people have a rule that puts {one} first.",
                f"Somebody new who errs as others do chooses {one} {self.chance:.1%} of the time.",
            ]
        else:
            said += [
                f"The rule of {who} puts {one} first with a probability of {self.agreeing:.1%}.",
                f"{who}, who errs as before, chooses {one} {self.chance:.1%} of the time.",
            ]
        return [*said, *self.asked.lines(), *_about_sizes(self.asked)]


def judge(asked: Opinions, first: str, second: str) -> Preference:
    """Say which of two actions whoever is asked would prefer."""
    return Preference(asked, (row_of(asked.actions, first), row_of(asked.actions, second)))
