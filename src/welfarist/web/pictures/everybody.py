"""Everybody's rule on one picture: the power on its line, the weights as circles beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from welfarist.web.learned.estimates import Estimate
from welfarist.web.pictures.power_line import along, axis
from welfarist.web.pictures.svg import WIDTH, clipped, dot, group, line, picture, words

_NAMES, _LINE, _TOP, _ROW, _LARGEST = 104.0, 300.0, 24.0, 26.0, 12.0
# More people and stakeholders than these are in the table alone.
MOST_ROWS, MOST_COLUMNS = 40, 6


@dataclass(frozen=True)
class Someone:
    """One respondent's rule."""

    name: str
    power: Estimate
    weights: tuple[Estimate, ...]


def everybody_picture(people: Sequence[Someone]) -> SafeString:
    """Return one row a respondent; stakeholders are numbered as in the table."""
    shown = people[:MOST_ROWS]
    bottom = _TOP + _ROW * len(shown)
    rows = [_row(one, _TOP + _ROW * (k + 0.5)) for k, one in enumerate(shown)]
    columns = min(len(shown[0].weights), MOST_COLUMNS)
    numbers = [
        words(str(j + 1), _column(j, columns), _TOP - 8, "middle", "tick") for j in range(columns)
    ]
    told = "; ".join(f"{one.name}: p {one.power.middle:.2f}" for one in shown)
    return picture(
        bottom + 20,
        f"Everybody's power and weights. {told}. The table has all numbers.",
        axis(along(_NAMES, _LINE), _TOP, bottom, named=False),
        *numbers,
        *rows,
    )


def _row(one: Someone, y: float) -> SafeString:
    place = along(_NAMES, _LINE)
    columns = min(len(one.weights), MOST_COLUMNS)
    circles = [
        dot(_column(j, columns), y, _LARGEST * max(weight.middle, 0.0) ** 0.5, "weight")
        for j, weight in enumerate(one.weights[:columns])
    ]
    return group(
        words(clipped(one.name, _NAMES - 8), _NAMES - 8, y + 4, "end"),
        line(place(one.power.low), y, place(one.power.high), y, "interval"),
        dot(place(one.power.middle), y, 5.0),
        *circles,
    )


def _column(j: int, columns: int) -> float:
    room = WIDTH - _LINE - 16.0
    return _LINE + 16.0 + room * (j + 0.5) / columns
