"""Why one action is better than another: who pulls which way, and what would turn it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.exports import Table, number, strict
from welfarist.base.validation import FloatArray
from welfarist.families.differences.family import without_margin
from welfarist.families.power_mean.doctrines import DOCTRINES
from welfarist.families.rule import WelfareFunction
from welfarist.recommending.shapley import Shapley, shapley
from welfarist.recommending.turning import turning_powers, turning_weights

# A difference in logarithms beyond which percents say nothing.
_LARGE = 700.0
# People a sentence names on each side.
_NAMED = 2
# Doctrines that a sentence speaks of.
_SPOKEN_OF = ("egalitarian", "Nash", "utilitarian")


@dataclass(frozen=True, eq=False)
class Why:
    """Why a rule prefers one action to another.

    Attributes
    ----------
    names : tuple of two str
        The better action first; as they were asked for if they are equal.
    people : tuple of str
    utilities : (2, d) array
    values : (2,) array
        What choices depend on differences of: log welfare of power means.
    shares : (2, d) array or None
        Everybody's marginal share in the welfare of both; None where they mean nothing.
    pulls : Shapley or None
        What each person adds to the difference in values; None where it is infinite.
    doctrines : mapping
        Which action each doctrine would choose with the same weights; None for a tie.
    turning_powers : tuple of float
        Powers at which the preference turns.
    turning_weights : tuple of float or None
        Of each person, the weight at which it does, the others in proportion; None if none does.
    p : float
    weights : (d,) array
    reason : str
        What could not be said, and why; empty if all was.
    is_ratio : bool
        Whether values are logarithms of welfare; else welfare itself.
    """

    names: tuple[str, str]
    people: tuple[str, ...]
    utilities: FloatArray = field(repr=False)
    values: FloatArray
    shares: FloatArray | None = field(repr=False)
    pulls: Shapley | None = field(repr=False)
    doctrines: dict[str, str | None]
    turning_powers: tuple[float, ...]
    turning_weights: tuple[float | None, ...]
    p: float
    weights: FloatArray = field(repr=False)
    reason: str = ""
    is_ratio: bool = True

    @property
    def difference(self) -> float:
        """By how much the first is better, in values."""
        one, other = self.values.tolist()
        return 0.0 if one == other else float(one - other)

    @property
    def sentence(self) -> str:
        """The smallest story that is true."""
        better, worse = self.names
        if self.difference == 0:
            return f"{better} and {worse} are equally good."
        return f"{better} is better than {worse}{self._by()}{self._others()}{self._turns()}."

    def _by(self) -> str:
        if np.isinf(self.difference):
            return " infinitely, as " + (
                "somebody has nothing" if self.p <= 0 else f"nobody has anything by {self.names[1]}"
            )
        said = f" by {self.difference:.3g} in units of welfare"
        if self.is_ratio:
            gain = np.expm1(min(self.difference, _LARGE))
            said = f" by {100 * gain:.3g}% of welfare" if gain < 10 else ""
        if self.pulls is None:
            return said
        order = np.argsort(-np.abs(self.pulls.values), kind="stable")
        sides = [
            [self.people[i] for i in order if sign * self.pulls.values[i] > 0][:_NAMED]
            for sign in (1, -1)
        ]
        said += f", because of {' and '.join(sides[0])}" if sides[0] else ""
        return said + (f", against {' and '.join(sides[1])}" if sides[1] else "")

    def _others(self) -> str:
        against = [n for n in _SPOKEN_OF if self.doctrines.get(n) == self.names[1]]
        if not against:
            return "; all doctrines agree" if self._all_agree() else ""
        rules = "a rule" if len(against) == 1 else "rules"
        return f"; {rules} with these weights that {_is(against)} would choose {self.names[1]}"

    def _all_agree(self) -> bool:
        return set(self.doctrines.values()) == {self.names[0]}

    def _turns(self) -> str:
        said = []
        if self.turning_powers:
            near = min(self.turning_powers, key=lambda p: abs(np.arcsinh(p) - np.arcsinh(self.p)))
            said.append(f"p were {near:.4g} in place of {self.p:.4g}")
        moves = [
            (abs(weight - self.weights[i]), i, weight)
            for i, weight in enumerate(self.turning_weights)
            if weight is not None
        ]
        if moves:
            _, i, weight = min(moves)
            said.append(
                f"the weight of {self.people[i]} were {weight:.3g} in place of "
                f"{self.weights[i]:.3g}"
            )
        return f"; the two would be equal if {' or '.join(said)}" if said else ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, which strict JSON can hold."""
        pulls = self.pulls
        rows = []
        for i, person in enumerate(self.people):
            shares = (None, None) if self.shares is None else self.shares[:, i].tolist()
            rows.append(
                {
                    "stakeholder": person,
                    "weight": float(self.weights[i]),
                    "utilities": self.utilities[:, i].tolist(),
                    "shares": list(shares),
                    "pull": None if pulls is None else float(pulls.values[i]),
                    "pull_error": None if pulls is None else float(pulls.errors[i]),
                    "turning_weight": self.turning_weights[i],
                }
            )
        found: dict[str, Any] = strict(
            {
                "better": self.names[0],
                "worse": self.names[1],
                "difference": self.difference,
                "people": rows,
                "doctrines": dict(self.doctrines),
                "turning_powers": list(self.turning_powers),
                "sentence": self.sentence,
                "reason": self.reason,
            }
        )
        return found

    def table(self) -> Table:
        """Return what people read."""
        rows = []
        for i, person in enumerate(self.people):
            turn = self.turning_weights[i]
            shares = (
                ("", "") if self.shares is None else (f"{share:.0%}" for share in self.shares[:, i])
            )
            cells = [
                f"{utility:g} ({share})" if share else f"{utility:g}"
                for utility, share in zip(self.utilities[:, i].tolist(), shares, strict=True)
            ]
            pull = "" if self.pulls is None else number(float(self.pulls.values[i]))
            weight = number(float(self.weights[i]))
            rows.append((person, weight, *cells, pull, "" if turn is None else number(turn)))
        lines = [self.sentence, "in brackets: how much of a change in welfare comes from them"]
        if self.pulls is not None:
            sampled = "" if self.pulls.orders is None else f", from {self.pulls.orders} orders"
            kind = "log welfare" if self.is_ratio else "welfare"
            lines.append(
                f"pull: what each adds to the difference in {kind}, "
                f"{self.difference:.4g} (Shapley values{sampled})"
            )
        lines.append("turns at: the weight at which both are equally good")
        return Table(
            f"Why {self.names[0]} and not {self.names[1]}",
            ("", "weight", *self.names, "pull", "turns at"),
            tuple(rows),
            ("left", "right", "right", "right", "right", "right"),
            (*lines, *filter(None, [self.reason])),
        )

    def __str__(self) -> str:
        return self.table().as_text()


