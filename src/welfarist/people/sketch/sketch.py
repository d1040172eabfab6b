"""A sketch of people: their power means for every p, without the people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import by_name
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_power, as_weights, normalised
from welfarist.families.base import Family
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.sketch import saved
from welfarist.people.sketch.enclosures import Means, log_means
from welfarist.people.sketch.gathering import Gathered, Gatherer, added
from welfarist.people.sketch.mixtures import mixed
from welfarist.people.sketch.octaves import Pairs
from welfarist.people.sketch.parts import Part
from welfarist.people.sketch.sketched import SketchedPeople
from welfarist.people.sketch.sources import gathered_of
from welfarist.people.weighting import Weighting

WeightsByGroup = npt.ArrayLike | Mapping[str, float] | None


class Enclosure(NamedTuple):
    """Bounds on log M of each action, (N,) each, that hold whatever was rounded."""

    low: FloatArray
    high: FloatArray


class Sketch:
    """Any number of people in a few kilobytes an action and group: their power means for every p.

    A sketch takes the place of utilities in :class:`Comparisons`, :class:`Choices`, of ``U`` in
    :meth:`WelfareRegressor.fit`, and in what a :class:`WelfareFunction` judges. Groups then stand
    where people stand in a table: a group's weight is shared by its people, each of whom counts
    the same, or by their counts. ``weights="equal"`` means that everybody counts the same, so
    that groups count by how many they are.

    Sketches add up, in any order and grouping, to the same digits: everything that is added is a
    whole number. The same people in one file or in a hundred, on one machine or on many, have the
    same sketch. :meth:`enclosure` bounds what is lost.

    Make one with :meth:`of`, or read one with :meth:`load`.

    Attributes
    ----------
    shape : tuple of int
        How many actions, and how many groups.
    actions : tuple of str
        Their names; numbers of columns for an array.
    stakeholders : tuple of str
        The groups, in order; ``("everybody",)`` if none were given.
    heads : (G,) array
        How many people there are in each group, by their counts.
    people : float
        How many there are in all.
    zeros : (N, G) array
        How many have nothing.
    lowest, highest : (N, G) arrays
        What the worst and the best off have.

    Examples
    --------
    >>> import numpy as np
    >>> plans = np.array([[1.0, 2.0], [3.0, 2.0], [8.0, 2.0], [4.0, 5.0]])  # a row a person
    >>> sketch = Sketch.of(plans, groups=["north", "north", "north", "south"])
    >>> sketch
    Sketch(2 actions, 2 groups, 4 people)
    >>> np.exp(sketch.log_mean(1)).round(6)
    array([4.  , 2.75])
    >>> np.exp(sketch.log_mean(-np.inf, {"north": 1, "south": 1}))
    array([1., 2.])
    >>> low, high = sketch.enclosure(0)
    >>> bool((high - low < 1e-12).all())
    True
    >>> Sketch.of(plans[:1]) + Sketch.of(plans[1:]) == Sketch.of(plans)
    True
    """

    __slots__ = ("__dict__", "_gathered", "_index", "_root")

    _gathered: Gathered
    _root: Sketch | None
    _index: npt.NDArray[np.intp] | None

    def __init__(self, *_: object) -> None:
        raise InputError("a sketch must be made with Sketch.of(source), or read with Sketch.load.")

    @classmethod
    def _made(cls, gathered: Gathered, root: Sketch | None = None, index: Any = None) -> Sketch:
        new = object.__new__(cls)
        new._gathered, new._root, new._index = gathered, root, index
        return new

    @classmethod
    def of(
        cls,
        source: Any,
        groups: Any = None,
        counts: Any = None,
        *,
        actions: Sequence[str] | None = None,
        action: str | None = None,
        utility: str | None = None,
    ) -> Sketch:
        """Return the sketch of people who are somewhere.

        Parameters
        ----------
        source : array-like, data frame, str, path, stream or Dask data frame
            One row a person and one column an action: an array (people, N), or (people,) for one
            action; a data frame of any library; the name of a Parquet file, of a folder of them or
            a pattern such as ``"people/*.parquet"``; anything that gives record batches of Arrow;
            a data frame of Dask. Files and streams are read a part at a time.
        groups : str or (people,) array-like, optional
            The column of groups; for an array the label of each person. Left out, all are one.
        counts : str or (people,) array-like, optional
            The column that says how many people a row stands for: head counts, or survey weights
            up to 4e9, about 1 or more in the mean, which are rounded to multiples of 2^-20. Who
            has 0 is left out.
        actions : list of str, optional
            The columns of the actions. Left out, all but those of groups and counts.
        action, utility : str, optional
            The columns of the long layout, in which a row is one person in one action.

        Raises
        ------
        InputError
            Where a utility is missing, negative, infinite, or so small (below 2.2e-308) that it
            has few digits, with file, row group and row; and where parts do not belong together.
        """
        return cls._made(
            gathered_of(source, groups, counts, actions=actions, action=action, utility=utility)
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Sketch:
        """Return the sketch that :meth:`save` wrote; one that was damaged is refused."""
        return cls._made(saved.read(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sketch to a file, whole or not at all: numbers with a digest, and no code."""
        saved.write(self._own, path)

    @cached_property
    def _own(self) -> Gathered:
        """What is known of these actions."""
        if self._root is None:
            return self._gathered
        assert self._index is not None
        whole = self._gathered
        size = len(whole.groups)
        cells = (self._index[:, None] * size + np.arange(size)).reshape(-1)
        names = tuple(whole.actions[i] for i in self._index)
        return Gathered(names, whole.groups, whole.tally.only(cells))

    @cached_property
    def _pairs(self) -> Pairs:
        """What fits use, worked out once for all actions."""
        if self._root is None:
            return Pairs.of(self._gathered.tally)
        assert self._index is not None
        size = len(self._gathered.groups)
        cells = (self._index[:, None] * size + np.arange(size)).reshape(-1)
        return self._root._pairs.take(cells)

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions."""
        names = self._gathered.actions
        return names if self._index is None else tuple(names[i] for i in self._index)

    @property
    def row_names(self) -> tuple[str, ...] | None:
        """The names of the actions, if they are more than numbers of columns."""
        names = self.actions
        return None if names == tuple(map(str, range(len(names)))) else names

    @property
    def stakeholders(self) -> tuple[str, ...]:
        """The names of the groups."""
        return self._gathered.groups

    @property
    def shape(self) -> tuple[int, int]:
        """How many actions, and how many groups."""
        actions = len(self._gathered.actions) if self._index is None else len(self._index)
        return actions, len(self._gathered.groups)

    @property
    def ndim(self) -> int:
        """2, as of a table."""
        return 2

    @property
    def heads(self) -> FloatArray:
        """How many people there are in each group (G,), by their counts."""
        tally, size = self._gathered.tally, len(self._gathered.groups)
        return np.asarray(tally.mass[:size] * tally.unit)

    @property
    def people(self) -> float:
        """How many people there are, by their counts."""
        return float(self.heads.sum())

    @property
    def zeros(self) -> FloatArray:
        """How many have nothing (N, G)."""
        tally = self._own.tally
        return np.asarray(tally.zeros.reshape(self.shape) * tally.unit)

    @property
    def lowest(self) -> FloatArray:
        """What the worst off have (N, G)."""
        tally = self._own.tally
        least = np.where(tally.zeros > 0, np.uint64(0), tally.low)
        return np.asarray(least.view(np.float64).reshape(self.shape))

    @property
    def highest(self) -> FloatArray:
        """What the best off have (N, G)."""
        return np.asarray(self._own.tally.high_end.view(np.float64).reshape(self.shape))

    @property
    def nbytes(self) -> int:
        """How many bytes it takes in memory, what fits work out not included."""
        tally = self._own.tally
        return sum(int(getattr(getattr(tally, name), "nbytes", 0)) for name in vars(tally))

    @property
    def digest(self) -> str:
        """A digest (SHA-256) of all it knows: two sketches with one digest have the same digits."""
        return saved.digest_of(self._own)

    def log_mean(self, p: float, weights: WeightsByGroup = None) -> FloatArray:
        """Return log M of each action (N,).

        Parameters
        ----------
        p : float
            The power, in [-inf, inf].
        weights : (G,) array-like or mapping, optional
            How much each group counts, in all. Left out, everybody counts the same.
        """
        return self._mixed(p, weights).value

    def enclosure(self, p: float, weights: WeightsByGroup = None) -> Enclosure:
        """Return an interval for each action that certainly contains log M, rounding included.

        Parameters are those of :meth:`log_mean`. Half widths are below 1.5e-10 for p from -20
        to 20 and below 2e-12 for p from -2 to 2; groups of up to 128 people are kept one by one,
        and have no error but that of the last digits.
        """
        found = self._mixed(p, weights)
        return Enclosure(found.low, found.high)

    def group_log_means(self, p: float) -> FloatArray:
        """Return the log power mean of each group in each action (N, G)."""
        return log_means(self._own.tally, as_power(p)).value.reshape(self.shape)

    def _mixed(self, p: float, weights: WeightsByGroup) -> Means:
        power = as_power(p)
        found = log_means(self._own.tally, power)
        levels = (level.reshape(self.shape).T for level in (found.value, found.low, found.high))
        return mixed(Means(*levels), self._shares(weights), power)

    def _shares(self, weights: WeightsByGroup) -> FloatArray:
        """The groups' shares (G,) of all weight."""
        if weights is None:
            return normalised(self.heads)
        known = as_weights(by_name(weights, self.stakeholders, "weights"))
        if known.shape != (self.shape[1],):
            raise InputError(
                f"weights must be one number a group, {self.shape[1]} in all; found shape "
                f"{known.shape}."
            )
        return normalised(known)

    def seen_at(self, p: float) -> FloatArray:
        """Return what each group has at a power (N, G): what, given to all of it, is as good.

        Any power mean with this p of the groups, by their weights, is that of their people.
        """
        return np.asarray(np.exp(self.group_log_means(p)))

    def seen_by(self, family: Family, weighting: Weighting) -> SketchedPeople:
        """Return what a family sees of the people: only power means see enough."""
        if family != POWER_MEAN:
            raise InputError(
                "people in a sketch can be judged by power means only, from which it was made; "
                f"found {family.called}. Pass a table of utilities, of fewer people or of groups."
            )
        counts = np.ones(self.shape[1], dtype=bool)
        if weighting.fixed is not None:
            counts = weighting.fixed > 0
        return SketchedPeople(self._pairs, counts)

    def any(self) -> bool:
        """Whether anybody has anything."""
        return bool((self._own.tally.high_end > 0).any())

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, actions: Any) -> Sketch:
        """Return the sketch of some actions: row numbers, a slice or a mask."""
        index = np.arange(len(self))[actions]
        if index.ndim != 1:
            raise InputError("actions of a sketch must be a list of numbers, or a slice of them.")
        if self._root is None:
            return Sketch._made(self._gathered, self, index)
        assert self._index is not None
        return Sketch._made(self._gathered, self._root, self._index[index])

    def __add__(self, other: object) -> Sketch:
        """Return the sketch of the people of both, who have the same actions."""
        if not isinstance(other, Sketch):
            return NotImplemented
        return Sketch._made(added(self._own, other._own))

    def __radd__(self, other: object) -> Sketch:
        """Let ``sum`` begin with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sketch):
            return NotImplemented
        one, two = self._own, other._own
        names = one.actions == two.actions and one.groups == two.groups
        return names and one.tally.counted == two.tally.counted and one.tally.equals(two.tally)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_of, (self._own,)

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        del dtype, copy
        raise InputError(
            "this needs everybody's utilities; found a sketch, which knows sums over people only. "
            "Pass a table of utilities, of fewer people or of groups."
        )

    def __repr__(self) -> str:
        actions, groups = self.shape
        return (
            f"Sketch({actions} action{'s' * (actions != 1)}, {groups} group{'s' * (groups != 1)}, "
            f"{self.people:.12g} people)"
        )


def sketch_of_parts(
    names: Sequence[str], parts: Iterable[Part], *, counted: bool = False, long: bool = False
) -> Sketch:
    """Return the sketch of people who come in parts, for whoever watches or writes them on the way.

    `names` are those of the actions, which the `long` layout finds out; `counted` says whether
    rows stand for several people.
    """
    gatherer = Gatherer([] if long else list(names), counted, long)
    return Sketch._made(gatherer.add_all(parts).gathered())


def _made_of(gathered: Gathered) -> Sketch:
    return Sketch._made(gathered)
