"""What is known of people beside their utilities: age, income, region, how many they are.

A table of attributes as callers pass it becomes a matrix of numbers here, checked against who is
there and against what decisions could tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from welfarist.base.data_frames import by_name, in_memory, row_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers
from welfarist.people.attribute_weighting import AttributeWeighting

# Columns that hold people's names, where a table has no index of them.
_NAMES = ("stakeholder", "person", "name")
# The share of an attribute that others must leave unexplained for it to be one of its own.
_OF_ITS_OWN = 1e-8


@dataclass(frozen=True, eq=False)
class ByAttributes:
    """Weights that follow from attributes of people: ``w_i ~ n_i exp(theta . x_i)``.

    Pass it to a learner as `weights`. What is learned is theta, one number for each attribute: by
    how much the logarithm of a weight changes with a unit of it. A theta of 0 says that the
    attribute does not matter; one of 0.02 for age, that with each year people count 2 percent more.

    Parameters
    ----------
    table : data frame, mapping of columns, or (d, q) array-like
        One row per person and one column per attribute. Rows are matched by name where both the
        people and the rows have names (an index of texts, a column "stakeholder", or columns that
        are mappings by name), and by their order otherwise. Texts become a column of 0 and 1 for
        each value but the first, in the order of the alphabet, which is the base.
    heads : (d,) array-like, mapping or str, optional
        How many people stand behind each column of utilities, such as the population of a region:
        with theta = 0 every head counts the same. A text names a column of `table` that holds it.

    Examples
    --------
    >>> from welfarist import ByAttributes, ComparisonClassifier, simulate
    >>> world = simulate.individuals(60, 4, p=0, weights=[1, 2, 4, 8], random_state=1)
    >>> pairs = simulate.random_pairs(60, 2000, random_state=1)
    >>> decided = simulate.comparisons(world, pairs, tau=10, random_state=1)
    >>> fit = ComparisonClassifier(weights=ByAttributes({"age": [20, 40, 60, 80]})).fit(decided)
    >>> round(fit.theta_["age"], 3)  # log(2) / 20 is 0.035
    0.033
    """

    table: Any
    heads: Any = field(default=None)

    def __repr__(self) -> str:
        columns = getattr(self.table, "columns", self.table)
        named = isinstance(columns, Mapping) or hasattr(self.table, "columns")
        shown = ", ".join(map(str, columns)) if named else f"{type(self.table).__name__}"
        return f"ByAttributes({shown[:60]}{'' if self.heads is None else ', heads'})"

    @classmethod
    def of(cls, weighting: AttributeWeighting) -> ByAttributes:
        """Return what a fit was told of its attributes, in numbers."""
        columns = zip(weighting.attributes, weighting.table.copy(), strict=True)
        return cls(dict(columns), weighting.heads.copy())

    def weighting(
        self,
        people: int,
        names: Sequence[str] | None = None,
        known_heads: FloatArray | None = None,
    ) -> AttributeWeighting:
        """Return what is to be learned about the weights of `people` people (d,).

        `known_heads` (d,) says how many stand behind each, where these are groups and nobody said.
        """
        columns = _columns_of(self.table, people, names)
        heads = known_heads if self.heads is None else self.heads
        if isinstance(heads, str):
            if heads not in columns:
                raise InputError(
                    f"heads must be numbers or name a column of the attributes, "
                    f"{_listed(list(columns))}; found {heads!r}."
                )
            heads = columns.pop(heads)
        coded = [one for name, entries in columns.items() for one in _coded(name, entries)]
        numbers = dict(coded)
        if len(numbers) < len(coded):
            names_of = [name for name, _ in coded]
            twice = next(name for name in names_of if names_of.count(name) > 1)
            raise InputError(
                f"attributes must have names of their own; found {twice!r} twice, once for a text "
                "in a column. Rename one of them."
            )
        if not numbers:
            raise InputError("attributes must have at least one column; found none.")
        table = np.array(list(numbers.values()))
        _refuse_undetermined(tuple(numbers), table)
        return AttributeWeighting(
            people,
            attributes=tuple(numbers),
            table=table,
            heads=_as_heads(heads, people, names),
        )


def _columns_of(table: Any, people: int, names: Sequence[str] | None) -> dict[str, list[Any]]:
    """Return the entries (d,) of each column, by its name, in the order of the people."""
    if isinstance(table, Mapping):
        found = {str(name): by_name(column, names, repr(name)) for name, column in table.items()}
        columns = {name: _listed_entries(column) for name, column in found.items()}
    elif hasattr(type(table), "columns"):
        columns = _of_frame(table, names)
    else:
        values = np.asarray(table, dtype=object)
        values = values[:, None] if values.ndim == 1 else values
        if values.ndim != 2:
            raise InputError(
                "attributes must be a table with one row per person and one column per attribute; "
                f"found an array of {values.ndim} dimensions."
            )
        columns = {f"attribute {j}": values[:, j].tolist() for j in range(values.shape[1])}
    for name, column in columns.items():
        if len(column) != people:
            raise InputError(
                f"attributes must have one row per person, {people} in all; found {len(column)} "
                f"in {name!r}."
            )
    return columns


def _listed_entries(column: Any) -> list[Any]:
    entries = np.asarray(column, dtype=object)
    if entries.ndim != 1:
        raise InputError(
            "a column of attributes must hold one entry per person; found "
            f"{column!r:.60}. Give a list."
        )
    return list(entries.tolist())


def _of_frame(table: Any, names: Sequence[str] | None) -> dict[str, list[Any]]:
    """The columns of a data frame, its rows matched by name where they have any."""
    rows = row_names(table)
    frame = in_memory(table)
    columns = {name: frame[name].to_list() for name in frame.columns}
    for name in list(columns):
        if rows is None and name.lower() in _NAMES:
            rows = tuple(map(str, columns.pop(name)))
    if rows is None or names is None:
        return columns
    if len(set(rows)) < len(rows):
        twice = next(row for row in rows if rows.count(row) > 1)
        raise InputError(f"attributes must name everybody once; found {twice!r} twice.")
    matched = {}
    for name, column in columns.items():
        matched[name] = by_name(dict(zip(rows, column, strict=True)), names, "attributes")
    return matched


def _coded(name: str, entries: list[Any]) -> list[tuple[str, FloatArray]]:
    """The columns of numbers (d,) that an attribute stands for, by their names."""
    missing = [i for i, entry in enumerate(entries) if entry is None or entry != entry]
    if missing:
        raise InputError(
            f"attributes must be known of everybody; found none in {name!r}, row {missing[0]}. "
            "Fill it in, or leave that person out."
        )
    if all(isinstance(entry, bool | np.bool_) for entry in entries):
        return [(name, np.array(entries, dtype=np.float64))]
    if any(isinstance(entry, str) for entry in entries):
        levels = sorted({str(entry) for entry in entries})
        if len(levels) == 1:
            raise _constant(name, levels[0])
        return [
            (f"{name}: {level}", np.array([float(str(entry) == level) for entry in entries]))
            for level in levels[1:]
        ]
    return [(name, as_numbers(entries, f"attribute {name!r}").astype(np.float64))]


def _as_heads(heads: Any, people: int, names: Sequence[str] | None) -> FloatArray:
    if heads is None:
        return np.ones(people)
    values = as_numbers(by_name(heads, names, "heads"), "heads").astype(np.float64)
    if values.shape != (people,):
        raise InputError(
            f"heads must be one number per person or cell, {people} in all; found shape "
            f"{values.shape}."
        )
    if not (np.isfinite(values) & (values > 0)).all():
        place = int(np.argmin(np.isfinite(values) & (values > 0)))
        raise InputError(
            f"heads must be positive numbers; found {values[place]:g} at row {place}. Leave out "
            "columns behind which nobody stands."
        )
    return values


def _constant(name: str, value: object) -> InputError:
    return InputError(
        f"an attribute must differ between people; found {value} for everybody in {name!r}. It "
        "says nothing of who counts more: leave it out."
    )


def _refuse_undetermined(names: tuple[str, ...], table: FloatArray) -> None:
    """Refuse attributes (q, d) whose thetas no decision could tell apart."""
    if not np.isfinite(table).all():
        place = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise InputError(f"attributes must be finite numbers; found others in {names[place]!r}.")
    for name, column in zip(names, table, strict=True):
        if np.ptp(column) == 0.0:
            raise _constant(name, f"{column[0]:g}")
    attributes, people = table.shape
    if attributes > people - 1:
        raise InputError(
            f"attributes must be fewer than people, at most {people - 1} of {people}: weights sum "
            f"to 1; found {attributes}, {_listed(list(names))}. Leave some out, or learn the "
            'weights themselves with weights="learn".'
        )
    kept: list[FloatArray] = []
    for name, column in zip(names, table, strict=True):
        sized = column / np.abs(column).max()  # whose squares are numbers
        centred = sized - sized.mean()
        own = centred / np.linalg.norm(centred)
        for other in kept * 2:  # twice, against rounding
            own = own - (own @ other) * other
        if np.linalg.norm(own) <= _OF_ITS_OWN:
            before = list(names[: len(kept)])
            raise InputError(
                "an attribute must not follow from the others; found that "
                f"{name!r} does from {_listed(before)}. Leave one of them out."
            )
        kept.append(own / np.linalg.norm(own))


def _listed(names: list[str], most: int = 6) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
