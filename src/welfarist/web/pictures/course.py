"""How the power became known, answer by answer."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString

from welfarist.families.power_mean.doctrines import DOCTRINES
from welfarist.show.symbols import in_symbols
from welfarist.web.learned.estimates import Estimate
from welfarist.web.pictures.power_line import Placing, along
from welfarist.web.pictures.svg import WIDTH, dot, group, line, path, picture, words

_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 116.0, 12.0, 10.0, 180.0, 214.0
_MOST_TICKS = 10


def course_picture(course: Sequence[Estimate]) -> SafeString:
    """Return the interval of p as a band, before the first answer and after each one."""
    place = along(_BOTTOM, _TOP)
    xs = [
        _LEFT + (WIDTH - _RIGHT - _LEFT) * k / max(len(course) - 1, 1) for k in range(len(course))
    ]
    low = [(x, place(one.low)) for x, one in zip(xs, course, strict=True)]
    high = [(x, place(one.high)) for x, one in zip(xs, course, strict=True)]
    middle = [(x, place(one.middle)) for x, one in zip(xs, course, strict=True)]
    return picture(
        _HEIGHT,
        f"The interval of p before the first and after each of {len(course) - 1} answers. The "
        "table has the numbers.",
        path([*high, *reversed(low)], "area", closed=True),
        _doctrines(place),
        path(middle, "course"),
        *(dot(x, y, 3.0) for x, y in middle),
        _ticks(xs),
    )


def _doctrines(place: Placing) -> SafeString:
    parts: list[str] = []
    for doctrine in DOCTRINES:
        y = place(doctrine.p)
        name = f"{doctrine.name} {in_symbols(doctrine.p)}"
        parts += [
            line(_LEFT, y, WIDTH - _RIGHT, y, "doctrine"),
            words(name, _LEFT - 8, y + 4, "end", "tick"),
        ]
    return group(*parts, class_="axis")


def _ticks(xs: Sequence[float]) -> SafeString:
    step = -(-len(xs) // _MOST_TICKS)
    numbers = [
        words(str(k), xs[k], _BOTTOM + 16, "middle", "tick") for k in range(0, len(xs), step)
    ]
    name = words("answers", (_LEFT + WIDTH - _RIGHT) / 2, _BOTTOM + 31, "middle", "tick")
    return group(*numbers, name, class_="axis")
