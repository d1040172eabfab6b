"""The actions in the order of a rule, beside the orders of three boards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.web.asking.cards import plain
from welfarist.web.asking.putting import label_of
from welfarist.web.explore.rule import ChosenRule
from welfarist.web.models import Study

# Boards that decide with the same weights.
BOARDS = (("utilitarian", 1.0), ("Nash", 0.0), ("egalitarian", float("-inf")))
# Rows that are shown.
_TOP = 20
# Digits of a welfare.
_DIGITS = 3
# Welfares nearer to each other than this are equal: rounding is no reason to prefer.
_SAME = 1e-12


@dataclass(frozen=True)
class Place:
    """One action: its place, its welfare, and its places under the boards."""

    place: int
    action: str
    welfare: str
    boards: tuple[int, ...]


@dataclass(frozen=True)
class Ranked:
    """The best actions under a rule.

    Attributes
    ----------
    rule : ChosenRule
    places : tuple of Place
    actions : int
        How many there are.
    firsts : tuple of (str, str)
        What each board would do.
    """

    rule: ChosenRule
    places: tuple[Place, ...]
    actions: int
    firsts: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return {
            "p": self.rule.power,
            "doctrine": self.rule.doctrine,
            "weights": list(self.rule.shares),
            "query": self.rule.query,
            "actions": [
                {"place": one.place, "action": one.action, "welfare": one.welfare}
                for one in self.places
            ],
        }


def ranked(study: Study, rule: ChosenRule) -> Ranked:
    """Return the actions of a study in the order of a rule."""
    table, names = study.table, [label_of(action) for action in study.actions]
    logs = _logs(rule, table)
    places = _places(logs)
    boards = [_places(_logs(rule.but(p), table)) for _, p in BOARDS]
    order = np.argsort(places, kind="stable")[:_TOP].tolist()
    return Ranked(
        rule,
        tuple(
            Place(
                int(places[i]),
                names[i],
                welfare,
                tuple(int(board[i]) for board in boards),
            )
            for i, welfare in zip(order, _alike(np.exp(logs[order])), strict=True)
        ),
        len(names),
        tuple(
            (name, _first(board, names)) for (name, _), board in zip(BOARDS, boards, strict=True)
        ),
    )


def _logs(rule: ChosenRule, table: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(rule.welfare.log(table), dtype=np.float64)


def _places(logs: FloatArray) -> npt.NDArray[np.intp]:
    """From 1 on; equals share the best place among them."""
    rounded = np.round(logs / _SAME) * _SAME if np.isfinite(logs).all() else logs
    ordered = np.sort(-rounded)
    return np.asarray(np.searchsorted(ordered, -rounded, side="left") + 1, dtype=np.intp)


def _alike(values: FloatArray) -> list[str]:
    """Numbers of one column, all with the decimals that the largest needs for three digits."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if not 1e-3 <= largest < 1e6:
        return [plain(value) for value in values.tolist()]
    decimals = max(_DIGITS - 1 - int(np.floor(np.log10(largest))), 0)
    return [f"{value:,.{decimals}f}" for value in values.tolist()]


def _first(places: npt.NDArray[np.intp], names: list[str]) -> str:
    first = [names[i] for i in np.flatnonzero(places == 1).tolist()]
    return first[0] if len(first) == 1 else f"{first[0]}, or {len(first) - 1} others just as good"
