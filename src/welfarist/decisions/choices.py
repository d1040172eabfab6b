"""Choices from menus: which of several actions was taken, ranked first, or found best and worst.

They hold row numbers into one table of actions, so that whatever depends on utilities is computed
once per action. A comparison is a choice from a menu of two; a ranking is one choice after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import row_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, owned
from welfarist.decisions.action_numbers import ActionNumbers
from welfarist.decisions.checked_columns import as_action_names, as_counts, as_labels
from welfarist.decisions.checked_menus import IntArray, as_chosen, as_menus
from welfarist.decisions.comparisons import Comparisons
from welfarist.decisions.digests import digest_of, parts_of
from welfarist.decisions.labels import numbered
from welfarist.decisions.long_tables import read_long
from welfarist.decisions.menus import Menus, in_runs
from welfarist.decisions.rankings import Offered, Ranked, as_ratings, best_and_worst, offered_to
from welfarist.decisions.scanned.choices import ScannedChoices
from welfarist.decisions.scanned.decisions import SHARE, refuse_scanned
from welfarist.people.presence import as_present_table
from welfarist.people.source import is_source, same_utilities, source_digest
from welfarist.people.utility_tables import shifted_table


class NoChoiceError(InputError):
    """No menu offers a choice."""


class Choices:
    """Choices from menus of actions.

    Parameters
    ----------
    utilities : (N, d) array-like, data frame or Sketch
        One row per action, one column per person; column names become stakeholder names.
    menus : list of n lists, (n, k) array, or pair of arrays
        The row numbers of the actions there were to choose from, or their names. In an array, or at
        the end of a list, -1 fills up menus that are shorter; a pair of arrays says where each menu
        begins (n + 1,) and lists the actions of all of them, one after another. None: every choice
        was among all actions.
    chosen : (n,) array-like
        The row number or name of the action that was chosen; None, NaN or -1 where it was none of
        these, with ``outside=True``.
    counts : (n,) array-like, optional
        How often each choice was observed.
    by : (n,) array-like, optional
        Who decided, for errors clustered by decision maker.
    names : (N,) sequence of str, optional
        The actions' names, each its own. Left out, they are the index of a pandas data frame that
        has one other than row numbers.
    outside : bool
        Whether none of these could be chosen as well. What that is worth is learned.
    absent : bool
        Whether a NaN utility means that somebody is not affected by an action. Weights are then
        shared among those who are.
    least : float
        The smallest utility there may be: less than 0 for a learner whose `shift` makes up for it.

    Attributes
    ----------
    menus : Menus
        Every single choice. A ranking is several of them.
    decision : (m,) array of int
        To which of the n decisions each of them belongs.
    labels : (n,) array or None
        What the menus are called in the data, where they have names of their own.

    Examples
    --------
    >>> projects = [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]]
    >>> Choices(projects, [[0, 1, 2], [0, 2]], [2, 0])
    Choices(2 from menus of 2 to 3 of 3 actions, 2 people)
    >>> Choices.from_rankings(projects, [[2, 0, 1], [1, 2]])
    Choices(2 rankings, 3 choices from menus of 2 to 3 of 3 actions, 2 people)
    """

    kind = "choices"
    by_hint = "Give Choices(…, by=…), and fit to that."
    measure = "first choices"
    numbered = True
    labels: npt.NDArray[Any] | None = None

    def __init__(
        self,
        utilities: object,
        menus: object,
        chosen: object,
        counts: object = None,
        by: object = None,
        names: object = None,
        *,
        outside: bool = False,
        absent: bool = False,
        least: float = 0.0,
    ) -> None:
        self._take_actions(utilities, names, outside, absent, least)
        starts, rows = self._offered(menus, chosen, "chosen")
        entry = as_chosen(chosen, starts, rows, outside, "chosen", self._known)
        if outside:
            starts, rows, entry = _with_outside(starts, rows, entry, self.actions)
        taken = np.zeros(len(rows))
        taken[entry] = 1.0
        size = len(starts) - 1
        made = Menus(starts, rows, taken, np.ones(size), np.zeros(size, dtype=np.intp))
        self._take(made, np.arange(size), size, counts, by)

    def _take_actions(
        self, utilities: object, names: object, outside: bool, absent: bool, least: float
    ) -> None:
        """Check the table of actions, and take it over."""
        given = row_names(utilities) if names is None else names
        self.utilities, self.stakeholders = as_present_table(utilities, least, absent)
        self.names = None if given is None else as_action_names(given, len(self.utilities))
        self.outside, self.absent = bool(outside), bool(absent)

    @property
    def _known(self) -> ActionNumbers:
        """The actions, by number and name."""
        return ActionNumbers(self.actions, self.names)

    def _offered(self, menus: object, chosen: object, what: str) -> Offered:
        """The menus that were offered, which are all actions where nothing was said."""
        if menus is not None:
            return as_menus(menus, self._known)
        return _everything(len(_sequence(chosen, what)), self.actions)

    def _take(
        self, menus: Menus, decision: IntArray, size: int, counts: object, by: object
    ) -> None:
        """Check how often and by whom was decided, and that there was something to choose."""
        self.counts = (
            np.broadcast_to(np.float64(1.0), size)
            if counts is None
            else owned(as_counts(counts, "counts", size), counts)
        )
        self.by = None if by is None else owned(as_labels(by, size, "decisions"), by)
        real = menus.sizes > 1
        if not (real & (self.counts[decision] > 0)).any():
            raise NoChoiceError(
                "at least one menu that counts must offer a choice; found none with two actions or "
                "more, from which nothing can be learned. Add to the menus what else could have "
                "been chosen."
            )
        self.menus, self.decision = menus, decision

    @classmethod
    def scan(
        cls,
        files: object,
        actions: object,
        *,
        columns: dict[str, str] | None = None,
        names: object = None,
        share: int = SHARE,
        random_state: Any = None,
        least: float = 0.0,
    ) -> ScannedChoices:
        """Choices in Parquet files, which a learner reads in parts and never holds as a whole.

        Parameters
        ----------
        files, actions, names, share, random_state, least
            As in :meth:`Comparisons.scan`.
        columns : mapping, optional
            The columns of "menu" (lists of row numbers or names), "chosen" (one of them) and
            "count", where they are not called so.

        Examples
        --------
        >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
        >>> folder = tempfile.mkdtemp()
        >>> table = pa.table({"menu": [[0, 1, 2], [0, 2]], "chosen": [2, 0]})
        >>> pq.write_table(table, folder + "/part-0.parquet")
        >>> Choices.scan(folder, [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]])
        ScannedChoices(2 in 1 file, of 3 actions, 2 people)
        """
        return ScannedChoices(files, actions, columns, names, share, random_state, least)

    @classmethod
    def from_rankings(
        cls,
        utilities: object,
        rankings: Iterable[object],
        menus: object = None,
        counts: object = None,
        by: object = None,
        names: object = None,
        *,
        absent: bool = False,
        least: float = 0.0,
    ) -> Choices:
        """Rankings: lists of row numbers or names, best first.

        Shorter ones may be filled up at the end with -1, NaN or None. A list within a ranking holds
        actions that are tied, which share one choice. `menus` holds the actions that were there;
        left out, those that were ranked. Of a ranking the first is chosen from all, the second from
        all but the first, and so on; what is not ranked is below all that is.

        Examples
        --------
        >>> votes = Choices.from_rankings([[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]], [[2, [0, 1]]])
        >>> votes.menus.count
        array([1., 1.])
        >>> named = Choices.from_rankings(
        ...     [[4.0, 1.0], [2.0, 2.0]], [["b", "a"]], names=["a", "b"]
        ... )
        >>> named.menus.taken
        array([0., 1.])
        """
        made = object.__new__(cls)
        made._take_actions(utilities, names, False, absent, least)
        given = _sequence(rankings, "rankings")
        offered = None if menus is None else offered_to(menus, made._known, len(given))
        found = Ranked.of(given, made._known).exploded(offered, made.actions)
        made._take(*found, len(given), counts, by)
        return made

    @classmethod
    def from_best_worst(
        cls,
        utilities: object,
        menus: object,
        best: object,
        worst: object,
        counts: object = None,
        by: object = None,
        names: object = None,
        *,
        absent: bool = False,
        least: float = 0.0,
    ) -> Choices:
        """Best and worst of each menu: the best of all, and the worst of what is left.

        Examples
        --------
        >>> asked = Choices.from_best_worst([[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]], None, [2], [0])
        >>> asked.menus.sign, asked.menus.sizes
        (array([ 1., -1.]), array([3, 2]))
        """
        made = object.__new__(cls)
        made._take_actions(utilities, names, False, absent, least)
        offered = made._offered(menus, best, "best")
        found = best_and_worst(offered, best, worst, made._known)
        made._take(*found, len(offered[0]) - 1, counts, by)
        return made

    @classmethod
    def from_ratings(
        cls,
        utilities: object,
        ratings: object,
        counts: object = None,
        by: object = None,
        names: object = None,
        *,
        absent: bool = False,
        least: float = 0.0,
    ) -> Choices:
        """Ratings (n, N) of several actions at once, NaN where one was not rated.

        Only their order is used: what is rated higher is chosen before what is rated lower.

        Examples
        --------
        >>> Choices.from_ratings([[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]], [[3, 3, 5], [1, 2, np.nan]])
        Choices(2 rankings, 3 choices from menus of 2 to 3 of 3 actions, 2 people)
        """
        made = object.__new__(cls)
        made._take_actions(utilities, names, False, absent, least)
        table = as_ratings(ratings, made.actions)
        found = Ranked.of_ratings(table).exploded(None, made.actions)
        made._take(*found, len(table), counts, by)
        return made

    @classmethod
    def from_long(
        cls,
        table: object,
        menu: str = "menu",
        chosen: str = "chosen",
        people: Sequence[str] | None = None,
        action: str | None = None,
        counts: str | None = None,
        by: str | None = None,
        *,
        outside: bool = False,
        absent: bool = False,
        least: float = 0.0,
    ) -> Choices:
        """Choices from a data frame with one row per action and menu.

        Parameters
        ----------
        table : data frame
            Of any library, such as pandas or polars.
        menu, chosen : str
            The columns that tell which rows are one menu, and by 1 and 0 which was chosen.
        people : list of str, optional
            The columns of the utilities; all that have no other meaning if left out.
        action : str, optional
            The column of the actions' names. Left out, rows with the same utilities are one action.
        counts, by : str, optional
            The columns of how often and by whom a choice was made, the same in all rows of a menu.
        outside : bool
            Whether none of these could be chosen: of such menus no row is 1.
        absent, least
            As in :class:`Choices`.

        Examples
        --------
        >>> import polars
        >>> table = polars.DataFrame(
        ...     {"menu": [1, 1, 1, 2, 2], "chosen": [0, 0, 1, 1, 0],
        ...      "staff": [4.0, 2.0, 1.0, 4.0, 1.0], "patients": [1.0, 2.0, 9.0, 1.0, 9.0]}
        ... )
        >>> Choices.from_long(table)
        Choices(2 from menus of 2 to 3 of 3 actions, 2 people)
        """
        read = read_long(table, menu, chosen, people, action, counts, by, outside, absent, least)
        made = cls(
            read.utilities, read.menus, read.chosen, read.counts, read.by, read.names,
            outside=outside, absent=absent, least=least,
        )  # fmt: skip
        made.stakeholders, made.labels = read.stakeholders, read.labels
        made.numbered = False  # rows of a long table are no numbers of actions
        return made

    @classmethod
    def of_comparisons(cls, comparisons: Comparisons) -> Choices:
        """Comparisons as menus of two; a tie is half a choice of each.

        Examples
        --------
        >>> pairs = Comparisons([[4.0, 1.0], [2.0, 2.0]], [[0, 1], [1, 0], [0, 1]], [1, -1, 0])
        >>> Choices.of_comparisons(pairs).menus.taken.tolist()
        [1.0, 0.0, 0.0, 1.0, 0.5, 0.5]
        """
        made = object.__new__(cls)
        made.utilities, made.stakeholders = comparisons.utilities, comparisons.stakeholders
        made.names, made.outside, made.absent = comparisons.names, False, False
        made.counts, made.by = comparisons.counts, comparisons.by
        size = len(comparisons)
        first = 0.5 + 0.5 * comparisons.outcomes
        made.menus = Menus(
            np.arange(0, 2 * size + 1, 2, dtype=np.intp),
            np.ascontiguousarray(comparisons.pairs.reshape(-1), dtype=np.int32),
            np.column_stack([first, 1.0 - first]).reshape(-1),
            np.ones(size),
            np.zeros(size, dtype=np.intp),
        )
        made.decision = np.arange(size)
        return made

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, chosen: Any) -> Choices:
        """Return some of the decisions, by slice, row numbers or mask, of the same table."""
        if isinstance(chosen, tuple) and len(chosen) == 2 and chosen[1] is Ellipsis:
            chosen = chosen[0]  # how scikit-learn asks for rows
        try:
            rows = np.atleast_1d(np.arange(len(self))[chosen])
        except IndexError:
            raise InputError(
                f"choices must be chosen by a slice, row numbers below {len(self)} or a mask "
                f"of that length; found {chosen!r:.60}."
            ) from None
        part = copy(self)
        for known in ("merged", "told"):
            part.__dict__.pop(known, None)
        part.counts = self.counts[rows]
        part.by = None if self.by is None else self.by[rows]
        part.labels = None if self.labels is None else self.labels[rows]
        first = np.searchsorted(self._by_decision[1], rows, side="left")
        last = np.searchsorted(self._by_decision[1], rows, side="right")
        sizes = last - first
        picked = self._by_decision[0][in_runs(first, sizes)]
        part.__dict__.pop("_by_decision", None)
        part.menus = self.menus.take(picked)
        part.decision = np.repeat(np.arange(len(rows)), sizes)
        return part

    @property
    def without_choice(self) -> int:
        """How many decisions were made from menus of one, which say nothing."""
        real = self.menus.sizes > 1
        if real.all():
            return 0
        offered = np.zeros(len(self), dtype=bool)
        offered[self.decision[real]] = True
        return int((~offered).sum())

    @property
    def refused(self) -> float:
        """How often none of these was chosen."""
        return float(self.menus.taken[self.menus.rows == self.actions].sum())

    def first_menus(self) -> Menus:
        """The menu (n) from which each decision first took the best, in the order of decisions."""
        return self.menus.take(self._first)

    @property
    def _first(self) -> IntArray:
        """Which menu (n,) is the one from which each decision first took the best."""
        first = np.flatnonzero((self.menus.stage == 0) & (self.menus.sign > 0))
        return np.asarray(first[np.argsort(self.decision[first], kind="stable")])

    @property
    def _first_sizes(self) -> IntArray:
        """How many actions (n,) those menus have."""
        return np.asarray(self.menus.sizes[self._first])

    @cached_property
    def _by_decision(self) -> tuple[IntArray, IntArray]:
        """The menus in the order of their decisions, and these decisions."""
        order = np.argsort(self.decision, kind="stable")
        return order, self.decision[order]

    def shifted(self, shift: float, *, least: float = 0.0) -> Choices:
        """Return the same choices with a constant added to all utilities, none below `least`."""
        table = shifted_table(self.utilities, shift, least)
        if not shift:
            return self
        moved = copy(self)
        moved.utilities = table
        return moved

    @property
    def shape(self) -> tuple[int]:
        """Number of decisions, as scikit-learn asks for it."""
        return (len(self),)

    def __repr__(self) -> str:
        low, high = int(self.menus.sizes.min()), int(self.menus.sizes.max())
        sizes = f"{low}" if low == high else f"{low} to {high}"
        said = f"{len(self)} from menus of {sizes}"
        if self.in_stages:
            said = f"{len(self)} rankings, {self._singles} choices from menus of {sizes}"
        return f"Choices({said} of {self.actions} actions, {self.people} people)"

    @property
    def _singles(self) -> int:
        """How many choices there are."""
        return int((self.menus.sizes > 1).sum())

    @property
    def in_stages(self) -> bool:
        """Whether a decision is several choices, one after another."""
        return bool(self.menus.stage.any())

    @property
    def in_words(self) -> str:
        """What was done, from menus of what sizes: "choices from menus of 10"."""
        menus = f"menus of {self.offered}"
        if (self.menus.sign < 0).any():
            return f"choices of best and worst from {menus}"
        return f"rankings of {menus}" if self.in_stages else f"choices from {menus}"

    @property
    def offered(self) -> str:
        """How many actions a menu held at first, in words; none of these is none of them."""
        sizes = self._first_sizes - self.outside
        low, high = int(sizes.min()), int(sizes.max())
        return f"{low}" if low == high else f"{low} to {high}"

    @property
    def chance(self) -> float:
        """Share of first choices that picking at random gets right; a menu of one is no choice."""
        sizes, often = self._first_sizes, self.told
        return float((often / sizes).sum() / often.sum())

    @cached_property
    def told(self) -> FloatArray:
        """How often each decision (n,) was observed; 0 for menus of one, which leave none.

        A menu of one is no choice: whoever foresees it knows nothing.
        """
        return np.where(self._first_sizes > 1, self.counts, 0.0)

    @property
    def total(self) -> float:
        """How many decisions were observed, counts included; a menu of one leaves none to make."""
        return float(self.told.sum())

    @property
    def choices_made(self) -> float:
        """How often was chosen from two actions or more, choices of rankings included."""
        real = self.menus.sizes > 1
        return float((self.menus.count * self.counts[self.decision])[real].sum())

    @property
    def actions(self) -> int:
        """Number of actions in the table."""
        return len(self.utilities)

    @property
    def people(self) -> int:
        """Number of people."""
        return int(self.utilities.shape[1])

    @property
    def says_nothing(self) -> bool:
        """Whether no rule can be learned from them: no menu that counts offers a choice."""
        return not ((self.menus.sizes > 1) & (self.counts[self.decision] > 0)).any()

    def share_right(self, gains: float) -> float:
        """Share of first choices that were got right, from how many were."""
        return min(gains / self.total, 1.0)

    @property
    def how_numbered(self) -> str:
        """How a reader of a report finds a decision again."""
        said = "They are numbered in the order of the data: the first decision is 1."
        if self.labels is not None:
            said = "Menus have the names that they have in the data."
        if self.names is not None:
            return said
        where = "their row numbers, from 0" if self.numbered else "their places in the menus"
        return f"{said} Actions have {where}."

    @property
    def unit(self) -> str:
        """What is held out as a whole, in words."""
        return "menus" if self.by is None else "decision makers"

    def units(self) -> IntArray:
        """The number (n,) of what each decision is held out with.

        It is who decided; where nobody knows, the menu: what was chosen from it before tells what
        will be.
        """
        if self.by is not None:
            return numbered(self.by)
        number = self.first_menus().merged()[1]
        first, inverse = np.unique(number, return_index=True, return_inverse=True)[1:]
        # In the order in which they came, so that menus that all differ are numbered like the rows.
        return np.asarray(np.argsort(np.argsort(first))[inverse.reshape(-1)], dtype=np.intp)

    @cached_property
    def merged(self) -> tuple[Menus, IntArray]:
        """Each menu once, with how often which was chosen, and the number (m,) of each there."""
        if (self.counts == 1.0).all():
            return self.menus.merged()
        return self.menus.times(self.counts[self.decision]).merged()

    def same_as(self, other: object) -> bool:
        """Whether these are the same choices, in the same order."""
        if self is other:
            return True
        if not isinstance(other, Choices) or self.outside != other.outside:
            return False
        mine, theirs = self.menus, other.menus
        pairs = [
            (self.counts, other.counts), (self.decision, other.decision),
            (mine.starts, theirs.starts), (mine.rows, theirs.rows), (mine.taken, theirs.taken),
            (mine.sign, theirs.sign), (mine.stage, theirs.stage),
        ]  # fmt: skip
        same = all(np.array_equal(a, b) for a, b in pairs)
        return same and same_utilities(self.utilities, other.utilities)

    def digest(self) -> str:
        """A text that is the same for the same choices by the same people.

        :meth:`same_as` does not ask who decided; errors that are clustered by them do.
        """
        menus = self.menus
        own = [self.counts, self.decision, menus.starts, menus.rows, menus.taken, menus.sign]
        parts = [*map(parts_of, own), parts_of(menus.stage)]
        if is_source(self.utilities):  # which is not all in memory
            parts.append(source_digest(self.utilities))
        else:
            parts.append(parts_of(self.utilities))
        if self.by is not None:
            parts.append(parts_of(numbered(self.by)))
        return digest_of(chain([[float(self.outside)]], *parts))


def as_choices(decided: object) -> Choices | None:
    """Return choices that were passed as such, comparisons as menus of two; None if neither."""
    refuse_scanned(decided, "predictions and their scores")
    if isinstance(decided, Comparisons):
        return Choices.of_comparisons(decided)
    return decided if isinstance(decided, Choices) else None


def _everything(size: int, actions: int) -> Offered:
    """Menus of all actions, one for each choice."""
    starts = np.arange(0, (size + 1) * actions, actions, dtype=np.intp)
    return starts, np.tile(np.arange(actions, dtype=np.int32), size)


def _sequence(given: Any, what: str) -> Sequence[Any]:
    """Require something with a length, at least one long."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{what} must be a list with one entry per decision; found {given!r:.60}.")
    found: Any = given if hasattr(given, "__len__") else list(given)
    if not len(found):
        raise InputError(f"{what} must hold at least one decision; found none.")
    return found  # type: ignore[no-any-return]


def _with_outside(
    starts: IntArray, rows: npt.NDArray[np.int32], entry: IntArray, actions: int
) -> tuple[IntArray, npt.NDArray[np.int32], IntArray]:
    """Menus to whose end none of these is added, as one more action; chosen where nothing was."""
    size = len(starts) - 1
    places = starts[1:]
    more = np.insert(rows, places, np.int32(actions)).astype(np.int32)
    own = np.arange(size)
    moved = np.where(entry < 0, places + own, entry + own)
    return starts + np.arange(size + 1), more, moved
