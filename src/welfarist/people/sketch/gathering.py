"""People, part after part, shared out to actions and groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.people.sketch.bins import BIN_BITS, COUNT_BITS, IntArray
from welfarist.people.sketch.building import ActionBuilder, BadUtilityError, most_rows
from welfarist.people.sketch.parts import Part
from welfarist.people.sketch.tally import Tally

EVERYBODY = "everybody"
# The share of all counts that rounding may take or give.
_ROUNDED_AWAY = 1e-6
_LARGEST_COUNT = 2.0**32


@dataclass(frozen=True)
class Gathered:
    """What was learned of all people.

    Attributes
    ----------
    actions : tuple of str
    groups : tuple of str
        In order.
    tally : Tally
        Of cells, action after action.
    """

    actions: tuple[str, ...]
    groups: tuple[str, ...]
    tally: Tally


@dataclass
class Gatherer:
    """Takes people in.

    Attributes
    ----------
    names : list of str
        The actions, if every row has all of them; in the long layout they are found.
    counted : bool
        Whether rows say how many people they stand for.
    """

    names: list[str]
    counted: bool
    long: bool = False
    _groups: dict[str, int] = field(default_factory=dict)
    _builders: list[ActionBuilder] = field(default_factory=list)

    def add_all(self, parts: Iterable[Part]) -> Gatherer:
        """Take in all parts."""
        for part in parts:
            self.add(part)
        return self

    def add(self, part: Part) -> None:
        """Take in some people."""
        kept, counts = self._counted(part)
        groups = self._numbered(part)
        if self.long:
            self._add_long(part, groups, kept, counts)
            return
        for action, name in enumerate(self.names):
            own = part.utilities(action)
            given = own if kept is None else own[kept]
            try:
                self._builder(action).add(given, _kept(groups, kept), counts, len(self._groups))
            except BadUtilityError as problem:
                row = problem.row if kept is None else int(kept[problem.row])
                raise problem.said(f"in column {name!r}, {part.where(row)}") from None

    def _add_long(
        self, part: Part, groups: npt.NDArray[Any], kept: Any, counts: IntArray | None
    ) -> None:
        assert part.actions is not None
        column, codes = part.utilities(0), part.actions.codes
        rows = np.arange(part.size) if kept is None else kept
        rows = rows[np.argsort(codes[rows], kind="stable")]
        place = np.empty(part.size, np.intp)
        if counts is not None:
            place[np.arange(part.size) if kept is None else kept] = np.arange(len(counts))
        ends = np.searchsorted(codes[rows], np.arange(len(part.actions.names) + 1))
        for code, name in enumerate(part.actions.names):
            own = rows[ends[code] : ends[code + 1]]
            if name not in self.names:
                self.names.append(name)
            builder = self._builder(self.names.index(name))
            own_counts = None if counts is None else counts[place[own]]
            try:
                builder.add(column[own], groups[own], own_counts, len(self._groups))
            except BadUtilityError as problem:
                where = part.where(int(own[problem.row]))
                raise problem.said(f"for action {name!r}, {where}") from None

    def _builder(self, action: int) -> ActionBuilder:
        while len(self._builders) <= action:
            self._builders.append(ActionBuilder(self.counted, most_rows(len(self.names))))
        return self._builders[action]

    def _numbered(self, part: Part) -> npt.NDArray[Any]:
        """The groups of a part's rows (n,), by the numbers they have here."""
        if part.groups is None:
            self._groups.setdefault(EVERYBODY, 0)
            return np.zeros(part.size, np.int32)
        numbers = [self._groups.setdefault(name, len(self._groups)) for name in part.groups.names]
        if numbers == list(range(len(numbers))):
            return part.groups.codes
        return np.asarray(np.array(numbers, np.int32)[part.groups.codes])

    def _counted(self, part: Part) -> tuple[Any, IntArray | None]:
        """Which rows count, None for all, and how much, in whole units."""
        if not self.counted:
            return None, None
        counts = part.counts
        assert counts is not None
        good = (counts >= 0) & (counts <= _LARGEST_COUNT)
        units = np.rint(np.where(good, counts, 0.0) * 2.0**COUNT_BITS).astype(np.int64)
        good &= (units > 0) | (counts == 0)
        if not good.all():
            row = int(np.argmin(good))
            raise InputError(
                "counts must be 0, or from 1e-6 to 4e9; found "
                f"{float(counts[row]):g} at {part.where(row)}. Multiply all by one number, which "
                "changes nothing, or correct that one."
            )
        apart = np.abs(units - counts * 2.0**COUNT_BITS)
        if apart.sum() > _ROUNDED_AWAY * units.sum():
            raise InputError(
                "counts must be about 1 in the mean, or multiples of 2^-20, to which they are "
                f"rounded; found {float(counts.mean()):g} in the mean from {part.where(0)} on. "
                "Multiply all by one number, such as how many rows there are: it changes nothing."
            )
        if (units > 0).all():
            return None, units
        kept = np.flatnonzero(units)
        return kept, units[kept]

    def gathered(self) -> Gathered:
        """Return all of them, groups in order."""
        groups = list(self._groups)
        order = in_order(groups)
        rank = np.empty(len(groups), np.int64)
        rank[order] = np.arange(len(groups))
        tallies = [b.tally(len(groups)).moved(rank, len(groups)) for b in self._builders]
        if not tallies or not tallies[0].mass.any():
            raise InputError("a sketch must be of somebody; found no people. Check the source.")
        names = tuple(groups[i] for i in order)
        if self.long:
            _require_everybody(tallies, self.names, names)
            by_name = in_order(self.names)
            tallies = [tallies[i] for i in by_name]
            self.names = [self.names[i] for i in by_name]
        found = Gathered(tuple(self.names), names, joined(tallies))
        return without_empty_groups(found)


