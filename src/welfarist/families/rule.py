"""A welfare function: one member of the power-mean family, ready to judge actions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import by_name, order_by_name, split_names
from welfarist.base.errors import InputError
from welfarist.base.inert import in_json
from welfarist.base.validation import (
    FloatArray,
    as_numbers,
    as_power,
    as_shift,
    as_weights,
    check_names,
    normalised,
    one_row,
    utilities_error,
)
from welfarist.families.power_mean.blocks import BLOCK, Rows
from welfarist.families.power_mean.derivatives import welfare_shares
from welfarist.families.power_mean.doctrines import doctrine_of, power_of
from welfarist.families.power_mean.mean import log_power_mean, power_mean

_FORMAT = "welfarist.WelfareFunction"
_VERSION = 1
_KEYS = ("format", "version", "p", "weights", "stakeholders", "shift")

# Two welfares are equal when their logarithms differ by no more than rounding can explain: this
# many units in the last place of the largest logarithm involved, times a factor that grows as
# sums over d people accumulate them. Permuting equal people must give a tie.
_TIE = 8 * np.finfo(np.float64).eps


class WelfareFunction:
    """A weighted power mean that judges actions by what they give to each person.

    Instances are values: immutable, comparable with ``==``, hashable.

    Parameters
    ----------
    p : float or str
        The power, in [-inf, inf]: 1 is utilitarian, 0 Nash, -inf egalitarian; or such a name.
    weights : (d,) array-like or mapping, optional
        How much each person counts relative to the others: finite numbers, not negative and not
        all zero; normalised to sum to 1. Left out, everybody counts the same, however many. A
        mapping has them by name.
    stakeholders : list of str, optional
        The people's names. A data frame's columns are then matched by name, in any order. Left
        out, they are those of a mapping.
    shift : float
        A constant that is added to every utility before it is judged, where the scale has no
        natural zero.

    Examples
    --------
    >>> f = WelfareFunction(p=0, stakeholders=["donor", "volunteer", "recipient"])
    >>> f
    WelfareFunction(p=0, weights={'donor': 0.3333, 'volunteer': 0.3333, 'recipient': 0.3333})
    >>> f([1.0, 2.0, 4.0])
    2.0
    >>> f.rank([[1.0, 2.0, 4.0], [3.0, 3.0, 3.0]])
    array([1, 0])
    >>> f.doctrine
    'Nash'
    >>> WelfareFunction(p=1, weights={"donor": 1, "recipient": 3})
    WelfareFunction(p=1, weights={'donor': 0.25, 'recipient': 0.75})
    >>> WelfareFunction(p=0, shift=1)([0.0, 3.0])
    2.0
    """

    __slots__ = ("_p", "_shift", "_stakeholders", "_weights")

    _p: float
    _weights: FloatArray | None
    _stakeholders: tuple[str, ...] | None
    _shift: float

    def __init__(
        self,
        p: float | str,
        weights: npt.ArrayLike | Mapping[str, float] | None = None,
        stakeholders: Sequence[str] | None = None,
        shift: float = 0.0,
    ) -> None:
        if isinstance(weights, Mapping):
            stakeholders = check_names(list(weights) if stakeholders is None else stakeholders)
            weights = by_name(weights, stakeholders, "weights")
        checked = None if weights is None else one_row(as_weights(weights))
        names = None if stakeholders is None else check_names(stakeholders)
        if names is not None:
            if checked is None:
                checked = np.ones(len(names))
            if len(names) != len(checked):
                raise InputError(
                    f"stakeholders must have one name per person; found {len(names)} names for "
                    f"{len(checked)} people."
                )
        share_of_total = None if checked is None else normalised(checked)
        if share_of_total is not None:
            share_of_total.flags.writeable = False
        set_once = object.__setattr__
        power = power_of(p) if isinstance(p, str) else as_power(p)
        set_once(self, "_p", power + 0.0)  # -0.0 becomes 0.0
        set_once(self, "_weights", share_of_total)
        set_once(self, "_stakeholders", names)
        set_once(self, "_shift", as_shift(shift) + 0.0)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"a WelfareFunction cannot be changed; make a new one (tried {name!r})"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"a WelfareFunction cannot be changed; make a new one (tried {name!r})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)

    @property
    def p(self) -> float:
        """The power, in [-inf, inf]."""
        return self._p

    @property
    def weights(self) -> FloatArray | None:
        """The normalised weights (d,), read-only; None if everybody counts the same."""
        return self._weights

    @property
    def stakeholders(self) -> tuple[str, ...] | None:
        """The people's names, if given."""
        return self._stakeholders

    @property
    def shift(self) -> float:
        """What is added to every utility before it is judged."""
        return self._shift

    def shifted(self, shift: float) -> WelfareFunction:
        """Return the same rule with another constant that is added to every utility.

        Examples
        --------
        >>> WelfareFunction(p=0).shifted(1.0)([0.0, 3.0])
        2.0
        """
        return WelfareFunction(self._p, self._weights, self._stakeholders, shift)

    @property
    def doctrine(self) -> str:
        """The rule in words: a named doctrine, or the two it lies between."""
        return doctrine_of(self._p)

    @property
    def inequality_aversion(self) -> float:
        """Atkinson's epsilon, 1 - p: 0 does not mind inequality, inf sees only the worst off."""
        return 1.0 - self._p

    def __call__(self, utilities: npt.ArrayLike) -> Any:
        """Return the welfare of each action, (..., d) -> (...), its `shift` included."""
        table, weights, _ = self._matched(utilities)
        return power_mean(table, self._p, weights)

    def equally_distributed_equivalent(self, utilities: npt.ArrayLike) -> Any:
        """Return the utility which, given to everybody, would be just as good.

        It is the welfare, less the `shift`.
        """
        return self(utilities) - self._shift if self._shift else self(utilities)

    def log(self, utilities: npt.ArrayLike) -> Any:
        """Return the logarithm of the welfare of each action, (..., d) -> (...)."""
        table, weights, _ = self._matched(utilities)
        return log_power_mean(table, self._p, weights)

    def value(self, utilities: npt.ArrayLike) -> Any:
        """Return what choices depend on differences of: the logarithm of welfare."""
        return self.log(utilities)

    def compare(self, u: npt.ArrayLike, v: npt.ArrayLike) -> Any:
        """Return +1 where `u` is better than `v`, -1 where it is worse, 0 where they tie.

        Both are (..., d) and broadcast. Welfares that differ by no more than rounding can explain
        (about 1e-14 of their size, more for many people) tie.

        Examples
        --------
        >>> WelfareFunction(p=0).compare([1.0, 4.0], [2.0, 2.0])
        0
        """
        first, first_rounding, shape = self._log_with_rounding(u)
        second, second_rounding, other_shape = self._log_with_rounding(v)
        if shape[-1] != other_shape[-1]:
            raise InputError(
                "the two actions of a comparison must be about the same people; found "
                f"{shape[-1]} and {other_shape[-1]}."
            )
        try:
            np.broadcast_shapes(shape, other_shape)
        except ValueError:
            raise InputError(
                "u and v must hold as many actions as each other, or one; found shapes "
                f"{shape} and {other_shape}."
            ) from None
        with np.errstate(invalid="ignore"):
            difference = first - second  # NaN where both are -inf: nothing against nothing
        rounding = np.maximum(first_rounding, second_rounding)
        order = np.where(np.abs(difference) > rounding, np.sign(difference), 0)
        outcome = np.nan_to_num(order).astype(np.int64)
        return outcome if outcome.ndim else int(outcome)

    def rank(self, utilities: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the numbers of the actions (N, d), best first; ties keep their order.

        Welfares that differ by no more than rounding tie, as in :meth:`compare`.
        """
        welfare, rounding, shape = self._log_with_rounding(utilities)
        if welfare.ndim != 1:
            raise InputError(
                "utilities must be a table with one action per row to be ranked; found an array "
                f"of shape {shape}."
            )
        order = np.argsort(-welfare, kind="stable")
        better, worse = order[:-1], order[1:]
        with np.errstate(invalid="ignore"):  # nothing against nothing: a tie
            falls = welfare[better] - welfare[worse] > np.maximum(rounding[better], rounding[worse])
        places = np.concatenate([[0], np.cumsum(falls)])
        return order[np.lexsort((order, places))]

    def shares(self, utilities: npt.ArrayLike) -> FloatArray:
        """Return each person's marginal share of welfare, (..., d), summing to 1 over people.

        A share of 0.3 means that raising this person's utility by 1% raises welfare by 0.3%, the
        `shift` included in both.
        The people are in the order of the utilities, or of the stakeholders for a data frame
        matched by name.

        Examples
        --------
        >>> WelfareFunction(p=-1).shares([1.0, 3.0])
        array([0.75, 0.25])
        """
        table, weights, named = self._matched(utilities)
        power_mean(table, float("-inf"), weights)  # checks everything, and costs little
        people = table.shape[-1]
        w = np.full(people, 1.0 / people) if weights is None else weights
        rows, step = Rows(table), max(1, BLOCK // people)
        shares = np.empty((len(rows), people))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            with np.errstate(divide="ignore"):
                logs = np.log(rows[part].T, dtype=np.float64)
            # A data frame's columns go to the places of the stakeholders they name.
            shares[part, slice(None) if named is None else named] = welfare_shares(
                logs, w, self._p
            ).T
        return shares.reshape(table.shape)

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary that JSON can hold; infinite powers are the strings "-inf", "inf"."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "p": str(self._p) if np.isinf(self._p) else self._p,
            "weights": None if self._weights is None else self._weights.tolist(),
            "stakeholders": None if self._stakeholders is None else list(self._stakeholders),
            **({"shift": self._shift} if self._shift else {}),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> WelfareFunction:
        """Return the welfare function that :meth:`to_dict` described.

        Examples
        --------
        >>> f = WelfareFunction(float("-inf"), weights=[1, 3])
        >>> WelfareFunction.from_dict(f.to_dict()) == f
        True
        """
        if not isinstance(record, Mapping):
            raise InputError(
                "a saved welfare function must be a dictionary; found "
                f"{type(record).__name__}. Pass what to_dict() returned."
            )
        if record.get("format", _FORMAT) != _FORMAT:
            raise InputError(
                f"a saved welfare function must have the format {_FORMAT!r}; found "
                f"{record['format']!r}. This is a record of something else."
            )
        _require_version(record.get("version", _VERSION))
        unknown = [key for key in record if key not in _KEYS]
        if unknown:
            raise InputError(
                f"a saved welfare function must have no entries but {', '.join(_KEYS)}; found "
                f"{unknown[0]!r}. Check its spelling, or take it out."
            )
        if "p" not in record:
            raise InputError("a saved welfare function must have an entry 'p'; found none.")
        p = record["p"]
        if isinstance(p, str):
            if p not in ("inf", "-inf"):
                raise InputError(f"p must be a number, 'inf' or '-inf'; found {p!r}.")
            p = float(p)
        return cls(p, record.get("weights"), record.get("stakeholders"), record.get("shift", 0.0))

    def to_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return in_json(self.to_dict(), indent=None)

    @classmethod
    def from_json(cls, text: str) -> WelfareFunction:
        """Return the welfare function that :meth:`to_json` described."""
        if not isinstance(text, str | bytes | bytearray):
            raise InputError(
                f"a saved welfare function must be JSON text; found {type(text).__name__}. "
                "Pass what to_json() returned, or use from_dict."
            )
        try:
            record = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(
                f"a saved welfare function must be JSON; found text that is not, at line "
                f"{error.lineno}, column {error.colno}. The file may be truncated."
            ) from None
        except (UnicodeDecodeError, RecursionError) as error:
            raise InputError(
                "a saved welfare function must be JSON; found something that cannot be read as "
                f"such ({type(error).__name__}). Is it another file?"
            ) from None
        return cls.from_dict(record)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WelfareFunction):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        power = f"{self._p:.6g}"
        shift = f", shift={self._shift:g}" if self._shift else ""
        if self._weights is None:
            return f"WelfareFunction(p={power}{shift})"
        short = [float(f"{w:.4g}") for w in self._weights]
        if self._stakeholders is None:
            return f"WelfareFunction(p={power}, weights={short}{shift})"
        by_name = dict(zip(self._stakeholders, short, strict=True))
        return f"WelfareFunction(p={power}, weights={by_name}{shift})"

    def _key(self) -> tuple[Any, ...]:
        weights = None if self._weights is None else tuple(self._weights.tolist())
        return self._p, weights, self._stakeholders, self._shift

    def _matched(
        self, utilities: npt.ArrayLike
    ) -> tuple[npt.NDArray[Any], FloatArray | None, npt.NDArray[np.intp] | None]:
        """Return utilities, shifted, as an array and the weights in the order of its columns.

        The third is the stakeholder each column of a data frame names (d,), otherwise None. It
        is the weights that are put in order, not the columns, which stay where the caller has
        them and are not copied.
        """
        if hasattr(utilities, "seen_at"):
            return self._matched_groups(utilities)
        if self._stakeholders is None or self._weights is None:
            return self._seen(as_numbers(utilities, "utilities")), self._weights, None
        values, names = split_names(utilities)
        table = self._seen(as_numbers(values, "utilities"))
        if names is None:
            return table, self._weights, None
        named = order_by_name(names, self._stakeholders)
        return table, self._weights[named], named

    def _matched_groups(
        self, people: Any
    ) -> tuple[npt.NDArray[Any], FloatArray | None, npt.NDArray[np.intp] | None]:
        """The same of groups of people who are not all in memory, one column a group.

        Without weights everybody counts the same, and groups by how many they are.
        """
        if self._shift:
            raise InputError(
                "shift must be 0 for people who stand in the place of a table; found "
                f"{self._shift:g}. Add it to their utilities before."
            )
        table = people.seen_at(self._p)
        if self._weights is None:
            heads = getattr(people, "heads", None)
            return table, None if heads is None else normalised(heads), None
        if self._stakeholders is None or people.stakeholders is None:
            return table, self._weights, None
        named = order_by_name(people.stakeholders, self._stakeholders)
        return table, self._weights[named], named

    def _seen(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Utilities as they are judged; a table is copied only if something is added."""
        if not self._shift:
            return table
        if table.size and (table < -self._shift).any():
            raise utilities_error(table, -self._shift)
        return np.asarray(table + self._shift, dtype=np.float64)

    def _log_with_rounding(
        self, utilities: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
        """Return log M (...), how far rounding may have moved it, and the utilities' shape."""
        table, weights, _ = self._matched(utilities)
        welfare = np.asarray(log_power_mean(table, self._p, weights))
        largest = np.where(np.isfinite(welfare), 1.0 + np.abs(welfare), 1.0)
        for end in (float("-inf"), float("inf")):
            log_end = np.abs(log_power_mean(table, end, weights))
            largest = np.maximum(largest, np.where(np.isfinite(log_end), log_end, 0.0))
        return welfare, largest * (_TIE * (1 + np.log2(table.shape[-1]))), table.shape


def _require_version(version: object) -> None:
    if type(version) is not int or version < 1:
        raise InputError(
            f"the version of a saved welfare function must be a whole number from 1 on; found "
            f"{version!r}. The record was damaged or changed by hand."
        )
    if version != _VERSION:
        raise InputError(
            f"a saved welfare function must have version {_VERSION}; found {version}. "
            "It was written by a later version of welfarist: update the package."
        )
