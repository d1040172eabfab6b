"""What stakeholders answered, as tables: choices between two actions, rankings or ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import collected, in_memory, row_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers, check_names

IntArray = npt.NDArray[np.intp]

# The layouts that are known: their columns.
_PAIRS = ("stakeholder", "first", "second", "choice")
_RATINGS = ("stakeholder", "action", "rating")
_RANKINGS = ("stakeholder", "ranking", "action", "rank")
_LAYOUTS = (_PAIRS, _RATINGS, _RANKINGS)
# A feature that varies less than this, relative to its size, is constant.
_CONSTANT = 1e-12


@dataclass(frozen=True, eq=False)
class Menus:
    """Choices of the best of some actions, menu after menu.

    Attributes
    ----------
    person : (m,) array of int
    starts : (m,) array of int
        Where the entries of each menu begin.
    actions : (E,) array of int
    chosen : (E,) array
        How often each entry was chosen: 1 or 0, halves for a tie of two.
    """

    person: IntArray
    starts: IntArray
    actions: IntArray
    chosen: FloatArray

    def of(self, person: int) -> Menus:
        """Return those of one stakeholder."""
        kept = np.flatnonzero(self.person == person)
        ends = np.append(self.starts[1:], len(self.actions))
        runs = [np.arange(self.starts[i], ends[i]) for i in kept]
        entries = np.concatenate(runs) if runs else np.empty(0, dtype=np.intp)
        sizes = ends[kept] - self.starts[kept]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)[: len(kept)]
        return Menus(self.person[kept], starts, self.actions[entries], self.chosen[entries])


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of actions, as whole numbers from 0.

    Attributes
    ----------
    person, actions, level : (n,) arrays of int
    labels : (J,) array
        The ratings that were given, in order.
    """

    person: IntArray
    actions: IntArray
    level: IntArray
    labels: FloatArray

    def of(self, person: int) -> Ratings:
        """Return those of one stakeholder."""
        kept = self.person == person
        return Ratings(self.person[kept], self.actions[kept], self.level[kept], self.labels)


@dataclass(frozen=True, eq=False)
class Answers:
    """What stakeholders answered about actions."""

    stakeholders: tuple[str, ...]
    given: Menus | Ratings

    def __len__(self) -> int:
        return len(self.given.person)


@dataclass(frozen=True, eq=False)
class Features:
    """What is known of actions.

    Attributes
    ----------
    names : tuple of str
        Of the actions.
    columns : tuple of str
    table : (N, k) array
        With mean 0 and standard deviation 1.
    middle, spread : (k,) arrays
        What was taken out.
    named : bool
        Whether features came with names.
    """

    names: tuple[str, ...]
    columns: tuple[str, ...]
    table: FloatArray
    middle: FloatArray
    spread: FloatArray
    named: bool = False


def as_features(features: object, action: str | None = None) -> Features:
    """Return checked features of actions, whose names are the index or a column of a frame."""
    names = row_names(features)
    columns, values = _frame_of(features)
    _same_length(values, "features")
    if columns is not None and action is not None and action in columns:
        names = tuple(str(name) for name in values.pop(action))
    if columns is not None:
        found = {name: _numbers(column, name) for name, column in values.items()}
        if not found:
            raise InputError("features must have at least one column of numbers; found none.")
        table, called = np.column_stack(list(found.values())), tuple(found)
    else:
        table = as_numbers(features, "features").astype(np.float64)
        if table.ndim != 2 or not table.size:
            raise InputError(
                "features must be a table with one row per action and one column per feature; "
                f"found shape {table.shape}."
            )
        called = tuple(f"feature {i}" for i in range(table.shape[1]))
    bad = ~np.isfinite(table)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            f"features must be complete; found {table[row, column]} at row {row}, column "
            f"{called[column]!r}. Fill it in, or leave the action out."
        )
    middle, spread = table.mean(axis=0), table.std(axis=0)
    flat = spread <= _CONSTANT * (1.0 + np.abs(middle))
    if flat.any():
        raise InputError(
            f"features must differ between actions; found {called[int(np.argmax(flat))]!r}, which "
            "is the same for all. Leave it out: no answer can tell what it is worth."
        )
    if names is None:
        names = tuple(map(str, range(len(table))))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"actions must have names of their own; found {twice!r} twice.")
    return Features(names, called, (table - middle) / spread, middle, spread, columns is not None)


def _numbers(column: Sequence[Any], name: str) -> FloatArray:
    try:
        return np.array([np.nan if entry is None else float(entry) for entry in column])
    except (TypeError, ValueError):
        raise InputError(
            f"features must be numbers; found {name!r} with others. Encode categories as columns "
            "of 0 and 1, or leave it out."
        ) from None