def _kept(groups: npt.NDArray[Any], kept: Any) -> npt.NDArray[Any]:
    return groups if kept is None else groups[kept]


def in_order(names: Sequence[str]) -> list[int]:
    """Return the order of names: numbers by size, then texts by letters.

    Examples
    --------
    >>> in_order(["10", "9", "b", "a"])
    [1, 0, 3, 2]
    """

    def key(i: int) -> tuple[int, float, str]:
        try:
            return 0, float(names[i]), names[i]
        except ValueError:
            return 1, 0.0, names[i]

    return sorted(range(len(names)), key=key)


def joined(tallies: Sequence[Tally]) -> Tally:
    """Return the cells of all tallies, those of one after those of the other."""
    cells = np.cumsum([0, *(tally.cells for tally in tallies)])
    highs = [tally.high for tally in tallies]
    return replace(
        tallies[0],
        cells=int(cells[-1]),
        keys=_concatenated(
            [t.keys + (c << BIN_BITS) for t, c in zip(tallies, cells, strict=False)]
        ),
        sums=_concatenated([tally.sums for tally in tallies]),
        high=None if highs[0] is None else _concatenated(highs),
        cell=_concatenated([t.cell + c for t, c in zip(tallies, cells, strict=False)]),
        **{
            name: _concatenated([getattr(tally, name) for tally in tallies])
            for name in ("value", "count", "rows", "zeros", "low", "high_end")
        },
    )


def _concatenated(arrays: Sequence[Any]) -> Any:
    return np.concatenate(list(arrays))


def _require_everybody(
    tallies: Sequence[Tally], actions: Sequence[str], groups: Sequence[str]
) -> None:
    """Require that all actions affect the same people, as far as their number tells."""
    first = tallies[0].mass
    for tally, action in zip(tallies, actions, strict=True):
        other = tally.mass != first
        if other.any():
            group = int(np.argmax(other))
            one, two = (float(t.mass[group]) * t.unit for t in (tallies[0], tally))
            raise InputError(
                "everybody must have a utility in every action; found that group "
                f"{groups[group]!r} has {one:g} people in {actions[0]!r} and {two:g} in "
                f"{action!r}. Fill in what is missing."
            )


def without_empty_groups(found: Gathered) -> Gathered:
    """Return the same without groups of whom nobody counts."""
    size = len(found.groups)
    mass = found.tally.mass.reshape(-1, size)
    there = (mass > 0).any(axis=0)
    if there.all():
        return found
    kept = np.flatnonzero(there)
    cells = (np.arange(len(mass))[:, None] * size + kept).reshape(-1)
    return Gathered(found.actions, tuple(found.groups[i] for i in kept), found.tally.only(cells))


def added(one: Gathered, two: Gathered) -> Gathered:
    """Return the people of both; groups may be in one only, actions may not."""
    if sorted(one.actions) != sorted(two.actions):
        other = [*sorted(set(two.actions) ^ set(one.actions)), "one twice"][0]
        raise InputError(
            "sketches must be of the same actions to be added; found "
            f"{len(one.actions)} and {len(two.actions)}, of which {other!r} is in one only."
        )
    names = sorted({*one.groups, *two.groups})
    groups = tuple(names[i] for i in in_order(names))
    parts = [_moved(part, one.actions, groups) for part in (one, two)]
    whole = Gathered(one.actions, groups, parts[0] + parts[1])
    return without_empty_groups(whole)


def _moved(part: Gathered, actions: tuple[str, ...], groups: tuple[str, ...]) -> Tally:
    """A tally with cells for all groups, and actions in the order given."""
    if part.actions == actions and part.groups == groups:
        return part.tally
    action = np.array([actions.index(name) for name in part.actions], np.int64)
    group = np.array([groups.index(name) for name in part.groups], np.int64)
    cell_of = (action[:, None] * len(groups) + group).reshape(-1)
    return part.tally.moved(cell_of, len(actions) * len(groups))