def why_preferred(
    rule: Any, pair: FloatArray, names: tuple[str, str], people: tuple[str, ...]
) -> Why:
    """Say why a rule prefers one of two actions.

    Parameters
    ----------
    rule : WelfareFunction, or of another family
    pair : (2, d) array
        What both give to everybody, without the rule's shift.
    names : tuple of two str
    people : tuple of str
    """
    if np.isnan(pair).any():
        raise InputError(
            "reasons need actions that affect the same people; found somebody who is absent."
        )
    order = int(np.asarray(rule.compare(pair[0], pair[1])))
    if order < 0:
        pair, names = pair[::-1], (names[1], names[0])
    values = np.asarray(rule.value(pair), dtype=np.float64)
    if order == 0:
        values = np.full(2, values[0])
    weights = np.full(len(people), 1.0 / len(people)) if rule.weights is None else rule.weights
    mixtures = np.array([pair.min(axis=0)])
    reasons = []
    pulls = shares = None
    if np.isfinite(np.asarray(rule.value(mixtures))).all():
        pulls = shapley(rule.value, pair[0], pair[1])
        shares = np.asarray(rule.shares(pair))
    else:
        reasons.append(_why_no_pulls(float(rule.p)))
    seen = pair + rule.shift
    doctrines: dict[str, str | None] = {}
    if isinstance(without_margin(rule), WelfareFunction):
        doctrines = _by_doctrine(seen, np.asarray(weights), names)
        powers = turning_powers(seen, np.asarray(weights))
        turns = turning_weights(seen, np.asarray(weights), rule.p)
    else:
        powers, turns = (), [None] * len(people)
        reasons.append("Where it would turn, and what doctrines say, is known of power means only.")
    return Why(
        names, people, pair, values, shares, pulls,
        doctrines, powers, tuple(turns), float(rule.p), np.asarray(weights), " ".join(reasons),
        isinstance(rule, WelfareFunction) or rule.family.level.is_ratio,
    )  # fmt: skip


def _why_no_pulls(p: float) -> str:
    """Why there are no Shapley values where some mixture of two actions is worth nothing."""
    if p <= 0:
        return "Somebody has nothing, so that welfare is 0 whatever the others have."
    return (
        "Pulls would be infinite, as nobody would have anything if everybody had the less of what "
        "the two give."
    )


def _by_doctrine(
    seen: FloatArray, weights: FloatArray, names: tuple[str, str]
) -> dict[str, str | None]:
    """Which of two actions each doctrine would choose with the same weights."""
    which = {1: names[0], -1: names[1], 0: None}
    return {
        doctrine.name: which[int(WelfareFunction(doctrine.p, weights).compare(seen[0], seen[1]))]
        for doctrine in DOCTRINES
    }


def _is(doctrines: list[str]) -> str:
    are = "is" if len(doctrines) == 1 else "are"
    return f"{are} {' or '.join(doctrines)}"
