"""People whose utilities are estimates: what is put in the place of a table of utilities."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import by_name, order_by_name, row_names, split_names, to_frame
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers, check_names
from welfarist.families.base import Family
from welfarist.families.columns import Columns
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.estimated.columns import EstimatedColumns
from welfarist.people.estimated.draws import as_draws, mean_and_spread, own_errors, with_factors
from welfarist.people.estimated.saved import load_people, save_people
from welfarist.people.estimated.shrinking import shrunken
from welfarist.people.estimated.spread import ByAction, ByPerson, Spread
from welfarist.people.table import columns_of
from welfarist.people.utility_tables import as_utility_table
from welfarist.people.weighting import Weighting

# Standard errors of log utilities beyond this say that nothing is known.
_LARGEST_ERROR = 10.0


class People:
    """People whose utilities are estimates, with their errors, in the place of a table.

    Parameters
    ----------
    utilities : (N, d) array-like or data frame, optional
        The estimates, one row per action, one column per person; left out, those of `draws`.
    log_se : number, (d,) or (N, d) array-like, mapping or data frame, optional
        Standard errors of log utilities, which are about the relative errors of utilities: one for
        all, one per person (by name, if people have names) or one per entry.
    draws : (R, N, d) array-like, optional
        Tables of utilities that are as likely as each other: samples of a posterior, trees of a
        forest, bootstrap resamples. They give estimates and errors, also those that a person's
        draws share over actions.
    factors : (d, N, r) array-like, optional
        Errors that go together over actions: those of person i have the covariance
        ``factors[i] @ factors[i].T``, to which the squares of `log_se` are added.
    common : (d, N, c) array-like, optional
        Beside `factors`: errors that people share, such as that of a mean towards which all were
        drawn. Those of persons i and j have the covariance ``common[i] @ common[j].T``.
    shrink : bool
        Whether estimates are drawn towards their population, as is right for what was measured
        with errors. False for best guesses, such as the means of a posterior whose draws these are.
    stakeholders : sequence of str, optional
        The people's names; left out, those of the columns.
    names : sequence of str, optional
        The actions' names; left out, those of the index of a data frame.
    note : str
        What a reader must know of these utilities; fits say it, and files keep it.

    Attributes
    ----------
    utilities : (N, d) array
        The best guess, after shrinking.
    estimates : (N, d) array
        What was given.
    errors : (N, d) array
        Standard errors of the best guess's logarithms.

    Notes
    -----
    Errors are taken as normal in logarithms, and as known. With errors of 0 everything is as with
    the table itself.

    Examples
    --------
    >>> import numpy as np
    >>> people = People([[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]], log_se=0.3, stakeholders=["a", "b"])
    >>> people
    People(3 actions, 2 people, errors of about 0.21)
    >>> people.utilities.round(2)
    array([[3.5 , 1.  ],
           [2.23, 2.16],
           [1.02, 8.35]])
    """

    ndim = 2

    def __init__(
        self,
        utilities: object = None,
        log_se: object = None,
        *,
        draws: object = None,
        factors: object = None,
        common: object = None,
        shrink: bool = True,
        stakeholders: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        note: str = "",
    ) -> None:
        if not isinstance(shrink, bool | np.bool_):
            raise InputError(f"shrink must be True or False; found {shrink!r:.60}.")
        if draws is not None and (log_se is not None or factors is not None):
            raise InputError(
                "errors must be given once: as draws, or as log_se and factors; found both."
            )
        table, columns = _table_of(utilities, draws)
        self.stakeholders = columns if stakeholders is None else check_names(stakeholders)
        given = row_names(utilities) if names is None else check_names(names)
        if self.stakeholders is not None and len(self.stakeholders) != table.shape[1]:
            raise InputError(
                f"stakeholders must be {table.shape[1]} names, one a column; found "
                f"{len(self.stakeholders)}."
            )
        if given is not None and len(given) != len(table):
            raise InputError(f"names must be {len(table)}, one a row; found {len(given)}.")
        self.row_names = given
        self.shrink = bool(shrink)
        self._cut = False
        self.note = str(note)
        logs, self._measured = self._read(table, log_se, draws, factors)
        if common is not None:
            self._measured = self._with_common(common)
        self._estimated_logs = logs
        self._exact = None if self._measured.variances.any() else table

    def _read(
        self, table: FloatArray, log_se: object, draws: object, factors: object
    ) -> tuple[FloatArray, ByAction | ByPerson]:
        """Logarithms (d, N) of the estimates, and their errors."""
        if draws is not None:
            return mean_and_spread(as_draws(draws, *table.shape))
        if log_se is None and factors is None:
            raise InputError(
                "people whose utilities are estimates need their errors: log_se, draws or factors; "
                "found none. Pass the table itself where utilities are exact."
            )
        errors = np.zeros(table.shape) if log_se is None else self._errors_of(log_se, table.shape)
        if (errors.any() or factors is not None) and not (table > 0).all():
            row, column = (int(i) for i in np.argwhere(table <= 0)[0])
            raise InputError(
                "utilities with errors must be above 0, because errors are those of logarithms; "
                f"found 0 at row {row}, column {column}."
            )
        with np.errstate(divide="ignore"):
            logs = np.log(table).T.copy()
        variances = np.square(errors).T
        if factors is None:
            return logs, own_errors(variances)
        shared = _as_factors(factors, "factors", table.shape)
        return logs, with_factors(list(shared), variances)

    def _with_common(self, common: object) -> ByPerson:
        """Errors with those that people share."""
        known = self._measured
        if self.shrink or not isinstance(known, ByPerson):
            raise InputError(
                "errors that people share stand beside factors, of best guesses; found common "
                "without factors, or with shrink=True. Pass factors and shrink=False."
            )
        people, actions = known.variances.shape
        return replace(known, common=_as_factors(common, "common", (actions, people)))

    def _errors_of(self, log_se: object, shape: tuple[int, ...]) -> FloatArray:
        """Checked standard errors (N, d)."""
        values, columns = split_names(by_name(log_se, self.stakeholders, "log_se"))
        found = as_numbers(values, "log_se").astype(np.float64)
        if found.ndim == 2 and columns is not None and self.stakeholders is not None:
            found = found[:, np.argsort(order_by_name(columns, self.stakeholders))]
        if found.shape not in ((), (shape[1],), shape):
            raise InputError(
                f"log_se must be one number, {shape[1]} of them (one a person) or a table of shape "
                f"{shape}; found shape {found.shape}."
            )
        bad = ~((found >= 0) & (found <= _LARGEST_ERROR))
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            where = "" if not place else f" at {place if len(place) > 1 else place[0]}"
            raise InputError(
                f"log_se must be standard errors from 0 to {_LARGEST_ERROR:g}; found "
                f"{found[place]}{where}. Leave out actions whose utilities are not known at all."
            )
        return np.broadcast_to(found, shape)

    @cached_property
    def _guess(self) -> tuple[FloatArray, Spread]:
        """Best guess of log utilities (d, N), and how uncertain it is."""
        logs, measured = self._estimated_logs, self._measured
        return shrunken(logs, measured) if self.shrink else (logs, measured)

    def anchored(self, worst: float, best: float) -> People:
        """Return the same where everybody's worst and best action have these utilities.

        Others lie in between on a logarithmic scale. What is stated has no error.
        """
        logs, spread = self._guess
        if not isinstance(spread, ByPerson) or not (np.ptp(logs, axis=1) > 0).all():
            raise InputError(
                "an anchor needs utilities that were learned from answers, by people who prefer "
                "something; found others. Pass utilities on their own scale."
            )
        low, high = np.log(worst), np.log(best)
        share = (logs - logs.min(axis=1, keepdims=True)) / np.ptp(logs, axis=1)[:, None]
        by = np.empty((len(logs), logs.shape[1], logs.shape[1]))
        for i, there in enumerate(share):
            by[i] = np.eye(len(there))
            by[i, :, there.argmin()] -= 1.0 - there
            by[i, :, there.argmax()] -= there
            by[i] *= (high - low) / np.ptp(logs[i])
        left = spread.moved(by)
        part = copy(self)
        part.shrink = False
        part._estimated_logs, part._measured = low + (high - low) * share, left
        part.__dict__["_guess"] = part._estimated_logs, part._measured
        return part

    @property
    def unknown(self) -> tuple[str, ...]:
        """Of whom nothing is seen but errors: estimates vary no more than errors explain."""
        if not self.shrink or len(self) < 2 or self.are_exact:
            return ()
        logs, errors = self._estimated_logs, self._measured
        theirs = errors.variances.mean(axis=1)
        if isinstance(errors, ByPerson):  # what is common to all actions does not show
            theirs = theirs - errors.covariance.mean(axis=(1, 2))
        named = self.stakeholders or tuple(f"person {i}" for i in range(len(logs)))
        nothing = (theirs > 0) & (logs.var(axis=1, ddof=1) <= theirs)
        return tuple(named[i] for i in np.flatnonzero(nothing))

    @property
    def best_guess(self) -> tuple[FloatArray, Spread]:
        """The best guess of log utilities (d, N), and how uncertain it is."""
        return self._guess

    def in_order(self, stakeholders: Sequence[str]) -> People:
        """Return the same with people in the order of these names, or refuse other names.

        Examples
        --------
        >>> people = People([[4.0, 1.0]], log_se=0.3, stakeholders=["a", "b"])
        >>> people.in_order(["b", "a"]).utilities
        array([[1., 4.]])
        """
        wanted = tuple(stakeholders)
        if self.stakeholders is None or self.stakeholders == wanted:
            return self
        columns = np.argsort(order_by_name(self.stakeholders, wanted))
        part = copy(self)
        logs, spread = self._guess
        part.__dict__["_guess"] = np.ascontiguousarray(logs[columns]), spread.people(columns)
        part._estimated_logs = np.ascontiguousarray(self._estimated_logs[columns])
        part._measured = self._measured.people(columns)
        part._exact = None if self._exact is None else self._exact[:, columns]
        part.stakeholders = wanted
        return part

    @property
    def estimates(self) -> FloatArray:
        """What was given (N, d)."""
        return np.exp(self._estimated_logs).T if self._exact is None else self._exact

    @property
    def utilities(self) -> FloatArray:
        """The best guess (N, d)."""
        return np.exp(self._guess[0]).T if self._exact is None else self._exact

    @property
    def errors(self) -> FloatArray:
        """Standard errors (N, d) of the logarithms of the best guess."""
        return np.sqrt(self._guess[1].variances).T

    @property
    def are_exact(self) -> bool:
        """Whether all errors are 0."""
        return self._exact is not None

    @property
    def shape(self) -> tuple[int, int]:
        """How many actions, and how many people."""
        people, actions = self._estimated_logs.shape
        return actions, people

    def __len__(self) -> int:
        return self.shape[0]

    def any(self) -> bool:
        """Whether anybody has anything."""
        return bool(self.estimates.any())

    def __getitem__(self, actions: Any) -> People:
        """Return some of the actions, by row numbers, a slice or a mask; guesses stay the same."""
        try:
            index = np.arange(len(self))[actions]
        except IndexError as problem:
            raise InputError(
                f"actions of people must be row numbers from 0 to {len(self) - 1}, a slice or a "
                f"mask; found others ({problem})."
            ) from None
        if index.ndim != 1 or not len(index):
            raise InputError(
                "actions of people must be a list of row numbers, or a slice, with at least one; "
                f"found {'none' if index.ndim else 'a single number'}."
            )
        part = copy(self)
        part.__dict__.pop("_guess", None)
        part._cut = self.shrink
        logs, spread = self._guess
        part.__dict__["_guess"] = np.ascontiguousarray(logs[:, index]), spread.take(index)
        part._estimated_logs = np.ascontiguousarray(self._estimated_logs[:, index])
        part._measured = self._measured.take(index)
        part._exact = None if self._exact is None else self._exact[index]
        names = self.row_names
        part.row_names = None if names is None else tuple(names[i] for i in index.tolist())
        return part

    def to_frame(self) -> Any:
        """Return the best guess as a data frame: a column "action", and one a person.

        Examples
        --------
        >>> people = People([[4.0, 1.0]], log_se=0.3, stakeholders=["a", "b"], names=["bus"])
        >>> people.to_frame()
          action    a    b
        0    bus  4.0  1.0
        """
        actions, people = self.shape
        named = self.stakeholders or tuple(f"person {i}" for i in range(people))
        columns: dict[str, Any] = {"action": self.row_names or tuple(map(str, range(actions)))}
        guess = self.utilities
        return to_frame(columns | {name: guess[:, i] for i, name in enumerate(named)})

    def seen_by(self, family: Family, weighting: Weighting) -> Columns:
        """Return what a family sees of the people."""
        if self._exact is not None:
            return columns_of(self._exact, family, weighting)
        if family != POWER_MEAN:
            raise InputError(
                "utilities with errors are for power means; found "
                f"{family.called}. Pass the table of estimates where errors are to be ignored."
            )
        logs, spread = self._guess
        seen = Columns.of_logs(logs.copy())
        return EstimatedColumns(seen.logs, seen.shift, False, spread)

    def seen_at(self, p: float) -> FloatArray:
        """Return the best guess (N, d), whatever the power."""
        del p
        return self.utilities

    @property
    def lowest(self) -> FloatArray:
        """The best guess (N, d): what checks of sizes look at."""
        return self.utilities

    @property
    def highest(self) -> FloatArray:
        """The best guess (N, d)."""
        return self.utilities

    @property
    def measured(self) -> ByAction | ByPerson:
        """The errors of what was given, before shrinking."""
        return self._measured

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write people with their errors to a file, for :meth:`load` and the command line."""
        if self._cut and not self.are_exact:
            raise InputError(
                "people to be saved must be whole, because estimates are drawn towards the "
                "population of all their actions; found some of the actions. Save all, and choose "
                "among them afterwards."
            )
        save_people(self, path, self.note)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> People:
        """Return the people that :meth:`save`, or ``welfarist utilities``, wrote."""
        return load_people(path, cls)

    @property
    def logs_of_estimates(self) -> FloatArray:
        """Logarithms (d, N) of what was given."""
        return self._estimated_logs

    def with_more_error(self, times: float, rng: np.random.Generator) -> FloatArray:
        """Return log estimates (d, N) with errors added, so many times as large as their own."""
        return np.asarray(self._estimated_logs + times * self._measured.noise(rng))

    def possible_logs(self, rng: np.random.Generator) -> FloatArray:
        """Return log utilities (d, N) as they could be, given the estimates."""
        logs, spread = self._guess
        return logs + spread.noise(rng)

    def redrawn(self, rng: np.random.Generator) -> tuple[FloatArray, People]:
        """Return log utilities (d, N) that could be true, and people as they would be measured."""
        true = self.possible_logs(rng)
        again = copy(self)
        again.__dict__.pop("_guess", None)
        if self.shrink:
            again._estimated_logs = true + self._measured.noise(rng)
        else:  # of best guesses, errors are what is left to know: the guess does not move
            again._estimated_logs = self._estimated_logs
        return true, again

    @property
    def digest(self) -> str:
        """A digest (SHA-256) of all it knows."""
        digest = sha256(np.ascontiguousarray(self.estimates).tobytes())
        digest.update(np.ascontiguousarray(self._measured.told).tobytes())
        digest.update(bytes([self.shrink]))
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, People):
            return NotImplemented
        return self.stakeholders == other.stakeholders and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        del copy
        return self.utilities.astype(np.float64 if dtype is None else dtype)

    def __repr__(self) -> str:
        actions, people = self.shape
        typical = float(np.sqrt(np.square(self.errors).mean()))
        return f"People({actions} actions, {people} people, errors of about {typical:.2g})"


def _as_factors(given: object, name: str, shape: tuple[int, ...]) -> FloatArray:
    """Checked factors (d, N, r)."""
    found = as_numbers(given, name)
    if found.ndim != 3 or found.shape[:2] != (shape[1], shape[0]):
        raise InputError(
            f"{name} must have shape ({shape[1]}, {shape[0]}, r), one table a person; found shape "
            f"{found.shape}."
        )
    if not np.isfinite(found).all():
        raise InputError(f"{name} must be finite numbers; found some that are not.")
    return found.astype(np.float64)


def _table_of(utilities: object, draws: object) -> tuple[FloatArray, tuple[str, ...] | None]:
    """The estimates (N, d) and the names of their columns; those of draws where none were given."""
    if utilities is not None:
        return as_utility_table(utilities, copy=True)
    if draws is None:
        raise InputError("people must have utilities or draws of them; found neither.")
    found = as_numbers(draws, "draws")
    if found.ndim != 3 or not found.size:
        raise InputError(
            "draws must be an array of shape (R, N, d), one table of utilities a draw; found shape "
            f"{found.shape}."
        )
    return found[0].astype(np.float64), None
