"""A crowd: decision makers who differ, each with a rule and a temperature of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers, as_powers, as_weights, check_names
from welfarist.families.rule import WelfareFunction
from welfarist.simulate.worlds import check_number


@dataclass(frozen=True, eq=False)
class Crowd:
    """Decision makers, and the rule that each of them follows: what a learner is to find.

    Attributes
    ----------
    names : tuple of str
        The decision makers (G,).
    powers : (G,) array
    weights : (G, d) array
        How much each person counts for each decision maker, with sum 1.
    taus : (G,) array
        Everybody's temperature: the larger, the fewer errors; inf is none.
    type_of : (G,) array of int, or None
        Which of a few rules each follows, counted from 0; None if everybody has a rule of their
        own.
    stakeholders : tuple of str or None
        Names of the people who count (d,).
    known : mapping of str to (G,) arrays
        What is known of the decision makers: columns of numbers or texts.

    Examples
    --------
    >>> crowd = Crowd(("ann", "bo"), [0, -1], [[1, 1], [1, 3]], [10, 20])
    >>> crowd
    Crowd(2 decision makers, 2 people)
    >>> crowd.rule("bo")
    WelfareFunction(p=-1, weights=[0.25, 0.75])
    >>> crowd.coordinates.round(2)
    array([[ 0.  ,  0.  ,  2.3 ],
           [-0.88, -1.1 ,  3.  ]])
    """

    names: tuple[str, ...]
    powers: FloatArray
    weights: FloatArray
    taus: FloatArray
    type_of: npt.NDArray[np.intp] | None = None
    stakeholders: tuple[str, ...] | None = None
    known: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = check_names(self.names)
        powers, weights = as_powers(self.powers), as_weights(self.weights)
        taus = np.asarray(as_numbers(self.taus, "taus"), dtype=np.float64)
        size = len(names)
        if powers.shape != (size,) or taus.shape != (size,) or weights.shape[:-1] != (size,):
            raise InputError(
                f"everybody must have a power, a row of weights and a tau; found {size} names, "
                f"powers of shape {powers.shape}, weights {weights.shape} and taus {taus.shape}."
            )
        for tau in taus.tolist():
            check_number(tau, "tau", 0.0, np.inf)
        told = {"names": names, "powers": powers, "taus": taus}
        told["weights"] = weights / weights.sum(axis=1, keepdims=True)
        for name, value in told.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        kinds = "" if self.type_of is None else f" of {len(set(self.type_of.tolist()))} types"
        return f"Crowd({len(self)} decision makers{kinds}, {self.people} people)"

    @property
    def people(self) -> int:
        """How many people their decisions affect."""
        return int(self.weights.shape[1])

    @property
    def coordinates(self) -> FloatArray:
        """Everybody's rule as numbers on the line (G, d + 1).

        They are asinh p, the logarithms of the weights over that of the last person, and log tau:
        those in which a normal population is normal.
        """
        with np.errstate(divide="ignore", invalid="ignore"):  # edges are at infinity
            logs = np.log(self.weights)
            ratios = logs[:, :-1] - logs[:, -1:]
            return np.column_stack([np.arcsinh(self.powers), ratios, np.log(self.taus)])

    def rule(self, who: str | int) -> WelfareFunction:
        """Return the rule of one decision maker, by name or number."""
        i = self._place(who) if isinstance(who, str) else who
        named = None if self.stakeholders is None else list(self.stakeholders)
        return WelfareFunction(float(self.powers[i]), self.weights[i], named)

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"{name!r} must be one of the decision makers; found {self!r}.")
        return self.names.index(name)

    def columns(self) -> dict[str, Any]:
        """Return one row a decision maker, as columns by name.

        They are `who`, what is known, `type` (counted from 1), `p`, `tau`, and `weight of …`.
        """
        people = self.stakeholders or tuple(f"person {i}" for i in range(self.people))
        kinds = {} if self.type_of is None else {"type": self.type_of + 1}
        weights = {
            f"weight of {name}": column for name, column in zip(people, self.weights.T, strict=True)
        }
        rules = {"p": self.powers, "tau": self.taus}
        return {"who": list(self.names), **self.known, **kinds, **rules, **weights}

    def to_frame(self) -> Any:
        """Return one row a decision maker as a data frame, of pandas or polars; see `columns`."""
        return to_frame(self.columns())


def rule_coordinates(rule: WelfareFunction, tau: float) -> FloatArray:
    """Return a rule with weights (d,) and its temperature as numbers on the line (d + 1,).

    They are asinh p, the logarithms of the weights over that of the last person, and log tau; see
    :attr:`Crowd.coordinates`. They must be finite: p, positive weights, a positive tau.

    Examples
    --------
    >>> rule_coordinates(WelfareFunction(0, [1, 1, 2]), 10).round(2)
    array([ 0.  , -0.69, -0.69,  2.3 ])
    """
    if rule.weights is None:
        raise InputError(
            "a rule must have weights to be a point of a population; found one in which everybody "
            "counts the same, however many there are. Give it stakeholders, or weights."
        )
    found = Crowd(("anybody",), [rule.p], [rule.weights], [tau]).coordinates[0]  # type: ignore[arg-type]
    if not np.isfinite(found).all():
        raise InputError(
            "decision makers can differ around a rule with a finite p, positive weights and a "
            f"finite, positive tau; found {rule!r} and tau {tau:g}."
        )
    return np.asarray(found)
