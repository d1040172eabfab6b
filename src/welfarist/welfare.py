"""A welfare function: one member of the power-mean family, ready to judge actions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.derivatives import welfare_shares
from welfarist.doctrines import doctrine_of
from welfarist.errors import InputError
from welfarist.power_mean import log_power_mean, power_mean
from welfarist.validation import (
    FloatArray,
    as_numbers,
    as_power,
    as_weights,
    check_names,
    normalised,
)

_FORMAT = "welfarist.WelfareFunction"
_VERSION = 1

# Two welfares whose logarithms differ by no more than this are equal: the evaluation itself is
# only good to a few units in the last place, and permuting equal people must give a tie.
_TIE = 1e-14


class WelfareFunction:
    """A weighted power mean that judges actions by what they give to each person.

    Instances are values: immutable, comparable with ``==``, hashable.

    Parameters
    ----------
    p : float
        The power, in [-inf, inf]: 1 is utilitarian, 0 Nash, -inf egalitarian.
    weights : (d,) array-like, optional
        How much each person counts relative to the others; normalised to sum to 1. Left out,
        everybody counts the same, however many they are.
    stakeholders : list of str, optional
        The people's names.

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
    """

    __slots__ = ("_p", "_stakeholders", "_weights")

    _p: float
    _weights: FloatArray | None
    _stakeholders: tuple[str, ...] | None

    def __init__(
        self,
        p: float,
        weights: npt.ArrayLike | None = None,
        stakeholders: Sequence[str] | None = None,
    ) -> None:
        checked = None if weights is None else _one_row(as_weights(weights))
        if stakeholders is not None:
            stakeholders = list(stakeholders) if not isinstance(stakeholders, str) else stakeholders
            people = len(stakeholders) if checked is None else len(checked)
            if people == 0:
                raise InputError("stakeholders must name at least one person; found none.")
            stakeholders = check_names(stakeholders, people)
            if checked is None:
                checked = np.ones(people)
        share_of_total = None if checked is None else normalised(checked)
        if share_of_total is not None:
            share_of_total.flags.writeable = False
        set_once = object.__setattr__
        set_once(self, "_p", as_power(p) + 0.0)  # -0.0 becomes 0.0
        set_once(self, "_weights", share_of_total)
        set_once(self, "_stakeholders", stakeholders)

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
    def doctrine(self) -> str:
        """The rule in words: a named doctrine, or the two it lies between."""
        return doctrine_of(self._p)

    @property
    def inequality_aversion(self) -> float:
        """Atkinson's epsilon, 1 - p: 0 does not mind inequality, inf sees only the worst off."""
        return 1.0 - self._p

    def __call__(self, utilities: npt.ArrayLike) -> Any:
        """Return the welfare of each action, (..., d) -> (...)."""
        self._require_people(utilities)
        return power_mean(utilities, self._p, self._weights)

    def equally_distributed_equivalent(self, utilities: npt.ArrayLike) -> Any:
        """Return the utility which, given to everybody, would be just as good: the welfare."""
        return self(utilities)

    def log(self, utilities: npt.ArrayLike) -> Any:
        """Return the logarithm of the welfare of each action, (..., d) -> (...)."""
        self._require_people(utilities)
        return log_power_mean(utilities, self._p, self._weights)

    def compare(self, u: npt.ArrayLike, v: npt.ArrayLike) -> Any:
        """Return +1 where `u` is better than `v`, -1 where it is worse, 0 where they tie.

        Both are (..., d) and broadcast. Welfares equal up to rounding (1e-14 of their size) tie.

        Examples
        --------
        >>> WelfareFunction(p=0).compare([1.0, 4.0], [2.0, 2.0])
        0
        """
        first, second = np.asarray(self.log(u)), np.asarray(self.log(v))
        with np.errstate(invalid="ignore"):
            difference = first - second  # NaN where both are -inf: nothing against nothing
            order = np.where(np.abs(difference) <= _TIE, 0, np.sign(difference))
        outcome = np.where(np.isnan(difference), 0, order).astype(np.int64)
        return outcome if outcome.ndim else int(outcome)

    def rank(self, utilities: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the numbers of the actions (N, d), best first; ties keep their order.

        Welfares that differ by no more than rounding tie, as in :meth:`compare`.
        """
        welfare = np.asarray(self.log(utilities))
        if welfare.ndim != 1:
            raise InputError(
                "utilities must be a table with one action per row to be ranked; found an array "
                f"with {welfare.ndim + 1} axes."
            )
        order = np.argsort(-welfare, kind="stable")
        with np.errstate(invalid="ignore"):  # nothing against nothing: a tie
            falls = welfare[order[:-1]] - welfare[order[1:]] > _TIE
        places = np.concatenate([[0], np.cumsum(falls)])
        return order[np.lexsort((order, places))]

    def shares(self, utilities: npt.ArrayLike) -> FloatArray:
        """Return each person's marginal share of welfare, (..., d), summing to 1 over people.

        A share of 0.3 means that raising this person's utility by 1% raises welfare by 0.3%.

        Examples
        --------
        >>> WelfareFunction(p=-1).shares([1.0, 3.0])
        array([0.75, 0.25])
        """
        self.log(utilities)  # checks everything
        table = as_numbers(utilities, "utilities").astype(np.float64)
        people = table.shape[-1]
        weights = np.full(people, 1.0 / people) if self._weights is None else self._weights
        with np.errstate(divide="ignore"):
            logs = np.log(table.reshape(-1, people).T)
        shares = welfare_shares(logs, weights, self._p)
        return np.ascontiguousarray(shares.T).reshape(table.shape)

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary that JSON can hold; infinite powers are the strings "-inf", "inf"."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "p": str(self._p) if np.isinf(self._p) else self._p,
            "weights": None if self._weights is None else self._weights.tolist(),
            "stakeholders": None if self._stakeholders is None else list(self._stakeholders),
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
        if not isinstance(record, Mapping) or record.get("format", _FORMAT) != _FORMAT:
            raise InputError(
                f"a saved welfare function must be a dictionary with format {_FORMAT!r}; "
                f"found {type(record).__name__ if not isinstance(record, Mapping) else 'another'}."
            )
        version = record.get("version", _VERSION)
        if version != _VERSION:
            raise InputError(
                f"a saved welfare function must have version {_VERSION}; found {version!r}. "
                "It was written by another version of welfarist: update the package."
            )
        if "p" not in record:
            raise InputError("a saved welfare function must have an entry 'p'; found none.")
        p = record["p"]
        if isinstance(p, str):
            if p not in ("inf", "-inf"):
                raise InputError(f"p must be a number, 'inf' or '-inf'; found {p!r}.")
            p = float(p)
        return cls(p, record.get("weights"), record.get("stakeholders"))

    def to_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> WelfareFunction:
        """Return the welfare function that :meth:`to_json` described."""
        try:
            record = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(
                f"a saved welfare function must be JSON; found text that is not, at line "
                f"{error.lineno}, column {error.colno}. The file may be truncated."
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
        if self._weights is None:
            return f"WelfareFunction(p={power})"
        short = [float(f"{w:.4g}") for w in self._weights]
        if self._stakeholders is None:
            return f"WelfareFunction(p={power}, weights={short})"
        by_name = dict(zip(self._stakeholders, short, strict=True))
        return f"WelfareFunction(p={power}, weights={by_name})"

    def _key(self) -> tuple[Any, ...]:
        weights = None if self._weights is None else tuple(self._weights.tolist())
        return self._p, weights, self._stakeholders

    def _require_people(self, utilities: npt.ArrayLike) -> None:
        if self._weights is None:
            return
        shape = np.shape(utilities)
        if shape and shape[-1] != len(self._weights):
            raise InputError(
                f"utilities must have one column per person; found {shape[-1]} columns for "
                f"{len(self._weights)} people."
            )


def _one_row(weights: FloatArray) -> FloatArray:
    if weights.ndim != 1:
        raise InputError(
            "weights of a welfare function must be one number per person; found an array of "
            f"shape {weights.shape}."
        )
    return weights