def _same_length(values: dict[str, list[Any]], what: str) -> None:
    """Refuse columns of which one is longer than another."""
    sizes = {name: len(column) for name, column in values.items()}
    if len(set(sizes.values())) > 1:
        short, long = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        raise InputError(
            f"the columns of {what} must be as long as each other; found {sizes[short]} entries "
            f"in {short!r} and {sizes[long]} in {long!r}."
        )


def _frame_of(table: object) -> tuple[list[str] | None, dict[str, list[Any]]]:
    """The columns of a mapping or data frame; None of something else."""
    if isinstance(table, Mapping):
        return list(map(str, table)), {str(k): list(v) for k, v in table.items()}
    found = collected(table)
    if isinstance(found, np.ndarray | list | tuple) or not hasattr(type(found), "columns"):
        return None, {}
    frame = in_memory(found)
    return list(frame.columns), {name: frame[name].to_list() for name in frame.columns}


def as_answers(
    answers: object, actions: Sequence[str] | None, stakeholders: Sequence[str] | None = None
) -> tuple[Answers, tuple[str, ...]]:
    """Return checked answers, and the names of the actions they are about.

    `actions` are those that are known; if None, the answers say which there are.
    """
    columns, values = _frame_of(answers)
    if columns is not None and len({name.lower() for name in columns}) == len(columns):
        columns, values = _lower(columns), {name.lower(): v for name, v in values.items()}
    layout = next((one for one in _LAYOUTS if set(one) <= set(columns or ())), None)
    if layout is None:
        wanted = "; or ".join(", ".join(one) for one in _LAYOUTS)
        raise InputError(
            f"answers must be a data frame with columns {wanted}; found "
            f"{', '.join(columns) if columns else type(answers).__name__}."
        )
    values = {name: values[name] for name in layout}
    _same_length(values, "answers")
    size = len(values["stakeholder"])
    if not size:
        raise InputError("answers must have at least one row; found none.")
    who = [_text(entry, "stakeholder", i) for i, entry in enumerate(values["stakeholder"])]
    people = tuple(dict.fromkeys(who)) if stakeholders is None else check_names(stakeholders)
    number = {name: i for i, name in enumerate(people)}
    strange = next((name for name in who if name not in number), None)
    if strange is not None:
        raise InputError(f"answers must be of the stakeholders named; found {strange!r} as well.")
    silent = sorted(set(people) - set(who))
    if silent:
        raise InputError(
            f"every stakeholder must have answered something; found nothing by {silent[0]!r}. "
            "Leave them out, or ask them."
        )
    person = np.array([number[name] for name in who], dtype=np.intp)
    places = _Places(actions)
    makers: dict[Any, Any] = {_PAIRS: _pairs, _RATINGS: _ratings, _RANKINGS: _rankings}
    given: Menus | Ratings = makers[layout](values, person, places)
    _refuse_nothing(people, given)
    return Answers(people, given), tuple(places.number)


def _lower(names: Sequence[str]) -> list[str]:
    """Names without capitals, which need not be right."""
    return [name.lower() for name in names]


class _Places:
    """The numbers of actions by name, which may have to be found out."""

    def __init__(self, known: Sequence[str] | None) -> None:
        self.number = {} if known is None else {name: i for i, name in enumerate(known)}
        self._open = known is None

    def of(self, column: Sequence[Any], what: str) -> IntArray:
        """Return the numbers (n,) of actions in a column."""
        found = np.empty(len(column), dtype=np.intp)
        for i, entry in enumerate(column):
            name = _text(entry, what, i)
            if name not in self.number:
                if not self._open:
                    raise InputError(
                        f"answers must be about actions that have features; found {name!r} in row "
                        f"{i}, column {what!r}."
                    )
                self.number[name] = len(self.number)
            found[i] = self.number[name]
        return found


def _text(entry: Any, what: str, row: int) -> str:
    """A name: whole numbers as such."""
    nothing = entry is None or (isinstance(entry, float) and np.isnan(entry))
    if nothing or (isinstance(entry, str) and not entry.strip()):
        raise InputError(f"answers must be complete; found no {what} in row {row}.")
    if isinstance(entry, float) and entry == int(entry):
        return str(int(entry))
    return str(entry)


def _pairs(values: dict[str, list[Any]], person: IntArray, places: _Places) -> Menus:
    first = places.of(values["first"], "first")
    second = places.of(values["second"], "second")
    same = np.flatnonzero(first == second)
    if len(same):
        raise InputError(
            f"two different actions must be compared; found one with itself in row {same[0]}."
        )
    chosen = np.empty((len(first), 2))
    for i, entry in enumerate(values["choice"]):
        text = _text(entry, "choice", i)
        known = {
            "first": (1.0, 0.0), "1": (1.0, 0.0), str(values["first"][i]): (1.0, 0.0),
            "True": (1.0, 0.0), "False": (0.0, 1.0),
            "second": (0.0, 1.0), "-1": (0.0, 1.0), "2": (0.0, 1.0),
            str(values["second"][i]): (0.0, 1.0),
            "tie": (0.5, 0.5), "0": (0.5, 0.5),
        }  # fmt: skip
        # A name of an action says which, even if it looks like a number.
        known[str(values["first"][i])] = (1.0, 0.0)
        known[str(values["second"][i])] = (0.0, 1.0)
        if text not in known:
            raise InputError(
                "choices must be first, second or tie, or the action's name; found "
                f"{text!r} in row {i}."
            )
        chosen[i] = known[text]
    starts = np.arange(len(first), dtype=np.intp) * 2
    return Menus(person, starts, np.column_stack([first, second]).reshape(-1), chosen.reshape(-1))


def _figures(column: Sequence[Any], must: str) -> FloatArray:
    """Numbers (n,) of a column; one that is none is named."""
    found = np.empty(len(column))
    for i, entry in enumerate(column):
        try:
            found[i] = np.nan if entry is None else float(entry)
        except (TypeError, ValueError):
            raise InputError(f"{must}; found {entry!r:.60} in row {i}.") from None
    return found


def _ratings(values: dict[str, list[Any]], person: IntArray, places: _Places) -> Ratings:
    actions = places.of(values["action"], "action")
    rating = _figures(values["rating"], "ratings must be numbers")
    if not np.isfinite(rating).all():
        raise InputError(
            f"ratings must be finite numbers; found {rating[~np.isfinite(rating)][0]} in row "
            f"{int(np.argmax(~np.isfinite(rating)))}. Leave the row out."
        )
    labels, level = np.unique(rating, return_inverse=True)
    if len(labels) < 2 or len(labels) > 100:
        raise InputError(
            f"ratings must take from 2 to 100 different values; found {len(labels)}. Round them."
        )
    return Ratings(person, actions, level.reshape(-1).astype(np.intp), labels)


def _rankings(values: dict[str, list[Any]], person: IntArray, places: _Places) -> Menus:
    """Rankings as choices in a row: the best of all, the best of the others, and so on."""
    actions = places.of(values["action"], "action")
    rank = _figures(values["rank"], "ranks must be numbers, the best 1")
    if not np.isfinite(rank).all():
        raise InputError(
            f"ranks must be finite numbers, the best 1; found {rank[~np.isfinite(rank)][0]} in row "
            f"{int(np.argmax(~np.isfinite(rank)))}. Leave the row out."
        )
    groups: dict[tuple[int, str], list[int]] = {}
    for i, entry in enumerate(values["ranking"]):
        groups.setdefault((int(person[i]), _text(entry, "ranking", i)), []).append(i)
    who: list[int] = []
    starts: list[int] = []
    rows: list[int] = []
    chosen: list[float] = []
    for (one, name), members in groups.items():
        order = sorted(members, key=lambda i: float(rank[i]))
        found = actions[order]
        ranks = rank[order]
        if len(set(found.tolist())) < len(found) or len(np.unique(ranks)) < len(ranks):
            raise InputError(
                f"a ranking must hold every action and every rank once; found one twice in "
                f"{name!r}. Rank each, the best 1."
            )
        for place in range(len(order) - 1):
            who.append(one)
            starts.append(len(rows))
            rows.extend(found[place:].tolist())
            chosen.extend([1.0] + [0.0] * (len(order) - place - 1))
    if not who:
        raise InputError("a ranking must hold at least two actions; found none that does.")
    made = [np.array(column, dtype=np.intp) for column in (who, starts, rows)]
    return Menus(made[0], made[1], made[2], np.array(chosen))


def _refuse_nothing(people: tuple[str, ...], given: Menus | Ratings) -> None:
    """Refuse somebody whose answers cancel out: they contradict each other wherever they speak."""
    for i, name in enumerate(people):
        own = given.of(i)
        if isinstance(own, Ratings):
            says = len(np.unique(own.level)) > 1 or len(own.level) < 2
        else:
            sizes = np.diff(np.append(own.starts, len(own.actions)))
            lead = own.chosen - np.repeat(1.0 / np.maximum(sizes, 1), sizes)
            says = bool(np.abs(np.bincount(own.actions, lead)).max(initial=0.0) > _CONSTANT)
        if not says:
            raise InputError(
                f"answers must say something; found that those of {name!r} cancel out: they "
                "contradict each other, or are all the same. Ask again, or leave them out."
            )
